// Memory that an algorithm's state takes: what says it is fathom/algorithms/state_sizes.hpp, what
// uses it are plans, caches that leave room for it, and runs that may have to split it.
#pragma once

#include <cstdint>

namespace fathom {

/// Bytes per vertex, unless they say otherwise.
struct StateSize {
  const char* algorithm = "";
  double whole = 0;         // on each device, when edges come in passes and nothing is split
  double saved_here = 0;    // of that is not needed where all edges are in reach at once
  double lists = 0;         // more on one host or emulated device: frontiers as lists
  double beside = 0;        // more on a host: results and tables that are made beside the state
  double result = 0;        // of what the caller gets, in host memory
  std::uint64_t fixed = 0;  // bytes on each device, however many vertices there are
  double merged = 0;        // of what replicas agree on after a superstep, at most
  double chunk = 0;         // of a chunk, when split; 0: it cannot be
  double source = 0;        // of a pass, when split: what edges read at their sources
  double always = 0;        // on each device when split: frontiers
  double per_worker = 0;    // of each worker of a host
  std::uint64_t worker_blocks = 0;  // bytes of each worker of a host: bins
  double bins = 0;                  // more of these, where a host has the memory
  bool weights = false;             // are read
  bool in_lists = false;            // unsplit, in-edges of directed graphs are read as well
  bool split_in_lists = false;      // split too

  double whole_here() const { return whole - saved_here; }
};

}  // namespace fathom
