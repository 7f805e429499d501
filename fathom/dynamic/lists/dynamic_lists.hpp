// The lists of one direction of a graph that changes: a batch is planned, which may fail, and then
// committed, which cannot.
#pragma once

#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/dynamic/batches/batch_functors.hpp"
#include "fathom/dynamic/pages/reserved_memory.hpp"
#include "fathom/graph/csr.hpp"

namespace fathom::dynamic {

/// Who searches a list for the edges of a batch.
enum class UpdateStrategy {
  Auto,    // by the number of updates per touched list
  Update,  // each update on its own, of a batch that is sorted; on a GPU a thread, or, in linked
           // layouts, as many as the list is long
  Warp,    // the same, but on a GPU always a warp
  Sorted,  // a worker per touched list, for all of its updates, of a batch that is sorted
  Vertex,  // the same, but each worker sorts the updates of its list, as long as they are few; on
           // GPUs and contiguous lists, elsewhere as Sorted
};

/// A batch on its way into lists. Pages that it has asked for are its own until it is committed.
struct PlannedBatch {
  Array<Change> change;  // by source, target, and the order in which they were asked for
  std::vector<TouchedList> touched;
  std::vector<PageRequest> fresh, old;  // pages that lists are given and leave
  UpdateData data;                      // what the changes of lists with fields refer to
  std::int64_t growth = 0;              // edges
  std::uint64_t moved = 0;              // lists
};

class FATHOM_API DynamicLists {
 public:
  DynamicLists(PageStore& pages, const DynamicLayout& layout, const ListRoom& room,
               VertexId most_vertices, const std::shared_ptr<MemoryPool>& pool)
      : pages_(pages), layout_(layout), room_(room), pool_(pool), list_(most_vertices, pool) {}

  VertexId vertices() const { return vertices_; }
  EdgeId edges() const { return edges_; }
  const DynamicLayout& layout() const { return layout_; }
  const DynamicList* records() const { return list_.data(); }
  std::size_t record_bytes() const { return list_.bytes(); }
  DynamicEdges view(EdgeId limit = kWholeList) const {
    return {pages_.region(), list_.data(), layout_, limit};
  }

  /// Makes room for records; new lists are empty. @throws Error(DoesNotFit)
  void reserve_vertices(VertexId vertices) { list_.grow_to(vertices); }
  /// Records count `bytes` again: those behind vertices() were for nothing.
  void give_back_records(std::size_t bytes) noexcept {
    list_.shrink_to_bytes(std::max<std::size_t>(bytes, vertices_ * sizeof(DynamicList)));
  }
  void set_vertices(VertexId vertices) { vertices_ = vertices; }

  /// Fills empty lists. `fields`: of the edges of `csr`, or none. @throws Error(DoesNotFit); all
  /// lists are empty then.
  void fill(const CsrView& csr, std::span<const EdgeFields> fields, std::uint32_t epoch,
            int threads);

  /// Pages written up to epoch `pinned` are left as they are. `change` has kinds Insert and Delete.
  /// @throws Error(DoesNotFit); nothing has changed then.
  PlannedBatch plan(Array<Change> change, const UpdateData& data, DuplicatePolicy policy,
                    UpdateStrategy strategy, std::uint32_t pinned, int threads);
  /// Pages that pinned lists have left are appended to `retired`, which must have room for
  /// batch.old.
  void commit(PlannedBatch& batch, std::uint32_t epoch, std::uint32_t pinned,
              std::vector<RetiredPage>& retired, int threads) noexcept;
  void discard(PlannedBatch& batch, int threads) noexcept { pages_.free(batch.fresh, threads); }

  /// The lists, for whoever changes them one by one; count_edges() then says what that came to.
  DynamicListsRef ref(std::uint32_t epoch, std::uint32_t pinned) {
    return {pages_.region(), list_.data(), layout_, epoch, pinned, room_};
  }
  void count_edges(std::int64_t growth) {
    edges_ = static_cast<EdgeId>(static_cast<std::int64_t>(edges_) + growth);
  }

 private:
  PageStore& pages_;
  DynamicLayout layout_;
  ListRoom room_;
  std::shared_ptr<MemoryPool> pool_;
  ReservedArray<DynamicList> list_;
  VertexId vertices_ = 0;
  EdgeId edges_ = 0;
};

}  // namespace fathom::dynamic
