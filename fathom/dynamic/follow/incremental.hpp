// Results that are brought up to date with a graph that changes, batch by batch, at a cost that
// depends on what the batch changed.
//
//   fathom::IncrementalPagerank rank(graph);
//   rank.update(graph.apply_recorded(batch));
//
// Each belongs to one graph, has been brought up to one of its batches, and takes the last one.
// Where that is not the next one (others were applied, recorded or not, or loops and kernels
// changed the graph, see live_changes.hpp) the result is computed anew; a recorded batch may be
// empty for that. After an update that threw Error(DoesNotFit) or Error(Interrupted) there is no
// result, and to ask for it is an Error(Usage), until another update, with the graph's last batch,
// has computed it anew. The graph's context must outlive them.
//
// All but triangles are computed anew where repairs take longer on average than that: the next two
// batches of more than a quarter of the edges that such a one was about, and twice as many each
// time in a row that this happens, up to a hundred.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fathom/dynamic/batches/applied_batch.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"

namespace fathom {

namespace dynamic {
class FollowingLevels;
class FollowingDistances;
class FollowingComponents;
class FollowingRanks;
class FollowingTriangles;
class FollowingCores;
}  // namespace dynamic

/// Who brings results up to date.
enum class FollowBy : std::uint8_t {
  Auto,       // loops on the host for a graph in host memory, operators for one in a GPU's
  Host,       // loops that touch what changes, as long as that is not much
  Operators,  // the engine's, where the graph is: in supersteps, on all threads or the GPU, at a
              // cost for each of about a bit per vertex
};

/// Hop distances from the nearest of some sources, as bfs() has them.
///
/// Cost of an update: the lists of vertices whose depth changes, and of those that lose the edge to
/// their parent (by operators: from a vertex one level above); 8 bytes per vertex. On one thread of
/// the host. A batch that changed more than an eighth of the edges has it search anew. So do
/// repairs that take long: on the host those that have looked at as many vertices as there are, by
/// operators those of more than 24 supersteps and one for each 64 levels of the last search, or
/// that take longer than it did, and then batches as above.
/// Source: Ramalingam and Reps, "An incremental algorithm for a generalization of the shortest-path
/// problem", J. Algorithms 21, 1996 (two phases: who loses, and what it gets).
class FATHOM_API IncrementalBfs {
 public:
  /// Searches. @throws Error(Usage) for no source or one out of range, for a directed graph without
  /// in-edges, and for loops on the host over a graph in a GPU's memory, or operators where it is
  /// not in that of the context's only device; Error(DoesNotFit).
  IncrementalBfs(const DynamicGraph& graph, std::span<const VertexId> sources,
                 FollowBy by = FollowBy::Auto);
  IncrementalBfs(IncrementalBfs&&) noexcept;
  IncrementalBfs& operator=(IncrementalBfs&&) noexcept;
  ~IncrementalBfs();

  /// @throws Error(Usage) when `batch` is of another graph, is not the graph's last one, or has
  /// been followed; Error(DoesNotFit); Error(Interrupted).
  void update(const AppliedBatch& batch);

  std::uint32_t depth(VertexId v) const;  // kUnreached where no path leads
  std::vector<std::uint32_t> depths() const;
  VertexId reached() const;
  std::uint32_t max_depth() const;

 private:
  std::unique_ptr<dynamic::FollowingLevels> its_;
};

/// Lengths of the shortest paths from a source, as sssp() has them: equal bit by bit, since it says
/// which of the sums along equal paths it gives. Without weights every edge has length 1; of
/// parallel edges the shortest counts.
///
/// Cost of an update: the lists of vertices whose distance changes, and of those that lose the edge
/// that it may come from; 4 bytes per vertex. On one thread of the host. A batch that changed the
/// lengths of more than an eighth of the edges, and of more than 256, has it search anew, and so
/// does a repair that has looked at four times as many edges as there are, where an entry of its
/// heap counts as 16. Many vertices that edges without length tie to each other are found again
/// together, whichever of them lost its path.
/// Source: Ramalingam and Reps, as of IncrementalBfs.
class FATHOM_API IncrementalSssp {
 public:
  /// Searches. @throws Error(Usage) for a source out of range, for a directed graph without
  /// in-edges and for a graph in a GPU's memory (it is followed by loops on the host);
  /// Error(BadInput) for a reachable weight that is negative or NaN; Error(DoesNotFit).
  IncrementalSssp(const DynamicGraph& graph, VertexId source);
  IncrementalSssp(IncrementalSssp&&) noexcept;
  IncrementalSssp& operator=(IncrementalSssp&&) noexcept;
  ~IncrementalSssp();

