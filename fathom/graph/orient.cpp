// Degree-oriented lists (Chiba and Nishizeki 1985): every triangle is found once, and no list is
// longer than sqrt(2 * edges).
#include "fathom/core/parallel.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/graph/lists/neighbors.hpp"

namespace fathom::graph {
namespace {

std::span<const VertexId> list_of(const CsrView& lists, VertexId v) {
  return {lists.target + lists.offset[v], static_cast<std::size_t>(lists.degree(v))};
}

template <class F>
void each_neighbor(const CsrView& out, const CsrView* in, VertexId u, const F& neighbor) {
  graph::each_neighbor(list_of(out, u), in ? list_of(*in, u) : std::span<const VertexId>(), u,
                       neighbor);
}

// each(u, neighbor) calls neighbor(v) for each neighbour of u, ascending.
template <class Each>
Csr orient(VertexId vertices, int threads, const Each& each) {
  const int workers = worker_count(threads);
  constexpr std::size_t kGrain = 1024;
  Array<VertexId> degree(vertices);
  auto for_vertices = [&](const auto& body) {
    parallel_for(workers, vertices, kGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t u = first; u < last; ++u) body(static_cast<VertexId>(u));
    });
  };
  for_vertices([&](VertexId u) {
    VertexId d = 0;
    each(u, [&](VertexId) { ++d; });
    degree[u] = d;
  });
  auto kept = [&](VertexId u, VertexId v) {
    return degree[u] < degree[v] || (degree[u] == degree[v] && u < v);
  };
  Csr csr;
  csr.offset = Array<EdgeId>(std::size_t{vertices} + 1);
  csr.offset[0] = 0;
  for_vertices([&](VertexId u) {
    EdgeId d = 0;
    each(u, [&](VertexId v) { d += kept(u, v) ? 1 : 0; });
    csr.offset[u + 1] = d;
  });
  for (std::size_t u = 0; u < vertices; ++u) csr.offset[u + 1] += csr.offset[u];
  csr.target = Array<VertexId>(csr.offset[vertices]);
  for_vertices([&](VertexId u) {
    EdgeId at = csr.offset[u];
    each(u, [&](VertexId v) {
      if (kept(u, v)) csr.target[at++] = v;
    });
  });
  return csr;
}

}  // namespace

Csr orient_by_degree(const CsrView& out, const CsrView* in, int threads) {
  return orient(out.vertices, threads, [&](VertexId u, const auto& neighbor) {
    each_neighbor(out, in, u, [&](VertexId v, bool) { neighbor(v); });
  });
}

Csr orient_mutual(const CsrView& out, const CsrView& in, int threads) {
  const VertexId n = out.vertices;
  return orient(2 * n, threads, [&](VertexId u, const auto& neighbor) {
    if (u >= n) return each_neighbor(out, &in, u - n, [&](VertexId v, bool) { neighbor(v); });
    each_neighbor(out, &in, u, [&](VertexId v, bool mutual) {
      if (mutual) neighbor(v);
    });
    each_neighbor(out, &in, u, [&](VertexId v, bool) { neighbor(n + v); });
  });
}

}  // namespace fathom::graph
