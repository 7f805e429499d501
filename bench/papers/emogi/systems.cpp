#include "bench/papers/emogi/systems.hpp"

#include <limits>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"

namespace fathom::cli {

System system_named(const std::string& name, int id_bytes, const std::string& zerocopy) {
  System s{name, {}, true};
  GpuEdgeOptions& gpu = s.residency.gpu;
  s.residency.kind = ResidencyOptions::Kind::ZeroCopy;
  gpu.cache = CachePolicy::None;
  gpu.id_bytes = id_bytes;
  gpu.interleave = false;
  if (zerocopy == "malloc") gpu.host_memory = ZeroCopyWay::Malloc;
  if (zerocopy == "register") gpu.host_memory = ZeroCopyWay::Register;
  if (zerocopy == "managed") gpu.host_memory = ZeroCopyWay::Managed;
  if (name == "uvm") {
    s.residency.kind = ResidencyOptions::Kind::Managed;
    gpu.read_mostly = true;
  } else if (name == "naive") {
    gpu.access = Access::Naive;
  } else if (name == "merged") {
    gpu.access = Access::Merged;
  } else if (name == "fathom") {
    s.plain = false;
    gpu.cache = CachePolicy::Auto;
    gpu.interleave = true;
  }
  return s;
}

std::size_t budget_for(const store::Header& header, const std::string& app) {
  const std::size_t n = header.vertices;
  const std::size_t edge_bytes = app == "sssp" ? 8 : 4;
  constexpr std::size_t kOffsets = 8, kCacheIndex = 4, kHint = 4, kState = 40;
  return n * (kOffsets + kCacheIndex + kHint + kState) + (std::size_t{64} << 20) +
         header.edges * edge_bytes / 4;
}

RunReport run_once(const std::string& app, const Context& ctx, const Graph& graph, VertexId source,
                   bool plain) {
  if (app == "bfs") {
    BfsOptions options;
    if (plain) options.direction = Direction::Push;
    return bfs(ctx, graph, {&source, 1}, options).report;
  }
  if (app == "sssp") {
    SsspOptions options;
    if (plain) options.delta = std::numeric_limits<Weight>::infinity();
    return sssp(ctx, graph, source, options).report;
  }
  ComponentsOptions options;
  options.sample = !plain;
  return connected_components(ctx, graph, options).report;
}

}  // namespace fathom::cli