  /// @throws as IncrementalBfs::update(); Error(BadInput) for a reachable weight that is negative
  /// or NaN, after which there is no result until an update has found one anew.
  void update(const AppliedBatch& batch);

  Weight distance(VertexId v) const;  // infinity where no path leads
  std::vector<Weight> distances() const;
  VertexId reached() const;     // vertices, the source among them
  Weight max_distance() const;  // of those

 private:
  std::unique_ptr<dynamic::FollowingDistances> its_;
};

/// Connected components, weak ones of a directed graph, as connected_components() has them.
///
/// Keeps a spanning forest. An insertion between two components lets the largest of those that
/// become one absorb the others, which are walked through; a deletion matters when it takes an edge
/// of the forest, and then as to IncrementalBfs, within the component; what is cut off is walked
/// through.
/// Cost: that, and sometimes a look at all labels; 20 bytes per vertex (by operators 28, and 12
/// more while there is no forest). On one thread of the host. After a repair that takes long (on
/// the host a look at a quarter of the vertices, by operators 24 supersteps), and by operators for
/// a batch that changed more than an eighth of the edges, components are computed anew, on all
/// threads or by operators; the forest is then found again for the fourth smaller batch, on the
/// host by one thread.
/// By operators, while there is no forest, each edge that is gone costs a search of up to 1,024
/// vertices, which finds a way around it or a small component that it tied to another, and 12 KiB
/// meanwhile. Where that is not enough, or takes longer on average than to compute components, they
/// are computed; at the fourth repair that gave up the forest is found in 24 supersteps, or else
/// looked for again after 32 more.
/// Source: union-find for insertions (Tarjan, JACM 22, 1975; by operators with halved paths:
/// Jayanti and Tarjan, PODC 2016); Even and Shiloach, "An on-line edge-deletion problem", JACM 28,
/// 1981.
class FATHOM_API IncrementalComponents {
 public:
  /// @throws as IncrementalBfs()
  explicit IncrementalComponents(const DynamicGraph& graph, FollowBy by = FollowBy::Auto);
  IncrementalComponents(IncrementalComponents&&) noexcept;
  IncrementalComponents& operator=(IncrementalComponents&&) noexcept;
  ~IncrementalComponents();

  /// @throws as IncrementalBfs::update().
  void update(const AppliedBatch& batch);

  VertexId label(VertexId v) const;  // the smallest vertex of the component
  std::vector<VertexId> labels() const;
  VertexId components() const;  // a deleted vertex is one by itself
  VertexId largest() const;     // vertices of the largest component

 private:
  std::unique_ptr<dynamic::FollowingComponents> its_;
};

struct IncrementalPagerankOptions {
  double alpha = .85;       // probability of following an edge, in [0, 1)
  double tolerance = 1e-6;  // as of pagerank(), > 0
  FollowBy by = FollowBy::Auto;
};

/// PageRank with equal jumps, within tolerance * alpha / (1 - alpha) (L1) of the exact ranks, as
/// pagerank() is.
///
/// Works on q = 1 + alpha P'q, whose sum makes the ranks: so a vertex that comes, goes or has no
/// edges any more changes what is around it and nothing else. Keeps the residual of every vertex,
/// but for what the last computation or sweeps left; a batch changes those of the targets of
/// changed lists, and pushes them on until what remains is within the tolerance, or, once that
/// takes longer than sweeps over the whole graph would, goes on with these. So it does when the sum
/// of q has fallen by a quarter since. By operators ranks that were just computed are those of
/// pagerank(), whose rounding comes to the tolerance, and the next batch that is repaired reads all
/// edges to find residuals. Cost of an update: the changed lists, and those of vertices whose
/// residual is pushed; 28 bytes per vertex (by operators 24). Not deterministic on several threads.
/// Source: Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors",
/// FOCS 2006 (push); Zhang, Lofgren and Goel, "Approximate personalized PageRank on dynamic
/// graphs", KDD 2016 (residuals of changed lists); the frontier is the dynamic one of Sahu's
/// DF-PageRank, 2024.
class FATHOM_API IncrementalPagerank {
 public:
  /// @throws Error(Usage) for an alpha or a tolerance out of range, and as IncrementalBfs() for
  /// who follows; Error(DoesNotFit).
  explicit IncrementalPagerank(const DynamicGraph& graph,
                               const IncrementalPagerankOptions& options = {});
  IncrementalPagerank(IncrementalPagerank&&) noexcept;
  IncrementalPagerank& operator=(IncrementalPagerank&&) noexcept;
  ~IncrementalPagerank();

