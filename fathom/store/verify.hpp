// The full check of a store: what `fathom verify` does.
#pragma once

#include "fathom/store/mapped_sections.hpp"
#include "fathom/store/stored_labels.hpp"

namespace fathom::store {

/// See Store::verify(). Memory: none that grows with the graph,
/// but for slotted and narrow graphs with degree-oriented lists: their edges.
void verify_store(Store& store, MappedSections& sections, LabelTable& labels, int threads,
                  const Task& task);

}  // namespace fathom::store
