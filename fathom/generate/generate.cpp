#include "fathom/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fathom/core/error.hpp"
#include "fathom/generate/models.hpp"

namespace fathom::generate {
namespace {

struct KindName {
  Kind kind;
  std::string_view name;
};
constexpr std::array<KindName, 11> kKinds{
    {{Kind::Rmat, "rmat"},
     {Kind::Uniform, "uniform"},
     {Kind::Grid, "grid"},
     {Kind::Torus, "torus"},
     {Kind::PreferentialAttachment, "preferential-attachment"},
     {Kind::WattsStrogatz, "watts-strogatz"},
     {Kind::Road, "road"},
     {Kind::RandomGeometric, "random-geometric"},
     {Kind::Triangulation, "triangulation"},
     {Kind::Stencil, "stencil"},
     {Kind::Coauthors, "coauthors"}}};

constexpr std::uint32_t kMaxWeight = 1u << 24;          // float holds every integer up to here
constexpr std::uint64_t kMaxVertices = kNoVertex - 1u;  // the last id means "no vertex"

constexpr std::uint32_t kMostPerPoint = 64;

void require(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::Usage, message);
}

bool is_lattice(Kind kind) {
  return kind == Kind::Grid || kind == Kind::Torus;
}

bool takes_edge_factor(Kind kind) {
  return kind == Kind::Rmat || kind == Kind::Uniform || kind == Kind::PreferentialAttachment ||
         kind == Kind::WattsStrogatz;
}

/// What the units of a model are made of.
int least_scale(Kind kind) {
  return kind == Kind::Road ? 6 : kind == Kind::Coauthors ? 4 : 0;
}

/// A parameter that the kind ignores must be at its default: silence would hide a mistake.
void check_applicable(const Spec& s) {
  const Spec initial;
  const auto check = [&](bool applies, bool set, std::string_view what) {
    require(applies || !set, fmt::format("{} graphs have no {}", name_of(s.kind), what));
  };
  check(is_lattice(s.kind), s.rows != 0 || s.columns != 0, "rows and columns");
  check(!is_lattice(s.kind), s.scale != initial.scale, "scale");
  check(takes_edge_factor(s.kind), s.edge_factor != initial.edge_factor, "edge factor");
  check(s.kind == Kind::Stencil, s.per_point != initial.per_point, "vertices per point");
  check(s.kind == Kind::WattsStrogatz, s.rewire != initial.rewire, "rewire");
  check(s.kind == Kind::Rmat, s.a != initial.a || s.b != initial.b || s.c != initial.c,
        "quadrant probabilities");
}

/// Number of vertices, after checking what determines it.
VertexId checked_vertices(const Spec& s) {
  std::uint64_t vertices = 0;
  if (is_lattice(s.kind)) {
    require(s.rows > 0 && s.columns > 0,
            fmt::format("a {} needs rows and columns of at least 1", name_of(s.kind)));
    vertices = std::uint64_t{s.rows} * s.columns;
  } else {
    const int least = least_scale(s.kind);
    require(s.scale >= least && s.scale < 64,
            fmt::format("scale must be between {} and 63, not {}", least, s.scale));
    require(s.per_point >= 1 && s.per_point <= kMostPerPoint,
            fmt::format("a point has 1 to {} vertices, not {}", kMostPerPoint, s.per_point));
    const std::uint64_t points = std::uint64_t{1} << s.scale;
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    vertices = points > kMost / s.per_point ? kMost : points * s.per_point;
  }
  if (vertices > kMaxVertices)
    throw Error(
        ErrorCode::DoesNotFit,
        fmt::format("{} vertices do not fit a {}-byte id: at most {} do{}", vertices,
                    sizeof(VertexId), kMaxVertices,
                    kIdBits == 32 ? ", or more in a build with FATHOM_VERTEX_BITS=64" : ""));
  return static_cast<VertexId>(vertices);
}

void check_model(const Spec& s, VertexId vertices) {
  if (s.kind == Kind::Rmat) {
    const double d = 1.0 - s.a - s.b - s.c;
    require(s.a >= 0 && s.b >= 0 && s.c >= 0 && d >= -1e-9,  // 1e-9: decimals that sum to 1
            fmt::format("quadrant probabilities must be at least 0 and sum to at most 1, not "
                        "{}, {}, {}",
                        s.a, s.b, s.c));
  }
  if (s.kind == Kind::WattsStrogatz) {
    require(s.rewire >= 0 && s.rewire <= 1,
            fmt::format("rewire must be between 0 and 1, not {}", s.rewire));
    require(std::uint64_t{s.edge_factor} * 2 < vertices,
            fmt::format("a ring of {} vertices has at most {} edges per vertex, not {}", vertices,
                        (vertices - 1) / 2, s.edge_factor));
  }
}

void check_weights(const WeightRange& range) {
  require(range.min <= range.max,
          fmt::format("weights: the smallest, {}, exceeds the largest, {}", range.min, range.max));
  require(range.max <= kMaxWeight,
          fmt::format("weights of at most {} are exact, not {}", kMaxWeight, range.max));
}

}  // namespace

std::string_view name_of(Kind kind) {
  for (const KindName& k : kKinds)
    if (k.kind == kind) return k.name;
  throw Error(ErrorCode::Usage, "unknown kind of graph");
}

std::optional<Kind> kind_named(std::string_view name) {
  for (const KindName& k : kKinds)
    if (k.name == name) return k.kind;
  return std::nullopt;
}

Generator::Generator(const Spec& spec) : spec_(spec) {
  check_applicable(spec);
  vertices_ = checked_vertices(spec);
  check_model(spec, vertices_);
  if (spec.weights) check_weights(*spec.weights);
  model_ = make_model(spec);
  edges_ = model_->edges();
}

void Generator::fill(EdgeId first, std::span<Edge> edge, std::span<Weight> weight) const {
  require(
      first <= edges_ && edge.size() <= edges_ - first,
      fmt::format("edges [{}, {}) asked of a graph with {}", first, first + edge.size(), edges_));
  require(weight.empty() || (weighted() && weight.size() == edge.size()),
          "weights asked of an unweighted graph, or not one per edge");
  model_->fill(first, edge);
  if (weight.empty()) return;
  const EdgeWeights weigh = weights();
  for (std::size_t i = 0; i < edge.size(); ++i) weight[i] = weigh(edge[i].source, edge[i].target);
}

}  // namespace fathom::generate
