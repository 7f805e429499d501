// Reads the lists of a .fg file in order through a small buffer, whatever their layout, so that
// memory does not grow with the graph. Everything read has matched its checksum.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/store/narrow/weight_codes.hpp"
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

  /// Of the file.
  const std::string& path() const { return file_.path(); }
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

/// Offsets or edges that are read at once.
inline constexpr std::size_t kListPiece = std::size_t{1} << 16;

/// Calls visit(offsets) with all offsets in order, in pieces that share no entry.
template <class Visit>
void each_offset(StoredLists& lists, const Task& task, const Visit& visit) {
  std::vector<EdgeId> offset;
  const std::uint64_t count = std::uint64_t{lists.vertices()} + 1;
  for (std::uint64_t first = 0; first < count; first += kListPiece) {
    offset.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kListPiece, count - first)));
    lists.offsets(first, offset);
    task.check();
    visit(std::span<const EdgeId>(offset));
  }
}

/// Calls visit(target, weight) with all edges in order, in pieces of `most` but for the last, until
/// it says false, if it says anything.
template <class Visit>
void each_edge_piece(StoredLists& lists, const Task& task, const Visit& visit,
                     std::size_t most = kListPiece) {
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  for (EdgeId first = 0; first < lists.edges(); first += most) {
    task.check();
    target.resize(static_cast<std::size_t>(std::min<EdgeId>(most, lists.edges() - first)));
    weight.resize(lists.weighted() ? target.size() : 0);
    lists.edges(first, target, weight);
    const std::span<const VertexId> targets(target);
    if constexpr (std::is_same_v<decltype(visit(targets, std::span<const Weight>(weight))), bool>) {
      if (!visit(targets, std::span<const Weight>(weight))) return;
    } else {
      visit(targets, std::span<const Weight>(weight));
    }
  }
}

/// The distinct weights of lists.
struct FoundWeights {
  std::optional<WeightCodes> codes;  // none: there are more than codes can name
  EdgeId seen = 0;                   // edges that were read, up to where that was clear
};
FoundWeights find_weights(StoredLists& lists, const Task& task);

/// Copies a section, if the file has it, as it is. @throws Error(BadInput), Error(Io).
void copy_section(const StoreFile& file, StoreWriter& writer, SectionId id);

}  // namespace fathom::store
