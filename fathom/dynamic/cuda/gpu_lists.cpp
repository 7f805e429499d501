#include "fathom/dynamic/cuda/gpu_lists.hpp"

#include <algorithm>
#include <limits>

#include "fathom/core/units.hpp"
#include "fathom/dynamic/batch_changes.hpp"
#include "fathom/dynamic/cuda/gpu_queries.hpp"

namespace fathom::dynamic::gpu {
namespace {

template <class T>
void clear(const cuda::Gpu& gpu, T* at, std::size_t n) {
  cuda::check(cudaMemsetAsync(at, 0, n * sizeof(T), gpu.stream()), "clearing memory");
}

}  // namespace

/// What the changes of a batch need on the device, for each direction.
struct Lists::Work {
  std::array<Side, 2> side{};
  int sides = 0;
  struct Arrays {
    Array<Change> change;
    Array<TouchedList> touched;
    Array<std::uint32_t> number;
    Array<PageRequest> fresh, old;
  };
  std::array<Arrays, 2> array;

  void add(const cuda::Gpu& gpu, const DynamicListsRef& lists, std::size_t changes,
           std::size_t touched, SideTotals* totals) {
    const auto& pool = gpu.memory();
    Arrays& a = array[static_cast<std::size_t>(sides)];
    a.change = Array<Change>(changes, pool);
    a.touched = Array<TouchedList>(touched, pool);
    a.number = Array<std::uint32_t>(touched, pool);
    Side& s = side[static_cast<std::size_t>(sides)];
    s.lists = lists;
    s.changes = static_cast<std::uint32_t>(touched);
    s.change = a.change.data();
    s.touched = a.touched.data();
    s.number = a.number.data();
    s.totals = totals;
    make_room(gpu, static_cast<std::size_t>(sides), touched, touched);
    ++sides;
  }
  void make_room(const cuda::Gpu& gpu, std::size_t k, std::uint64_t fresh, std::uint64_t old) {
    Arrays& a = array[k];
    if (a.fresh.size() < fresh) {
      a.fresh = {};
      a.fresh = Array<PageRequest>(fresh, gpu.memory());
    }
    if (a.old.size() < old) {
      a.old = {};
      a.old = Array<PageRequest>(old, gpu.memory());
    }
    side[k].fresh = a.fresh.data();
    side[k].old = a.old.data();
    side[k].fresh_room = a.fresh.size();
    side[k].old_room = a.old.size();
  }
};

struct Lists::Implied {
  Array<Edge> edge;
  std::size_t loops = 0;
};

Lists::Lists(const Context& ctx, const DynamicGraphOptions& options, const DynamicLayout& layout,
             const ListRoom& room)
    : ctx_(ctx),
      gpu_(*ctx.devices()[0].gpu()),
      layout_(layout),
      room_(room),
      directed_(options.directed),
      duplicates_(options.duplicates),
      strategy_(options.strategy),
      pool_(gpu_, std::min(options.memory, gpu_.memory()->limit())),
      totals_(1, gpu_.memory()),
      scratch_(gpu_.memory()),
      retired_count_(1, gpu_.memory()) {
  const std::size_t records = options.most_vertices * sizeof(DynamicList);
  direction_[0].records = std::make_unique<MappedMemory>(gpu_, records);
  if (options.directed && options.in_edges)
    direction_[1].records = std::make_unique<MappedMemory>(gpu_, records);
  clear(gpu_, retired_count_.data(), 1);
}

Lists::~Lists() {
  cudaSetDevice(gpu_.ordinal());
  cudaStreamSynchronize(gpu_.stream());
}

void Lists::clear_totals() const {
  clear(gpu_, const_cast<Totals*>(totals_.data()), 1);
}

void Lists::wait_for_totals() const {
  cuda::check(cudaMemcpyAsync(found_.get(), totals_.data(), sizeof(Totals), cudaMemcpyDeviceToHost,
                              gpu_.stream()),
              "reading what a batch needs");
  gpu_.wait();
  ++waits_;
}

void Lists::check_length() const {
  if (found_->side[0].too_long != 0 || found_->side[1].too_long != 0)
    throw Error(ErrorCode::DoesNotFit, "a list of a graph that changes has fewer than 2^31 edges");
}

Lists::Implied Lists::implied_by(const ListBatch& batch, const EdgeUpdate* updates) const {
  const std::size_t n = batch.deleted_vertices.size();
  if (n == 0) return {};
  Array<VertexId> vertex = device_array<VertexId>(n);
  send(vertex.data(), batch.deleted_vertices.data(), n);
  const std::size_t words = batch.vertices / 32 + std::size_t{1};
  Array<std::uint32_t> goes = device_array<std::uint32_t>(words);
  Array<unsigned long long> counts = device_array<unsigned long long>(2);
  clear(gpu_, goes.data(), words);
  mark_vertices(gpu_, vertex.data(), n, goes.data());
  ImpliedEdges to{goes.data(), counts.data(), nullptr};
  const auto collect = [&] {
    clear(gpu_, counts.data(), 2);
    imply_from_lists(gpu_, edges_of(0), vertex.data(), n, false, to);
    if (directions() == 2)
      imply_from_lists(gpu_, edges_of(1), vertex.data(), n, true, to);
    else if (directed_)
      imply_by_search(gpu_, edges_of(0), vertices_, to);
    if (!batch.edges.empty()) imply_from_updates(gpu_, updates, batch.edges.size(), to);
    cuda::check(cudaGetLastError(), "looking for the edges of vertices");
  };
  collect();
  unsigned long long found[2];
  gpu_.copy(found, counts.data(), sizeof(found));
  ++waits_;
  Implied implied{device_array<Edge>(found[0]), found[1]};
  if (found[0] != 0) {
    to.edge = implied.edge.data();
    collect();
  }
  return implied;
}

void Lists::find_pages(Work& work) {
  while (true) {
    assign_pages(gpu_, pool_.ref(), pool_.plan(), work.side.data(), work.sides, totals_.data());
    wait_for_totals();
    check_length();
    bool all = found_->missing == 0;
    for (int k = 0; k < work.sides; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const SideTotals& side = found_->side[work.side[at].totals - totals_.data()->side];
      all &= side.fresh <= work.side[at].fresh_room;
      work.make_room(gpu_, at, side.fresh, side.old);
    }
    if (all) return;
    if (found_->missing != 0) pool_.grow(found_->border, found_->missing);
  }
}

BatchReport Lists::apply(const ListBatch& batch) {
  waits_ = 0;
  for (int d = 0; d < directions(); ++d)
    direction_[static_cast<std::size_t>(d)].records->grow_to(batch.vertices * sizeof(DynamicList));
  const std::size_t n = batch.edges.size();
  Array<EdgeUpdate> update = device_array<EdgeUpdate>(n);
  send(update.data(), batch.edges.data(), n);
  const Implied implied = implied_by(batch, update.data());
  if (n + implied.edge.size() > std::numeric_limits<std::uint32_t>::max() / 4)
    throw Error(ErrorCode::DoesNotFit,
                "a batch with the edges of its vertices has at most 2^30 of them");
  Updates updates{update.data(),       static_cast<std::uint32_t>(n),
                  implied.edge.data(), static_cast<std::uint32_t>(implied.edge.size()),
                  !directed_,          false,
                  batch.vertices};
  const std::size_t keys = updates.keys();
  const std::size_t changes = keys - (directed_ ? 0 : batch.loops + implied.loops);
  clear_totals();
  Work work;
  {
    Array<std::uint64_t> space = device_array<std::uint64_t>(6 * keys);
    std::uint64_t* const at = space.data();
    const SortSpace sort{at, at + keys, at + 2 * keys, at + 3 * keys, at + 4 * keys, at + 5 * keys};
    for (int d = 0; d < directions(); ++d) {
      work.add(gpu_, lists(d, batch.epoch, batch.pinned), changes, changes,
               &totals_.data()->side[d]);
      const Side& side = work.side[static_cast<std::size_t>(d)];
      updates.swapped = d == 1;
      sort_changes(gpu_, scratch_, updates, sort, side);
      plan_side(gpu_, side, duplicates_, strategy_, totals_.data());
    }
  }
  count_changes(gpu_, work.side[0], directed_, totals_.data());
  BatchReport report;
  if (changes != 0) {
    find_pages(work);
    report = report_of(found_->counts);
    pool_.expect_free(found_->free, found_->returned);
    if (batch.pinned != 0) make_room_for_retired(found_->side[0].old + found_->side[1].old);
    // Nothing fails from here on.
    settle(gpu_, pool_.ref(), pool_.plan());
    for (int d = 0; d < directions(); ++d)
      commit_side(gpu_, work.side[static_cast<std::size_t>(d)]);
    for (int d = 0; d < directions(); ++d) {
      const SideTotals& side = found_->side[d];
      leave_pages(gpu_, work.side[static_cast<std::size_t>(d)], pool_.ref(), retired_.data(),
                  retired_count_.data());
      direction_[static_cast<std::size_t>(d)].edges += side.growth;
      report.lists += side.touched;
      report.moved += side.moved;
    }
    pool_.count(found_->wanted, found_->returned);
  }
  vertices_ = std::max(vertices_, batch.vertices);
  report.waits = waits_;
  return report;
}

void Lists::make_room_for_retired(std::uint64_t more) {
  if (most_retired_ + more > retired_.size()) {
    Array<RetiredPage> wider = device_array<RetiredPage>(2 * (most_retired_ + more) + 64);
    if (most_retired_ != 0)
      cuda::check(
          cudaMemcpyAsync(wider.data(), retired_.data(), most_retired_ * sizeof(RetiredPage),
                          cudaMemcpyDeviceToDevice, gpu_.stream()),
          "moving a list of pages");
    retired_ = std::move(wider);
  }
  most_retired_ += more;
}

void Lists::release(const std::multiset<std::uint32_t>& snapshots) noexcept {
  if (most_retired_ == 0) return;
  try {
    std::uint32_t count = 0;
    gpu_.copy(&count, retired_count_.data(), sizeof(count));
    std::vector<RetiredPage> all(count), kept;
    gpu_.copy(all.data(), retired_.data(), count * sizeof(RetiredPage));
    std::vector<PageRequest> gone;
    std::array<std::uint32_t, kPageSizes> none{}, more{};
    for (const RetiredPage& r : all) {
      const auto next = snapshots.lower_bound(r.written);
      if (next != snapshots.end() && *next < r.left) {
        kept.push_back(r);
        continue;
      }
      gone.push_back(r.page);
      ++more[static_cast<std::size_t>(PoolRef::size_class(r.page.bytes))];
    }
    Array<PageRequest> page = device_array<PageRequest>(gone.size());
    gpu_.copy(page.data(), gone.data(), gone.size() * sizeof(PageRequest));
    pool_.expect_more(more.data());
    gpu_.copy(retired_.data(), kept.data(), kept.size() * sizeof(RetiredPage));
    count = static_cast<std::uint32_t>(kept.size());
    gpu_.copy(retired_count_.data(), &count, sizeof(count));
    most_retired_ = count;
    free_pages(gpu_, pool_.ref(), page.data(), gone.size());
    pool_.count(none.data(), more.data());
  } catch (const Error&) {
    // Without memory for the lists of pages these stay where they are, until the next snapshot
    // goes.
  }
}

DynamicMemory Lists::memory() const {
  gpu_.wait();
  const PageStatistics pages = pool_.statistics();
  DynamicMemory memory{pages.used_bytes, pages.reserved_bytes, 0, 0, pages.pages};
  for (const Direction& d : direction_)
    if (d.records) memory.record_bytes += d.records->mapped();
  std::uint32_t count = 0;
  if (most_retired_ != 0) gpu_.copy(&count, retired_count_.data(), sizeof(count));
  std::vector<RetiredPage> retired(count);
  gpu_.copy(retired.data(), retired_.data(), count * sizeof(RetiredPage));
  for (const RetiredPage& r : retired) memory.snapshot_bytes += r.page.bytes;
  return memory;
}

// What is read of all lists at a time while they are filled or extracted.
constexpr EdgeId kEdgesAtOnce = EdgeId{1} << 26;

void Lists::fill(const CsrView& out, const CsrView* in, std::uint32_t epoch) {
  fill_direction(0, out, epoch);
  if (directions() == 2 && in) fill_direction(1, *in, epoch);
  vertices_ = out.vertices;
  gpu_.wait();
}

void Lists::fill_direction(int d, const CsrView& csr, std::uint32_t epoch) {
  constexpr VertexId kListsAtOnce = 1u << 26;
  direction_[static_cast<std::size_t>(d)].records->grow_to(csr.vertices * sizeof(DynamicList));
  for (VertexId first = 0; first < csr.vertices;) {
    const VertexId most = std::min<VertexId>(csr.vertices - first, kListsAtOnce);
    const EdgeId* const end = std::upper_bound(
        csr.offset + first + 1, csr.offset + first + most + 1, csr.offset[first] + kEdgesAtOnce);
    const auto last = std::max(first + 1, static_cast<VertexId>(end - csr.offset - 1));
    fill_piece(d, csr, first, last, epoch);
    first = last;
  }
  direction_[static_cast<std::size_t>(d)].edges = csr.edges;
}

void Lists::fill_piece(int d, const CsrView& csr, VertexId first, VertexId last,
                       std::uint32_t epoch) {
  const std::size_t n = last - first;
  const EdgeId base = csr.offset[first], edges = csr.offset[last] - base;
  Array<EdgeId> offset = device_array<EdgeId>(n + 1);
  Array<VertexId> target = device_array<VertexId>(edges);
  const bool weights = layout_.weighted() && csr.weight;
  Array<Weight> weight = device_array<Weight>(weights ? edges : 0);
  send(offset.data(), csr.offset + first, n + 1);
  send(target.data(), csr.target + base, edges);
  if (weights) send(weight.data(), csr.weight + base, edges);
  clear_totals();
  Work work;
  work.add(gpu_, lists(d, epoch, 0), 0, n, &totals_.data()->side[d]);
  plan_fill(gpu_, work.side[0], offset.data(), first, totals_.data());
  find_pages(work);
  pool_.expect_free(found_->free, found_->returned);
  settle(gpu_, pool_.ref(), pool_.plan());
  fill_lists(gpu_, work.side[0],
             FillList{work.side[0].lists, work.side[0].touched, work.side[0].fresh, offset.data(),
                      target.data(), weights ? weight.data() : nullptr, base});
  pool_.count(found_->wanted, found_->returned);
}

DynamicEdges Lists::view(bool in) const {
  gpu_.wait();
  return edges_of(in ? 1 : 0);
}

Array<DynamicList> Lists::copy_records(bool in) const {
  const std::size_t d = in ? 1 : 0;
  if (!direction_[d].records) return {};
  Array<DynamicList> copy = device_array<DynamicList>(vertices_);
  gpu_.copy(copy.data(), direction_[d].list(), vertices_ * sizeof(DynamicList));
  return copy;
}

}  // namespace fathom::dynamic::gpu

namespace fathom::dynamic {

std::unique_ptr<GpuLists> make_gpu_lists(const Context& ctx, const DynamicGraphOptions& options,
                                         const DynamicLayout& layout, const ListRoom& room) {
  if (!ctx.on_gpu() || ctx.devices().size() != 1) return nullptr;
  if (options.allocator != PageAllocator::Pool)
    throw Error(ErrorCode::Usage,
                "a graph that changes on a GPU takes its pages from the pool, not from " +
                    std::string(name_of(options.allocator)));
  return std::make_unique<gpu::Lists>(ctx, options, layout, room);
}

}  // namespace fathom::dynamic
