// Random geometric graphs: points at random in the unit square, tied where they are close. Points
// are dealt out to square cells by halves, the number of each half a sum of fair coins, so that
// cells have the numbers that independent points would give them (Funke et al.,
// "Communication-free massively distributed graph generation", IPDPS 2018, section 5).
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "fathom/core/parallel.hpp"
#include "fathom/core/random.hpp"
#include "fathom/generate/models.hpp"

namespace fathom::generate {
namespace {

enum PointStream : std::uint64_t { kCoins, kPlaces };

/// Every other bit of a word, from the lowest on.
std::uint64_t every_other(std::uint64_t word) {
  std::uint64_t out = 0;
  for (int bit = 0; bit < 32; ++bit) out |= (word >> (2 * bit) & 1) << bit;
  return out;
}
/// The opposite.
std::uint64_t spread(std::uint64_t word) {
  std::uint64_t out = 0;
  for (int bit = 0; bit < 32; ++bit) out |= (word >> bit & 1) << (2 * bit);
  return out;
}

/// Cells follow the Z-order curve, vertices their cells. Edges belong to the cell of their first
/// vertex, whose number is the smaller one, and have its number.
class RandomGeometric final : public EdgeModel {
 public:
  explicit RandomGeometric(const Spec& s) : coins_(s.seed, kCoins), places_(s.seed, kPlaces) {
    // The radius of DIMACS10's rgg graphs, .55 sqrt(ln n / n), squared, in units of 2^-kBits.
    constexpr double kLn2 = .6931471805599453;
    const double points = static_cast<double>(std::uint64_t{1} << s.scale);
    const double square = .3025 * kLn2 * s.scale / points;
    reach_ =
        static_cast<std::uint64_t>(square * static_cast<double>(std::uint64_t{1} << 2 * kBits));
    while (level_ < kBits && 2 * (level_ + 1) < s.scale && square <= quarter_to(level_ + 1))
      ++level_;
    deal(std::uint64_t{1} << s.scale);
    count_edges();
  }

  EdgeId edges() const override { return first_edge_.back(); }

  void fill(EdgeId first, std::span<Edge> edge) const override {
    if (edge.empty()) return;
    auto cell = static_cast<std::uint64_t>(
        std::upper_bound(first_edge_.begin(), first_edge_.end(), first) - first_edge_.begin() - 1);
    Scratch scratch;
    std::size_t out = 0;
    for (EdgeId at = first_edge_[cell]; out < edge.size(); ++cell)
      each_edge(cell, scratch, [&](VertexId u, VertexId v) {
        if (at++ >= first && out < edge.size()) edge[out++] = {u, v};
      });
  }

 private:
  static constexpr int kBits = 31;  // of a coordinate: squares of distances then have 63

  struct Point {
    std::uint64_t x, y;
  };
  struct Scratch {
    std::vector<Point> own, other;
  };

  static double quarter_to(int power) {
    return 1 / static_cast<double>(std::uint64_t{1} << 2 * power);
  }
  std::uint64_t cells() const { return std::uint64_t{1} << 2 * level_; }

  void deal(std::uint64_t points) {
    std::vector<std::uint64_t> count{points}, next;
    for (int split = 0; split < 2 * level_; ++split) {
      next.clear();
      for (std::uint64_t c = 0; c < count.size(); ++c) {
        const std::uint64_t heads = coins(count.size() + c, count[c]);
        next.push_back(heads);
        next.push_back(count[c] - heads);
      }
      count.swap(next);
    }
    first_vertex_.assign(1, 0);
    for (const std::uint64_t c : count) first_vertex_.push_back(first_vertex_.back() + c);
  }

  /// How many of `count` coins of a node of the tree of cells show heads.
  std::uint64_t coins(std::uint64_t node, std::uint64_t count) const {
    std::uint64_t heads = 0;
    for (std::uint64_t w = 0; 64 * w < count; ++w) {
      const std::uint64_t rest = count - 64 * w;
      const std::uint64_t mask = rest < 64 ? (std::uint64_t{1} << rest) - 1 : ~std::uint64_t{0};
      heads += static_cast<std::uint64_t>(std::popcount(coins_.at(node, w) & mask));
    }
    return heads;
  }

  void count_edges() {
    constexpr std::size_t kGrain = 256;
    first_edge_.assign(cells() + 1, 0);
    parallel_for(worker_count(0), cells(), kGrain, [&](std::size_t a, std::size_t b, int) {
      Scratch scratch;
      for (std::size_t cell = a; cell < b; ++cell) {
        EdgeId found = 0;
        each_edge(cell, scratch, [&](VertexId, VertexId) { ++found; });
        first_edge_[cell + 1] = found;
      }
    });
    for (std::size_t c = 0; c < cells(); ++c) first_edge_[c + 1] += first_edge_[c];
  }

  void take_points(std::uint64_t cell, std::vector<Point>& points) const {
    const int shift = kBits - level_;
    const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
    const std::uint64_t x = every_other(cell) << shift, y = every_other(cell >> 1) << shift;
    points.clear();
    for (std::uint64_t v = first_vertex_[cell]; v < first_vertex_[cell + 1]; ++v)
      points.push_back({x | (places_.at(2 * v) & mask), y | (places_.at(2 * v + 1) & mask)});
  }

  bool close(const Point& p, const Point& q) const {
    const std::uint64_t x = p.x > q.x ? p.x - q.x : q.x - p.x;
    const std::uint64_t y = p.y > q.y ? p.y - q.y : q.y - p.y;
    return x * x + y * y <= reach_;
  }

  template <class Take>
  void each_edge(std::uint64_t cell, Scratch& s, const Take& take) const {
    const auto first = [&](std::uint64_t c) { return static_cast<VertexId>(first_vertex_[c]); };
    const auto at = [](VertexId start, std::size_t i) { return start + static_cast<VertexId>(i); };
    take_points(cell, s.own);
    for (std::size_t i = 0; i < s.own.size(); ++i)
      for (std::size_t j = i + 1; j < s.own.size(); ++j)
        if (close(s.own[i], s.own[j])) take(at(first(cell), i), at(first(cell), j));
    const std::uint64_t side = std::uint64_t{1} << level_;
    const std::uint64_t x = every_other(cell), y = every_other(cell >> 1);
    for (int k = 0; k < 9; ++k) {
      const std::uint64_t nx = x + static_cast<std::uint64_t>(k % 3);  // one too many
      const std::uint64_t ny = y + static_cast<std::uint64_t>(k / 3);
      if (nx == 0 || ny == 0 || nx > side || ny > side) continue;
      const std::uint64_t other = spread(nx - 1) | spread(ny - 1) << 1;
      if (other <= cell) continue;
      take_points(other, s.other);
      for (std::size_t i = 0; i < s.own.size(); ++i)
        for (std::size_t j = 0; j < s.other.size(); ++j)
          if (close(s.own[i], s.other[j])) take(at(first(cell), i), at(first(other), j));
    }
  }

  RandomStream coins_, places_;
  std::uint64_t reach_ = 0;
  int level_ = 0;  // 2^level cells along a side, none narrower than the radius
  std::vector<std::uint64_t> first_vertex_;
  std::vector<EdgeId> first_edge_;
};

}  // namespace

std::shared_ptr<const EdgeModel> make_random_geometric(const Spec& spec) {
  return std::make_shared<RandomGeometric>(spec);
}

}  // namespace fathom::generate
