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
  const bool second = options.second_order();
  WalkMemory memory;
  // Rows; the walk, degree and kind of a step; vertex, place and target of an edge to draw.
  std::uint64_t host = id * (std::uint64_t{options.length} + 1) + 4 + 8 + 1 + id + 8 + id;
  if (second) host += 1 + id + id + 4;  // verdicts; what is asked about, and what is answered
  if (options.weighted || !in_reach) host += 4;  // edges to draw, by their vertices
  if (in_reach) {
    memory.host = batch * host;
    return memory;
  }
  // The table of places, which vertices these are, and their keys.
  memory.device = batch * (id + 2 * 4 + 8 + 8 + id) + 8;
  host += id + 2 * 4 + 4 + 8 + 8;
  std::uint64_t merged = id * batch;
  if (devices > 0) host += id;
  if (options.weighted) {
    const std::uint64_t pieces = kWalkPieceEdges * batch;
    memory.device += pieces * (id + sizeof(Weight));
    if (devices > 0) host += kWalkPieceEdges * (id + sizeof(Weight));
    merged = std::max<std::uint64_t>(id, sizeof(Weight)) * pieces;
  }
  memory.host = batch * host + 4 + 8;
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
