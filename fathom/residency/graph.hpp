// Graph: counts, and where its edges are. What algorithms take.
#pragma once

#include <memory>
#include <string>

#include "fathom/core/function_ref.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/residency/paged/paging_options.hpp"
#include "fathom/store/store.hpp"

namespace fathom {
namespace store {
enum class Lists;
}

/// Where the edges shall live.
struct ResidencyOptions {
  enum class Kind {
    Auto,      // on the host: the arrays as they are (mapped or built); on emulated devices:
               // streamed; on a GPU: resident if they fit, else zero-copy with a cache,
               // or streamed for algorithms that sweep, from disk if host memory is too small
    Resident,  // in the memory of the kernels: on the host copied into budgeted memory with huge
               // pages, on a GPU into its memory
    ZeroCopy,  // GPU: in host memory that kernels read over the link
    Managed,   // GPU: in unified memory that the driver migrates on access
    Stream,    // paged in and out of frames
  };
  Kind kind = Kind::Auto;
  // The algorithm reads every edge in each superstep: Auto streams what does not fit a GPU, because
  // frames that are found full first save more than a cache of lists (docs/performance.md).
  bool sweeps = false;
  PagingOptions paging;
  GpuEdgeOptions gpu;
};

/// A handle: cheap to copy. Sources are opened when first asked for.
class FATHOM_API Graph {
 public:
  VertexId vertices() const;
  EdgeId edges() const;   // of the out lists
  bool directed() const;  // false: in and out lists are the same
  bool weighted() const;
  /// "resident", "mapped", "stream", "zerocopy" or "managed".
  std::string residency() const;
  /// Why there, in a few words.
  const std::string& residency_reason() const;

  /// Sources: @throws Error(Usage) for a view of a graph that has changed (DynamicGraph::graph()).
  EdgeSource& out() const;
  /// Whether in() is there. Without in-edges algorithms push.
  bool has_in() const;
  EdgeSource& in() const;
  /// Degree-oriented lists for triangles (graph::orient_by_degree): from the store, or built. While
  /// nobody holds them they may give way to a run that needs host memory; they are made again then.
  std::shared_ptr<EdgeSource> oriented() const;
  /// Optional, before oriented(): places what a GPU makes them from, where it does, so that this is
  /// not part of a measured run.
  void prepare_oriented() const;

  /// Calls visit(source, which) for those opened so far.
  void for_each_open(FunctionRef<void(EdgeSource&, store::Lists)> visit) const;

  /// The sources' link_ceiling(): GB/s, 0 when no edge is read over a link.
  double link_ceiling() const;
  /// Memory in which the sources opened so far keep pages.
  std::size_t cache_bytes() const;
  /// Whether the last algorithm split its vertex state: one that cannot may then not fit.
  bool split() const;
  /// What all sources have fetched so far.
  Traffic traffic() const;

  struct State;
  explicit Graph(std::shared_ptr<State> state) : state_(std::move(state)) {}
  /// For the library's own parts.
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// A graph over host arrays that outlive it (or are kept alive by `owner`). `in` null: undirected
/// when `directed` is false, else without in-edges.
FATHOM_API Graph make_graph(const Context& ctx, const CsrView& out, const CsrView* in,
                            bool directed, const ResidencyOptions& options = {},
                            const std::shared_ptr<const void>& owner = nullptr);

/// A graph that owns what graph::build() made.
FATHOM_API Graph make_graph(const Context& ctx, graph::BuiltGraph built, bool directed,
                            const ResidencyOptions& options = {});

/// A graph over slotted pages in host memory; `in` null: undirected when `directed` is false, else
/// without in-edges. Auto: where they are on the host, in a GPU's memory if they fit, else
/// streamed.
/// @throws Error(Usage) for residencies that slotted pages do not have.
FATHOM_API Graph make_graph(const Context& ctx, const store::SlottedLists& out,
                            const store::SlottedLists* in, bool directed,
                            const ResidencyOptions& options = {},
                            const std::shared_ptr<const void>& owner = nullptr);

/// A graph over an opened store; sections are checked when first used.
FATHOM_API Graph make_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                            const ResidencyOptions& options = {});

/// make_graph() of a .fg file; or of a directory of parts, of which each rank opens its own.
FATHOM_API Graph load(const Context& ctx, const std::string& path,
                      const ResidencyOptions& options = {});

}  // namespace fathom
