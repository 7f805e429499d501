#include "fathom/dynamic/live/live_changes.hpp"

#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/dynamic_state.hpp"

namespace fathom {

using dynamic::LiveCounts;
using dynamic::LivePages;

/// Invariant: while `open`, the graph is changing_in_kernels.
struct LiveChanges::State {
  State(std::shared_ptr<DynamicGraph::State> of, const LiveOptions& options)
      : graph(std::move(of)) {
    DynamicGraph::State& s = *graph;
    const std::lock_guard lock(s.changing);
    s.check_at_rest();
    if (s.options.sorted_links)
      throw Error(ErrorCode::Usage,
                  "lists with sorted links change by batches alone: loops and kernels insert edges "
                  "in any order");
    const std::uint32_t epoch = s.next_epoch();
    if (s.gpu)
      parts = s.gpu->open_changes(options.reserve, epoch, s.pinned());
    else
      open_on_host(options.reserve, epoch);
    // Nothing fails from here on.
    s.epoch = epoch;
    report.number = s.version.fetch_add(1, std::memory_order_release) + 1;
    s.changing_in_kernels = open = true;
  }

  void open_on_host(std::size_t reserve, std::uint32_t epoch) {
    DynamicGraph::State& s = *graph;
    const auto& pool = s.ctx->host_memory();
    const std::size_t n = s.vertices();
    for (std::size_t d = 0; d < (s.in ? 2u : 1u); ++d)
      side_lock[d] = Array<std::uint32_t>(n, 0u, pool);
    exists = Array<std::uint32_t>(n / 32 + 1, 0u, pool);
    for (std::size_t v = 0; v < n; ++v)
      if (s.exists[v]) exists[v / 32] |= 1u << v % 32;
    counts = Array<LiveCounts>(LivePages::kCounts, LiveCounts{}, pool);
    if (s.pinned() != 0) retired = Array<dynamic::RetiredPage>(s.pages->statistics().pages, pool);
    dynamic::reserve_more(s.retired, retired.size());
    s.pages->reserve(reserve, s.threads());
    parts.out = {s.out.ref(epoch, s.pinned()), side_lock[0].data()};
    if (s.in) parts.in = {s.in->ref(epoch, s.pinned()), side_lock[1].data()};
    parts.pages = {{}, s.pages.get(), counts.data(), retired.data(), &retired_count};
    parts.exists = exists.data();
    parts.vertices = s.vertices();
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
    s.changing_in_kernels = false;
    s.release_retired();
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
  LiveLists::Parts parts;
  // Of a graph in host memory.
  Array<std::uint32_t> side_lock[2];  // of the out lists and the in-lists
  Array<std::uint32_t> exists;        // a bit per vertex
  Array<LiveCounts> counts;
  Array<dynamic::RetiredPage> retired;
  std::uint32_t retired_count = 0;
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
  return LiveLists(state_->parts);
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
