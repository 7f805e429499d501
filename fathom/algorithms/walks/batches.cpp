#include "fathom/algorithms/walks/batches.hpp"

#include <algorithm>
#include <bit>

namespace fathom {
namespace {

// Vertices in the rows of a batch, and walks of short ones. Where every step of a batch is a sweep
// over lists there are more of them.
struct MostWalks {
  std::uint64_t in_rows, walks;
};
constexpr MostWalks kMostReached{std::uint64_t{1} << 20, std::uint64_t{1} << 16};
constexpr MostWalks kMostSwept{std::uint64_t{1} << 24, std::uint64_t{1} << 20};
constexpr std::uint64_t kFewestWalks = 64;

std::uint64_t walks_of(const WalkOptions& options, const MostWalks& most) {
  const std::uint64_t by_rows = most.in_rows / (std::uint64_t{options.length} + 1);
  return std::bit_floor(std::clamp<std::uint64_t>(by_rows, 1, most.walks));
}

}  // namespace

WalkMemory walk_memory(const WalkOptions& options, std::uint64_t batch, bool in_reach,
                       std::size_t devices, double id_bytes) {
  const auto id = static_cast<std::uint64_t>(id_bytes);
  // A row; the walk, degree and kind of a step.
  std::uint64_t walk = id * (std::uint64_t{options.length} + 1) + 4 + 8 + 1;
  const bool back = draws_back_apart(options);
  if (back) walk += 4;  // edges to where it came from
  // Of an edge to draw: its vertex, place and target.
  std::uint64_t edge = id + 8 + id;
  // Verdicts; what is asked about, and what is answered.
  if (options.second_order() && !tries_alone(options, in_reach)) edge += 1 + id + id + 4;
  if (options.weighted || !in_reach) edge += 4;  // their order by vertices
  const std::uint64_t edges = batch * drawn_together(options, in_reach);
  WalkMemory memory;
  if (in_reach) {
    memory.host = batch * walk + edges * edge;
    return memory;
  }
  // The table of places, which vertices these are, and their keys.
  memory.device = edges * (id + 2 * 4 + 8 + 8 + id) + 8;
  edge += id + 2 * 4 + 4 + 8 + 8;
  std::uint64_t merged = id * edges;
  if (devices > 0) edge += id;
  if (back) {
    memory.device += edges * 4;
    if (devices > 0) edge += 4;
  }
  if (options.weighted) {
    const std::uint64_t pieces = kWalkPieceEdges * edges;
    memory.device += pieces * (id + sizeof(Weight));
    if (devices > 0) edge += kWalkPieceEdges * (id + sizeof(Weight));
    merged = std::max<std::uint64_t>(id, sizeof(Weight)) * pieces;
  }
  memory.host = batch * walk + edges * edge + 4 + 8;
  if (devices > 1) memory.host += 2 * merged;
  return memory;
}

std::uint64_t fewest_walks(const WalkOptions& options) {
  return options.batch != 0 ? options.batch
                            : std::min(kFewestWalks, walks_of(options, kMostReached));
}

std::uint64_t most_walks(const WalkOptions& options, bool in_reach) {
  return options.batch != 0 ? options.batch
                            : walks_of(options, in_reach ? kMostReached : kMostSwept);
}

StateSize walks_state(const WalkMemory& memory, bool in_reach, bool separate) {
  StateSize size{"walks"};
  size.whole = in_reach ? 0 : 1. / 8;  // vertices whose lists are read
  size.fixed = memory.device + (separate ? 0 : memory.host);
  return size;
}

}  // namespace fathom
