// What the parts of `fathom bench gts` share: graphs in a work directory, places where their edges
// are, and runs of an algorithm there, in turn, that must agree. A part fills a JSON value; the
// text is made of that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shared/options.hpp"
#include "cli/shared/report_json.hpp"
#include "cli/shared/session.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::cli::gts {

struct Command {
  std::string work, save;
  std::vector<int> scales{14};
  std::uint32_t edge_factor = 16;
  std::uint64_t seed = 1;
  std::vector<std::string> parts;  // empty: all
  std::size_t page_bytes = std::size_t{64} << 10;
  double buffer = .2;  // of the lists, in host memory, when they come from disk
  int trials = 3;
  std::uint32_t iterations = 10;  // of PageRank
  ExecutionOptions execution;
  int gpus = 0;  // that --device names; 0: it runs on the CPU
  bool verify = false, json = false, quiet = false;

  bool on_gpu() const { return gpus > 0; }
  /// What the edges are dealt out to; 0: the host alone.
  int devices() const { return on_gpu() ? gpus : execution.devices; }
};

/// The same lists in both layouts. Directed, out-edges alone, as in the paper.
struct GraphFiles {
  int scale = 0;
  std::uint32_t edge_factor = 0;
  std::string csr, slotted;
  VertexId vertices = 0;
  EdgeId edges = 0;
  VertexId source = 0;          // of the longest list
  std::uint64_t csr_bytes = 0;  // of targets (and weights)
  store::SlottedStatistics pages;

  std::uint64_t bytes(bool in_pages) const { return in_pages ? pages.bytes : csr_bytes; }
};

/// Makes what is not there yet: in Command::work, and stripes in the directories of --ssd.
/// @throws Error(Io), Error(DoesNotFit), Error(Interrupted).
GraphFiles make_graph_files(const Command& c, Session& session, int scale,
                            std::uint32_t edge_factor, bool weights);

/// Where the edges of a run are.
struct Place {
  std::string storage;    // "device", "memory", "ssd", or "ssds": striped over those of --ssd
  bool slotted = true;    // the layout
  std::string residency;  // as --residency
  int devices = 0;        // what they are dealt out to: GPUs, or emulated; 0: the host alone
  std::size_t host_memory = MemoryPool::kUnlimited;
  std::size_t device_memory = MemoryPool::kUnlimited;
  std::string cache;           // as --cache
  std::uint32_t io_depth = 0;  // 0: the default
  bool gpu = false;
  std::string technique = "";  // as --technique
  std::string page_move = "";  // as --page-move

  bool from_disk() const { return storage == "ssd" || storage == "ssds"; }
  /// Whether pages go to one of several devices each: strategy P.
  bool deals_pages() const { return residency == "stream" && devices > (gpu ? 1 : 0); }
};

/// Places of an executor; `all`: every one of Figure 9 rather than those that are compared by size.
/// What comes from disk has a buffer of Command::buffer.
std::vector<Place> places(const Command& c, const GraphFiles& graph, const std::string& app,
                          bool all);

/// A budget with which `share` of the lists stays in host memory beside what a run needs.
std::size_t host_budget(const GraphFiles& graph, const std::string& app, const Place& place,
                        double share, int threads);

/// The same of each device's memory, where frames keep pages.
std::size_t device_budget(const GraphFiles& graph, const std::string& app, const Place& place,
                          double share, int threads);

struct Outcome {
  RunReport report;
  std::vector<double> values;     // per vertex
  std::size_t cache_bytes = 0;    // in which pages were kept
  double transfer = 0, work = 0;  // seconds in which pages moved, and kernels ran; when traced
  double busier_idle = 0;         // seconds in which the busier of both did nothing; when traced
};

/// "bfs", "sssp", "cc", "bc" (from one source) or "pagerank", with its iterations. Edges in memory
/// are there, and were used, before. @throws Error(VerificationFailed) when asked to verify.
Outcome run_at(const Command& c, const GraphFiles& graph, const std::string& app,
               const Place& place, Session& session, bool trace = false);

/// Runs everywhere in turn, Command::trials times: a row for each place that holds the graph, the
/// others are named in `left_out`. @throws Error(VerificationFailed) when results differ.
Json measure(const Command& c, const GraphFiles& graph, const std::vector<std::string>& apps,
             bool all, Session& session, Json& left_out);
/// The same of given places, and what each row says besides.
Json measure_at(const Command& c, const GraphFiles& graph, const std::string& app,
                const std::vector<Place>& at, Session& session, Json& left_out);

/// @throws Error(VerificationFailed) unless two results of an algorithm are the same, or differ by
///         rounding where it has ranks.
void check_agreement(const std::string& app, const Outcome& a, const Outcome& b,
                     const std::string& where);

// What is counted, not run.
Json statistics_part(const Command& c, const GraphFiles& graph);  // Table 3
Json state_part(const GraphFiles& graph);                         // Table 4

/// RMAT32 by equations 1 and 2. `disk`: bytes per second; 0: not known.
Json trillion_part(double disk);

// What varies one thing.
Json overlap_part(const Command& c, const GraphFiles& graph, Session& session);  // Table 1
Json depth_part(const Command& c, const GraphFiles& graph, Session& session, Json& left_out);
Json cache_part(const Command& c, const GraphFiles& graph, Session& session, Json& left_out);
Json density_part(const Command& c, Session& session, Json& left_out);
/// What is held against bounds: the disk's rate, the pages a search needs, the memory there is.
Json bars_part(const Command& c, const GraphFiles& graph, Session& session, Json& left_out);

/// Sequential bytes per second past the system's cache of the disk of Command::work, or ("ssds") of
/// those of --ssd together; 0 where that cannot be measured.
double disk_rate(const Command& c, const Place& place, Session& session);

double median_of(std::vector<double> values);

std::string text_of(const Json& report);

}  // namespace fathom::cli::gts
