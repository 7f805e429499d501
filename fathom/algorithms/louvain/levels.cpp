#include "fathom/algorithms/louvain/levels.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "fathom/algorithms/louvain/contraction.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom::detail {
namespace {

constexpr WeightUnits kCoarseUnits{1 / kCoarseWeight};

class Levels {
 public:
  Levels(const Context& ctx, const Graph& graph, const LouvainOptions& options,
         const LevelMethod& method)
      : ctx_(ctx),
        graph_(graph),
        options_(options),
        method_(method),
        record_(ctx, graph.traffic()) {}

  LouvainResult run() {
    ctx_.task().begin("communities", 0, "rounds");
    while (pass()) {
    }
    ctx_.task().end();
    measure();
    result_.report = record_.finish();
    return std::move(result_);
  }

 private:
  Traffic traffic() const {
    return graph_.traffic() + closed_ + (coarse_ ? coarse_->traffic() : Traffic{});
  }

  /// From vertices to communities that do not gain. @returns whether another pass may follow.
  bool pass() {
    levels_ = 0;
    moved_ = false;
    was_converged_ = result_.converged;
    while (level()) {
    }
    if (coarse_) {
      closed_ = closed_ + coarse_->traffic();
      coarse_.reset();
      rounded_ = true;
    }
    strength_ = {};
    name();
    return ++passes_ < method_.passes && moved_;
  }

  /// @returns whether another may follow.
  bool level() {
    const Graph graph = coarse_ ? *coarse_ : graph_;
    std::optional<Graph> next;
    {
      const RunLists lists(ctx_, method_.state, {{graph.out(), {kWholeList, true}}});
      if (!coarse_ && passes_ == 0) units_ = weight_units(ctx_, graph, method_.name);
      const MoveOptions options{coarse_ ? kCoarseUnits : units_, options_.resolution,
                                method_.refines};
      const std::span<const VertexId> start =
          coarse_ ? whole_.span() : std::as_const(result_.community).span();
      Moves moves(ctx_, graph.out(), options, {strength_.span(), start});
      strength_ = {};
      record_.step(graph.vertices(), graph.edges(), "weights", traffic());
      all_ = static_cast<double>(moves.all());
      const bool single = is_single(start), moved = move(moves);
      if (again() && !moved) return false;
      moved_ = moved_ || moved;
      result_.converged = !moved && single;
      if (method_.refines) refine(moves);
      Contraction contraction(ctx_, moves, method_.state.whole);
      if (!accept(contraction, single)) return false;
      strength_ = contraction.take_strength();
      next = contraction.graph();
      record_.step(graph.vertices(), graph.edges(), "contract", traffic());
    }
    if (coarse_) closed_ = closed_ + coarse_->traffic();
    coarse_ = std::move(next);
    return true;
  }

  /// Whether this level begins a pass that others came before.
  bool again() const { return passes_ > 0 && !coarse_; }

  /// Whether every vertex is a community.
  static bool is_single(std::span<const VertexId> community) {
    for (std::size_t v = 0; v < community.size(); ++v)
      if (community[v] != v) return false;
    return true;
  }

  /// Takes the communities of a level, unless that has made nothing better.
  /// `single`: each of its vertices was one at first.
  /// @returns whether another level may.
  bool accept(Contraction& contraction, bool single) {
    const Modularity found = contraction.modularity(options_.resolution);
    const VertexId before =
        coarse_ ? coarse_->vertices() : graph_.vertices() - contraction.numbering().alone;
    const bool joined = contraction.numbering().communities < before;
    const double gain = found.value() - modularity_.value();
    if (coarse_ && single && (gain < 0 || !(joined || method_.refines))) return false;
    if (again() && gain < 0) {
      result_.converged = was_converged_;
      return false;
    }
    modularity_ = found;
    follow(contraction.take_numbering());
    whole_ = contraction.take_whole();
    if (joined) ++result_.levels, ++levels_;
    if (!contraction.has_edges()) result_.converged = true;
    // Parts have yet to become the communities that they are parts of, whatever that gains.
    return joined && contraction.has_edges() &&
           (levels_ == 1 || !single || gain >= options_.tolerance) && levels_ < options_.levels;
  }

