// A part of a graph: a .fg file that knows all vertices and has the lists of some (docs/formats.md,
// "Parts"). Parts are used together, one by each rank.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "fathom/core/platform.hpp"

namespace fathom::store {

/// Consecutive lists of a graph. Invariant: the list of `first` begins at edge `begin` of all, that
/// of the vertex before `last` ends at `end`.
struct PartRange {
  VertexId first = 0, last = 0;
  EdgeId begin = 0, end = 0;

  VertexId vertices() const { return last - first; }
  EdgeId edges() const { return end - begin; }
  friend bool operator==(const PartRange&, const PartRange&) = default;
};

/// Which part it is.
struct PartLayout {
  std::uint32_t index = 0, parts = 1;  // from 0
  PartRange out, in;                   // `in` is empty without in-edges
};

/// The parts that one of several ranks makes: [first, last), as many as others make, and part r on
/// rank r where there are as many parts as ranks.
struct OwnParts {
  std::uint32_t first = 0, last = 0;
};
constexpr OwnParts parts_of_rank(std::uint32_t parts, int rank, int ranks) {
  const auto begins = [&](int r) {
    const auto n = static_cast<std::uint64_t>(ranks);
    return static_cast<std::uint32_t>((parts * static_cast<std::uint64_t>(r) + n - 1) / n);
  };
  return {begins(rank), begins(rank + 1)};
}

inline constexpr std::uint32_t kMostParts = 99'999;  // what a name has digits for
inline constexpr std::size_t kPartNumbers = 10;

struct Layout;

/// The section "part" of a file, and back.
FATHOM_API std::array<std::uint64_t, kPartNumbers> encode_part(const PartLayout& part);
/// @throws Error(BadInput) where it does not go together with the counts of the file's header and
///         the sizes of its sections.
PartLayout decode_part(const std::string& path, const Layout& layout,
                       const std::array<std::uint64_t, kPartNumbers>& numbers);

/// The lists of a part. Offsets are those of all vertices: position p of the graph's targets is
/// target[p - range.begin].
struct PartLists {
  VertexId vertices = 0;
  EdgeId edges = 0;                  // of the whole graph
  const EdgeId* offset = nullptr;    // [vertices + 1]
  const VertexId* target = nullptr;  // [range.edges()]
  const Weight* weight = nullptr;    // likewise; null: every weight is 1
  PartRange range;
};

}  // namespace fathom::store
