// Models without hubs, in the manner of graphs of the 10th DIMACS implementation challenge: roads,
// planar triangulations, and matrices of three-dimensional stencils.
#include <algorithm>
#include <array>

#include "fathom/core/random.hpp"
#include "fathom/generate/models.hpp"

namespace fathom::generate {
namespace {

enum MeshStream : std::uint64_t { kChoices, kLengths };

VertexId mesh_id(std::uint64_t v) {
  return static_cast<VertexId>(v);
}

/// Junctions on a long tube (8 to 16 times as many rows as columns from scale 8 on), each tied to
/// the one before it and to the one a row before; one in four of these roads is missing, the others
/// are chains. Two junctions and the three roads that they own make a unit of 16 vertices and 17
/// edges. Of the first row, only roads to the row before (the last one) are missing, so that each
/// junction but the first has a road to an earlier one: the graph is connected.
class Road final : public EdgeModel {
 public:
  explicit Road(const Spec& s)
      : choices_(s.seed, kChoices),
        lengths_(s.seed, kLengths),
        units_(std::uint64_t{1} << (s.scale - 4)),
        columns_(std::uint64_t{1} << std::max(1, (s.scale - 6) / 2)) {}

  EdgeId edges() const override { return units_ * kEdges; }

  void fill(EdgeId first, std::span<Edge> edge) const override {
    for (std::size_t i = 0; i < edge.size(); ++i) edge[i] = at(first + i);
  }

 private:
  static constexpr std::uint64_t kVertices = 16, kEdges = 17, kRoads = 3;

  Edge at(EdgeId e) const {
    const std::uint64_t unit = e / kEdges, t = e % kEdges;
    const auto [a, b] = cuts(unit);
    const std::uint64_t road = (t >= a ? 1u : 0u) + (t >= b ? 1u : 0u);
    const std::uint64_t start = road == 0 ? 0 : road == 1 ? a : b;
    const std::uint64_t end = road == 0 ? a : road == 1 ? b : kEdges;
    const auto [from, to] = ends(unit, road);
    // The chains of the unit follow its junctions: that of a road lacks one vertex to its edges.
    const std::uint64_t inner = unit * kVertices + 2 + start - road;
    return {mesh_id(t == start ? from : inner + (t - start) - 1),
            mesh_id(t + 1 == end ? to : inner + (t - start))};
  }

  /// Where the second and third road begin: two of 16 places between the unit's 17 edges.
  std::pair<std::uint64_t, std::uint64_t> cuts(std::uint64_t unit) const {
    const std::uint64_t a = 1 + bounded(lengths_.at(2 * unit), kEdges - 1);
    std::uint64_t b = 1 + bounded(lengths_.at(2 * unit + 1), kEdges - 2);
    if (b >= a) ++b;
    return std::minmax(a, b);
  }

  /// Of the roads of two junctions, back along the row and to the row before, one is left out.
  std::pair<std::uint64_t, std::uint64_t> ends(std::uint64_t unit, std::uint64_t road) const {
    const std::uint64_t junctions = 2 * units_, word = choices_.at(unit);
    const bool first_row = 2 * unit < columns_;
    const std::uint64_t missing = first_row ? 1 + 2 * bounded(word, 2) : bounded(word, 4);
    const std::uint64_t which = road < missing ? road : road + 1;
    const std::uint64_t from = 2 * unit + which / 2;
    const std::uint64_t back = which % 2 == 0 ? 1 : columns_;
    return {junction(from), junction((from + junctions - back) % junctions)};
  }

  static std::uint64_t junction(std::uint64_t j) { return j / 2 * kVertices + j % 2; }

  RandomStream choices_, lengths_;
  std::uint64_t units_, columns_;  // columns: even, at most a quarter of the rows
};

/// A lattice whose squares each have one of their diagonals, in which some of the horizontal edges
/// are flipped: replaced by the other diagonal of the two triangles beside them. Those that may be
/// are chosen so that no two of them share a triangle or give the same edge.
class Triangulation final : public EdgeModel {
 public:
  explicit Triangulation(const Spec& s)
      : diagonals_(s.seed, kChoices),
        flips_(s.seed, kLengths),
        rows_(std::uint64_t{1} << s.scale / 2),
        columns_(std::uint64_t{1} << (s.scale - s.scale / 2)) {}

  EdgeId edges() const override { return along_rows() + along_columns() + squares(); }

  void fill(EdgeId first, std::span<Edge> edge) const override {
    for (std::size_t i = 0; i < edge.size(); ++i) edge[i] = at(first + i);
  }

 private:
  // The standard deviation of degrees is then that of a Delaunay triangulation, 1.34: their
  // variance is 1 + 3p - 1.5p^2.
  static constexpr std::uint64_t kFlipped = 5, kOf = 16;

  EdgeId along_rows() const { return rows_ * (columns_ - 1); }
  EdgeId along_columns() const { return (rows_ - 1) * columns_; }
  EdgeId squares() const { return (rows_ - 1) * (columns_ - 1); }

  Edge at(EdgeId e) const {
    if (e < along_rows()) return along_row(e / (columns_ - 1), e % (columns_ - 1));
    e -= along_rows();
    if (e < along_columns()) return {mesh_id(e), mesh_id(e + columns_)};
    e -= along_columns();
    const std::uint64_t r = e / (columns_ - 1), c = e % (columns_ - 1);
    return falls(r, c) ? Edge{vertex(r, c), vertex(r + 1, c + 1)}
                       : Edge{vertex(r, c + 1), vertex(r + 1, c)};
  }

