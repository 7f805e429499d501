// Kinds in the manner of the 10th DIMACS implementation challenge: their structure, and degrees
// beside those of table 6.1 of Winter's thesis.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "fathom/generate/generate.hpp"

namespace fathom::generate {
namespace {

using Neighbours = std::vector<std::set<VertexId>>;

/// What both ends of an edge know, without duplicates and loops.
Neighbours neighbours_of(const Spec& spec) {
  const Generator g(spec);
  std::vector<Edge> edges(g.edges());
  g.fill(0, edges);
  Neighbours all(g.vertices());
  for (const Edge& e : edges) {
    if (e.source == e.target) continue;
    all[e.source].insert(e.target);
    all[e.target].insert(e.source);
  }
  return all;
}

struct Profile {
  double mean = 0, deviation = 0;
  std::size_t least = 0, most = 0;
  std::size_t twice_edges = 0;
};
Profile profile_of(const Neighbours& all) {
  Profile p;
  const auto n = static_cast<double>(all.size());
  p.least = all.front().size();
  for (const auto& list : all) {
    p.twice_edges += list.size();
    p.least = std::min(p.least, list.size());
    p.most = std::max(p.most, list.size());
  }
  p.mean = static_cast<double>(p.twice_edges) / n;
  for (const auto& list : all) {
    const double off = static_cast<double>(list.size()) - p.mean;
    p.deviation += off * off / n;
  }
  p.deviation = std::sqrt(p.deviation);
  return p;
}

std::size_t reached_from_first(const Neighbours& all) {
  std::vector<bool> seen(all.size(), false);
  std::vector<VertexId> queue{0};
  seen[0] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const VertexId v : all[queue[i]])
      if (!seen[v]) seen[v] = true, queue.push_back(v);
  return queue.size();
}

TEST(Road, IsConnectedAndHasTheDegreesOfRoads) {
  for (const int scale : {6, 7, 8, 11, 14}) {
    SCOPED_TRACE(scale);
    const Spec spec{.kind = Kind::Road, .scale = scale};
    const Neighbours all = neighbours_of(spec);
    const Profile p = profile_of(all);
    EXPECT_EQ(p.twice_edges, 2 * Generator(spec).edges()) << "loops or duplicates";
    EXPECT_EQ(reached_from_first(all), all.size());
    EXPECT_EQ(p.mean, 2.125);            // the challenge's: 2.08 to 2.14
    EXPECT_NEAR(p.deviation, .44, .05);  // .41 to .53
    EXPECT_GE(p.least, 1u);
    EXPECT_LE(p.most, 4u);
  }
}

TEST(Road, IsLong) {
  const Neighbours all = neighbours_of({.kind = Kind::Road, .scale = 14});
  std::vector<int> depth(all.size(), -1);
  std::vector<VertexId> queue{0};
  depth[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const VertexId v : all[queue[i]])
      if (depth[v] < 0) depth[v] = depth[queue[i]] + 1, queue.push_back(v);
  EXPECT_GT(depth[queue.back()], 256);  // a square lattice of as many vertices: 254 at most
}

TEST(RandomGeometric, TiesExactlyWhatIsClose) {
  // All pairs, by the degrees that independent points have: the mean is pi r^2 n, but for borders,
  // and so is the variance.
  const Profile p = profile_of(neighbours_of({.kind = Kind::RandomGeometric, .scale = 15}));
  const double interior = 3.14159 * .3025 * 15 * .693147;
  EXPECT_NEAR(p.mean, interior, .04 * interior);
  EXPECT_NEAR(p.deviation, std::sqrt(interior), .1 * std::sqrt(interior));
}

TEST(RandomGeometric, HasNoEdgeTwiceNorLoops) {
  for (const int scale : {0, 1, 2, 3, 7, 12}) {
    SCOPED_TRACE(scale);
    const Spec spec{.kind = Kind::RandomGeometric, .scale = scale};
    EXPECT_EQ(profile_of(neighbours_of(spec)).twice_edges, 2 * Generator(spec).edges());
  }
}

TEST(RandomGeometric, HasTheTrianglesOfAPlane) {
  // Two neighbours of a point are close to each other with probability 1 - 3 sqrt(3) / (4 pi).
  const Neighbours all = neighbours_of({.kind = Kind::RandomGeometric, .scale = 13});
  double pairs = 0, closed = 0;
  for (const auto& list : all)
    for (auto a = list.begin(); a != list.end(); ++a)
      for (auto b = std::next(a); b != list.end(); ++b) {
        pairs += 1;
        closed += all[*a].contains(*b) ? 1 : 0;
      }
  EXPECT_NEAR(closed / pairs, .5865, .02);
}

TEST(Triangulation, IsOneOfTheWholeLatticeWithTheDegreesOfDelaunays) {
  for (const int scale : {0, 1, 2, 3, 4, 9, 16}) {
    SCOPED_TRACE(scale);
    const Spec spec{.kind = Kind::Triangulation, .scale = scale};
    const Neighbours all = neighbours_of(spec);
    const Profile p = profile_of(all);
    const std::size_t rows = std::size_t{1} << scale / 2, columns = all.size() / rows;
    EXPECT_EQ(p.twice_edges, 2 * Generator(spec).edges()) << "loops or duplicates";
    EXPECT_EQ(reached_from_first(all), all.size());
    if (rows < 2) continue;
    // Euler: a triangulated disc of V vertices, of which B are on its border, has 3V - 3 - B edges,
    // and each of them that is not a border closes two triangles.
    EXPECT_EQ(p.twice_edges / 2, 3 * all.size() - 3 - 2 * (rows + columns - 2));
    std::size_t open = 0;
    for (VertexId u = 0; u < all.size(); ++u)
      for (const VertexId v : all[u]) {
        std::size_t both = 0;
        for (const VertexId w : all[u]) both += all[v].contains(w) ? 1 : 0;
        ASSERT_GE(both, 1u);
        open += both < 2 ? 1 : 0;
      }
    EXPECT_LE(open, 4 * (rows + columns - 2));
    if (scale < 16) continue;
    EXPECT_NEAR(p.mean, 6, .05);
    EXPECT_NEAR(p.deviation, 1.34, .04);  // delaunay_n20, delaunay_n23: 1.34, at most 23 and 28
    EXPECT_LE(p.most, 10u);
  }
}

TEST(Stencil, TiesPointsToThoseAround) {
  for (const std::uint32_t per_point : {1u, 3u}) {
    const Spec spec{.kind = Kind::Stencil, .scale = 8, .per_point = per_point};  // 8 x 8 x 4
    const Neighbours all = neighbours_of(spec);
    ASSERT_EQ(all.size(), 256 * per_point);
    EXPECT_EQ(profile_of(all).twice_edges, 2 * Generator(spec).edges());
    const auto place = [&](std::size_t v) {
      const int at = static_cast<int>(v / per_point);
      return std::array{at % 8, at / 8 % 8, at / 64};
    };
    for (std::size_t u = 0; u < all.size(); ++u)
      for (std::size_t v = 0; v < all.size(); ++v) {
        const auto a = place(u), b = place(v);
        const bool around = std::abs(a[0] - b[0]) <= 1 && std::abs(a[1] - b[1]) <= 1 &&
                            std::abs(a[2] - b[2]) <= 1 && u != v;
        ASSERT_EQ(all[u].contains(static_cast<VertexId>(v)), around) << u << ' ' << v;
      }
  }
}

TEST(Coauthors, HaveTheDegreesOfCoauthorsAndTheirCliques) {
  const Neighbours all = neighbours_of({.kind = Kind::Coauthors, .scale = 18});
  const Profile p = profile_of(all);
  EXPECT_NEAR(p.mean, 6.4, .3);        // coAuthorsDBLP, coAuthorsCiteseer: 6.54, 7.16
  EXPECT_NEAR(p.deviation, 9.5, 1.5);  // 9.82, 10.63
  EXPECT_GT(p.most, 336u / 2);         // 336, 1372
  EXPECT_LT(p.most, 1372u * 2);
  // The first paper of every eight has an author who is new, the last one four.
  EXPECT_TRUE(all[32 + 12].contains(32 + 15));
  EXPECT_GE(all[32 + 15].size(), 5u);
}

}  // namespace
}  // namespace fathom::generate
