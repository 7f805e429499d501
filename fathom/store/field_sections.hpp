// What edges and vertices have beside weights, in a .fg file and out of it: graphs that change keep
// it there (fathom/dynamic), filters go by it (fathom/residency/filtered).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/graph/fields.hpp"
#include "fathom/store/make/stored_lists.hpp"
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

/// The fields of the edges of a file in order, through a small buffer.
class StoredEdgeFields {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;  // of memory

  /// The file has them, and outlives this.
  explicit StoredEdgeFields(const StoreFile& file);
  /// Of edges [first, first + into.size()). @throws Error(BadInput), Error(Io).
  void read(EdgeId first, std::span<EdgeFields> into);

 private:
  SectionBlocks types_, times_;
  std::vector<std::uint32_t> type_;
  std::vector<EdgeTimes> time_;
};

/// Writes fields of edges in order, a part at a time.
class EdgeFieldSections {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;  // of memory

  EdgeFieldSections(StoreWriter& writer, EdgeId edges)
      : types_(writer.section(SectionId::OutTypes, edges * sizeof(std::uint32_t))),
        times_(writer.section(SectionId::OutTimes, edges * sizeof(EdgeTimes))) {}

  /// Those of the next n edges, fields(i) of the i-th of them.
  template <class Fields>
  void append(EdgeId n, int workers, const Fields& fields) {
    types_.append_made<std::uint32_t>(n, workers,
                                      [&](std::uint64_t first, std::span<std::uint32_t> into) {
                                        for (std::size_t i = 0; i < into.size(); ++i)
                                          into[i] = fields(first + i).type;
                                      });
    times_.append_made<EdgeTimes>(n, workers, [&](std::uint64_t first, std::span<EdgeTimes> into) {
      for (std::size_t i = 0; i < into.size(); ++i) {
        const EdgeFields& its = fields(first + i);
        into[i] = {its.t1, its.t2};
      }
    });
  }
  void finish() { types_.finish(), times_.finish(); }

 private:
  SectionStream &types_, &times_;
};

/// Tells apart files of the same graph whose edges have other types or timestamps; 0 where they
/// have none. Reads nothing but the section table.
FATHOM_API std::uint64_t identity_of_fields(const StoreFile& file);

}  // namespace fathom::store
