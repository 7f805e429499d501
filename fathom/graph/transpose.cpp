// In-edges: the edges of a CSR stream into buckets by target. They arrive in order of their
// sources, so the lists only need sorting by vertex, not by neighbour.
#include "fathom/graph/bucket_csr.hpp"
#include "fathom/graph/build.hpp"

namespace fathom::graph {
namespace {

template <class Record>
Csr transpose_with(const CsrView& g, int threads) {
  // Edges per call of append: small against the graph, large against the per-call histograms.
  constexpr EdgeId kEdgesAtOnce = EdgeId{1} << 22;
  const int workers = worker_count(threads);
  EdgeBuckets<Record> buckets(g.vertices, workers);
  for (EdgeId start = 0; start < g.edges; start += kEdgesAtOnce) {
    const std::size_t n = std::min(kEdgesAtOnce, g.edges - start);
    buckets.append(n, [&](std::size_t first, std::size_t last, int, auto add) {
      EdgeId e = start + first;
      auto u = static_cast<VertexId>(std::upper_bound(g.offset, g.offset + g.vertices + 1, e) -
                                     g.offset - 1);
      for (const EdgeId end = start + last; e < end; ++u)
        for (const EdgeId stop = std::min(end, g.offset[u + 1]); e < stop; ++e)
          add(g.target[e], u, g.weight ? g.weight[e] : 1);
    });
  }
  return BucketCsr<Record>(g.vertices, Duplicates::Keep, workers, {}).build(buckets, true);
}

}  // namespace

Csr transpose(const CsrView& g, int threads) {
  const bool short_low = g.vertices <= VertexId{1} << (16 + EdgeBuckets<int>::kBucketBits);
  if (g.weight)
    return short_low ? transpose_with<WeightedBucketRecord<std::uint16_t>>(g, threads)
                     : transpose_with<WeightedBucketRecord<std::uint32_t>>(g, threads);
  return short_low ? transpose_with<BucketRecord<std::uint16_t>>(g, threads)
                   : transpose_with<BucketRecord<std::uint32_t>>(g, threads);
}

}  // namespace fathom::graph
