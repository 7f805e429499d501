// EdgeSource: owns (or maps) the edges and decides what of them is reachable, where and when.
#pragma once

#include <memory>
#include <optional>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/access.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom {

class HostMemoryReport;
class SplitEdges;

/// Addresses behind the link, and where kernels add what they read of them: device memory, null
/// when nothing is counted.
struct LinkWindow {
  std::uintptr_t first = 0, last = 0;
  unsigned long long* counts = nullptr;  // [2]: requests, bytes
};

/// One moment of a sweep: these edges are reachable by kernels of this device. Only vertices in
/// [first, last) have edges in it.
struct Pass {
  const Device& device;
  AnyEdges edges;
  VertexId first, last;
  bool remote = false;                        // a GPU reads them over the link
  LinkWindow link = {};                       // and counts what it reads
  Access access = Access::Aligned;            // how it shall
  Technique technique = Technique::ByLength;  // of paged and slotted edges; never Hybrid
};

/// Two page sets at once: lists of vertices in [a_first, a_last) through `a`, of [b_first, b_last)
/// through `b`, all whole.
struct PairPass {
  const Device& device;
  AnyEdges a;  // FlatEdges for host code; on a GPU also CachedEdges<FlatEdges>
  VertexId a_first, a_last;
  AnyEdges b;  // the same layout as a
  VertexId b_first, b_last;
};

/// Lists one at a time, in any order, for host code alone: verification. Cost: where edges are
/// streamed, a page of a disk for each list that is not in memory.
class FATHOM_API ListReader {
 public:
  virtual ~ListReader() = default;
  virtual EdgeId degree(VertexId v) = 0;
  /// Shows the list of v in ascending order, in one or more spans.
  virtual void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) = 0;
};

/// What of hints() a driver will ask for: none; those of lists behind the link, and what is there
/// already; all.
enum class Hints : std::uint8_t { None, Far, Always };

struct SweepOptions {
  EdgeId first = kWholeList;  // show only the first so many edges of each list
  bool weights = false;       // the functor reads weights: show pairs where they are stored so
  Hints hints = Hints::None;  // for prepare()
  bool stops_early = false;   // few entries of a list are read as a rule
};

/// Virtual on purpose: called once per superstep, so that a graph's residency is a run-time choice
/// and no algorithm is compiled per residency.
class FATHOM_API EdgeSource {
 public:
  virtual ~EdgeSource() = default;

  VertexId vertices() const { return vertices_; }
  EdgeId edges() const { return edges_; }
  bool weighted() const { return weighted_; }

  /// Shows each edge of each active vertex exactly once over one or more calls of `pass`, spread
  /// over the context's devices. A view dies when its call returns. A list may be split over
  /// passes and devices, so functors must not assume that they see it whole. Passes of several GPUs
  /// come at the same time from several threads, those of one device from one.
  virtual void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                     FunctionRef<void(const Pass&)> pass) = 0;

  /// Shows every ordered pair of lists (of u in `a`, of v in `b`) exactly once, lists never split;
  /// from several threads as sweep() does.
  /// @throws Error(DoesNotFit) when the longest list does not fit half of the page frames.
  virtual void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) = 0;

  /// The view of all edges, when one pass on the only device can show them: drivers may then run
  /// several supersteps without asking again.
  virtual std::optional<AnyEdges> whole(const SweepOptions& options) const = 0;
  /// Whether whole() will have a view, before anything is done for one.
  virtual bool comes_whole() const { return true; }

  /// The vertices whose lists this rank shows, each of them whole in one pass, where those of
  /// consecutive ranks follow each other: what a gather writes for its vertices is then
  /// VertexArray::share()d, and needs no merge. All of them for a rank alone. Nothing where lists
  /// are dealt out by pages.
  virtual std::optional<VertexRange> own_lists() const { return std::nullopt; }

  /// Makes ready what a sweep with these options will need, so that it is not part of a measured
  /// run. Optional: a sweep does it too.
  virtual void prepare(const Context&, const SweepOptions&) {}

  /// offset[v + 1] - offset[v]: v's degree. On `device`, until the run that asks ends (RunLists).
  virtual const EdgeId* offsets(const Device& device) = 0;

  /// For each vertex the neighbour with the longest list, kNoVertex without any: a search that
  /// pulls finds most vertices' parents there, and reads no list for them. In the memory of
  /// `device`; null when the source keeps none. Cost: 4 bytes per vertex, once a read of each edge.
  virtual const VertexId* hints(const Device&) { return nullptr; }

  /// Edges of lists that have a copy in nearer memory.
  virtual EdgeId near_edges() const { return 0; }

  /// The lists in host memory behind this source, if there.
  virtual std::optional<CsrView> host_lists() const { return std::nullopt; }

  /// Reads lists one at a time, with weights where there are any. No sweep goes on meanwhile.
  /// @throws Error(Usage) when the host cannot reach them.
  virtual std::unique_ptr<ListReader> read_lists();

  /// Size of the memory in which pages are kept from one sweep to the next.
  virtual std::size_t cache_bytes() const { return 0; }

  /// GB/s at which kernels can read these edges over the link at best; 0 when they do not.
  virtual double link_ceiling() const { return 0; }

  /// What was fetched so far.
  virtual Traffic traffic() const { return {}; }

  /// What shows these edges where vertex state is split (paged/split_edges.hpp); null: nothing can.
  virtual SplitEdges* split_edges() { return nullptr; }

  /// The least that these edges are read through, without weights, of the memory that vertex state
  /// is in, for who sizes state by what there is: 0 on devices, whose frames are counted apart, and
  /// for edges that are in reach at once. The sources of a graph take turns with it.
  virtual std::size_t least_sweep_memory() const { return 0; }

  /// Adds the host memory that was obtained for GPUs (host_memory.hpp).
  virtual void report_host_memory(HostMemoryReport&) const {}

  /// The number of edges that leave the frontier. Cost: its vertices' offsets.
  EdgeId degree_sum(const Context& ctx, const Frontier& frontier);

 protected:
  EdgeSource(VertexId vertices, EdgeId edges, bool weighted)
      : vertices_(vertices), edges_(edges), weighted_(weighted) {}

 private:
  VertexId vertices_;
  EdgeId edges_;
  bool weighted_;
};

}  // namespace fathom
