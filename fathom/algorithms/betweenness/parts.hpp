// What betweenness() is made of.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/run_lists.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

/// The dependencies found so far; the same on every device.
using Scores = VertexArray<double>;

/// The vertices that paths are counted to.
class Targets {
 public:
  /// None: all vertices.
  Targets(const Context& ctx, VertexId vertices, std::span<const VertexId> targets) {
    if (targets.empty()) return;
    set_.emplace(ctx, vertices).assign(distinct(targets));
    set_->make_bitmap();
  }
  PathEnds on(const Device& d) const { return {set_ ? set_->on(d).bits : nullptr}; }

 private:
  std::optional<Frontier> set_;
};

/// How many sources to search from at once, up to `batch`: as many as leave half of every device's
/// memory for edges. `state`: of so many searches.
int hop_batch(const Context& ctx, const Graph& graph, std::size_t sources, int batch,
              FunctionRef<StateSize(int)> state);

/// @throws Error(Usage) as betweenness() does.
void check_betweenness(const Graph& graph, const BetweennessOptions& options);

/// Where searches begin.
std::vector<VertexId> betweenness_sources(const Graph& graph, const BetweennessOptions& options);

/// What searches read.
std::vector<RunLists::Lists> betweenness_lists(const Graph& graph, bool by_weight);

/// By how much what is counted from these sources grows when it stands for all.
double sources_share(const Graph& graph, const BetweennessOptions& options, std::size_t sources);

/// The factor of every score.
double betweenness_scale(const Graph& graph, const BetweennessOptions& options,
                         std::size_t sources);

/// @throws Error(DoesNotFit)
[[noreturn]] void throw_too_many_paths();

/// The frontiers of a search, kept on the host for the way back.
class Levels {
 public:
  explicit Levels(const Context& ctx) : ctx_(ctx) {}

  std::size_t size() const { return level_.size(); }
  void push(const Frontier& frontier) {
    Array<VertexId> list(frontier.size(), ctx_.host_memory());
    std::size_t i = 0;
    frontier.for_each_on_host([&](std::size_t v) { list[i++] = static_cast<VertexId>(v); });
    level_.push_back(std::move(list));
  }
  void load(std::size_t level, Frontier& frontier) const {
    frontier.assign({level_[level].data(), level_[level].size()});
  }

 private:
  const Context& ctx_;
  std::vector<Array<VertexId>> level_;
};

/// The levels of searches, for the way back. One host keeps lists of their vertices. GPUs and
/// several devices, whose frontiers are bitmaps, find them again by their numbers: to read the
/// levels of all vertices takes less time than a bitmap's way to the host and a list's way back.
class HopLevels {
 public:
  explicit HopLevels(const Context& ctx) : lists_(ctx) {}

  std::size_t size() const { return level_.size(); }
  VertexId vertices(std::size_t level) const { return level_[level].vertices; }
  EdgeId edges(std::size_t level) const { return level_[level].edges; }
  bool kept() const { return lists_.size() > 0; }
  void load(std::size_t level, Frontier& frontier) const { lists_.load(level, frontier); }

  void push(const Frontier& frontier, EdgeId edges) {
    level_.push_back({frontier.size(), edges});
    if (frontier.can_list()) lists_.push(frontier);
  }

 private:
  struct Level {
    VertexId vertices;
    EdgeId edges;
  };
  std::vector<Level> level_;
  Levels lists_;
};

// The level of a vertex that no search has found.
inline constexpr std::uint32_t kUnfound = ~std::uint32_t{0};

// Pull once the frontier has more than this share of all edges.
inline constexpr EdgeId kPullShare = 4;

/// Searches from one source at a time, by hops, where vertex state is in one place on the host.
class SingleSearch {
 public:
  SingleSearch(const Context& ctx, const Graph& graph, const Targets& targets);
  /// Adds the dependencies of `source`.
  void run(VertexId source, Scores& score, Recorder& record);

  // After a run, of its source.
  const std::uint32_t* levels(const Device& d) const { return level_.on(d); }
  const double* paths(const Device& d) const { return paths_.on(d); }
  const double* coefficients(const Device& d) const { return coefficient_.on(d); }

 private:
  void count_paths(VertexId source, HopLevels& levels, Recorder& record);
  void add_dependencies(const HopLevels& levels, Scores& score, Recorder& record);

  const Context& ctx_;
  const Graph& graph_;
  const Targets& targets_;
  VertexArray<std::uint32_t> level_;
  VertexArray<double> paths_, coefficient_;  // valid where there is a level; of the source, paths
};

}  // namespace fathom
