// What finds the blocks of packed lists: the tables that PackedEdges looks up, and which groups of
// them are worth a copy in nearer memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/residency/packed/packed_edges.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom {

/// Blocks of groups before `group`, of lists of so many edges.
constexpr std::uint64_t blocks_before(std::uint64_t group, EdgeId edges) {
  const std::uint64_t all = (edges + store::packed::kBlock - 1) / store::packed::kBlock;
  const std::uint64_t full = group * store::packed::kBlocks;
  return full < all ? full : all;
}

/// What a device keeps of so many edges to find their blocks: an element of PackedEdges::place per
/// group and one more, one of PackedEdges::block per block.
constexpr std::uint64_t bytes_of_places(EdgeId edges) {
  const std::uint64_t groups = store::packed::groups_of(edges);
  return (groups + 1) * sizeof(std::uint64_t) +
         blocks_before(groups, edges) * sizeof(std::uint32_t);
}

/// Writes the elements of PackedEdges::block for groups [first, last), and checks these: all ids
/// are vertices, all codes of weights have values. Cost: they are unpacked, by so many threads.
/// @throws Error(BadInput) naming the group or the edges.
FATHOM_API void locate_blocks(const store::PackedLists& lists, std::uint64_t first,
                              std::uint64_t last, int threads, std::span<std::uint32_t> block);

/// Which groups have a copy in nearer memory, and where.
struct GroupChoice {
  Array<std::uint64_t> place;  // [groups]: PackedEdges::place
  std::uint64_t words = 0;     // of nearer memory
  std::uint64_t groups = 0;    // that are there
  EdgeId edges = 0;            // of these
};

/// Words in front of a group's own in nearer memory: the weights of as many edges as it may have.
constexpr std::uint64_t words_of_weights(const store::PackedWeights& weights, bool wanted) {
  return wanted && weights ? store::packed::kGroup * weights.entry_bytes() / sizeof(std::uint32_t)
                           : 0;
}

/// Chooses groups that together take at most `capacity` words, by how many lists begin in them per
/// word: the policies of list caches (list_choice.hpp), but that Reuse is LowDegree and Prefix
/// takes the first ones. The same for any number of threads. Cost: a read of the offsets.
FATHOM_API GroupChoice choose_groups(const store::PackedLists& lists, CachePolicy policy,
                                     std::uint64_t capacity, bool weights, int threads,
                                     const std::shared_ptr<MemoryPool>& pool);

}  // namespace fathom
