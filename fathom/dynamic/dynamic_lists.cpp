#include "fathom/dynamic/dynamic_lists.hpp"

#include <algorithm>
#include <atomic>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/graph/radix_sort.hpp"

namespace fathom::dynamic {
namespace {

constexpr OneLane kOneLane{};
constexpr std::size_t kGrain = 128;
// From so many updates per touched list on, one worker goes through a list for all of them: it
// never reads an entry twice.
constexpr std::size_t kVertexFrom = 4;

template <class Item>
void for_items(int threads, std::size_t n, const Item& item) {
  parallel_for(threads, n, kGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i) item(i);
  });
}

/// Where the changes of each source begin and end.
std::vector<TouchedList> touched_lists(const Array<Change>& change, int threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  const auto begins = [&](std::size_t i) {
    return i == 0 || change[i].source != change[i - 1].source;
  };
  std::vector<std::size_t> start((change.size() + kPiece - 1) / kPiece + 1, 0);
  parallel_for(threads, change.size(), kPiece, [&](std::size_t a, std::size_t b, int) {
    std::size_t count = 0;
    for (std::size_t i = a; i < b; ++i) count += begins(i) ? 1 : 0;
    start[a / kPiece + 1] = count;
  });
  for (std::size_t p = 1; p < start.size(); ++p) start[p] += start[p - 1];
  std::vector<TouchedList> touched(start.back());
  parallel_for(threads, change.size(), kPiece, [&](std::size_t a, std::size_t b, int) {
    std::size_t at = start[a / kPiece];
    for (std::size_t i = a; i < b; ++i) {
      if (!begins(i)) continue;
      touched[at].vertex = change[i].source;
      touched[at].first = static_cast<std::uint32_t>(i);
      ++at;
    }
  });
  for_items(threads, touched.size(), [&](std::size_t i) {
    touched[i].last =
        i + 1 < touched.size() ? touched[i + 1].first : static_cast<std::uint32_t>(change.size());
  });
  return touched;
}

}  // namespace

void DynamicLists::fill(const CsrView& csr, std::uint32_t epoch, int threads) {
  const DynamicListsRef lists = ref(epoch, 0);
  std::vector<PageRequest> pages(csr.vertices);
  std::atomic<bool> too_long{false};
  for_items(threads, csr.vertices, [&](std::size_t v) {
    const EdgeId degree = csr.degree(static_cast<VertexId>(v));
    if (degree > kNoPage)
      too_long = true;
    else
      pages[v].bytes = lists.bytes_for(static_cast<std::uint32_t>(degree));
  });
  if (too_long)
    throw Error(ErrorCode::DoesNotFit, "a list of a graph that changes has fewer than 2^32 edges");
  pages_.allocate(pages, threads);
  for_items(threads, csr.vertices, [&](std::size_t v) {
    DynamicList& mine = lists.list[v];
    mine = {};
    mine.epoch = epoch;
    if (pages[v].bytes == 0) return;
    const EdgeId first = csr.offset[v];
    mine.page = pages[v].page;
    mine.size = static_cast<std::uint32_t>(csr.offset[v + 1] - first);
    mine.capacity = lists.capacity_of(pages[v].bytes);
    const PageRef page = lists.page(mine);
    for (std::uint32_t i = 0; i < mine.size; ++i)
      page.set(i, csr.target[first + i], csr.weight ? csr.weight[first + i] : Weight{1});
  });
  edges_ = csr.edges;
}

PlannedBatch DynamicLists::plan(Array<Change> change, DuplicatePolicy policy,
                                UpdateStrategy strategy, std::uint32_t pinned, int threads) {
  PlannedBatch batch;
  {
    Array<Change> scratch(change.size(), pool_);
    graph::parallel_radix_sort(
        change.data(), scratch.data(), change.size(), threads,
        [](const Change& c) { return static_cast<std::uint64_t>(c.source) << 32 | c.target; },
        [](const Change*, const Change*) {});
  }
  batch.change = std::move(change);
  Change* const changes = batch.change.data();
  const std::size_t n = batch.change.size();
  const DynamicListsRef lists = ref(0, pinned);
  batch.touched = touched_lists(batch.change, threads);
  for_items(threads, n, DecideEdge{changes, n, policy});
  if (strategy == UpdateStrategy::Auto)
    strategy =
        n >= batch.touched.size() * kVertexFrom ? UpdateStrategy::Vertex : UpdateStrategy::Update;
  if (strategy == UpdateStrategy::Update)
    for_items(threads, n, LocateChange{lists, changes});
  else
    for_items(threads, batch.touched.size(), LocateInList{lists, changes, batch.touched.data()});
  batch.fresh.resize(batch.touched.size());
  unsigned too_long = 0;
  for_items(threads, batch.touched.size(),
            PlanList{lists, changes, batch.touched.data(), batch.fresh.data(), &too_long});
  if (too_long != 0)
    throw Error(ErrorCode::DoesNotFit, "a list of a graph that changes has fewer than 2^32 edges");
  for (const TouchedList& t : batch.touched) {
    if (!t.changes) continue;
    batch.growth += std::int64_t{t.size} - list_[t.vertex].size;
    batch.moved += t.moves ? 1 : 0;
  }
  pages_.allocate(batch.fresh, threads);
  return batch;
}

void DynamicLists::commit(PlannedBatch& batch, std::uint32_t epoch, std::uint32_t pinned,
                          std::vector<RetiredPage>& retired, int threads) noexcept {
  const DynamicListsRef lists = ref(epoch, pinned);
  // The pages that lists leave take the place of those that they were given.
  std::vector<PageRequest>& fresh = batch.fresh;
  for_items(threads, batch.touched.size(), [&](std::size_t i) {
    const TouchedList& t = batch.touched[i];
    const std::uint32_t written = lists.list[t.vertex].epoch;
    PageRequest left;
    CommitList{lists, batch.change.data(), &t, &fresh[i], &left}(kOneLane, 0);
    fresh[i] = left;
    batch.touched[i].size = written;  // not needed any more
  });
  for (std::size_t i = 0; pinned != 0 && i < fresh.size(); ++i) {
    if (fresh[i].bytes == 0 || batch.touched[i].size > pinned) continue;
    retired.push_back({fresh[i], batch.touched[i].size, epoch});
    fresh[i] = {};
  }
  pages_.free(fresh, threads);
  edges_ = static_cast<EdgeId>(static_cast<std::int64_t>(edges_) + batch.growth);
}

}  // namespace fathom::dynamic
