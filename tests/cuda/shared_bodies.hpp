// What the traversal bodies that host and device share do on a GPU, for comparison with the host.
#pragma once

#include <vector>

#include "fathom/graph/csr.hpp"

namespace fathom::testing {

enum class Layout { Flat, Interleaved, Paged };

struct DeviceRun {
  std::vector<std::uint32_t> visits;  // per edge position: how often expand() showed it
  std::vector<double> weight_sum;     // per vertex: fold() over its list
  std::vector<Weight> least;          // per vertex: fetch_min over incoming weights
  std::uint64_t kept = 0;             // votes of expand()'s emit, counted through ballots
};

/// Whether a CUDA device can be used here.
bool device_present();

/// Walks every list of the graph with one warp (or, without `warp`, one thread) per vertex.
/// @throws std::runtime_error with CUDA's message.
DeviceRun walk_on_device(const CsrView& graph, Layout layout, bool warp);

}  // namespace fathom::testing
