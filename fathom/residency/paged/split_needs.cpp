#include "fathom/residency/paged/split_needs.hpp"

#include <algorithm>
#include <limits>

#include "fathom/exec/split.hpp"

namespace fathom::detail {
namespace {

std::uint64_t bytes(double each, std::uint64_t vertices) {
  return static_cast<std::uint64_t>(each * static_cast<double>(vertices));
}

}  // namespace

std::uint64_t SplitNeeds::split(std::uint32_t chunks) const {
  const std::uint64_t size = Split::chunk_size(vertices, chunks);
  return bytes(always, vertices) + bytes(chunk, size) +
         bytes(source + directions * double{sizeof(EdgeId)}, Split::pass_size(size)) + beside +
         kSplitSlack;
}

std::uint32_t SplitNeeds::fewest_chunks(std::uint32_t devices, std::uint64_t memory) const {
  const std::uint64_t most =
      std::min<std::uint64_t>(vertices / 64 + 1, std::numeric_limits<std::uint32_t>::max() / 2);
  std::uint32_t rounds = 1;
  while (split(rounds * devices) > memory && std::uint64_t{rounds} * devices < most)
    rounds += 1 + rounds / 8;
  return rounds * devices;
}

}  // namespace fathom::detail
