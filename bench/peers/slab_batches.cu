// Batches of updates of a graph of hash tables on a GPU (Awad, Ashkiani, Porumbescu, Owens: Dynamic
// Graphs on the GPU, IPDPS 2020), as Gunrock's branch dynamic-graph has it: of slabs of 15 edges
// with values, which are zeros here; its graph without values has no deletion.
//
//   slab_batches GRAPH.sg [UPDATES...]      from host memory, then from that of the GPU
#include <cuda_runtime.h>

#include <cstring>
#include <numeric>

#include "peer_batches.hpp"

// In this order.
#include <gunrock/util/type_limits.cuh>

#include <gunrock/graph/dynamic_graph/slabhash_graph_map.cuh>

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) peers::fail(cudaGetErrorString(error));
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
    check(cudaMemset(data_, 0, count * sizeof(T)));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }
  T* data() { return data_; }

 private:
  T* data_ = nullptr;
};

template <class T>
std::vector<T> to_host(const T* data, std::size_t count) {
  std::vector<T> host(count);
  check(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

class SlabGraph {
 public:
  SlabGraph(const peers::Graph& graph, bool from_host)
      : vertices_(static_cast<std::uint32_t>(graph.vertices())), from_host_(from_host) {
    std::vector<std::uint32_t> offset(graph.offset.begin(), graph.offset.end());
    std::vector<std::uint32_t> target(graph.target.begin(), graph.target.end());
    std::vector<std::uint32_t> values(target.size());
    init_ = peers::milliseconds([&] {
      store_.Allocate(vertices_);
      store_.BulkBuildFromCsr(offset.data(), target.data(), values.data(), vertices_, true);
      wait();
    });
  }
  SlabGraph(const SlabGraph&) = delete;
  SlabGraph& operator=(const SlabGraph&) = delete;
  ~SlabGraph() { store_.Release(); }

  double init() const { return init_; }

  double insert(const peers::Edges& edges) {
    OnDevice<std::uint32_t> values(edges.size());
    return apply(edges, [&](uint2* batch, std::uint32_t count) {
      store_.InsertEdgesBatch(batch, values.data(), count, false);
    });
  }

  double remove(const peers::Edges& edges) {
    return apply(edges, [&](uint2* batch, std::uint32_t count) {
      store_.DeleteEdgesBatch(batch, count, false);
    });
  }

  std::size_t edges() {
    const auto degrees = to_host(store_.d_edges_per_node, vertices_);
    return std::accumulate(degrees.begin(), degrees.end(), std::size_t{0});
  }

  peers::Edges list() {
    const auto count = static_cast<std::uint32_t>(edges());
    OnDevice<std::uint32_t> offset(vertices_ + std::size_t{1}), target(count), values(count);
    store_.ToCsr(offset.data(), target.data(), values.data(), vertices_, count, nullptr);
    wait();
    const auto from = to_host(offset.data(), vertices_ + std::size_t{1});
    const auto to = to_host(target.data(), count);
    peers::Edges list;
    for (std::uint32_t v = 0; v < vertices_; ++v)
      for (std::uint32_t e = from[v]; e < from[v + 1]; ++e) list.emplace_back(v, to[e]);
    std::sort(list.begin(), list.end());
    return list;
  }

 private:
  static void wait() {
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
  }

  template <class Launch>
  double apply(const peers::Edges& edges, const Launch& launch) {
    static_assert(sizeof(peers::Edge) == sizeof(uint2));
    OnDevice<uint2> batch(edges.size());
    const auto copy = [&] {
      check(cudaMemcpy(batch.data(), edges.data(), edges.size() * sizeof(uint2),
                       cudaMemcpyHostToDevice));
    };
    copy();
    wait();
    return peers::milliseconds([&] {
      if (from_host_) copy();
      launch(batch.data(), static_cast<std::uint32_t>(edges.size()));
      wait();
    });
  }

  std::uint32_t vertices_;
  bool from_host_;
  double init_ = 0;
  gunrock::graph::SlabHashGraphMap<std::uint32_t, std::uint32_t, std::uint32_t, true> store_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) peers::fail("slab_batches GRAPH.sg [UPDATES...]");
  const peers::Graph graph = peers::read_graph(argv[1]);
  check(cudaFree(nullptr));  // the context is no part of the first store
  for (const bool from_host : {true, false}) {
    SlabGraph store(graph, from_host);
    char more[64];
    std::snprintf(more, sizeof more, "init %.4f from %s", store.init(),
                  from_host ? "host" : "device");
    peers::time_batches(store, graph, argc, argv, more);
  }
}
