// Updates as text, one per line:
//
//   + u v [w [type t1 t2]]  an edge comes; so do its endpoints if they are not there
//   - u v                   every edge from u to v goes
//   +v u [weight type]      a vertex comes
//   -v u                    a vertex goes, with its edges
//   # ...                   nothing, like a blank line
//
// Weights are 1 where a line has none, types and timestamps 0. What is there already keeps its
// weight, its type and its timestamps unless the graph overwrites duplicates.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fathom/dynamic/updates/update_batch.hpp"

namespace fathom::dynamic {

/// What a line says, of an edge or of a vertex.
struct TextUpdate {
  bool vertex = false;  // else an edge
  bool deletion = false;
  std::string_view source = {}, target = {};  // labels; of a vertex the first
  Weight weight = 1;
  EdgeFields fields = {};                          // of an edge
  std::optional<VertexFields> vertex_fields = {};  // if the line has them
};

/// Nothing for a blank line and a comment. Labels are taken as they are.
/// @throws io::LineError for what no graph with such edges takes.
std::optional<TextUpdate> parse_update(std::string_view line, bool weighted, bool semantic);

/// What one thread read, in its order: updates of edges by integer labels, and between them what
/// has to be looked at alone.
struct UpdatePiece {
  struct Odd {
    std::size_t before = 0;  // so many of `edges` stand before it
    std::string_view text;   // lines, or records, in a row
  };
  std::string_view text;  // all of it
  std::vector<LabelledUpdate> edges;
  std::vector<EdgeFields> fields;  // one for each, in a semantic graph
  std::vector<Odd> odd;

  void begin(std::string_view whole);
  /// Takes text that stands behind all that was read.
  void put_odd(std::string_view its);
};

/// What updates may say.
struct UpdateKind {
  bool weighted = false, semantic = false;
  bool printed = false;  // labels are integers as they would be printed: 07 is not 7
};

/// Reads the lines of piece.text. Edges whose labels and fields are integers are read; other lines
/// are odd: comments, vertices, and what is not right.
void read_lines(UpdatePiece& piece, const UpdateKind& kind);

}  // namespace fathom::dynamic
