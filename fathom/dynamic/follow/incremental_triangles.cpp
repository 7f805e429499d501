#include <algorithm>
#include <utility>

#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/follow/graph_in_time.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"

namespace fathom {
namespace dynamic {
namespace {

constexpr std::size_t kPairsAtOnce = 16;              // of a worker
constexpr std::size_t kPairsBetweenChecks = 1 << 14;  // whether to go on
/// A batch that changed more than this share of the edges is counted anew: 1 % takes up to half of
/// the time of that on R-MAT 18, between vertices of many edges.
constexpr EdgeId kCountedShare = 32;

}  // namespace

class FollowingTriangles final : public Followed {
 public:
  FollowingTriangles(const DynamicGraph& g, const IncrementalTrianglesOptions& options)
      : Followed(g), options_(options), count_(options.per_vertex ? most() : 0, pool()) {
    need_in_edges();
  }

  std::uint64_t total() const { return total_; }
  std::vector<std::uint64_t> per_vertex() const {
    if (!options_.per_vertex) return {};
    return {count_.data(), count_.data() + known_};
  }

 private:
  void start(const Graph& now) override {
    const TrianglesResult found =
        count_triangles(*graph->ctx, now, {.per_vertex = options_.per_vertex});
    total_ = found.total;
    grow();
    std::copy(found.per_vertex.begin(), found.per_vertex.end(), count_.data());
  }
  void repair(const AppliedBatch& batch) override {
    if (are_many(batch.changed_edges(), kCountedShare)) return start(graph_of(graph));
    grow();
    const GraphInTime changing(*graph, batch);
    const std::size_t pairs = changing.pairs().size();
    std::vector<Worker> worker(static_cast<std::size_t>(graph->threads()));
    for (std::size_t first = 0; first < pairs; first += kPairsBetweenChecks) {
      const std::size_t some = std::min(kPairsBetweenChecks, pairs - first);
      parallel_for(graph->threads(), some, kPairsAtOnce,
                   [&](std::size_t a, std::size_t b, int its) {
                     for (std::size_t i = a; i < b; ++i)
                       count(changing, static_cast<std::uint32_t>(first + i),
                             worker[static_cast<std::size_t>(its)]);
                   });
      graph->ctx->task().check();
    }
    for (const Worker& w : worker) total_ += w.change;
  }

  /// What a thread has. Changes of counts are added modulo 2^64.
  struct Worker {
    GraphInTime::Scratch scratch;
    std::uint64_t change = 0;
  };

  void grow() {
    if (options_.per_vertex) {
      count_.grow_to(vertices());
      for (VertexId v = known_; v < vertices(); ++v) count_[v] = 0;
    }
    known_ = vertices();
  }
  void count(const GraphInTime& changing, std::uint32_t time, Worker& worker) {
    const ChangedPair pair = changing.pairs()[time];
    const std::vector<VertexId>& common = changing.common(time, worker.scratch);
    const std::uint64_t one = pair.comes ? 1 : ~std::uint64_t{0};
    worker.change += one * common.size();
    if (!options_.per_vertex || common.empty()) return;
    AtomicRef(count_[pair.u]).fetch_add(one * common.size());
    AtomicRef(count_[pair.v]).fetch_add(one * common.size());
    for (const VertexId w : common) AtomicRef(count_[w]).fetch_add(one);
  }

  IncrementalTrianglesOptions options_;
  ReservedArray<std::uint64_t> count_;
  VertexId known_ = 0;  // vertices
  std::uint64_t total_ = 0;
};

}  // namespace dynamic

IncrementalTriangles::IncrementalTriangles(const DynamicGraph& graph,
                                           const IncrementalTrianglesOptions& options) {
  dynamic::by_operators(graph, FollowBy::Host);
  its_ = std::make_unique<dynamic::FollowingTriangles>(graph, options);
  its_->begin(graph.graph());
}
IncrementalTriangles::IncrementalTriangles(IncrementalTriangles&&) noexcept = default;
IncrementalTriangles& IncrementalTriangles::operator=(IncrementalTriangles&&) noexcept = default;
IncrementalTriangles::~IncrementalTriangles() = default;

void IncrementalTriangles::update(const AppliedBatch& batch) {
  its_->follow(batch);
}

std::uint64_t IncrementalTriangles::total() const {
  return dynamic::whole(its_).total();
}
std::vector<std::uint64_t> IncrementalTriangles::per_vertex() const {
  return dynamic::whole(its_).per_vertex();
}

}  // namespace fathom