  /// @returns whether any vertex did.
  bool move(Moves& moves) {
    bool moved = false;
    for (std::uint32_t i = 0; i < options_.rounds; ++i) {
      const Moves::Round round = moves.round(RandomStream(options_.seed, 0).at(result_.rounds));
      if (round.vertices == 0) break;
      ++result_.rounds;
      moved = moved || round.moved > 0;
      record_.step(round.vertices, round.edges, "move", traffic());
      ctx_.task().at(result_.rounds);
    }
    return moved;
  }

  void refine(Moves& moves) {
    moves.refine();
    for (std::uint32_t i = 0; i < options_.rounds; ++i) {
      const Moves::Round round = moves.round(RandomStream(options_.seed, 1).at(refined_));
      if (round.vertices == 0) break;
      ++refined_;
      record_.step(round.vertices, round.edges, "refine", traffic());
    }
  }

  /// Communities of the last level become those of the vertices.
  void follow(Numbering numbering) {
    if (!coarse_) {
      result_.community = std::move(numbering.of);
      return;
    }
    for (VertexId& its : result_.community)
      if (its != kNoVertex) its = numbering.of[its];
  }

  /// Communities are called by their first vertices.
  void name() {
    const std::size_t n = result_.community.size();
    Array<VertexId> first(n, kNoVertex, ctx_.host_memory());
    result_.communities = 0;
    for (std::size_t v = 0; v < n; ++v) {
      VertexId& its = result_.community[v];
      if (its == kNoVertex) {
        its = static_cast<VertexId>(v);
        ++result_.communities;
        continue;
      }
      if (!whole_.empty()) its = whole_[its];
      if (first[its] == kNoVertex) {
        first[its] = static_cast<VertexId>(v);
        ++result_.communities;
      }
      its = first[its];
    }
    whole_ = {};
  }

  /// Further levels know the weights between communities in single precision only.
  void measure() {
    if (rounded_) {
      const RunLists lists(ctx_, method_.state, {{graph_.out(), {kWholeList, true}}});
      VertexArray<VertexId> community(ctx_, graph_.vertices());
      community.assign(result_.community.span());
      Frontier all(ctx_, graph_.vertices());
      all.fill();
      const std::uint64_t inside = gather(ctx_, graph_.out(), all, nullptr, [&](const Device& d) {
        return SumInside{community.on(d), units_};
      });
      modularity_.inside = static_cast<double>(inside) / all_;
      record_.step(graph_.vertices(), graph_.edges(), "modularity", traffic());
    }
    result_.modularity = modularity_.value();
  }

  const Context& ctx_;
  const Graph& graph_;
  const LouvainOptions& options_;
  const LevelMethod& method_;
  Recorder record_;
  LouvainResult result_;
  WeightUnits units_;              // of graph_
  Array<std::uint64_t> strength_;  // of the vertices of coarse_
  Array<VertexId> whole_;          // refining: of each vertex of coarse_ the first of its community
  std::optional<Graph> coarse_;    // of a level but the first
  Traffic closed_;                 // of levels before
  std::uint32_t passes_ = 0, levels_ = 0;  // levels_: of this pass
  bool moved_ = false;                     // any vertex in this pass
  bool was_converged_ = false;             // before it
  bool rounded_ = false;                   // communities are of further levels
  std::uint64_t refined_ = 0;              // rounds
  double all_ = 0;                         // units of all vertices' edges
  Modularity modularity_;
};

void check_options(const Graph& graph, const LouvainOptions& options, const std::string& name) {
  if (graph.directed())
    throw Error(ErrorCode::Usage,
                name +
                    ": the graph is directed, and modularity is that of undirected graphs: "
                    "convert it with --undirected");
  if (!(options.resolution >= 0) || std::isinf(options.resolution))
    throw Error(ErrorCode::Usage, name + ": a resolution of " + std::to_string(options.resolution) +
                                      "; it is at least 0 and finite");
  if (!(options.tolerance >= 0))
    throw Error(ErrorCode::Usage, name + ": a tolerance of " + std::to_string(options.tolerance) +
                                      "; it is at least 0");
}

}  // namespace

LouvainResult run_levels(const Context& ctx, const Graph& graph, const LouvainOptions& options,
                         const LevelMethod& method) {
  check_options(graph, options, method.name);
  return Levels(ctx, graph, options, method).run();
}

}  // namespace fathom::detail
