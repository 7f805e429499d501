// Batches of updates of Aspen (Dhulipala, Blelloch, Shun: Low-Latency Graph Streaming Using
// Compressed Purely-Functional Trees, PLDI 2019). Each is sorted, makes a version of its own, and
// the one before goes, within the time. Aspen is made for edges of both ways; it keeps those it is
// given, here of one.
//
//   aspen_batches GRAPH.sg [UPDATES...]     NUM_THREADS=N threads, or one per processor
#include <graph/api.h>

#include <iostream>
#include <optional>
#include <tuple>

#include "peer_batches.hpp"

namespace {

class Aspen {
 public:
  explicit Aspen(const peers::Graph& graph) : vertices_(graph.vertices()) {
    const std::size_t edges = graph.target.size();
    auto* const offset = pbbs::new_array_no_init<uintE>(vertices_);  // the store frees them
    auto* const target = pbbs::new_array_no_init<uintV>(edges);
    std::copy_n(graph.offset.begin(), vertices_, offset);
    std::copy_n(graph.target.begin(), edges, target);
    init_ = peers::milliseconds([&] { store_.emplace(vertices_, edges, offset, target); });
  }

  double init() const { return init_; }

  double insert(const peers::Edges& edges) {
    Batch batch(edges.begin(), edges.end());  // which Aspen sorts
    return peers::milliseconds(
        [&] { store_->insert_edges_batch(batch.size(), batch.data(), false, true, vertices_); });
  }

  double remove(const peers::Edges& edges) {
    Batch batch(edges.begin(), edges.end());
    return peers::milliseconds(
        [&] { store_->delete_edges_batch(batch.size(), batch.data(), false, true, vertices_); });
  }

  std::size_t edges() {
    auto version = store_->acquire_version();
    const std::size_t edges = version.graph.num_edges();
    store_->release_version(std::move(version));
    return edges;
  }

  peers::Edges list() {
    auto version = store_->acquire_version();
    peers::Edges list;
    for (const auto& [u, v] : version.graph.retrieve_edges()) list.emplace_back(u, v);
    store_->release_version(std::move(version));
    return list;
  }

 private:
  using Batch = std::vector<std::tuple<uintV, uintV>>;

  std::size_t vertices_;
  std::optional<versioned_graph<treeplus_graph>> store_;
  double init_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) peers::fail("aspen_batches GRAPH.sg [UPDATES...]");
  std::cout.setstate(std::ios::failbit);  // Aspen tells which sort it takes, within the time
  const peers::Graph graph = peers::read_graph(argv[1]);
  Aspen store(graph);
  char more[64];
  std::snprintf(more, sizeof more, "init %.4f threads %d", store.init(), num_workers());
  peers::time_batches(store, graph, argc, argv, more);
}
