// How fast this machine is: seconds per edge of each algorithm, measured with the algorithms
// themselves on generated graphs of a few sizes and degrees, and kept between runs.
//
// Why not from bandwidths: what an edge costs is mostly a random access to vertex state, whose
// price depends on caches and on the graph's skew; how often it is looked at depends on the graph
// and the algorithm. R-MAT (hubs stay in caches), uniform graphs (nothing does) and grids (many
// levels) are the ends of what graphs do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/plan/workload.hpp"

namespace fathom::plan {

/// Of one run (MeasuredRun) of one graph: of a superstep for Sweeps, else of a run from a source in
/// the largest component, per edge of the graph.
struct WorkRate {
  std::string algorithm;  // MeasuredRun::rate
  bool streamed = false;  // edges in pages rather than flat arrays
  Likeness graph = Likeness::Rmat;
  std::uint64_t vertices = 0, edges = 0;
  double seconds = 0;  // per edge
  bool directed = false;
  double two_paths = 0;          // of the graph; 0: not known
  std::uint64_t supersteps = 0;  // of Sweeps that were run to their end; 0: not known
  friend bool operator==(const WorkRate&, const WorkRate&) = default;
};

/// What a process's first run of an algorithm takes beside the work: a GPU loads the kernels then.
/// Streamed: beside those of a run that is not.
struct FirstRun {
  std::string algorithm;
  bool streamed = false;
  double seconds = 0;
  friend bool operator==(const FirstRun&, const FirstRun&) = default;
};

struct MachineRates {
  std::string device;  // Context::device_name()
  int threads = 0;
  std::string measured;  // UTC, "2026-11-21T14:31:20Z"
  double disk = 0;       // bytes per second, sequential, O_DIRECT; 0: not measured
  std::vector<WorkRate> work;
  std::vector<FirstRun> first_runs;  // of a GPU

  /// Seconds per edge in a graph of that size that is like the one measured: a power of the number
  /// of vertices, and one of edges per vertex, between those measured and beyond them. Of a
  /// likeness that is not known the lowest and the highest of all. Directed graphs are held against
  /// directed ones where any that are like them were measured. Nothing for an algorithm that was
  /// not measured.
  std::optional<Range> seconds_per_edge(std::string_view algorithm, bool streamed,
                                        const GraphShape& shape) const;
  /// The same per path of two edges, and of the supersteps that Sweeps took.
  std::optional<Range> seconds_per_two_path(std::string_view algorithm, bool streamed,
                                            const GraphShape& shape) const;
  std::optional<Range> supersteps(std::string_view algorithm, bool streamed,
                                  const GraphShape& shape) const;

  /// Seconds of FirstRun; 0 where none were measured.
  double first_run_seconds(std::string_view algorithm, bool streamed) const;
};

/// What rates measured on `ctx` are saved and looked up by: those of a GPU are of any number.
inline int threads_of_rates(const Context& ctx) {
  return ctx.on_gpu() ? 1 : ctx.threads();
}

/// Measures on `ctx`: a host or a GPU. `scales` ascending, at least one: of R-MAT and uniform
/// graphs with 8 and 32 directed edges per vertex, and grids; up to 2^17 vertices also of directed
/// ones with 16. Of larger graphs those algorithms alone that are asked for most. What would take
/// longer than a second or two, of others a quarter of one, is left to the smaller sizes. `disk`
/// (bytes per second) is taken over. Cost: with scales_for() about 40 s on two cores, 0.5 GiB of
/// memory; for a GPU 15 s of 16 cores, and what a graph of 2^26 edges takes while it is built.
/// @throws Error(Usage) for no or descending scales; Error(Interrupted).
FATHOM_API MachineRates measure_rates(const Context& ctx, double disk,
                                      const std::vector<int>& scales);

/// The scales that say enough of a machine: a GPU is busy with larger graphs alone.
FATHOM_API std::vector<int> scales_for(const Context& ctx);

/// Where rates of a device and a number of threads are kept: in
/// ${XDG_CACHE_HOME:-~/.cache}/fathom/. @throws Error(Usage) when neither variable says where.
FATHOM_API std::string rates_path(const std::string& device, int threads);

/// As JSON, with a final newline.
FATHOM_API std::string to_json(const MachineRates& rates);

/// @param name what errors call the text. @throws Error(BadInput) naming the place for anything
///        that to_json does not write.
FATHOM_API MachineRates rates_from_json(std::string_view text, const std::string& name);

/// Writes the file, whole or not at all; makes its directories. @return its path. @throws
/// Error(Io).
FATHOM_API std::string save_rates(const MachineRates& rates, std::string path = "");

/// @throws Error(BadInput), Error(Io).
FATHOM_API MachineRates read_rates(const std::string& path);

/// The saved rates; nothing when there are none. @throws Error(Io), Error(BadInput).
FATHOM_API std::optional<MachineRates> load_rates(const std::string& device, int threads);

}  // namespace fathom::plan
