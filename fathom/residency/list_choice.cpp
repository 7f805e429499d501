#include "fathom/residency/list_choice.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

// Lists are chosen by a key: their degree, or how often they are read. Keys from here on share the
// last class of the histogram.
constexpr std::uint64_t kClasses = 4096;
constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // vertices that one thread places at a time

struct Keys {
  const CsrView& csr;
  std::span<const std::uint32_t> reads;  // empty: by degree
  bool low_first, all_alike;             // all_alike: in the order of their vertices

  /// Classes with smaller ranks go first.
  std::uint64_t rank(VertexId v) const {
    if (all_alike) return 0;
    const std::uint64_t key = reads.empty() ? csr.degree(v) : reads[v];
    const std::uint64_t c = std::min(key, kClasses - 1);
    return low_first ? c : kClasses - 1 - c;
  }
};

/// Edges of a block of vertices: of classes that fit as a whole, and of the one that fits in part.
struct Sums {
  EdgeId inside = 0, border = 0;
};

}  // namespace

ListChoice choose_lists(const CsrView& csr, CachePolicy policy, EdgeId capacity,
                        std::span<const std::uint32_t> reads, int threads,
                        const std::shared_ptr<MemoryPool>& pool, std::uint32_t least_shift) {
  ListChoice choice;
  choice.unit_shift = least_shift;
  while (capacity >> choice.unit_shift >= ListChoice::kNone) ++choice.unit_shift;
  const EdgeId unit = EdgeId{1} << choice.unit_shift;
  const bool by_reads = policy == CachePolicy::Reuse && !reads.empty();
  const Keys keys{csr, by_reads ? reads : std::span<const std::uint32_t>(),
                  !by_reads && policy != CachePolicy::HighDegree, policy == CachePolicy::Prefix};
  const auto room_for = [&](VertexId v) { return (csr.degree(v) + unit - 1) / unit * unit; };

  const std::size_t n = csr.vertices, blocks = (n + kAtOnce - 1) / kAtOnce;
  std::vector<std::array<EdgeId, kClasses>> of_class(
      static_cast<std::size_t>(worker_count(threads)));
  for (auto& its : of_class) its.fill(0);
  parallel_for(threads, n, kAtOnce, [&](std::size_t first, std::size_t last, int worker) {
    auto& mine = of_class[static_cast<std::size_t>(worker)];
    for (std::size_t v = first; v < last; ++v)
      mine[keys.rank(static_cast<VertexId>(v))] += room_for(static_cast<VertexId>(v));
  });
  EdgeId inside = 0;
  std::uint64_t border = 0;
  for (; border < kClasses; ++border) {
    EdgeId sum = 0;
    for (const auto& its : of_class) sum += its[border];
    if (inside + sum > capacity) break;
    inside += sum;
  }

  // Whole classes come first, then as much of the border's as fits; each by ascending vertex.
  std::vector<Sums> before(blocks + 1);
  parallel_for(threads, n, kAtOnce, [&](std::size_t first, std::size_t last, int) {
    Sums sums;
    for (std::size_t v = first; v < last; ++v) {
      const std::uint64_t rank = keys.rank(static_cast<VertexId>(v));
      if (rank < border) sums.inside += room_for(static_cast<VertexId>(v));
      if (rank == border) sums.border += room_for(static_cast<VertexId>(v));
    }
    before[first / kAtOnce + 1] = sums;
  });
  for (std::size_t b = 0; b < blocks; ++b) {
    before[b + 1].inside += before[b].inside;
    before[b + 1].border += before[b].border;
  }
  choice.at = Array<std::uint32_t>(n, pool);
  std::vector<Sums> taken(blocks);  // edges of the lists; and the end of the border's
  parallel_for(threads, n, kAtOnce, [&](std::size_t first, std::size_t last, int) {
    Sums at = before[first / kAtOnce], its;
    for (std::size_t i = first; i < last; ++i) {
      const auto v = static_cast<VertexId>(i);
      const std::uint64_t rank = keys.rank(v);
      choice.at[i] = ListChoice::kNone;
      if (csr.degree(v) == 0 || rank > border) continue;
      EdgeId& position = rank < border ? at.inside : at.border;
      const EdgeId begin = position + (rank < border ? 0 : inside);
      position += room_for(v);
      if (begin + room_for(v) > capacity) continue;
      choice.at[i] = static_cast<std::uint32_t>(begin >> choice.unit_shift);
      its.inside += csr.degree(v);
      its.border = std::max(its.border, begin + room_for(v));
    }
    taken[first / kAtOnce] = its;
  });
  for (const Sums& its : taken) {
    choice.edges += its.inside;
    choice.used = std::max(choice.used, its.border);
  }
  return choice;
}

namespace {

constexpr std::size_t kReadGrain = std::size_t{1} << 18;

void count(std::span<const VertexId> targets, std::vector<std::uint32_t>& reads) {
  for (const VertexId v : targets) AtomicRef(reads[v]).fetch_add(1u, Order::Relaxed);
}

}  // namespace

std::vector<std::uint32_t> count_reads(const CsrView& csr, int threads) {
  std::vector<std::uint32_t> reads(csr.vertices);
  parallel_for(threads, csr.edges, kReadGrain, [&](std::size_t first, std::size_t last, int) {
    count({csr.target + first, last - first}, reads);
  });
  return reads;
}

std::vector<std::uint32_t> count_reads(const store::NarrowLists& lists, int threads) {
  constexpr std::size_t kTargetsAtOnce = 1024;
  std::vector<std::uint32_t> reads(lists.vertices);
  parallel_for(threads, lists.edges, kReadGrain, [&](std::size_t first, std::size_t last, int) {
    VertexId target[kTargetsAtOnce];
    for (; first < last; first += kTargetsAtOnce) {
      const std::span some(target, std::min(kTargetsAtOnce, last - first));
      store::read_entries(lists.layout, lists.words, first, some, {});
      count(some, reads);
    }
  });
  return reads;
}

}  // namespace fathom
