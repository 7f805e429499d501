// Batches, phases of changes by lanes, and snapshots, against a model.
#include <optional>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/fathom.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/components.hpp"
#include "tests/stress/stress.hpp"

namespace fathom::testing {
namespace {

template <class A, class B>
bool equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

using EdgeMap = std::map<std::pair<VertexId, VertexId>, Weight>;

/// A graph that changes, the obvious way.
struct Changing {
  bool directed = true, weighted = false, overwrite = false;
  VertexId vertices = 0;
  EdgeMap edges;

  void apply(const EdgeUpdate& e) {
    change(e.source, e.target, e);
    if (!directed && e.source != e.target) change(e.target, e.source, e);
  }
  void remove_vertex(VertexId v) {
    std::erase_if(edges, [&](const auto& e) { return e.first.first == v || e.first.second == v; });
  }

 private:
  void change(VertexId u, VertexId v, const EdgeUpdate& e) {
    if (e.deletion) {
      edges.erase({u, v});
      return;
    }
    const Weight w = weighted ? e.weight : 1;
    if (!edges.emplace(std::pair{u, v}, w).second && overwrite) edges[{u, v}] = w;
  }
};

EdgeMap edges_of(EdgeSource& source, VertexId vertices, bool turned) {
  EdgeMap found;
  const auto lists = source.read_lists();
  for (VertexId v = 0; v < vertices; ++v)
    lists->read(v, [&](const PlainSpan& s) {
      for (std::uint32_t i = 0; i < s.size; ++i)
        require(found
                    .emplace(turned ? std::pair{s.target(i), v} : std::pair{v, s.target(i)},
                             s.weight(i))
                    .second,
                "an edge is there twice");
    });
  return found;
}

/// Lists in both directions, and a search and components on them.
void agrees(const Context& ctx, const Graph& graph, const Changing& model, zoo::Dice& dice,
            Counts& counts) {
  require(edges_of(graph.out(), graph.vertices(), false) == model.edges, "lists differ");
  if (model.directed && graph.has_in())
    require(edges_of(graph.in(), graph.vertices(), true) == model.edges, "in-lists differ");
  std::vector<reference::Edge> edges;
  for (const auto& [edge, w] : model.edges)
    if (model.directed || edge.first <= edge.second) edges.emplace_back(edge.first, edge.second, w);
  const reference::Graph oracle =
      reference::make_graph(graph.vertices(), std::move(edges), model.directed);
  const VertexId source = dice.roll(static_cast<std::uint32_t>(graph.vertices()));
  const auto depths = reference::bfs_depths(oracle, {source});
  const BfsResult search = bfs(ctx, graph, {{source}});
  for (VertexId v = 0; v < graph.vertices(); ++v)
    require(static_cast<std::int32_t>(search.depth[v]) == depths[v], "levels differ");
  require(equal(connected_components(ctx, graph).label, reference::components(oracle)),
          "components differ");
  counts.add("algorithms on graphs that change", 2);
}

std::vector<EdgeUpdate> draw_updates(zoo::Dice& dice, VertexId vertices, bool once) {
  std::vector<EdgeUpdate> updates;
  std::map<std::pair<VertexId, VertexId>, bool> taken;
  const std::uint32_t sources =
      dice.roll(3) == 0 ? 1 + dice.roll(4) : static_cast<std::uint32_t>(vertices);
  for (std::uint32_t i = dice.roll(6000); i > 0; --i) {
    EdgeUpdate e{dice.roll(std::min(sources, static_cast<std::uint32_t>(vertices))),
                 dice.roll(static_cast<std::uint32_t>(vertices)),
                 static_cast<Weight>(1 + dice.roll(9)), dice.roll(3) == 0};
    if (once && !taken.emplace(std::minmax(e.source, e.target), true).second) continue;
    updates.push_back(e);
  }
  return updates;
}

/// A phase of changes by kernels; whatever found no memory has not happened.
void live_phase(Machine& machine, DynamicGraph& graph, Changing& model, zoo::Dice& dice,
                Counts& counts) {
  const auto updates = draw_updates(dice, graph.vertices(), true);
  LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << dice.roll(22)});
  const auto results = machine.change(changing, updates, dice.roll(kLiveGroups));
  const LiveReport report = changing.finish();
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < updates.size(); ++i)
    if (results[i] == LiveResult::NoMemory)
      ++refused;
    else if (results[i] != LiveResult::NoVertex)
      model.apply(updates[i]);
  require(report.no_memory == refused, "refused changes are counted otherwise");
  counts.add("live changes", updates.size() - refused);
  counts.add("live changes refused", refused);
}

}  // namespace

