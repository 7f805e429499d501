// Packed lists (docs/formats.md, "Packed lists"): targets in a third to two thirds of the bytes,
// weights as codes where few differ. Positions stay what they are in CSR, and with them offsets,
// pages and whatever walks them: only who reads the bytes unpacks.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "fathom/graph/csr.hpp"
#include "fathom/store/packed/packed_format.hpp"
#include "fathom/store/packed/packed_layout.hpp"

namespace fathom::store {

/// Weights of consecutive edges, as they are or as codes. Does not own them.
struct PackedWeights {
  const std::byte* at = nullptr;     // the first; null: there are none
  std::uint32_t code_bytes = 0;      // 1 or 2; 0: weights as they are
  std::span<const Weight> values{};  // what codes stand for

  explicit operator bool() const { return at != nullptr; }
  std::uint32_t entry_bytes() const { return code_bytes > 0 ? code_bytes : sizeof(Weight); }
};

/// Weights [first, first + into.size()). False: a code stands for nothing.
[[nodiscard]] FATHOM_API bool unpack_weights(const PackedWeights& weights, std::size_t first,
                                             std::span<Weight> into);

/// Writes codes as PackedWeights has them, of 1 or 2 bytes each.
void pack_codes(std::span<const std::uint32_t> codes, std::uint32_t code_bytes, std::byte* into);

/// Packed lists of one direction in host memory. Does not own them.
struct PackedLists {
  PackedLayout layout;
  VertexId vertices = 0;
  EdgeId edges = 0;
  const EdgeId* offset = nullptr;        // [vertices + 1]
  std::span<const std::uint64_t> index;  // [groups + 1]: where each group begins, in words
  const std::uint32_t* words = nullptr;
  PackedWeights weights;
  std::string name{};  // the file and section of the words, for messages

  std::uint64_t groups() const { return packed::groups_of(edges); }
  std::uint32_t entries_of(std::uint64_t group) const {
    const EdgeId left = edges - group * packed::kGroup;
    return left < packed::kGroup ? static_cast<std::uint32_t>(left) : packed::kGroup;
  }
  /// Bytes of all of it but offsets: what there is to move.
  std::uint64_t bytes() const {
    return (index.empty() ? 0 : index.back()) * sizeof(std::uint32_t) + index.size_bytes() +
           (weights ? edges * weights.entry_bytes() : 0);
  }
};

/// What is wrong with an index over so many words; empty: nothing.
FATHOM_API std::string fault_of_index(std::span<const std::uint64_t> index, EdgeId edges,
                                      std::uint32_t id_bits, std::uint64_t words);

/// The content of section 'packed'.
inline std::array<std::uint32_t, 4> encoded(const PackedLayout& layout) {
  return {layout.id_bits, packed::kBlock, packed::kGroup, layout.code_bytes};
}

/// Targets [first, first + target.size()), and their weights unless `weight` is empty, by the
/// calling thread. Cost: the groups that they are in.
/// @throws Error(BadInput) naming the group, or the edge whose weight has no value.
FATHOM_API void unpack_edges(const PackedLists& lists, EdgeId first, std::span<VertexId> target,
                             std::span<Weight> weight);

/// All of them, with so many threads. @throws as above.
FATHOM_API void unpack_all(const PackedLists& lists, int threads, std::span<VertexId> target,
                           std::span<Weight> weight);

/// The lists in CSR, in memory of `pool`. @throws as above; Error(DoesNotFit).
FATHOM_API Csr unpack(const PackedLists& lists, int threads,
                      const std::shared_ptr<MemoryPool>& pool);

/// @throws Error(BadInput): a group of `name`, a file and a section, cannot be unpacked.
[[noreturn]] FATHOM_API void throw_bad_group(const std::string& name, std::uint64_t group);
[[noreturn]] FATHOM_API void throw_bad_code(const std::string& name, EdgeId first, EdgeId last);

}  // namespace fathom::store
