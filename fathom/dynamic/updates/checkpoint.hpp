// Checkpoints of a stream of updates: the graph as a store whose provenance says how far it has
// come.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/dynamic/labels/by_label.hpp"
#include "fathom/store/store.hpp"

namespace fathom::dynamic {

struct Checkpoint {
  std::uint64_t line = 0;   // of the updates, the last one that was applied
  bool records = false;     // they are records, not lines
  bool any_labels = false;  // labels are strings, even if all spell integers so far
};

/// Writes the graph, whole or not at all. @throws what save() does.
FATHOM_API void write_checkpoint(const std::string& path, const DynamicGraph& graph,
                                 const VertexLabels& labels, const Checkpoint& at,
                                 const std::string& command_line);

/// @throws Error(Usage) for a store that is no checkpoint.
FATHOM_API Checkpoint read_checkpoint(const store::Store& store);

}  // namespace fathom::dynamic