void change(Machine& machine, zoo::Dice& dice, Counts& counts) {
  const Context ctx = machine.for_changes((8 + dice.roll(120)) * kMi);
  Changing model;
  DynamicGraphOptions options;
  options.layout = static_cast<DynamicLayoutKind>(dice.roll(3));
  options.allocator =
      dice.roll(2) == 0 ? PageAllocator::Pool : static_cast<PageAllocator>(dice.roll(7));
  options.directed = model.directed = dice.roll(2) == 0;
  options.edges = (model.weighted = dice.roll(2) == 0) ? EdgeKind::Weighted : EdgeKind::Simple;
  options.duplicates =
      (model.overwrite = dice.roll(2) == 0) ? DuplicatePolicy::Overwrite : DuplicatePolicy::Ignore;
  options.in_edges = dice.roll(2) == 0;
  options.structure_of_arrays = dice.roll(2) == 0;
  options.page_bytes = 16u << dice.roll(5);
  options.strategy = static_cast<UpdateStrategy>(dice.roll(5));
  options.memory = (1 + dice.roll(64)) * kMi;
  options.most_vertices = 1u << 16;
  options.sorted_links = options.layout == DynamicLayoutKind::Faim && dice.roll(2) == 0;
  DynamicGraph graph(ctx, options);
  std::vector<std::pair<Snapshot, Changing>> shots;
  for (std::uint32_t step = 10 + dice.roll(30); step > 0; --step) {
    const bool live = !options.sorted_links && graph.vertices() > 0 && dice.roll(4) == 0;
    try {
      if (live) {
        live_phase(machine, graph, model, dice, counts);
      } else {
        Changing next = model;
        const VertexId fresh = graph.vertices() == 0 ? 500 : dice.roll(5) == 0 ? 300 : 0;
        for (const VertexId v : graph.next_vertices(fresh))
          next.vertices = std::max<VertexId>(next.vertices, v + 1);
        auto updates = draw_updates(dice, next.vertices, false);
        std::erase_if(updates, [&](const EdgeUpdate& e) {
          const auto there = [&](VertexId v) { return v >= graph.vertices() || graph.exists(v); };
          return !there(e.source) || !there(e.target);
        });
        std::vector<VertexId> gone;
        if (dice.roll(3) == 0)
          for (VertexId v = dice.roll(50); v < graph.vertices(); v += 60)
            if (graph.exists(v)) gone.push_back(v);
        for (const EdgeUpdate& e : updates) next.apply(e);
        for (const VertexId v : gone) next.remove_vertex(v);
        graph.apply({fresh, updates, gone});
        model = std::move(next);
        counts.add("batches");
        counts.add("updates in batches", updates.size());
      }
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      counts.add(live ? "live phases refused" : "batches refused");
    }
    require(graph.edges() == model.edges.size(), "the graph has another number of edges");
    try {
      if (dice.roll(3) == 0) {
        shots.emplace_back(graph.snapshot(), model);
        counts.add("snapshots");
      }
      if (dice.roll(4) == 0 && graph.vertices() > 0)
        agrees(ctx, graph.graph(), model, dice, counts);
      if (!shots.empty() && dice.roll(3) == 0) {
        const auto& [shot, known] = shots[dice.roll(static_cast<std::uint32_t>(shots.size()))];
        if (shot.vertices() > 0) agrees(ctx, shot.graph(), known, dice, counts);
        counts.add("snapshots compared");
      }
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      counts.add("analyses refused");
    }
    if (dice.roll(4) == 0) shots.clear();
  }
}

}  // namespace fathom::testing
