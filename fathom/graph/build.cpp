// The in-memory build: stream the edges into buckets by source (edge_buckets.hpp), then sort each
// bucket in cache (bucket_csr.hpp). Nothing but the input order decides the result.
#include "fathom/graph/build.hpp"

#include <cmath>
#include <cstring>

#include "fathom/core/units.hpp"
#include "fathom/graph/bucket_csr.hpp"
#include "fathom/graph/symmetry.hpp"

namespace fathom::graph {
namespace {

// Edges are taken in blocks of this many: 8 MiB, large against the per-block histograms.
constexpr std::size_t kBlock = std::size_t{1} << 20;

struct Counts {
  EdgeId loops = 0, kept_loops = 0;
  EdgeId bad = ~EdgeId{0};  // the first edge with a bad endpoint or weight
};

template <class Record>
class Builder {
 public:
  Builder(VertexId vertices, const BuildOptions& options)
      : vertices_(vertices),
        options_(options),
        workers_(worker_count(options.threads)),
        buckets_(vertices, workers_) {}

  BuiltGraph run(const EdgeProducer& edges) {
    options_.task.begin("distributing edges", 0, "edges");
    edges([&](std::span<const Edge> e, std::span<const Weight> w) { take(e, w); });
    flush();
    pending_edge_ = {};
    pending_weight_ = {};
    options_.task.end();
    options_.task.begin("sorting edges", 0, "edges");
    BuiltGraph built;
    built.out = BucketCsr<Record>(vertices_, options_.duplicates, workers_, options_.task)
                    .build(buckets_, false);
    report_.duplicates_merged = report_.input_edges - report_.loops_dropped +
                                report_.reverse_edges_added - built.out.edges();
    if (!options_.undirected && options_.in_edges)
      built.in = transpose(built.out.view(), options_.threads);
    report_.happens_symmetric =
        options_.undirected ||
        (built.in ? same(built.out, *built.in) : is_symmetric(built.out.view(), workers_));
    built.report = report_;
    options_.task.end();
    return built;
  }

 private:
  // Small batches are collected, so that the buckets see large blocks only.
  void take(std::span<const Edge> edge, std::span<const Weight> weight) {
    const bool use_weight = Record::kWeighted && !weight.empty();
    if (Record::kWeighted && weight.empty()) report_.missing_weights += edge.size();
    while (!edge.empty()) {
      if (pending_edge_.empty()) {
        pending_edge_ = Array<Edge>(kBlock);
        if constexpr (Record::kWeighted) pending_weight_ = Array<Weight>(kBlock);
      }
      const std::size_t n = std::min(edge.size(), kBlock - pending_);
      std::copy_n(edge.begin(), n, pending_edge_.begin() + pending_);
      if (use_weight)
        std::copy_n(weight.begin(), n, pending_weight_.begin() + pending_);
      else if (Record::kWeighted)
        std::fill_n(pending_weight_.begin() + pending_, n, Weight{1});
      pending_ += n;
      edge = edge.subspan(n);
      if (use_weight) weight = weight.subspan(n);
      if (pending_ == kBlock) flush();
    }
  }

  void flush() {
    if (pending_ == 0) return;
    const Edge* edge = pending_edge_.data();
    const Weight* weight = pending_weight_.data();
    std::vector<Counts> counts(static_cast<std::size_t>(workers_));
    const bool drop_loops = options_.loops == Loops::Drop;
    const bool mirror = options_.undirected || options_.half_stored;
    buckets_.append(pending_, [&](std::size_t first, std::size_t last, int piece, auto add) {
      // The first visit of a piece checks and counts.
      Counts local;
      for (std::size_t i = first; i < last; ++i) {
        const auto [u, v] = edge[i];
        Weight w = 1;
        // Adding zero turns -0 into 0: equal weights then have equal bytes.
        if constexpr (Record::kWeighted) w = weight[i] + 0.0f;
        if (piece >= 0) {
          if (u >= vertices_ || v >= vertices_ || std::isnan(w)) [[unlikely]] {
            local.bad = std::min<EdgeId>(local.bad, i);
            continue;
          }
        }
        if (u == v) {
          ++local.loops;
          if (drop_loops) continue;
        }
        add(u, v, w);
        if (mirror && u != v) add(v, u, w);
      }
      if (piece >= 0) {
        counts[static_cast<std::size_t>(piece)] = local;
        if (local.bad != ~EdgeId{0}) refuse(local.bad);
      }
    });
    for (const Counts& c : counts) {
      report_.loops_seen += c.loops;
      if (drop_loops) report_.loops_dropped += c.loops;
      if (mirror) report_.reverse_edges_added -= c.loops;
    }
    if (mirror) report_.reverse_edges_added += pending_;
    report_.input_edges += pending_;
    pending_ = 0;
    options_.task.at(report_.input_edges);
  }

  [[noreturn]] void refuse(EdgeId i) const {
    const Edge e = pending_edge_[i];
    const std::string which = "edge " + format_count(report_.input_edges + i);
    if (e.source < vertices_ && e.target < vertices_)
      throw Error(ErrorCode::BadInput, which + ": its weight is not a number");
    throw Error(ErrorCode::BadInput,
                which + ": expected vertices below " + std::to_string(vertices_) + ", found '" +
                    std::to_string(e.source) + " " + std::to_string(e.target) + "'");
  }

  VertexId vertices_;
  const BuildOptions& options_;
  int workers_;
  EdgeBuckets<Record> buckets_;
  Array<Edge> pending_edge_;
  Array<Weight> pending_weight_;
  std::size_t pending_ = 0;
  BuildReport report_;
};

}  // namespace

BuiltGraph build(VertexId vertices, const EdgeProducer& edges, const BuildOptions& options) {
  if (vertices == kNoVertex)
    throw Error(ErrorCode::DoesNotFit, format_count(kNoVertex) +
                                           " vertices do not fit; this build of Fathom holds " +
                                           format_count(kNoVertex - 1));
  const bool short_low = vertices <= VertexId{1} << (16 + EdgeBuckets<int>::kBucketBits);
  if (options.weighted)
    return short_low ? Builder<WeightedBucketRecord<std::uint16_t>>(vertices, options).run(edges)
                     : Builder<WeightedBucketRecord<std::uint32_t>>(vertices, options).run(edges);
  return short_low ? Builder<BucketRecord<std::uint16_t>>(vertices, options).run(edges)
                   : Builder<BucketRecord<std::uint32_t>>(vertices, options).run(edges);
}

}  // namespace fathom::graph
