// Generated graphs: seeds to edge lists.
//
// Counter-based: edge i is a pure function of (kind, parameters, seed, i), so a graph is the same
// for any number of threads, in any order and in any number of pieces.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fathom/core/platform.hpp"
#include "fathom/core/random.hpp"

namespace fathom::generate {

enum class Kind {
  Rmat,
  Uniform,
  Grid,
  Torus,
  PreferentialAttachment,
  WattsStrogatz,
  // In the manner of the graphs of the 10th DIMACS implementation challenge, whose degrees are
  // beside these in docs/reference/commands/generate.md (of both directions together).
  Road,             // chains between junctions: mean 2.12, at most 4; connected, long ways
  RandomGeometric,  // points in the unit square, tied within .55 sqrt(ln n / n)
  Triangulation,    // a lattice with random diagonals, flipped at random: planar, mean 6
  Stencil,          // 27 points in three dimensions
  Coauthors,        // cliques of 2 to 7 authors, of whom some write much: mean 6.4
};
FATHOM_API std::string_view name_of(Kind);
FATHOM_API std::optional<Kind> kind_named(std::string_view);

struct WeightRange {
  std::uint32_t min = 1;
  std::uint32_t max = 255;  // inclusive, at most 2^24 (exact in a float)
};

/// Loops and duplicate edges stay, as in Graph500, and each edge is generated in one direction;
/// `graph::build` drops, merges and symmetrises on request.
struct Spec {
  Kind kind = Kind::Rmat;
  int scale = 16;  // 2^scale vertices (all kinds but Grid and Torus; Stencil: points). Road: at
                   // least 6, Coauthors: at least 4
  /// Generated edges per vertex, so that edges() = edge_factor * vertices(). Rmat, Uniform: on
  /// average. PreferentialAttachment: exactly, from each vertex to earlier ones (or itself).
  /// WattsStrogatz: exactly, to the next ones on the ring (the ring's degree is twice that).
  /// The others have a number of their own.
  std::uint32_t edge_factor = 16;
  VertexId rows = 0, columns = 0;    // Grid, Torus; each undirected edge is generated once
  std::uint32_t per_point = 1;       // Stencil: vertices of each point, 1 to 64
  double rewire = 0.1;               // WattsStrogatz: probability that an edge's target is random
  double a = .57, b = .19, c = .19;  // Rmat: quadrant probabilities; d = 1 - a - b - c
  std::uint64_t seed = 27491095;
  std::optional<WeightRange> weights =
      {};  // integers, a symmetric function of the endpoints and seed
};

/// The weights of a generated graph: a symmetric function of the endpoints and the seed.
class EdgeWeights {
 public:
  EdgeWeights(std::uint64_t seed, WeightRange range)
      : random_(seed, kStream),
        min_(range.min),
        values_(std::uint64_t{range.max} - range.min + 1) {}

  Weight operator()(VertexId u, VertexId v) const {
    const auto [low, high] = std::minmax(u, v);
    return static_cast<Weight>(min_ + bounded(random_.at(low, high), values_));
  }

 private:
  static constexpr std::uint64_t kStream = 0x77656967;  // apart from the models' streams
  RandomStream random_;
  std::uint64_t min_, values_;
};

class EdgeModel;  // how a kind maps edge numbers to edges

/// Generates any range of a graph's edges. Cheap to copy; const members may run concurrently.
class FATHOM_API Generator {
 public:
  /// @throws Error(Usage) when a parameter is out of range, or does not apply to the kind and is
  ///         not at its default;
  ///         Error(DoesNotFit) when the vertices do not fit VertexId.
  /// Cost: nothing to speak of; of RandomGeometric that of generating the graph once, to count its
  /// edges, and about a byte for each vertex from then on.
  explicit Generator(const Spec& spec);

  const Spec& spec() const { return spec_; }
  VertexId vertices() const { return vertices_; }
  EdgeId edges() const { return edges_; }
  bool weighted() const { return spec_.weights.has_value(); }
  /// Of a weighted graph.
  EdgeWeights weights() const { return {spec_.seed, spec_.weights.value()}; }

  /// Writes edges [first, first + edge.size()); `weight` has the same size or is empty. Edges
  /// between the same two vertices have the same weight.
  /// @throws Error(Usage) when the range leaves [0, edges()) or the weights do not match.
  void fill(EdgeId first, std::span<Edge> edge, std::span<Weight> weight = {}) const;

 private:
  Spec spec_;
  VertexId vertices_ = 0;
  EdgeId edges_ = 0;
  std::shared_ptr<const EdgeModel> model_;
};

}  // namespace fathom::generate
