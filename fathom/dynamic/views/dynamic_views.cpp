// What algorithms get of a graph that changes: itself for a while, or a snapshot for good.
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/residency/filtered/kept_edges.hpp"
#include "fathom/residency/graph_parts.hpp"

namespace fathom {
namespace dynamic {

namespace {

/// The edges that a filter keeps, in host memory; those of lists on GPUs by way of a copy of all.
Csr kept_of(const Context& ctx, const GpuLists* gpu, const ListViews& lists, VertexId vertices,
            const EdgeFilter& filter) {
  if (!gpu) return kept_csr(lists[0], vertices, filter, ctx.threads(), ctx.host_memory());
  Array<EdgeFields> fields;
  const Csr all = gpu->to_csr(lists, vertices, &fields);
  return kept_lists(ctx, kept_of_fields(ctx, fields.span(), filter), all.view(), true);
}

/// Says how a graph with fields is filtered: by a copy, which is refused as its origin is.
void filter_by_copy(const Context& ctx, Graph::State& state, const GpuLists* gpu,
                    const ListViews& out, const ListViews& in,
                    const std::shared_ptr<const void>& owner) {
  if (!has_fields(out[0].layout)) return;
  state.filtered = [&ctx, gpu, out, in, owner, check = state.check, vertices = state.vertices,
                    edges = state.edges,
                    directed = state.directed](const EdgeFilter& filter) -> std::optional<Graph> {
    if (check) check();
    graph::BuiltGraph kept{kept_of(ctx, gpu, out, vertices, filter), std::nullopt, {}};
    if (kept.out.edges() == edges) return std::nullopt;
    if (!in.empty()) kept.in = kept_of(ctx, gpu, in, vertices, filter);
    Graph graph = make_graph(ctx, std::move(kept), directed);
    graph.state()->check = check;
    return graph;
  };
}

const char* reason_of(const GpuLists* gpu, const ListViews& lists) {
  if (!gpu) return "the processor reads the lists where they are";
  return lists.size() > 1 ? "kernels of each GPU read the lists of its vertices where they are"
                          : "kernels read the lists where they are";
}

}  // namespace

Graph make_dynamic_graph(const Context& ctx, const GpuLists* gpu, const ListViews& out,
                         const ListViews& in, VertexId vertices, EdgeId edges, bool directed,
                         Unchanged unchanged, std::shared_ptr<const void> owner) {
  const auto& pool = ctx.host_memory();
  const int threads = ctx.threads();
  const auto copy = [=](const ListViews& lists) {
    return gpu ? gpu->to_csr(lists, vertices, nullptr) : to_csr(lists[0], vertices, threads, pool);
  };
  std::function<void()> check;
  if (unchanged.version) check = [unchanged] { unchanged.check(); };
  if (ctx.separate() && !gpu) {
    graph::BuiltGraph all{copy(out), std::nullopt, {}};
    if (!in.empty()) all.in = copy(in);
    Graph graph = make_graph(ctx, std::move(all), directed);
    graph.state()->check = std::move(check);
    filter_by_copy(ctx, *graph.state(), gpu, out, in, owner);
    return graph;
  }
  auto state = std::make_shared<Graph::State>();
  state->vertices = vertices;
  state->edges = edges;
  state->directed = directed;
  state->weighted = out[0].layout.weighted();
  state->has_in = !in.empty();
  state->kind = ResidencyOptions::Kind::Resident;
  state->on_devices = gpu != nullptr;
  state->reason = reason_of(gpu, out);
  const auto open = [=](const ListViews& lists) -> std::unique_ptr<EdgeSource> {
    if (gpu) return gpu->open(lists, vertices, edges, unchanged, owner);
    return std::make_unique<DynamicSource>(lists[0], vertices, edges, unchanged, threads, pool,
                                           owner);
  };
  state->open_out = [=] { return open(out); };
  if (!in.empty()) state->open_in = [=] { return open(in); };
  state->check = std::move(check);
  filter_by_copy(ctx, *state, gpu, out, in, owner);
  state->build_by(ctx, [=, &ctx](detail::BuiltLists which) {
    const Csr forward = copy(out);
    Csr backward;
    CsrView reverse;
    if (!in.empty()) {
      backward = copy(in);
      reverse = backward.view();
    }
    return detail::build_oriented(ctx, which, forward.view(), in.empty() ? nullptr : &reverse,
                                  directed, {});
  });
  return Graph(std::move(state));
}

}  // namespace dynamic

using dynamic::DynamicLists;
using dynamic::ListViews;
using dynamic::make_dynamic_graph;

void DynamicGraph::State::check_at_rest() const {
  if (changing_in_kernels)
    throw Error(ErrorCode::Usage,
                "kernels are changing the graph: finish that first (LiveChanges::finish)");
}

void DynamicGraph::State::release_retired() noexcept {
  if (changing_in_kernels) return;  // who ends that comes back to it
  if (gpu) return gpu->release(snapshots);
  std::erase_if(retired, [&](const dynamic::RetiredPage& r) {
    const auto next = snapshots.lower_bound(r.written);
    if (next != snapshots.end() && *next < r.left) return false;
    pages->free({&r.page, 1}, 1);
    return true;
  });
  if (!snapshots.empty()) return;
  out.forget_epochs();
  if (in) in->forget_epochs();
}

void DynamicGraph::State::check_in_one_memory(const char* what) const {
  if (gpu && ctx->devices().size() > 1)
    throw Error(ErrorCode::Usage, std::string(what) +
                                      " is for graphs in one memory, and the vertices of this one "
                                      "are dealt out to several GPUs");
}

ListViews DynamicGraph::State::views(bool of_in) const {
  if (of_in && !both_directions()) return {};
  if (gpu) return gpu->views(of_in);
  return {of_in ? in->view() : out.view()};
}

DynamicEdges DynamicGraph::State::view(bool of_in) const {
  check_in_one_memory("a view of the lists");
  if (of_in && !both_directions()) return {};
  // Asked for after a batch that has to be told of: no memory is taken.
  if (gpu) return gpu->view(of_in);
  return of_in ? in->view() : out.view();
}

Csr DynamicGraph::State::to_csr(bool of_in, Array<EdgeFields>* fields) const {
  if (gpu) return gpu->to_csr(views(of_in), vertices(), fields);
  return dynamic::to_csr(view(of_in), vertices(), threads(), ctx->host_memory(), fields);
}

Snapshot::State::~State() {
  if (!graph) return;
  const std::lock_guard lock(graph->changing);
  graph->snapshots.erase(graph->snapshots.find(epoch));
  graph->release_retired();
}

Snapshot DynamicGraph::snapshot() const {
  const std::lock_guard lock(state_->changing);
  state_->check_at_rest();
  if (state_->epoch == State::kLastEpoch)
    throw Error(
        ErrorCode::DoesNotFit,
        "a graph that changes has 2^32 snapshots at most: rebuilt() makes one that has none");
  const auto& pool = state_->ctx->host_memory();
  auto shot = std::make_shared<Snapshot::State>();
  const auto copy = [&](const DynamicLists& lists) {
    std::vector<Array<DynamicRecord>> its(1);
    its[0] = Array<DynamicRecord>::copy_of(lists.records(), pool);
    return its;
  };
  shot->epoch = state_->epoch;
  shot->batches = state_->version.load();
  shot->vertices = state_->vertices();
  shot->edges = state_->edges();
  shot->vertex_fields = state_->vertex_fields;
  if (state_->gpu) {
    shot->out = state_->gpu->copy_records(false);
    shot->in = state_->gpu->copy_records(true);
  } else {
    shot->out = copy(state_->out);
    if (state_->in) shot->in = copy(*state_->in);
  }
  state_->snapshots.insert(shot->epoch);
  shot->graph = state_;  // last: from here on the destructor takes the epoch back
  return Snapshot(std::move(shot));
}

VertexId Snapshot::vertices() const {
  return state_->vertices;
}
EdgeId Snapshot::edges() const {
  return state_->edges;
}
std::uint64_t Snapshot::batches() const {
  return state_->batches;
}
bool Snapshot::directed() const {
  return state_->graph->options.directed;
}
bool Snapshot::weighted() const {
  return state_->graph->options.edges != EdgeKind::Simple;
}
bool Snapshot::semantic() const {
  return state_->graph->options.edges == EdgeKind::Semantic;
}

ListViews Snapshot::State::views(bool of_in) const {
  const std::vector<Array<DynamicRecord>>& records = of_in ? in : out;
  if (of_in && !graph->both_directions()) return {};
  ListViews lists = graph->views(of_in);
  for (std::size_t i = 0; i < lists.size(); ++i) lists[i].record = records[i].data();
  return lists;
}

DynamicEdges Snapshot::lists(bool in) const {
  state_->graph->check_in_one_memory("a view of the lists");
  const ListViews its = state_->views(in);
  return its.empty() ? DynamicEdges{} : its[0];
}

Graph Snapshot::graph() const {
  const DynamicGraph::State& graph = *state_->graph;
  return make_dynamic_graph(*graph.ctx, graph.gpu.get(), state_->views(false), state_->views(true),
                            state_->vertices, state_->edges, graph.options.directed, {}, state_);
}

Graph dynamic::graph_of(const std::shared_ptr<DynamicGraph::State>& state) {
  const DynamicGraph::State& s = *state;
  return make_dynamic_graph(*s.ctx, s.gpu.get(), s.views(false), s.views(true), s.vertices(),
                            s.edges(), s.options.directed, {{state, &s.version}, s.version.load()},
                            state);
}

Graph DynamicGraph::graph() const {
  state_->check_at_rest();
  return dynamic::graph_of(state_);
}

DynamicEdges DynamicGraph::lists(bool in) const {
  state_->check_at_rest();
  return state_->view(in);
}

Csr DynamicGraph::to_csr(Array<EdgeFields>* fields) const {
  state_->check_at_rest();
  return state_->to_csr(false, fields);
}

}  // namespace fathom
