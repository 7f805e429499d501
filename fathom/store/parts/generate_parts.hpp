// A generated graph straight into parts: no file ever holds all of its lists.
#pragma once

#include <string>
#include <vector>

#include "fathom/generate/generate.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/parts/part_layout.hpp"

namespace fathom::store {

/// Writes the parts that partition() would make of the graph that generate() writes, whatever the
/// threads and the memory bound. Needs beside them room for the offsets, 8 bytes per vertex.
/// Cost: the edges are produced once to be counted, and then as often as lists fit the memory;
/// where duplicates are merged, once more as often.
/// @throws Error(Usage) as partition() does, and for layouts other than CSR; Error(DoesNotFit) for
///         too small a memory bound; Error(Io); Error(Interrupted).
FATHOM_API std::vector<PartLayout> generate_parts(const generate::Generator& generator,
                                                  const std::string& directory, std::uint32_t parts,
                                                  const ConvertOptions& options);

}  // namespace fathom::store
