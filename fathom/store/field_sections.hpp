// What edges and vertices have beside weights, in a .fg file and out of it: graphs that change keep
// it there (fathom/dynamic), algorithms do not read it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/graph/fields.hpp"
#include "fathom/store/store.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {

/// Empty where the file does not have them.
struct StoredFields {
  Array<EdgeFields> edges;       // of the out lists
  Array<VertexFields> vertices;  // by id
};

/// Cost: 24 bytes of memory per edge and 8 per vertex, where there are any.
/// @throws Error(BadInput) for sections that do not match their checksums
FATHOM_API StoredFields read_fields(Store& store, int threads,
                                    const std::shared_ptr<MemoryPool>& pool);

/// Adds the sections of those that are there.
void write_fields(StoreWriter& writer, const std::optional<std::span<const EdgeFields>>& edges,
                  std::span<const VertexFields> vertices, int workers);

}  // namespace fathom::store
