// What the parts of `fathom bench halo` share: graphs in a scratch directory, the same graph in an
// order, and searches of it that must give the depths they give in natural order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/options.hpp"
#include "cli/shared/report_json.hpp"
#include "cli/shared/session.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/reorder/metrics.hpp"
#include "fathom/reorder/order.hpp"

namespace fathom::cli::halo {

struct Command {
  std::vector<std::string> graphs, kinds;
  int scale = 14;
  std::vector<int> scales;  // of the part "scaling"
  std::uint32_t edge_factor = 16;
  std::uint64_t seed = 1;
  std::string work, save;
  std::vector<std::string> parts;  // empty: those the device has
  std::vector<std::string> methods{"random", "degree", "indegree-neighbors",
                                   "rcm",    "bp",     "bfs-bp",
                                   "halo1",  "halo2",  "halo2-rk"};
  std::vector<std::string> forms{"directed", "symmetrized"};
  std::vector<std::string> residencies;  // empty: those the device has
  std::size_t sources = 50, together = 10;
  int trials = 1;
  std::vector<VertexId> sample_counts{2, 4, 8, 16, 32, 64, 128, 256};
  double cache = .1;  // what share of the lists has frames, when streamed
  std::size_t page_bytes = std::size_t{64} << 10;
  reorder::Options order;
  Direction direction = Direction::Push;
  ExecutionOptions execution;
  bool verify = false, json = false, quiet = false;

  bool on_gpu() const { return execution.device != "cpu"; }
  bool wants(const std::string& part) const;
};

/// A directory of its own in another, removed with all that is in it.
class Scratch {
 public:
  /// @throws Error(Io)
  explicit Scratch(const std::string& directory);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// @throws Error(Io) unless so much can still be written here.
  void need_room(std::uint64_t bytes, const std::string& what) const;

 private:
  std::string path_;
};

/// A graph as asked for.
struct Wanted {
  std::string name, path;  // path: empty for what is generated
  generate::Spec spec;
};
std::vector<Wanted> wanted_graphs(const Command& c);
Wanted kronecker(const Command& c, int scale);

/// How many vertices are how deep, and a sum of hashes of each vertex with its depth.
struct Levels {
  std::vector<std::uint64_t> count;
  std::uint64_t sum = 0;
  bool operator==(const Levels&) const = default;
};

/// A graph in natural order, searched from the same vertices in every order.
struct Subject {
  std::string name, form, path;  // form: "directed", "symmetrized", or "undirected" as it came
  VertexId vertices = 0;
  EdgeId edges = 0;
  std::uint64_t store_bytes = 0;
  std::vector<VertexId> sources;
  std::vector<std::optional<Levels>> expected;  // of each source; set by the first search from it
};

/// The directed (or undirected) graph, made or as it is. @throws Error(Io), Error(DoesNotFit) ...
Subject first_subject(const Command& c, const Wanted& wanted, const Scratch& scratch,
                      Session& session);
/// The same with the reverse of every edge. Cost: in memory 2.2 times the result.
Subject symmetrized(const Command& c, const Subject& directed, const Scratch& scratch,
                    Session& session);

/// A graph in an order. Its file gives way to that of the next.
struct Ordered {
  std::string method, path;
  std::optional<reorder::Permutation> order;  // none: natural
  double order_seconds = 0, write_seconds = 0;
};
Ordered make_ordered(const Command& c, const Subject& subject, const std::string& method,
                     VertexId samples, const Scratch& scratch, Session& session);

/// Where the edges of a run are.
struct Place {
  std::string residency;  // as --residencies
  bool read_mostly = false, prefetch = false;
};

/// Times of searches, and what they moved in the first trial.
struct Searches {
  std::vector<double> seconds;  // medians of trials
  std::uint64_t edges = 0;      // of the lists that were read
  Traffic link;
  reorder::GapCost gaps;
};

/// From each source alone, or from Command::together at once. One search comes before, untimed.
/// @throws Error(VerificationFailed) for depths that differ from those in natural order;
///         Error(DoesNotFit).
Searches search(const Command& c, Subject& subject, const Ordered& ordered, const Place& place,
                bool together, Session& session);

Json row_of(const Subject& subject, const Ordered& ordered, const Place& place,
            const Searches& searches, bool together);
/// Fills "speedup", by mean times, from the rows of natural order.
void add_speedups(Json& rows);
/// A row per residency and method: over graphs, the geometric means of speed-ups and of
/// amplifications (where anything moved), and the mean gap.
Json means_of(const Json& rows, const char* figure);

/// What the paper's text says, figure by figure.
Json paper_json();

void orders_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                 Json& report);
void samples_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                  Json& report);
void scaling_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                  Json& report);
void advice_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                 Json& report);

std::string text_of(const Json& report);

}  // namespace fathom::cli::halo
