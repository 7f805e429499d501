// What the files of `fathom bench dynamic` share: graphs, batches of updates, and what a graph is
// held against after every batch that was timed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/shared/options.hpp"
#include "cli/shared/report_json.hpp"
#include "cli/shared/session.hpp"
#include "cli/shared/stream_options.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/dynamic_graph.hpp"

namespace fathom::cli::dynamic_bench {

inline constexpr const char* kParts[] = {"init",       "updates",    "mixed",       "vertices",
                                         "queries",    "algorithms", "pages",       "snapshots",
                                         "allocators", "longterm",   "incremental", "beyond"};
inline constexpr const char* kKinds[] = {
    "road", "random-geometric", "triangulation", "stencil", "coauthors", "uniform", "rmat", "grid"};

struct Command {
  std::vector<std::string> stores, graphs, parts, layouts, strategies, allocators, sources;
  std::vector<std::uint64_t> batches;
  std::vector<std::uint32_t> page_bytes{32, 64, 128, 256, 512};
  int scale = 14, trials = 5, iterations = 10, rounds = 20;
  std::uint64_t seed = 1;
  std::string save;
  ExecutionOptions execution;
  bool json = false, quiet = false;

  bool wants(const char* part) const;
  /// Of the parts that take one size of batch: 100,000 if it is among them, else the largest.
  std::uint64_t usual_batch() const;
};

/// A graph whose edges go both ways, without loops and duplicates.
struct Subject {
  std::string name, kind;  // kind: as `fathom generate` names it; empty: from a file
  int scale = 0;           // of what was generated
  Csr csr;
  double mean = 0, deviation = 0;  // of degrees
  EdgeId most = 0;
  Task task;  // what looks at every edge asks it now and then whether to go on

  CsrView view() const { return csr.view(); }
  /// Offsets and targets; and with the room of each list rounded up to a power of two.
  std::uint64_t csr_bytes() const;
  std::uint64_t rounded_bytes() const;
};

/// A graph by KIND or KIND:SCALE. @throws Error(Usage)
Subject make_subject(const Command& c, const std::string& graph, const Task& task);
Subject load_subject(const Command& c, const std::string& path, const Task& task);

using Pair = std::pair<VertexId, VertexId>;

/// Random pairs of different vertices; focused: from 1,000 vertices in a row, other ones in each
/// round.
std::vector<Pair> random_pairs(const Subject& subject, std::uint64_t count, bool focused,
                               std::uint64_t seed);
/// Edges that there are, each once.
std::vector<Pair> random_edges(const Subject& subject, std::uint64_t count, std::uint64_t seed);
std::vector<EdgeUpdate> updates_of(const std::vector<Pair>& pairs, bool deletion);

/// What a graph should be after pairs were inserted into a subject and edges removed from it.
/// Found by sorting and binary searches, without any of what is measured.
class Expected {
 public:
  Expected(const Subject& subject, std::vector<Pair> inserted, std::vector<Pair> removed);

  std::uint64_t fresh() const { return fresh_.size(); }
  std::uint64_t removed() const { return removed_.size(); }
  /// Pairs to insert that are edges of the subject.
  const std::vector<Pair>& known() const { return known_; }
  EdgeId edges() const;
  /// Compares every list, or, of graphs of more than 2^26 edges, their number and some edges.
  /// @throws Error(VerificationFailed)
  void check(const DynamicGraph& graph, const std::string& what) const;

 private:
  bool has(VertexId u, VertexId v) const;

  const Subject* subject_;
  std::vector<Pair> fresh_, known_, removed_;  // sorted
};

/// @throws Error(VerificationFailed) unless it holds.
void require_equal(std::uint64_t found, std::uint64_t expected, const std::string& what);

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
template <class Body>
double seconds_of(const Body& body) {
  const auto start = Clock::now();
  body();
  return seconds_since(start);
}
double median_of(std::vector<double> seconds);
/// {"median", "min", "max"} of seconds.
Json spread_json(const std::vector<double>& seconds);

/// faim whose lists ascend over all of their pages.
inline constexpr const char* kSortedFaim = "faim-sorted";
/// Lists in one direction, as the papers' are; `layout` may be ouro, faim, faim-sorted or aim.
DynamicGraphOptions one_way(const std::string& layout);

struct Part {
  const Command& c;
  const Context& context;
  Json& report;
  const Task& task;

  /// Ends the command, between two steps, once it was asked to. @throws Error(Interrupted)
  void check() const { task.check(); }
  void leave_out(const std::string& what) const { report["left_out"].push_back(what); }
  /// Whether vertices are dealt out to several GPUs.
  bool dealt() const { return context.on_gpu() && context.devices().size() > 1; }
};

/// Seconds until a batch is applied; GPUs return before.
double apply_seconds(const Part& p, DynamicGraph& graph, const GraphBatch& batch,
                     BatchReport* report = nullptr);

/// Insertions and deletions of one batch in turn, from host memory or from that of the graph's GPU.
/// The graph is the subject again afterwards.
struct Turns {
  std::vector<double> insert, remove;
  std::uint64_t inserted = 0, moved = 0;  // of the last round
};
Turns insert_and_remove(const Part& p, const Subject& subject, DynamicGraph& graph,
                        std::uint64_t batch, bool focused, bool on_device, const std::string& what);
/// Why such a batch makes no sense on a graph; empty: it does.
std::string too_large(const Subject& subject, std::uint64_t batch, bool focused);

/// PageRank of --iterations.
PagerankOptions fixed_iterations(const Part& p);
/// In all.
double difference(std::span<const double> a, std::span<const double> b);

void init_part(const Part& p, const Subject& subject);
void updates_part(const Part& p, const Subject& subject);
void mixed_part(const Part& p, const Subject& subject);
void vertices_part(const Part& p, const Subject& subject);
void queries_part(const Part& p, const Subject& subject);
void algorithms_part(const Part& p, const Subject& subject);
void pages_part(const Part& p, const Subject& subject);
void snapshots_part(const Part& p, const Subject& subject);
void allocators_part(const Part& p, const Subject& subject);
void longterm_part(const Part& p, const Subject& subject);
/// In the first of the layouts.
void incremental_part(const Part& p, const Subject& subject);
/// On a GPU.
void beyond_part(const Part& p, const Subject& subject);

/// Tables 3.1, 4.1 to 4.4 and 6.1, and what the text says.
Json paper_json();
/// The bars that Fathom set itself, with what was measured of them.
Json bars_json(const Json& report);

std::string text_of(const Json& report);

}  // namespace fathom::cli::dynamic_bench
