// Narrow lists: an id in as few bits as the number of vertices takes, beside it the code of a
// weight; every entry is as wide, so that any can be read alone. What is on disk is specified in
// docs/formats.md.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fathom/core/array.hpp"
#include "fathom/graph/csr.hpp"

namespace fathom::store {

/// More distinct weights than this have no codes.
inline constexpr std::uint32_t kMostNarrowWeights = 65536;

struct NarrowLayout {
  std::uint8_t id_bits = 32;   // 16, 20, 24, 28 or 32; with 64-bit ids also 33 to 40
  std::uint8_t code_bits = 0;  // 8 or 16; 0: unweighted
  std::uint32_t values = 0;    // distinct weights

  std::uint32_t entry_bits() const { return std::uint32_t{id_bits} + code_bits; }
  bool weighted() const { return code_bits != 0; }
  /// Words of 64 bits that so many entries take, with the one of zeros behind them.
  std::uint64_t words(EdgeId edges) const {
    return edges / 64 * entry_bits() + (edges % 64 * entry_bits() + 63) / 64 + 1;
  }
  friend bool operator==(const NarrowLayout&, const NarrowLayout&) = default;
};

/// The layout of lists of so many vertices. `values`: distinct weights; none: unweighted.
/// @throws Error(Usage) for more vertices than 40 bits can number, or more than kMostNarrowWeights.
FATHOM_API NarrowLayout narrow_layout(VertexId vertices, bool weighted, std::uint64_t values);

/// Narrow lists of one direction in host memory. Does not own them.
struct NarrowLists {
  NarrowLayout layout;
  VertexId vertices = 0;
  EdgeId edges = 0;
  const EdgeId* offset = nullptr;        // [vertices + 1]
  std::span<const std::uint64_t> words;  // [layout.words(edges)]
  std::span<const Weight> values;        // [layout.values] what a code stands for; ascending
  std::string name{};                    // the file and section of the words, for messages

  bool weighted() const { return layout.weighted(); }
};

/// Ids and codes of entries [first, first + target.size()) of `words`, behind which there is one
/// more; `code` may be empty. Ids are not looked at.
void read_entries(const NarrowLayout& layout, std::span<const std::uint64_t> words, EdgeId first,
                  std::span<VertexId> target, std::span<std::uint32_t> code);

/// The same of entries the first of which begins with bit `bit` of words[0]; `target` or `code` may
/// be empty. The word behind the one that the last entry begins in is read, too.
void read_entries_at(const NarrowLayout& layout, const std::uint64_t* words, std::uint64_t bit,
                     std::span<VertexId> target, std::span<std::uint32_t> code);

/// Looks at entries that were read: their ids must be vertices, their codes have values. `first` is
/// the number of the first one, `name` of the section that they are in; `target` or `code` may be
/// empty. @throws Error(BadInput) naming an entry.
void check_entries(const std::string& name, const NarrowLayout& layout, VertexId vertices,
                   EdgeId first, std::span<const VertexId> target,
                   std::span<const std::uint32_t> code);

/// Entries of these ids and codes from the lowest bit of words[0] on; `code` empty where there are
/// none. Fills `words`, as many as they take without the word behind them, with zeros at the end.
void write_entries(const NarrowLayout& layout, std::span<const VertexId> target,
                   std::span<const std::uint32_t> code, std::span<std::uint64_t> words);

/// Targets and weights of narrow lists, each in an array; offsets stay where they are.
struct WidenedLists {
  Array<VertexId> target;
  Array<Weight> weight;  // empty: unweighted, or not wanted
};
/// Bytes that widened lists take.
std::uint64_t widened_bytes(const NarrowLists& lists, bool weights = true);
/// In parallel; memory comes from `pool`. @throws Error(DoesNotFit)
FATHOM_API WidenedLists widen(const NarrowLists& lists, const std::shared_ptr<MemoryPool>& pool,
                              int threads, bool weights = true);

}  // namespace fathom::store