  /// @throws as IncrementalBfs::update().
  void update(const AppliedBatch& batch);

  /// Of every index, those of deleted vertices too; sums to 1.
  std::vector<double> ranks() const;
  /// Vertices whose residual the last update pushed, as often as it did.
  std::uint64_t pushes() const;

 private:
  std::unique_ptr<dynamic::FollowingRanks> its_;
};

struct IncrementalTrianglesOptions {
  bool per_vertex = false;
};

/// The triangles of the underlying undirected simple graph, as count_triangles() has them:
/// direction, loops and multiplicity of edges do not matter. Exact.
///
/// An edge that comes or goes changes their number by the common neighbours of its ends. A batch's
/// edges are taken one after the other, first those that go: so a triangle of several of them
/// counts with one.
/// Cost of an update: for each pair of vertices that have become neighbours, or are none any more,
/// a read of the shorter of their lists and a search in the other one for each of its edges, or,
/// where that is not much longer (and always of linked pages, which are sorted for it), a read of
/// both. On all threads of the host. 8 bytes per vertex with counts of vertices, else none. A batch
/// that changed more than a 32nd of the edges, and more than 256, has them counted anew.
/// Source: Eppstein, Goodrich, Strash and Trott, "Extended dynamic subgraph statistics using
/// h-index parameterized data structures", TCS 447, 2012; the order over a batch's edges:
/// Tangwongsan, Pavan and Tirthapura, "Parallel triangle counting in massive streaming graphs",
/// CIKM 2013.
class FATHOM_API IncrementalTriangles {
 public:
  /// Counts. @throws Error(Usage) for a directed graph without in-edges and for a graph in a GPU's
  /// memory; Error(DoesNotFit), as count_triangles().
  explicit IncrementalTriangles(const DynamicGraph& graph,
                                const IncrementalTrianglesOptions& options = {});
  IncrementalTriangles(IncrementalTriangles&&) noexcept;
  IncrementalTriangles& operator=(IncrementalTriangles&&) noexcept;
  ~IncrementalTriangles();

  /// @throws as IncrementalBfs::update().
  void update(const AppliedBatch& batch);

  std::uint64_t total() const;
  std::vector<std::uint64_t> per_vertex() const;  // that contain the vertex; empty: not asked for

 private:
  std::unique_ptr<dynamic::FollowingTriangles> its_;
};

/// Core numbers, as kcore() has them: degrees count the edges of both directions, parallel ones
/// each, but no loops. Exact.
///
/// Keeps an order in which the vertices can be peeled, and follows a batch on one thread of the
/// host: edges that are gone all at once, by letting numbers fall from vertex to vertex, then those
/// that have come one by one, by looking at what is behind their first end in that order as far as
/// it may rise.
/// Cost of an update: the lists of vertices whose number changes, of their neighbours of the same
/// number once, and of those that an insertion looks at; 37 bytes per vertex, or 8 until the first
/// batch that is followed edge by edge. A batch that changed more than an eighth of the edges, and
/// more than 256, has the graph peeled anew, and so does a repair that has looked at three quarters
/// of what the lists hold, where a vertex that an insertion looks at counts as 64. On a mesh, all
/// of it one core, nearly every insertion comes to that.
/// Source: Zhang, Yu, Zhang and Qin, "A fast order-based approach for core maintenance", ICDE 2017;
/// Guo and Sekerinski, "Simplified algorithms for order-based core maintenance", 2022; Montresor,
/// De Pellegrini and Miorandi, "Distributed k-core decomposition", TPDS 24(2), 2013 (deletions).
class FATHOM_API IncrementalCores {
 public:
  /// Peels. @throws Error(Usage) for a directed graph without in-edges and for a graph in a GPU's
  /// memory; Error(DoesNotFit), as kcore().
  explicit IncrementalCores(const DynamicGraph& graph);
  IncrementalCores(IncrementalCores&&) noexcept;
  IncrementalCores& operator=(IncrementalCores&&) noexcept;
  ~IncrementalCores();

  /// @throws as IncrementalBfs::update().
  void update(const AppliedBatch& batch);

  std::uint32_t core(VertexId v) const;
  std::vector<std::uint32_t> cores() const;
  std::uint32_t degeneracy() const;  // the largest core number

 private:
  std::unique_ptr<dynamic::FollowingCores> its_;
};

}  // namespace fathom
