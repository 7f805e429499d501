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
  Array<TouchedList> touched;
  Array<PageRequest> fresh, old;  // pages that lists are given and leave
  UpdateData data;                // what the changes of lists with fields refer to
  std::int64_t growth = 0;        // edges
  std::uint64_t moved = 0;        // lists
};

/// Of a list that would have more than layout.most_edges(). @throws Error(DoesNotFit)
[[noreturn]] FATHOM_API void throw_too_long(const DynamicLayout& layout);

class FATHOM_API DynamicLists {
 public:
  DynamicLists(PageStore& pages, const DynamicLayout& layout, const ListRoom& room,
               VertexId most_vertices, const std::shared_ptr<MemoryPool>& pool)
      : pages_(pages),
        layout_(layout),
        room_(room),
        pool_(pool),
        record_(std::size_t{most_vertices} * layout.records(), pool),
        written_(most_vertices, pool) {}

  VertexId vertices() const { return vertices_; }
  EdgeId edges() const { return edges_; }
  const DynamicLayout& layout() const { return layout_; }
  std::span<const DynamicRecord> records() const {
    return {record_.data(), std::size_t{vertices_} * layout_.records()};
  }
  std::size_t record_bytes() const { return record_.bytes(); }
  /// Of what is known of pages for the sake of snapshots.
  std::size_t written_bytes() const { return written_.bytes(); }
  DynamicEdges view(EdgeId limit = kWholeList) const {
    return {pages_.region(), record_.data(), layout_, limit};
  }

  /// Makes room for records; new lists are empty. @throws Error(DoesNotFit)
  void reserve_vertices(VertexId vertices);
  /// Records count `bytes` again, and what is known of pages as much as vertices() need: what is
  /// behind was for nothing.
  void give_back_records(std::size_t bytes) noexcept;
  /// Before lists change of which snapshots show pages up to epoch `pinned`, which is 0 if there
  /// are none: there is room to tell such pages from others, of as many lists as there are records
  /// for. @throws Error(DoesNotFit)
  void tell_pages_apart(std::uint32_t pinned);
  /// There are no snapshots.
  void forget_epochs() noexcept { written_.shrink_to_bytes(0); }
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
  void discard(PlannedBatch& batch, int threads) noexcept {
    pages_.free(batch.fresh.span(), threads);
  }

  /// The lists, for whoever changes them one by one; count_edges() then says what that came to.
  DynamicListsRef ref(std::uint32_t epoch, std::uint32_t pinned) {
    return {pages_.region(),
            record_.data(),
            layout_,
            epoch,
            pinned,
            room_,
            pinned != 0 ? written_.data() : nullptr};
  }
  void count_edges(std::int64_t growth) {
    edges_ = static_cast<EdgeId>(static_cast<std::int64_t>(edges_) + growth);
  }

 private:
  PageStore& pages_;
  DynamicLayout layout_;
  ListRoom room_;
  std::shared_ptr<MemoryPool> pool_;
  ReservedArray<DynamicRecord> record_;
  ReservedArray<std::uint32_t> written_;  // DynamicListsRef::written; empty unless that is needed
  VertexId vertices_ = 0;
  VertexId recorded_ = 0;  // lists with records, which those behind vertices_ are empty
  EdgeId edges_ = 0;
};

}  // namespace fathom::dynamic
