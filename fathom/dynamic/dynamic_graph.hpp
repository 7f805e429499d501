// DynamicGraph: a graph that changes by batches of edges and vertices, in the layouts of Winter's
// thesis, and on which every algorithm runs as on any other graph.
//
//   fathom::DynamicGraph changing(ctx, {.directed = false});
//   changing.apply({.new_vertices = 3, .edges = updates});
//   fathom::BfsResult result = fathom::bfs(ctx, changing.graph(), {{0}});
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fathom/dynamic/batches/applied_batch.hpp"
#include "fathom/dynamic/lists/dynamic_lists.hpp"
#include "fathom/dynamic/pages/page_allocator.hpp"
#include "fathom/dynamic/update.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

class LiveChanges;
struct LiveOptions;
using dynamic::UpdateStrategy;

/// How lists lie in memory.
enum class DynamicLayoutKind {
  Ouro,  // each on a power-of-two page of its own, ascending; memory comes back as lists shrink
  Faim,  // on linked pages of one size, which come back as lists shrink
  Aim,   // on linked pages of one size, which stay with their list; deletions leave gaps for
         // insertions to fill
};

/// What edges have beside their target.
enum class EdgeKind : std::uint8_t {
  Simple,    // nothing: the weights and fields of updates are left out
  Weighted,  // a weight
  Semantic,  // a weight, a type and two timestamps (EdgeFields)
};

struct DynamicGraphOptions {
  DynamicLayoutKind layout = DynamicLayoutKind::Ouro;
  PageAllocator allocator = PageAllocator::Pool;  // of all pages; each can have every layout
  std::uint32_t page_bytes = 128;                 // of linked pages: a power of two from 16 to 2^20
  /// Of the faim layout: lists ascend over all of their pages, as those of ouro do, so that who
  /// looks an edge up passes whole pages by and stops where it would be. Insertions move what comes
  /// behind them. Such graphs are not changed in kernels.
  bool sorted_links = false;
  /// Of the ouro layout: a list that grows out of its page gets one for so much more than it needs
  /// (a share of it; of long lists less: at most that of 256 edges), 0 to 8. Nothing by default.
  double slack = 0;
  /// Of the ouro layout: a list gives up a page for a smaller one when it fills no more than this
  /// share of it, 0 (only when empty) to 0.5 (as soon as a smaller one is enough).
  double shrink_below = 0.5;
  bool directed = true;  // false: (v, u) comes and goes with (u, v)
  EdgeKind edges = EdgeKind::Simple;
  bool in_edges = true;              // keep the lists of a directed graph in both directions
  bool structure_of_arrays = false;  // weights, and each field, behind all targets of a page
  DuplicatePolicy duplicates = DuplicatePolicy::Ignore;
  UpdateStrategy strategy = UpdateStrategy::Auto;
  /// Bytes that pages, and the tables of a manager, may take, at most 64 GiB (pages are numbered by
  /// 32 bits, in units of 16 bytes), and as many vertices as there may be; addresses are reserved
  /// for both, memory is used as it is needed, and counts against the context's host memory or the
  /// GPU's.
  std::size_t memory = std::size_t{64} << 30;
  VertexId most_vertices = VertexId{1} << 30;
  /// In a GPU's memory: pages that it has no room for lie in host memory, pinned, which counts
  /// against the context's; kernels reach them over the link. A quarter of the GPU's
  /// budget, or 48 bytes per vertex up to half of it, stays free for batches and algorithms then. A
  /// graph that starts as one in CSR has its longest lists there. false, and where the driver maps
  /// no host memory: such batches are refused.
  bool host_pages = true;
  /// Of a context with several GPUs: vertices are dealt out to them, vertex v to the one of number
  /// v modulo their count, which has its lists in its memory and applies what a batch changes of
  /// them. `memory` is for each GPU and direction then; records of all vertices are on every one.
  /// Such graphs are not changed in kernels, and have no results that follow them.
  bool deal_vertices = false;
};

/// A batch. The result is that of its parts in this order: vertices come, edges change in the
/// order in which they stand here, vertices go.
struct GraphBatch {
  VertexId new_vertices = 0;  // their indices: DynamicGraph::next_vertices()
  std::span<const EdgeUpdate> edges = {};
  std::span<const VertexId> deleted_vertices = {};
  /// The edges lie in memory that the context's GPU reads (of its own, or pinned), and what writes
  /// them is done. For graphs in that GPU's memory.
  bool edges_on_device = false;
  /// Types and timestamps of `edges`, one for each and in the same memory; none: all are 0. Those
  /// of deletions are not looked at.
  std::span<const EdgeFields> fields = {};
  /// Of vertices that exist once the new ones are there; of several of one vertex the last counts.
  /// New vertices that are not named have weight 1 and type 0.
  std::span<const VertexUpdate> vertex_updates = {};
};