  Edge along_row(std::uint64_t r, std::uint64_t c) const {
    if (!flipped(r, c)) return {vertex(r, c), vertex(r, c + 1)};
    return {vertex(r - 1, falls(r - 1, c) ? c : c + 1), vertex(r + 1, falls(r, c) ? c + 1 : c)};
  }

  bool flipped(std::uint64_t r, std::uint64_t c) const {
    if (r == 0 || r + 1 == rows_ || r % 2 != c % 2) return false;
    return bounded(flips_.at(r * columns_ + c), kOf) < kFlipped;
  }
  /// Whether the diagonal of a square goes down with the columns.
  bool falls(std::uint64_t r, std::uint64_t c) const {
    return (diagonals_.at(r * columns_ + c) & 1) != 0;
  }
  VertexId vertex(std::uint64_t r, std::uint64_t c) const { return mesh_id(r * columns_ + c); }

  RandomStream diagonals_, flips_;
  std::uint64_t rows_, columns_;
};

/// The matrix of a 27-point stencil in three dimensions without its diagonal: every point is tied
/// to the 26 around it. A point stands for one vertex or several, which are all tied then.
class Stencil final : public EdgeModel {
 public:
  explicit Stencil(const Spec& s)
      : size_{std::uint64_t{1} << (s.scale + 2) / 3, std::uint64_t{1} << (s.scale + 1) / 3,
              std::uint64_t{1} << s.scale / 3},
        per_point_(s.per_point) {
    EdgeId edges = 0;
    for (std::size_t k = 0; k < kSteps.size(); ++k) {
      start_[k] = edges;
      edges += pairs_along(kSteps[k]) * edges_per_pair(k);
    }
    start_.back() = edges;
  }

  EdgeId edges() const override { return start_.back(); }

  void fill(EdgeId first, std::span<Edge> edge) const override {
    for (std::size_t i = 0; i < edge.size(); ++i) edge[i] = at(first + i);
  }

 private:
  struct Step {
    int x, y, z;
  };
  // To itself, and to the half of the neighbours that comes later.
  static constexpr std::array<Step, 14> kSteps{{{0, 0, 0},
                                                {1, 0, 0},
                                                {-1, 1, 0},
                                                {0, 1, 0},
                                                {1, 1, 0},
                                                {-1, -1, 1},
                                                {0, -1, 1},
                                                {1, -1, 1},
                                                {-1, 0, 1},
                                                {0, 0, 1},
                                                {1, 0, 1},
                                                {-1, 1, 1},
                                                {0, 1, 1},
                                                {1, 1, 1}}};

  static std::uint64_t reach(int step) { return step == 0 ? 0 : 1; }
  std::uint64_t pairs_along(const Step& s) const {
    return (size_[0] - reach(s.x)) * (size_[1] - reach(s.y)) * (size_[2] - reach(s.z));
  }
  std::uint64_t edges_per_pair(std::size_t k) const {
    return k == 0 ? per_point_ * (per_point_ - 1) / 2 : per_point_ * per_point_;
  }

  Edge at(EdgeId e) const {
    std::size_t k = 0;
    while (e >= start_[k + 1]) ++k;
    const Step& s = kSteps[k];
    const EdgeId pair = (e - start_[k]) / edges_per_pair(k);
    const std::uint64_t t = (e - start_[k]) % edges_per_pair(k);
    const std::uint64_t nx = size_[0] - reach(s.x), ny = size_[1] - reach(s.y);
    const std::uint64_t x = pair % nx + (s.x < 0 ? 1 : 0), y = pair / nx % ny + (s.y < 0 ? 1 : 0);
    const std::uint64_t z = pair / nx / ny;
    if (k == 0) return within(point(x, y, z), t);
    return {mesh_id(point(x, y, z) + t / per_point_),
            mesh_id(point(moved(x, s.x), moved(y, s.y), moved(z, s.z)) + t % per_point_)};
  }

  /// The t-th pair of a point's vertices.
  static Edge within(std::uint64_t point, std::uint64_t t) {
    std::uint64_t later = 1;
    for (; t >= later; ++later) t -= later;
    return {mesh_id(point + t), mesh_id(point + later)};
  }
  static std::uint64_t moved(std::uint64_t at, int step) {
    return step < 0 ? at - 1 : at + static_cast<std::uint64_t>(step);
  }
  std::uint64_t point(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return ((z * size_[1] + y) * size_[0] + x) * per_point_;
  }

  std::array<std::uint64_t, 3> size_;
  std::uint64_t per_point_;
  std::array<EdgeId, kSteps.size() + 1> start_{};
};

}  // namespace

std::shared_ptr<const EdgeModel> make_road(const Spec& spec) {
  return std::make_shared<Road>(spec);
}
std::shared_ptr<const EdgeModel> make_triangulation(const Spec& spec) {
  return std::make_shared<Triangulation>(spec);
}
std::shared_ptr<const EdgeModel> make_stencil(const Spec& spec) {
  return std::make_shared<Stencil>(spec);
}

}  // namespace fathom::generate
