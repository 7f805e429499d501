#include "fathom/dynamic/live/live_changes.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/dynamic_state.hpp"

namespace fathom {

using dynamic::LiveCounts;

/// Invariant: while `open`, the graph is changing_in_kernels.
struct LiveChanges::State {
  State(std::shared_ptr<DynamicGraph::State> of, const LiveOptions& options)
      : graph(std::move(of)) {
    DynamicGraph::State& s = *graph;
    const std::lock_guard lock(s.changing);
    s.check_at_rest();
    s.check_in_one_memory("a phase of changes in kernels");
    if (s.options.sorted_links)
      throw Error(ErrorCode::Usage,
                  "lists with sorted links change by batches alone: loops and kernels insert edges "
                  "in any order");
    s.check_new_vertices(options.reserve_vertices);
    fresh = s.next_vertices(options.reserve_vertices);
    reused = std::min(fresh.size(), s.free.size());
    const auto vertices = static_cast<VertexId>(s.vertices() + (fresh.size() - reused));
    s.exists.reserve(vertices);
    const dynamic::LiveRequest request{options.reserve, fresh,          reused,
                                       vertices,        s.next_epoch(), s.pinned()};
    if (s.gpu)
      open_lists = s.gpu->open_changes(request);
    else
      open_on_host(request);
    // Nothing fails from here on.
    s.epoch = request.epoch;
    report.number = s.version.fetch_add(1, std::memory_order_release) + 1;
    s.changing_in_kernels = open = true;
  }

  void open_on_host(const dynamic::LiveRequest& request) {
    DynamicGraph::State& s = *graph;
    const auto& pool = s.ctx->host_memory();
    const std::size_t n = request.vertices;
    for (std::size_t d = 0; d < (s.in ? 2u : 1u); ++d) {
      side_lock[d] = Array<std::uint32_t>(n, 0u, pool);
      records[d] = (d == 0 ? s.out : *s.in).record_bytes();
    }
    exists = Array<std::uint32_t>(n / 32 + 1, 0u, pool);
    for (std::size_t v = 0; v < s.vertices(); ++v)
      if (s.exists[v]) exists[v / 32] |= 1u << v % 32;
    counts = Array<LiveCounts>(dynamic::kLiveCounts, LiveCounts{}, pool);
    if (request.pinned != 0)
      retired = Array<dynamic::RetiredPage>(s.pages->statistics().pages, pool);
    dynamic::reserve_more(s.retired, retired.size());
    dynamic::HostGrowth growth(s);
    s.out.reserve_vertices(request.vertices);
    if (s.in) s.in->reserve_vertices(request.vertices);
    s.out.tell_pages_apart(request.pinned);
    if (s.in) s.in->tell_pages_apart(request.pinned);
    s.pages->reserve(request.reserve, s.threads());
    growth.stay();
    LiveLists::Parts& parts = open_lists.parts;
    parts.out = {s.out.ref(request.epoch, request.pinned), side_lock[0].data()};
    if (s.in) parts.in = {s.in->ref(request.epoch, request.pinned), side_lock[1].data()};
    parts.pages = {{}, s.pages.get(), counts.data(), retired.data(), &retired_count};
    parts.exists = exists.data();
    parts.vertices = request.vertices;
    parts.fresh = {fresh.data(), fresh.size(), &taken};
    parts.directed = s.options.directed;
    parts.duplicates = s.options.duplicates;
  }

  void finish() {
    DynamicGraph::State& s = *graph;
    const std::lock_guard lock(s.changing);
    if (!std::exchange(open, false)) return;
    const LiveCounts sum = s.gpu ? s.gpu->close_changes() : close_on_host();
    report.inserted = sum.inserted;
    report.overwritten = sum.overwritten;
    report.ignored = sum.ignored;
    report.removed = sum.removed;
    report.missing = sum.missing;
    report.no_memory = sum.no_memory;
    report.no_vertex = sum.no_vertex;
    report.new_vertices = sum.new_vertices;
    report.no_index = sum.no_index;
    take_in_vertices(sum.new_vertices);
    s.changing_in_kernels = false;
    s.release_retired();
  }

  /// The first `count` of `fresh` exist.
  void take_in_vertices(std::size_t count) {
    DynamicGraph::State& s = *graph;
    const std::size_t again = std::min(count, reused);
    for (std::size_t i = 0; i < again; ++i) s.exists[fresh[i]] = true;
    s.free.resize(s.free.size() - again);
    s.exists.resize(s.exists.size() + (count - again), true);  // there is room
    if (s.gpu) return;
    for (std::size_t d = 0; d < (s.in ? 2u : 1u); ++d) {
      dynamic::DynamicLists& lists = d == 0 ? s.out : *s.in;
      lists.set_vertices(static_cast<VertexId>(s.exists.size()));
      lists.give_back_records(records[d]);
    }
  }

  LiveCounts close_on_host() {
    DynamicGraph::State& s = *graph;
    LiveCounts sum;
    for (const LiveCounts& c : counts) sum += c;
    const auto growth = static_cast<std::int64_t>(sum.entries(s.options.directed));
    s.out.count_edges(growth);
    if (s.in) s.in->count_edges(growth);
    s.retired.insert(s.retired.end(), retired.begin(), retired.begin() + retired_count);
    return sum;
  }

  std::shared_ptr<DynamicGraph::State> graph;
  bool open = false;
  dynamic::OpenChanges open_lists;
  std::vector<VertexId> fresh;  // indices of vertices that may be inserted
  std::size_t reused = 0;       // of them: those that existed before
  // Of a graph in host memory.
  Array<std::uint32_t> side_lock[2];  // of the out lists and the in-lists
  Array<std::uint32_t> exists;        // a bit per vertex
  Array<LiveCounts> counts;
  Array<dynamic::RetiredPage> retired;
  std::uint32_t retired_count = 0;
  std::uint64_t taken = 0;      // of fresh
  std::size_t records[2] = {};  // bytes before
  LiveReport report;
};

LiveChanges::LiveChanges(std::unique_ptr<State> state) : state_(std::move(state)) {}
LiveChanges::LiveChanges(LiveChanges&&) noexcept = default;
LiveChanges& LiveChanges::operator=(LiveChanges&& other) noexcept {
  LiveChanges(std::move(other)).state_.swap(state_);  // which ends the phase that was here
  return *this;
}
LiveChanges::~LiveChanges() {
  if (!state_) return;
  try {
    state_->finish();
  } catch (...) {
    // finish() is there for who wants to know.
  }
}

LiveLists LiveChanges::lists() const {
  if (const PageAllocator from = manager().allocator; from != PageAllocator::Pool)
    throw Error(ErrorCode::Usage, "the pages of this graph on a GPU come from the manager " +
                                      std::string(name_of(from)) +
                                      ": kernels get its lists by visit_live_lists()");
  return LiveLists(parts());
}
const LiveLists::Parts& LiveChanges::parts() const {
  return state_->open_lists.parts;
}
const dynamic::LiveManager& LiveChanges::manager() const {
  return state_->open_lists.manager;
}

void LiveChanges::reserve(std::size_t bytes) {
  DynamicGraph::State& s = *state_->graph;
  if (s.gpu)
    s.gpu->reserve_for_changes(bytes);
  else
    s.pages->reserve(bytes, s.threads());
}

LiveReport LiveChanges::finish() {
  state_->finish();
  return state_->report;
}

LiveChanges DynamicGraph::change_in_kernels(const LiveOptions& options) {
  return LiveChanges(std::make_unique<LiveChanges::State>(state_, options));
}

}  // namespace fathom