/// What the edges and vertices of a graph in CSR have beside weights; none: as in a batch.
struct GraphFields {
  std::span<const EdgeFields> edges = {};
  std::span<const VertexFields> vertices = {};
};

struct DynamicMemory {
  std::size_t page_bytes = 0;  // of pages in use
  // Of all pages and tables, counted against the budget; on a GPU without the lists of free pages,
  // 4 bytes for each, which count as well.
  std::size_t reserved_bytes = 0;
  // Of vertices, with their weights and types: 8 bytes each, 16 where lists are linked, and 4 more
  // once a graph changes of which there are snapshots.
  std::size_t record_bytes = 0;
  std::size_t snapshot_bytes = 0;  // of pages that only snapshots use
  std::uint64_t pages = 0;
  std::size_t host_bytes = 0;  // of reserved_bytes, on a GPU: in host memory
};

/// The graph as it was between two batches, for as long as this lives. Cheap to copy; may be used
/// while batches are applied, and outlive the graph.
class FATHOM_API Snapshot {
 public:
  VertexId vertices() const;
  EdgeId edges() const;
  /// How many batches had been applied.
  std::uint64_t batches() const;
  /// Any algorithm runs on it; valid after the snapshot, which it keeps.
  Graph graph() const;
  /// As those of the graph; valid as long as the snapshot.
  DynamicEdges lists(bool in = false) const;
  bool directed() const;
  bool weighted() const;
  bool semantic() const;
  std::vector<VertexFields> vertex_fields(std::span<const VertexId> vertices) const;
  bool has_vertex_fields() const;
  /// As DynamicGraph has them. @throws Error(Usage) for a vertex out of range.
  Csr neighbors(std::span<const VertexId> vertices, Array<EdgeFields>* fields = nullptr) const;

