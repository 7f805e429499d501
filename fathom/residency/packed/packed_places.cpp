#include "fathom/residency/packed/packed_places.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

using store::PackedLists;
namespace packed = store::packed;

constexpr std::size_t kGroupsAtOnce = 16;
// Lists per word, in so many classes: of a group of loops and leaves, and of one list's part.
constexpr std::uint64_t kWorths = 2048;

void locate_group(const PackedLists& lists, std::uint64_t group, std::uint32_t* block) {
  const std::uint32_t entries = lists.entries_of(group), blocks = packed::blocks_in(entries);
  const std::uint32_t* const words = lists.words + lists.index[group];
  std::uint32_t bit = packed::header_words(blocks) * packed::kWordBits;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint16_t code = packed::code_at(words, b);
    block[b] = bit << PackedEdges::kStartShift | code;
    bit += packed::Block::of(code).bits(packed::entries_of(b, entries), lists.layout.id_bits);
  }
}

/// How many lists that are not empty begin in each group.
Array<std::uint32_t> count_lists(const PackedLists& lists, int threads,
                                 const std::shared_ptr<MemoryPool>& pool) {
  Array<std::uint32_t> count(static_cast<std::size_t>(lists.groups()), 0u, pool);
  parallel_for(threads, lists.vertices, std::size_t{1} << 16,
               [&](std::size_t first, std::size_t last, int) {
                 for (std::size_t v = first; v < last; ++v)
                   if (lists.offset[v + 1] > lists.offset[v])
                     AtomicRef(count[static_cast<std::size_t>(lists.offset[v] / packed::kGroup)])
                         .fetch_add(1u, Order::Relaxed);
               });
  return count;
}

}  // namespace

void locate_blocks(const PackedLists& lists, std::uint64_t first, std::uint64_t last, int threads,
                   std::span<std::uint32_t> block) {
  const bool coded = lists.weights && lists.weights.code_bytes > 0;
  const std::uint64_t blocks_first = blocks_before(first, lists.edges);
  parallel_for(threads, static_cast<std::size_t>(last - first), kGroupsAtOnce,
               [&](std::size_t a, std::size_t b, int) {
                 std::array<VertexId, packed::kGroup> ids;
                 std::array<Weight, packed::kGroup> weights;
                 for (std::uint64_t group = first + a; group < first + b; ++group) {
                   const std::uint32_t entries = lists.entries_of(group);
                   store::unpack_edges(lists, group * packed::kGroup, std::span(ids).first(entries),
                                       std::span(weights).first(coded ? entries : 0));
                   locate_group(lists, group,
                                block.data() + (blocks_before(group, lists.edges) - blocks_first));
                 }
               });
}

GroupChoice choose_groups(const PackedLists& lists, CachePolicy policy, std::uint64_t capacity,
                          bool weights, int threads, const std::shared_ptr<MemoryPool>& pool) {
  const auto groups = static_cast<std::size_t>(lists.groups());
  const std::uint64_t ahead = words_of_weights(lists.weights, weights);
  const Array<std::uint32_t> count = count_lists(lists, threads, pool);
  const auto words_of = [&](std::size_t g) { return lists.index[g + 1] - lists.index[g] + ahead; };
  /// Groups of smaller ranks go first.
  const auto rank = [&](std::size_t g) -> std::uint64_t {
    if (policy == CachePolicy::Prefix) return 0;
    const std::uint64_t worth =
        std::min<std::uint64_t>(count[g] * kWorths / words_of(g), kWorths - 1);
    return policy == CachePolicy::HighDegree ? worth : kWorths - 1 - worth;
  };
  std::vector<std::uint64_t> of_rank(kWorths, 0);
  for (std::size_t g = 0; g < groups; ++g) of_rank[rank(g)] += words_of(g);
  std::uint64_t inside = 0, border = 0;
  while (border < kWorths && inside + of_rank[border] <= capacity) inside += of_rank[border++];

  GroupChoice choice;
  choice.place = Array<std::uint64_t>(groups, pool);
  std::uint64_t left = capacity - inside;  // for those of the rank that fits in part
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint64_t its = rank(g), words = words_of(g);
    choice.place[g] = lists.index[g];
    if (its > border || (its == border && words > left)) continue;
    if (its == border) left -= words;
    choice.place[g] = PackedEdges::kNear | (choice.words + ahead);
    choice.words += words;
    choice.edges += lists.entries_of(g);
    ++choice.groups;
  }
  return choice;
}

}  // namespace fathom
