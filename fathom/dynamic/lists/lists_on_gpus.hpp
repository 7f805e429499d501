// The lists of a graph that changes in the memory of a GPU, or of several, for builds with CUDA and
// without: DynamicGraph hands batches and queries on to them.
//
// Records and pages lie in two ranges of device addresses that are reserved once and get memory as
// it is needed; pages come from a BulkPool, or one by one from another allocator. A batch is sent
// once, planned by kernels, and waited for once, for what it needs (BatchReport::waits has the
// exceptions); what remains is committed behind the host's back, in stream order.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/lists/find_edge.hpp"
#include "fathom/dynamic/live/live_lists.hpp"
#include "fathom/dynamic/pages/page_allocator.hpp"
#include "fathom/dynamic/vertex_table.hpp"
#include "fathom/dynamic/views/dynamic_source.hpp"

namespace fathom::dynamic {

/// A batch as it comes to the lists.
struct ListBatch {
  std::span<const EdgeUpdate> edges;  // their endpoints are checked on the device
  std::span<const VertexId> deleted_vertices;
  std::span<const VertexId> reused;  // indices of new vertices that existed before
  bool on_device = false;            // the edges are
  VertexId vertices = 0;             // indices afterwards
  std::uint32_t epoch = 0;
  std::uint32_t pinned = 0;
  std::span<const EdgeFields> fields = {};  // of the edges, where those are; none: all zero
};

/// What a phase in which kernels change lists themselves asks for.
struct LiveRequest {
  std::size_t reserve = 0;          // bytes for pages beside those that are free
  std::span<const VertexId> fresh;  // indices for new vertices, those that existed before first
  std::size_t reused = 0;           // of them: those that existed before
  VertexId vertices = 0;            // indices, with all of them
  std::uint32_t epoch = 0;
  std::uint32_t pinned = 0;
};

/// What these kernels need.
struct OpenChanges {
  LiveLists::Parts parts{};
  LiveManager manager{};
};

/// Where answers about edges go; null: not asked for.
struct EdgeAnswers {
  std::uint8_t* has = nullptr;   // 1 or 0
  Weight* weight = nullptr;      // NaN: there is no such edge
  EdgeFields* fields = nullptr;  // zeros: there is no such edge, or it has none
};

/// Lists in each memory that has some: of several GPUs every one shows those of its vertices, and
/// the others as empty.
using ListViews = std::vector<DynamicEdges>;

class FATHOM_API GpuLists {
 public:
  virtual ~GpuLists() = default;

  virtual VertexId vertices() const = 0;
  virtual EdgeId edges() const = 0;
  /// @throws Error(Device) when earlier kernels failed.
  virtual DynamicMemory memory() const = 0;

  /// Fills empty lists; `in` null: without in-lists. Fields are those of the edges, or none.
  /// @throws Error(DoesNotFit); of no use then
  virtual void fill(const CsrView& out, std::span<const EdgeFields> out_fields, const CsrView* in,
                    std::span<const EdgeFields> in_fields, std::uint32_t epoch) = 0;

  /// Fills empty lists with those of another graph, straight from its memory. Returns false, with
  /// nothing done, where that is another GPU's, or has no in-lists and these are to have some.
  /// @throws Error(DoesNotFit); of no use then
  virtual bool fill_from(const GpuLists& other, std::uint32_t epoch) = 0;
  /// Of lists that were filled: these vertices, which have no edges, do not exist.
  virtual void set_missing(std::span<const VertexId> vertices) = 0;

  /// Deleted vertices exist. @throws Error(DoesNotFit), Error(Usage) for an edge of a vertex that
  /// does not exist; nothing has changed then.
  virtual BatchReport apply(const ListBatch& batch) = 0;

  /// Makes ready what kernels need that change lists themselves. @throws Error(DoesNotFit),
  /// Error(Usage) for an allocator whose pages kernels do not take themselves; nothing has changed
  /// then.
  virtual OpenChanges open_changes(const LiveRequest& request) = 0;
  /// Has so many bytes more, once these kernels have ended. @throws Error(DoesNotFit)
  virtual void reserve_for_changes(std::size_t bytes) = 0;
  /// Waits for them, and takes in what they came to. @throws Error(Device)
  virtual LiveCounts close_changes() = 0;

  /// Gives back pages that no snapshot of these epochs needs.
  virtual void release(const std::multiset<std::uint32_t>& snapshots) noexcept = 0;

  /// Lists as kernels read them; waits for batches under way. `in`: those of the other direction.
  virtual ListViews views(bool in) const = 0;
  /// The same of lists in one memory, for which no memory is taken; others have none.
  virtual DynamicEdges view(bool in) const = 0;
  /// The records of each of these, in its memory; empty where there are no such lists.
  virtual std::vector<Array<DynamicRecord>> copy_records(bool in) const = 0;

  /// For what is said of this graph's vertices: these, of the first ones. @throws
  /// Error(DoesNotFit)
  virtual std::shared_ptr<VertexTable> vertex_table(std::span<const VertexFields> all) const = 0;

  // Questions and answers are in host memory or, `on_device`, where the GPU reads and writes.
  // Return the index of the first question about a vertex that there is not, else how many there
  // are; done when they return.
  virtual std::size_t find(std::span<const Edge> edges, const EdgeAnswers& to,
                           bool on_device) const = 0;
  virtual std::size_t degrees(std::span<const VertexId> vertices, EdgeId* to,
                              bool on_device) const = 0;
  /// Of the out lists, or the `in` lists. `fields`, unless it is null, gets those of each edge, of
  /// lists that have them.
  virtual Csr neighbors(std::span<const VertexId> vertices, bool in,
                        Array<EdgeFields>* fields) const = 0;
  /// The first lists of such views, ascending, in host memory; `fields` as above.
  virtual Csr to_csr(std::span<const DynamicEdges> lists, VertexId vertices,
                     Array<EdgeFields>* fields) const = 0;

  // Of what is in the memory of lists that have one, in the order of what is done to them; memory
  // for it is kept.
  /// By the lowest `bits`. @throws Error(DoesNotFit)
  virtual void sort_keys(const std::uint64_t* keys, std::uint64_t* sorted, std::size_t n,
                         int bits) const = 0;
  /// sums[i] = values[0] + ... + values[i - 1]. @throws Error(DoesNotFit)
  virtual void sum_up(const std::uint64_t* values, std::uint64_t* sums, std::size_t n) const = 0;

  /// What algorithms on the GPUs read; `this` outlives it by `owner`.
  virtual std::unique_ptr<EdgeSource> open(const ListViews& lists, VertexId vertices, EdgeId edges,
                                           Unchanged unchanged,
                                           std::shared_ptr<const void> owner) const = 0;
};

/// Null unless the context has one GPU and nothing else, or several to which vertices are to be
/// dealt out. @throws Error(DoesNotFit), Error(Device)
FATHOM_API std::unique_ptr<GpuLists> make_gpu_lists(const Context& ctx,
                                                    const DynamicGraphOptions& options,
                                                    const DynamicLayout& layout,
                                                    const ListRoom& room);

}  // namespace fathom::dynamic
