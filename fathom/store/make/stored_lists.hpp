// Reads the lists of a .fg file in order through a small buffer, whatever their layout, so that
// memory does not grow with the graph. Everything read has matched its checksum.
#pragma once

#include <memory>
#include <span>

#include "fathom/store/store_file.hpp"
#include "fathom/store/writer.hpp"

namespace fathom::store {

/// Any range of a section; cheap when ranges ascend. Keeps one block of a mebibyte.
class SectionBlocks {
 public:
  /// The section must be there. `file` outlives it.
  SectionBlocks(const StoreFile& file, SectionId section);
  std::uint64_t bytes() const { return entry_->bytes; }
  /// @throws Error(BadInput) naming the damaged bytes; Error(Io).
  void read(std::uint64_t first, std::span<std::byte> into);

 private:
  const StoreFile& file_;
  const SectionEntry* entry_;
  std::vector<std::uint64_t> checksums_;
  std::vector<std::byte> block_;
  std::uint64_t held_ = ~std::uint64_t{0};
};

class StoredLists {
 public:
  /// The out- or in-lists of an opened file, which must have them. `file` outlives it.
  static std::unique_ptr<StoredLists> open(const StoreFile& file, Lists lists);
  virtual ~StoredLists() = default;

  VertexId vertices() const { return vertices_; }
  EdgeId edges() const { return edges_; }
  bool weighted() const { return weighted_; }

  /// offset[first], offset[first + 1], ...: ascending, at most edges().
  /// @throws Error(BadInput), Error(Io).
  void offsets(std::uint64_t first, std::span<EdgeId> into);
  /// The targets of edges [first, first + target.size()), and their weights unless `weight` is
  /// empty. Cheap when ranges follow each other. @throws Error(BadInput), Error(Io).
  virtual void edges(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) = 0;

 protected:
  StoredLists(const StoreFile& file, Lists lists);
  const StoreFile& file_;

 private:
  SectionBlocks offsets_;
  VertexId vertices_;
  EdgeId edges_;
  bool weighted_;
};

/// Copies a section, if the file has it, as it is. @throws Error(BadInput), Error(Io).
void copy_section(const StoreFile& file, StoreWriter& writer, SectionId id);

}  // namespace fathom::store