  struct State;
  explicit Snapshot(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// On a context with one GPU and no other device, lists lie in its memory, and what it has no room
/// for in host memory that it reaches: kernels apply batches, answer queries and run algorithms
/// there. So they do on several GPUs with options.deal_vertices. Otherwise lists lie in host
/// memory, and GPUs get copies.
///
/// Movable. The context must outlive it, its graphs and its snapshots. Batches and snapshots may
/// come from several threads: one waits for the other. Queries and graph() are for the time
/// between batches.
///
/// Indices of vertices are below vertices(). Those of deleted vertices are used again; meanwhile
/// they are vertices without edges to algorithms (exists() tells).
class FATHOM_API DynamicGraph {
 public:
  /// @throws Error(DoesNotFit) when the addresses cannot be had; Error(Usage) for options that make
  ///         no sense.
  explicit DynamicGraph(const Context& ctx, const DynamicGraphOptions& options = {});
  /// Starts as a graph in CSR; `in` null: made of `out` if need be. Weights are taken if
  /// options.edges has them; 1 where there are none. An undirected graph has both directions of
  /// every edge in `out`. Duplicates stay. `fields`: of the edges of `out`, and of the vertices.
  /// @throws Error(DoesNotFit); Error(Usage) when there are other numbers of fields
  DynamicGraph(const Context& ctx, const CsrView& out, const CsrView* in,
               const DynamicGraphOptions& options, const GraphFields& fields = {});
  DynamicGraph(DynamicGraph&&) noexcept;
  DynamicGraph& operator=(DynamicGraph&&) noexcept;
  ~DynamicGraph();

  VertexId vertices() const;  // indices in use, and those of deleted vertices
  VertexId existing_vertices() const;
  bool exists(VertexId v) const;
  EdgeId edges() const;  // of the out lists
  bool directed() const;
  bool weighted() const;
  bool semantic() const;
  std::uint64_t batches() const;  // applied so far
  DynamicMemory memory() const;

  /// The indices that the new vertices of the next batch will have: those of deleted ones first.
  std::vector<VertexId> next_vertices(VertexId count) const;

  /// Applies a batch whole or not at all. Cost: a sort of the updates, for each a binary search in
  /// its list, and a copy of the rest of the list.
  /// On a GPU, pinned memory is copied from directly, and memory of temporary data is kept from
  /// batch to batch, up to an eighth of the GPU's budget.
  /// @throws Error(Usage) for an edge, an update or a deletion of a vertex that does not exist,
  ///         naming the first, and for fields that are not as many as edges; Error(DoesNotFit) when
  ///         memory is short, naming what would be needed. The graph is as before then.
  BatchReport apply(const GraphBatch& batch);
  /// The same, and says which edges it changed: what incremental results (incremental.hpp) take. No
  /// other thread may apply one meanwhile. Cost, where the graph is: two more searches per update
  /// (with weights four), a sort of them, and up to 84 bytes for each, of an undirected graph for
  /// each direction; of a directed graph without in-edges that loses vertices a copy.
  /// @throws as apply().
  AppliedBatch apply_recorded(const GraphBatch& batch);

  /// Lets loops and kernels insert and delete edges themselves (live_changes.hpp), until the phase
  /// is finished. Cost: 4 bytes per vertex and direction, and 16 per page while a snapshot is
  /// alive.
  /// @throws Error(DoesNotFit), Error(Usage) in another phase, for sorted_links, and on a GPU for
  /// pages of CUDA's malloc.
  LiveChanges change_in_kernels(const LiveOptions& options);

  // In bulk, in parallel. @throws Error(Usage) for a vertex out of range.
  /// 1 where there is one, else 0.
  std::vector<std::uint8_t> has_edges(std::span<const Edge> edges) const;
  /// The weight of each edge (of the first, where there are several); NaN where there is none.
  std::vector<Weight> weights(std::span<const Edge> edges) const;
  /// The type and the timestamps of each edge (of the first, where there are several); zeros where
  /// there is none, and in a graph that is not semantic.
  std::vector<EdgeFields> fields(std::span<const Edge> edges) const;
  std::vector<EdgeId> degrees(std::span<const VertexId> vertices) const;
  // The same where questions and answers lie in memory that the context's GPU reads and writes, for
  // graphs in that GPU's memory. Done when they return; answers to other questions are undefined
  // when one is refused. @throws Error(Usage) for a vertex out of range, for spans of different
  // lengths, and for a graph in host memory.
  void has_edges_on_device(std::span<const Edge> edges, std::span<std::uint8_t> has) const;
  void weights_on_device(std::span<const Edge> edges, std::span<Weight> weights) const;
  void fields_on_device(std::span<const Edge> edges, std::span<EdgeFields> fields) const;
  void degrees_on_device(std::span<const VertexId> vertices, std::span<EdgeId> degrees) const;
  void vertex_fields_on_device(std::span<const VertexId> vertices,
                               std::span<VertexFields> fields) const;
  /// Ascending by target, weight and fields. Lists of several vertices in CSR: the list of
  /// vertices[i] has number i. `fields`, if given, gets those of each edge, in a semantic graph.
  Csr neighbors(std::span<const VertexId> vertices, Array<EdgeFields>* fields = nullptr) const;
  /// Weight 1 and type 0 where nothing else was said, and of vertices that do not exist.
  std::vector<VertexFields> vertex_fields(std::span<const VertexId> vertices) const;
  /// Whether there is a vertex of which something else was said.
  bool has_vertex_fields() const;

  /// The graph as it is, without a copy, until the next batch: algorithms then refuse it.
  Graph graph() const;
  /// The graph as it is, for good. Cost: 8 bytes per vertex and direction, 16 where lists are
  /// linked, and 4 more from the next batch on, as long as there are snapshots; batches copy the
  /// lists on pages that they touch first. @throws Error(DoesNotFit), also where batches have
  /// followed 2^32 snapshots.
  Snapshot snapshot() const;
  /// The lists themselves, for loops and kernels of one's own: begin() and next() walk over that of
  /// a vertex, dynamic::find_edge() looks an edge up, dynamic::edge_fields() reads its fields. They
  /// are in the memory of the context's GPU if it has one. Valid until the next batch. `in`: those
  /// of in-edges, where they are kept. @throws Error(Usage) where vertices are dealt out
  DynamicEdges lists(bool in = false) const;
  /// The out lists, as neighbors() has them.
  Csr to_csr(Array<EdgeFields>* fields = nullptr) const;
  /// The same vertices, edges and batches() with another layout, allocator or room, or on another
  /// device; this graph stays as it is. Weights become 1 where there were none, fields 0. Cost: a
  /// copy of the lists in host memory; on one and the same GPU, of a piece of them at a time in its
  /// memory, if there is room. @throws Error(Usage) when options.directed differs;
  /// Error(DoesNotFit)
  DynamicGraph rebuilt(const Context& ctx, const DynamicGraphOptions& options) const;

  struct State;
  /// For the library's own parts.
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace fathom
