#include "fathom/dynamic/lists/dynamic_lists.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/batches/in_pieces.hpp"
#include "fathom/dynamic/lists/edge_fields.hpp"
#include "fathom/graph/radix_sort.hpp"

namespace fathom::dynamic {
namespace {

constexpr OneLane kOneLane{};
constexpr std::size_t kGrain = 128;
// From so many updates per touched list on, one worker goes through a list for all of them: it
// never reads an entry twice.
constexpr std::size_t kSortedFrom = 4;

template <class Item>
void for_items(int threads, std::size_t n, const Item& item) {
  parallel_for(threads, n, kGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i) item(i);
  });
}

/// Where the changes of each source begin and end.
Array<TouchedList> touched_lists(const Array<Change>& change, int threads) {
  const auto begins = [&](std::size_t i) {
    return i == 0 || change[i].source != change[i - 1].source;
  };
  Array<TouchedList> touched;
  count_and_put<std::size_t>(
      threads, change.size(),
      [&](std::size_t a, std::size_t b) {
        std::size_t count = 0;
        for (std::size_t i = a; i < b; ++i) count += begins(i) ? 1 : 0;
        return count;
      },
      [&](std::size_t all) { touched = Array<TouchedList>(all); },
      [&](std::size_t a, std::size_t b, std::size_t at) {
        for (std::size_t i = a; i < b; ++i) {
          if (!begins(i)) continue;
          touched[at] = {};
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

/// What lists of a batch come to together.
struct Wanted {
  std::int64_t growth = 0;
  std::uint64_t moved = 0, fresh = 0, old = 0;
  Wanted operator+(const Wanted& o) const {
    return {growth + o.growth, moved + o.moved, fresh + o.fresh, old + o.old};
  }
};

/// Gives each list its places among the pages of the batch.
void number_pages(PlannedBatch& batch, const DynamicListsRef& lists, int threads) {
  const Wanted all = count_and_put<Wanted>(
      threads, batch.touched.size(),
      [&](std::size_t a, std::size_t b) {
        Wanted wanted;
        for (std::size_t i = a; i < b; ++i) {
          const TouchedList& t = batch.touched[i];
          if (!t.changes) continue;
          const std::int64_t growth = std::int64_t{t.size} - lists.list(t.vertex).size;
          wanted = wanted + Wanted{growth, t.moves ? 1u : 0u, t.fresh, t.old};
        }
        return wanted;
      },
      [&](const Wanted& wanted) {
        batch.fresh = Array<PageRequest>(wanted.fresh);
        batch.old = Array<PageRequest>(wanted.old);
      },
      [&](std::size_t a, std::size_t b, Wanted at) {
        for (std::size_t i = a; i < b; ++i) {
          TouchedList& t = batch.touched[i];
          if (!t.changes) continue;
          t.first_fresh = std::exchange(at.fresh, at.fresh + t.fresh);
          t.first_old = std::exchange(at.old, at.old + t.old);
          std::fill_n(batch.fresh.begin() + t.first_fresh, t.fresh,
                      PageRequest{lists.bytes_for(t.room)});
          std::fill_n(batch.old.begin() + t.first_old, t.old, PageRequest{});
        }
      });
  batch.growth = all.growth;
  batch.moved = all.moved;
}

/// Pages that lists have left stay where snapshots show them.
void retire(PlannedBatch& batch, std::uint32_t epoch, std::uint32_t pinned,
            std::vector<RetiredPage>& retired) {
  for (const TouchedList& t : batch.touched) {
    if (!t.changes || t.written > pinned) continue;
    for (std::uint32_t k = 0; k < t.old; ++k) {
      PageRequest& page = batch.old[t.first_old + k];
      retired.push_back({page, t.written, epoch});
      page = {};
    }
  }
}

}  // namespace

void throw_too_long(const DynamicLayout& layout) {
  throw Error(ErrorCode::DoesNotFit, "a list of a graph that changes has at most " +
                                         std::to_string(layout.most_edges()) +
                                         " edges of this kind");
}

void DynamicLists::reserve_vertices(VertexId vertices) {
  record_.grow_to(std::size_t{vertices} * layout_.records());
  if (vertices <= recorded_) return;
  // Memory is zero, which is an empty list where lists are linked.
  if (!layout_.linked())
    std::memset(record_.data() + recorded_, layout_.empty_byte(),
                (vertices - recorded_) * layout_.record_bytes());
  recorded_ = vertices;
}

void DynamicLists::give_back_records(std::size_t bytes) noexcept {
  record_.shrink_to_bytes(std::max<std::size_t>(bytes, vertices_ * layout_.record_bytes()));
  recorded_ = std::min(recorded_, static_cast<VertexId>(record_.bytes() / layout_.record_bytes()));
  const std::size_t known = vertices_ * sizeof(std::uint32_t);
  if (written_.bytes() > known) written_.shrink_to_bytes(known);
}

void DynamicLists::tell_pages_apart(std::uint32_t pinned) {
  if (pinned != 0)
    written_.grow_to(recorded_);
  else
    forget_epochs();
}

void DynamicLists::fill(const CsrView& csr, std::span<const EdgeFields> fields, std::uint32_t epoch,
                        int threads) {
  const DynamicListsRef lists = ref(epoch, 0);
  std::vector<std::uint64_t> first(std::size_t{csr.vertices} + 1, 0);  // page of each list
  for (VertexId v = 0; v < csr.vertices; ++v) {
    if (csr.degree(v) > layout_.most_edges()) throw_too_long(layout_);
    first[v + std::size_t{1}] =
        first[v] + lists.pages_for(static_cast<std::uint32_t>(csr.degree(v)));
  }
  std::vector<PageRequest> pages(first.back());
  const auto degree = [&](std::size_t v) {
    return static_cast<std::uint32_t>(csr.degree(static_cast<VertexId>(v)));
  };
  for_items(threads, csr.vertices, [&](std::size_t v) {
    for (std::uint64_t p = first[v]; p < first[v + 1]; ++p)
      pages[p].bytes = lists.bytes_for(degree(v));
  });
  pages_.allocate(pages, threads);
  for_items(threads, csr.vertices, [&](std::size_t v) {
    DynamicList mine{0, degree(v), lists.capacity_for(degree(v))};
    if (mine.size == 0) return;
    if (layout_.on_page(mine.capacity)) mine.page = pages[first[v]].page;
    lists.set(v, mine, true);
    const PageRequest* const its = pages.data() + first[v];
    const EdgeId from = csr.offset[v];
    const auto put = [&](const PageRef& page, std::uint32_t at, std::uint32_t i) {
      page.set(at, csr.target[from + i], csr.weight ? csr.weight[from + i] : Weight{1});
      if (page.fields != 0) page.set_fields(at, fields.empty() ? EdgeFields{} : fields[from + i]);
    };
    if (!lists.linked()) {
      const PageRef page = lists.page(v, mine);
      for (std::uint32_t i = 0; i < mine.size; ++i) put(page, i, i);
      return;
    }
    const LinkedPages linked = lists.pages();
    chain(
        kOneLane, linked, [its](std::uint32_t k) { return its[k].page; },
        lists.pages_for(mine.size));
    for (std::uint32_t i = 0; i < mine.size; ++i)
      put(linked.page(its[i / linked.entries()].page), i % linked.entries(), i);
  });
  edges_ = csr.edges;
}

PlannedBatch DynamicLists::plan(Array<Change> change, const UpdateData& data,
                                DuplicatePolicy policy, UpdateStrategy strategy,
                                std::uint32_t pinned, int threads) {
  PlannedBatch batch;
  batch.data = data;
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
        n >= batch.touched.size() * kSortedFrom ? UpdateStrategy::Sorted : UpdateStrategy::Update;
  if (strategy == UpdateStrategy::Update || strategy == UpdateStrategy::Warp)
    for_items(threads, n,
              [&, locate = LocateChange{lists, changes}](std::size_t i) { locate(kOneLane, i); });
  else
    for_items(threads, batch.touched.size(),
              [&, locate = LocateInList{lists, changes, batch.touched.data()}](std::size_t i) {
                locate(kOneLane, i);
              });
  unsigned too_long = 0;
  for_items(threads, batch.touched.size(),
            PlanList{lists, changes, batch.touched.data(), &too_long});
  if (too_long != 0) throw_too_long(layout_);
  number_pages(batch, lists, threads);
  pages_.allocate(batch.fresh.span(), threads);
  return batch;
}

void DynamicLists::commit(PlannedBatch& batch, std::uint32_t epoch, std::uint32_t pinned,
                          std::vector<RetiredPage>& retired, int threads) noexcept {
  const auto write = [&](const auto& data) {
    const CommitList<std::decay_t<decltype(data)>> its{ref(epoch, pinned),   batch.change.data(),
                                                       batch.touched.data(), batch.fresh.data(),
                                                       batch.old.data(),     data};
    for_items(threads, batch.touched.size(), [&](std::size_t i) { its(kOneLane, i); });
  };
  if (has_fields(layout_))
    write(batch.data);
  else
    write(WeightsAlone{});
  if (pinned != 0) retire(batch, epoch, pinned, retired);
  pages_.free(batch.old.span(), threads);
  count_edges(batch.growth);
}

}  // namespace fathom::dynamic
