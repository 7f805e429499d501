// The edges of a graph that changes that a filter keeps, in CSR.
#include <algorithm>
#include <vector>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/views/dynamic_source.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kKeptCsrListsAtOnce = 1024;

template <class Visit>
void each_kept(const DynamicEdges& edges, VertexId v, const EdgeFilter& filter,
               const Visit& visit) {
  each_entry(edges, v, [&](const ListEntry& entry) {
    if (filter.keeps(entry.fields)) visit(entry);
  });
}

}  // namespace

Csr kept_csr(const DynamicEdges& edges, VertexId vertices, const EdgeFilter& filter, int threads,
             const std::shared_ptr<MemoryPool>& pool) {
  const std::size_t n = vertices;
  Csr csr;
  csr.offset = Array<EdgeId>(n + 1, pool);
  csr.offset[0] = 0;
  parallel_for(threads, n, kKeptCsrListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t v = a; v < b; ++v) {
      EdgeId degree = 0;
      each_kept(edges, static_cast<VertexId>(v), filter, [&](const ListEntry&) { ++degree; });
      csr.offset[v + 1] = degree;
    }
  });
  for (std::size_t v = 0; v < n; ++v) csr.offset[v + 1] += csr.offset[v];
  csr.target = Array<VertexId>(csr.offset[n], pool);
  csr.weight = Array<Weight>(csr.offset[n], pool);
  parallel_for(threads, n, kKeptCsrListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    std::vector<ListEntry> list;
    for (std::size_t v = a; v < b; ++v) {
      list.clear();
      each_kept(edges, static_cast<VertexId>(v), filter,
                [&](const ListEntry& entry) { list.push_back(entry); });
      std::sort(list.begin(), list.end());
      EdgeId at = csr.offset[v];
      for (const ListEntry& entry : list) {
        csr.target[at] = entry.target;
        csr.weight[at++] = entry.weight;
      }
    }
  });
  return csr;
}

}  // namespace fathom::dynamic
