// What betweenness() is made of.
#pragma once

#include <span>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom {

/// The dependencies found so far; the same on every device.
using Scores = VertexArray<double>;

/// How many sources to search from at once, up to `batch`: as many as leave half of every device's
/// memory for edges.
int hop_batch(const Context& ctx, const Graph& graph, std::size_t sources, int batch);

/// Adds the dependencies of `sources` by hops, at most `most` (1, 2, 4 or 8) at once.
void add_hop_dependencies(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                          int most, Scores& score, Recorder& record);

/// Adds the dependencies of one source by weight.
void add_weighted_dependencies(const Context& ctx, const Graph& graph, VertexId source,
                               Scores& score, Recorder& record);

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
  SingleSearch(const Context& ctx, const Graph& graph);
  /// Adds the dependencies of `source`.
  void run(VertexId source, Scores& score, Recorder& record);

 private:
  void count_paths(VertexId source, HopLevels& levels, Recorder& record);
  void add_dependencies(const HopLevels& levels, Scores& score, Recorder& record);

  const Context& ctx_;
  const Graph& graph_;
  VertexArray<std::uint32_t> level_;
  VertexArray<double> paths_, coefficient_;  // valid where there is a level
};

}  // namespace fathom
