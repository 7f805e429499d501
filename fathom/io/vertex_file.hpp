// Files that name vertices by their labels: a set of them, a set for each, a weight for each,
// pairs.
//
// A line is a label and, where something is said of the vertex, what is said, after a tab (or the
// last comma or blank where there is no tab). Either may be quoted as in CSV. Lines that are empty
// or begin with # are skipped. A first line "vertex", or one that begins with "vertex" and a tab or
// a comma, names columns: what follows is then read as a result file is written, its columns
// separated by nothing but that.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"

namespace fathom::io {

/// The vertex that has a label.
using FindVertex = FunctionRef<std::optional<VertexId>(std::string_view label)>;

struct Partition {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> set;  // [vertices]; kNone for those not named
  std::vector<std::string> names;  // of the sets, in the order in which they first appear
};

// Each reads a text, which errors call `name`, or the file that is called so. All throw
// Error(BadInput) with file and line, for a label that no vertex has too, and Error(Io).

/// One label per line; without a header, what follows a tab is left out.
FATHOM_API std::vector<VertexId> read_vertices(std::istream& text, const std::string& name,
                                               FindVertex find);
FATHOM_API std::vector<VertexId> read_vertices(const std::string& name, FindVertex find);

/// Lines of LABEL<TAB>SET. A vertex named twice must be in the same set.
FATHOM_API Partition read_partition(std::istream& text, const std::string& name, VertexId vertices,
                                    FindVertex find);
FATHOM_API Partition read_partition(const std::string& name, VertexId vertices, FindVertex find);

/// Lines of LABEL<TAB>WEIGHT: [vertices], what was said of each, added up; 0 where nothing was.
FATHOM_API std::vector<double> read_masses(std::istream& text, const std::string& name,
                                           VertexId vertices, FindVertex find);
FATHOM_API std::vector<double> read_masses(const std::string& name, VertexId vertices,
                                           FindVertex find);

/// Lines of LABEL<TAB>LABEL, of two vertices. A first line that begins with "u", "v" and a third
/// column names columns: those behind the second are left out.
FATHOM_API std::vector<std::pair<VertexId, VertexId>> read_pairs(std::istream& text,
                                                                 const std::string& name,
                                                                 FindVertex find);
FATHOM_API std::vector<std::pair<VertexId, VertexId>> read_pairs(const std::string& name,
                                                                 FindVertex find);

}  // namespace fathom::io
