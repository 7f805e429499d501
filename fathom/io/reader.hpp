// Reading graphs: every format, one interface.
//
// A reader delivers a file as batches of labelled edges in file order; whoever consumes them turns
// labels into dense ids (graph/label_mapper.hpp). The format is chosen by content, never by file
// name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"

namespace fathom::io {

enum class Format {
  Auto,
  EdgeList,      // text: two or three columns; spaces, tabs or commas (SNAP, KONECT, CSV)
  MatrixMarket,  // coordinate pattern|real|integer, general|symmetric|skew-symmetric
  Dimacs,        // 9th challenge .gr: "p sp", "a u v w"
  Metis,         // one line per vertex, 1-based
  Gap,           // .sg and .wsg, the GAP benchmark suite's serialised graphs
  Galois,        // binary .gr, versions 1 and 2
  Graphalytics,  // LDBC .v and .e
  Npz,           // SciPy save_npz of a csr_matrix
};
FATHOM_API std::string_view name_of(Format);
FATHOM_API std::optional<Format> format_named(std::string_view);

/// What kind of labels the vertices of a file carry.
enum class LabelMode {
  Auto,     // integers when the first block's ids all are integers, else strings
  None,     // integers required
  Strings,  // every id is a string, even "007"
};

/// What the third column of an edge list means. `Auto` refuses a file where it could be either.
enum class ThirdColumn { Auto, Weight, Timestamp, Ignore };

struct ReadOptions {
  Format format = Format::Auto;
  LabelMode labels = LabelMode::Auto;
  ThirdColumn third_column = ThirdColumn::Auto;
  std::optional<bool> header;  // an edge list's first line names columns; unset: look at it
  int threads = 0;             // 0: all processors
  std::size_t buffer_bytes = std::size_t{64} << 20;  // upper bound on what the reader holds
  Task task;
};

/// What is known of an input once it is open.
struct InputTraits {
  Format format = Format::Auto;
  std::string compression;       // "", "gzip" or "zstd"
  bool string_labels = false;    // batches carry string views instead of integers
  bool weighted = false;         // batches carry weights
  std::optional<bool> directed;  // what the file itself says; unset for formats that do not say
  /// Each edge stands for both directions except loops (Matrix Market symmetric). False for files
  /// that store both directions themselves (METIS, symmetric GAP).
  bool half_stored = false;
  /// Vertices that exist although no edge may name them: [first_id, first_id + declared_vertices).
  std::optional<std::uint64_t> declared_vertices;
  std::uint64_t first_id = 0;  // 1 for Matrix Market, METIS, DIMACS and Galois-style 1-based files
  std::optional<std::uint64_t> declared_edges;  // entries the file promises; checked by read()
  std::uint64_t bytes = 0;                      // size of the input files, for progress
};

/// Edges as the file has them. Either integer or string members are filled, as the traits say.
/// Views are valid during the call only.
struct EdgeBatch {
  std::span<const std::uint64_t> source, target;
  std::span<const std::string_view> source_label, target_label;
  std::span<const Weight> weight;  // empty when unweighted
  /// Vertices declared one by one (Graphalytics .v).
  std::span<const std::uint64_t> vertex;
  std::span<const std::string_view> vertex_label;
};

/// Takes consecutive batches.
using EdgeSink = FunctionRef<void(std::span<const EdgeBatch>)>;

class FATHOM_API EdgeReader {
 public:
  virtual ~EdgeReader() = default;
  virtual const InputTraits& traits() const = 0;

  /// Delivers the whole input, in file order, several batches at a time, which fit `buffer_bytes`
  /// together, on the calling thread (parsing ahead happens on others). May be called again: it
  /// starts over.
  /// @throws Error(BadInput) "<file>:<line>: expected ..., found '...'" (or "<file>: byte N: ...");
  ///         Error(Io); Error(Interrupted).
  virtual void read(EdgeSink sink) = 0;
};

/// Opens one input made of one or several files (several: parts of one edge list in order, or a
/// Graphalytics .v and .e pair in any order). Looks at the content, decompresses gzip and zstd.
/// An empty file is a graph without vertices.
/// @throws Error(BadInput) for content that is not a known format, is ambiguous (the message names
///         the option that settles it), or contradicts options.format; Error(Io).
FATHOM_API std::unique_ptr<EdgeReader> open_edges(const std::vector<std::string>& paths,
                                                  const ReadOptions& options = {});

/// Whether a file begins as one that open_edges() reads, or as text does, which it might.
/// @throws Error(BadInput) for damaged compression; Error(Io).
FATHOM_API bool could_be_graph(const std::string& path);

}  // namespace fathom::io
