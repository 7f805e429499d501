// What a program needs to offer an algorithm that it knows nothing of: its names, what it takes and
// gives, what it needs, and how to run it. The command, `fathom plan`, completion and the pages of
// the reference are made from it (docs/adr/0018).
//
// An algorithm describes itself in its own folder (NAME/describe.cpp), and registered.cpp names it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/algorithms/described/answer.hpp"
#include "fathom/algorithms/described/options.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

struct ColumnInfo {
  std::string_view name;
  std::string_view meaning;
};

/// What a run reads of the lists, as far as that can be told beforehand. GTS tells two kinds apart
/// (section 3.3); others follow no such model.
struct Reads {
  enum class Kind {
    Unknown,    // nothing is foretold of times
    Sweeps,     // every superstep reads all edges (PageRank-like)
    Traversal,  // supersteps read the edges of their frontier (BFS-like)
  };
  Kind kind = Kind::Unknown;
  // Sweeps: how many. Traversal: bytes, as a share of all lists of one direction.
  double least = 0, most = 0;
  // Times are derived from a run that was measured (MeasuredRun): of which one, if not of that
  // which has the algorithm's name; per edge of the graph, or per path of two edges; and how many
  // times its work this is. Of Sweeps: a superstep's, and how many of these it takes for each that
  // the measured run took; 0: those say nothing of it.
  std::string_view rate = {};
  bool by_two_paths = false;
  double least_work = 1, most_work = 1, pace = 1;
  bool out_lists = true;    // are read, and not their offsets alone
  bool in_offsets = false;  // must be in reach where in-lists are not read
  bool builds_in = false;   // in-lists that it reads are built where a directed graph lacks them
};

/// A run that rates are measured with (plan::measure_rates): a short one.
struct MeasuredRun {
  std::string_view rate;                            // what it is called among the rates
  void (*choose)(OptionValues& options) = nullptr;  // but for required vertices; null: defaults
};

struct Algorithm {
  /// A graph and a machine, as far as state and reads depend on them.
  struct Where {
    std::uint64_t vertices = 0, edges = 0;  // of the out-lists; 0: not known yet
    bool directed = true, weighted = false;
    bool has_in = true;      // in-edges are there, or are the out-edges
    bool one_device = true;  // or the host
    bool in_reach = false;   // the host's threads reach every edge at any time
    bool scarce = false;     // memory: of ways that differ in their state, the smallest
    double id_bytes = sizeof(VertexId);
    // Paths of two edges, along directions: the sum over vertices of in-degree times out-degree; 0:
    // not known. Told where the algorithm asks for them.
    double two_paths = 0;

    bool two_lists() const { return directed && has_in; }
  };
  /// Of which graphs it is; it refuses others.
  enum class Of { Any, Directed, Undirected };

  std::string_view name = {};                   // the command's: "kcore"
  std::string_view purpose = {};                // a line
  std::string_view notes = {};                  // what the help ends with: units, loops, columns
  std::vector<std::string_view> examples = {};  // commands, without "fathom NAME"
  std::vector<OptionInfo> options = {};
  std::vector<ColumnInfo> columns = {};  // in this order; some only with an option, or where edges
                                         // are directed
  std::vector<FactInfo> facts = {};
  bool pairs = false;                // rows are pairs of vertices u and v, not vertices
  std::string_view other_rows = {};  // a flag that makes them the other of both
  bool reads_oriented = false;       // degree-oriented lists, and no others
  bool sweeps = false;               // every superstep reads all edges
  bool asks_two_paths = false;       // its reads depend on Where::two_paths
  bool ranks_zero = true;            // --top lists vertices whose value is 0 as well
  bool shows_best = false;           // the summary ends with the best vertices
  bool checkpoints = false;          // heeds OptionValues::checkpoint
  Of of = Of::Any;
  StateSize (*state)(const Where& where, const OptionValues& options) = nullptr;
  /// Null: Reads() as it is. Both are asked without vertices, masses and tables.
  Reads (*reads)(const Where& where, const OptionValues& options) = nullptr;
  /// Empty: with defaults, as it is called itself. None of what Reads::Kind says nothing of.
  std::vector<MeasuredRun> measured = {};
  /// `options` outlive what it answers.
  Answer (*run)(const Context& ctx, const Graph& graph, const OptionValues& options) = nullptr;
};

/// Those of the library, and those that the program has added, in the order they are offered.
/// Thread-safe, but not beside add_algorithm().
FATHOM_API std::span<const Algorithm* const> described_algorithms();
/// Null: there is none.
FATHOM_API const Algorithm* find_algorithm(std::string_view name);

/// The names of those whose vertex state can be split.
FATHOM_API std::vector<std::string_view> splitting_algorithms();

/// Offers an algorithm of the program's own; it outlives every use.
/// @throws Error(Internal) when there is one of its name.
FATHOM_API void add_algorithm(const Algorithm& algorithm);

}  // namespace fathom
