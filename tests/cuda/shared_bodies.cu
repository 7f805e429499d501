// Kernels over the shared traversal bodies: expand and fold, lane groups and AtomicRef.
#include <cuda_runtime.h>

#include <stdexcept>

#include "fathom/core/atomic.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/fold.hpp"
#include "tests/cuda/shared_bodies.hpp"

namespace fathom::testing {
namespace {

constexpr std::uint32_t kPageShift = 4;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Device memory that goes with its scope.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, (size + 1) * sizeof(T)));
    check(cudaMemset(data_, 0, (size + 1) * sizeof(T)));
  }
  Buffer(const T* host, std::size_t size) : Buffer(size) {
    check(cudaMemcpy(data_, host, size * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Counts each edge at its position, found by searching the sorted list; odd targets are kept.
struct CountVisits {
  const EdgeId* offset;
  const VertexId* target;
  std::uint32_t* visits;
  Weight* least;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    EdgeId at = offset[u];
    while (target[at] != v) ++at;
    AtomicRef(visits[at]).fetch_add(1u);
    AtomicRef(least[v]).fetch_min(w);
    return v % 2 == 1;
  }
};

struct SumWeights {
  double* sum;
  using Value = double;
  FATHOM_HD double identity() const { return 0; }
  FATHOM_HD double map(VertexId, VertexId, Weight w) const { return w; }
  FATHOM_HD double combine(double a, double b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, double partial) const {
    AtomicRef(sum[u]).fetch_add(partial);
    return true;
  }
};

struct CountKept {
  unsigned long long* total;
  template <LaneGroup G>
  FATHOM_HD void operator()(const G& g, VertexId, bool keep) const {
    std::uint32_t votes = g.ballot(keep), count = 0;
    for (; votes != 0; votes &= votes - 1) ++count;
    if (g.rank() == 0 && count > 0)
      AtomicRef(*total).fetch_add(static_cast<unsigned long long>(count));
  }
};

template <LaneGroup G, EdgeView E>
__global__ void walk(E edges, VertexId vertices, CountVisits visit, SumWeights sum,
                     CountKept kept) {
  const G g;
  const VertexId u = (blockIdx.x * blockDim.x + threadIdx.x) / g.size();
  if (u >= vertices) return;
  expand(g, edges, u, visit, kept);
  fold(g, edges, u, sum);
}

}  // namespace

bool device_present() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

DeviceRun walk_on_device(const CsrView& graph, Layout layout, bool warp) {
  const VertexId n = graph.vertices;
  const EdgeId m = graph.edges;
  const Buffer<EdgeId> offset(graph.offset, n + std::size_t{1});
  const Buffer<VertexId> target(graph.target, m);
  const Buffer<Weight> weight(graph.weight, m);
  std::vector<InterleavedEdges::Pair> pairs;
  for (EdgeId e = 0; e < m; ++e) pairs.push_back({graph.target[e], graph.weight[e]});
  const Buffer<InterleavedEdges::Pair> pair(pairs.data(), m);
  std::vector<const VertexId*> page_targets;
  std::vector<const Weight*> page_weights;
  for (EdgeId e = 0; e < m; e += EdgeId{1} << kPageShift) {
    page_targets.push_back(target.data() + e);
    page_weights.push_back(weight.data() + e);
  }
  const Buffer<const VertexId*> page_target(page_targets.data(), page_targets.size());
  const Buffer<const Weight*> page_weight(page_weights.data(), page_weights.size());

  const std::vector<Weight> infinite(n, 1e30f);
  const Buffer<std::uint32_t> visits(m);
  const Buffer<double> sum(n);
  const Buffer<Weight> least(infinite.data(), n);
  const Buffer<unsigned long long> kept(1);
  const CountVisits count_visits{offset.data(), target.data(), visits.data(), least.data()};
  auto launch = [&](const auto& edges) {
    using E = std::remove_cvref_t<decltype(edges)>;
    if (warp)
      walk<WarpLanes, E><<<n / 8 + 1, 256>>>(edges, n, count_visits, SumWeights{sum.data()},
                                             CountKept{kept.data()});
    else
      walk<OneLane, E><<<n / 256 + 1, 256>>>(edges, n, count_visits, SumWeights{sum.data()},
                                             CountKept{kept.data()});
  };
  if (layout == Layout::Flat)
    launch(FlatEdges{offset.data(), target.data(), weight.data(), 0, kWholeList});
  else if (layout == Layout::Interleaved)
    launch(InterleavedEdges{offset.data(), pair.data(), kWholeList});
  else
    launch(
        PagedEdges{offset.data(), page_target.data(), page_weight.data(), kPageShift, kWholeList});
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return {visits.host(), sum.host(), least.host(), kept.host()[0]};
}

}  // namespace fathom::testing
