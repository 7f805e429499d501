// The systems that fathom bench emogi compares: EMOGI's (section 5.1.2) and Fathom's default.
//
// The plain systems push every edge of each frontier, as the paper's do: no direction switching, no
// hints, no cache, no sampling, one bucket. Their unified memory is read-mostly and starts cold.
#pragma once

#include <string>

#include "fathom/exec/context.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {

/// One system of the paper's comparison.
struct System {
  std::string name;
  ResidencyOptions residency;
  bool plain = true;
};

/// "uvm", "naive", "merged", "aligned" or "fathom"; `zerocopy`: how host memory is obtained.
System system_named(const std::string& name, int id_bytes, const std::string& zerocopy);

/// Offsets, vertex state and hints, and a quarter of what the edges take: out of memory by design.
std::size_t budget_for(const store::Header& header, const std::string& app);

/// Runs "bfs", "sssp" or "cc"; cc takes no source.
RunReport run_once(const std::string& app, const Context& ctx, const Graph& graph, VertexId source,
                   bool plain);

}  // namespace fathom::cli
