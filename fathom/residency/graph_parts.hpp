// What the files that make graphs share; nothing for users.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fathom/residency/filtered/edge_filter.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/residency/oriented_lists.hpp"

namespace fathom {

namespace detail {
/// What the host builds of both directions of every edge.
enum class BuiltLists {
  Oriented,  // graph::orient_by_degree
  Mutual,    // graph::orient_mutual, of directed graphs
  Reverse,   // in-edges, of directed graphs without them
};
}  // namespace detail

struct Graph::State {
  VertexId vertices = 0;
  EdgeId edges = 0;
  bool directed = true, weighted = false, has_in = false, mapped = false;
  bool on_devices = false;  // edges have a memory of their own, or several
  ResidencyOptions::Kind kind = ResidencyOptions::Kind::Auto;
  std::string reason;
  std::function<std::unique_ptr<EdgeSource>()> open_out, open_in;
  std::unique_ptr<EdgeSource> out, in;
  std::unique_ptr<detail::OrientedLists> oriented;  // null: there are none to ask for
  std::function<void()> check;  // throws when the graph may not be read any more; null: it may
  // Null, as `oriented` is.
  detail::OrientedLists::Open open_mutual, open_reverse;
  // Nothing: all edges are kept. Null: they have no types and timestamps.
  std::function<std::optional<Graph>(const EdgeFilter&)> filtered;

  void orient_by(const Context& ctx, detail::OrientedLists::Open open) {
    oriented = std::make_unique<detail::OrientedLists>(ctx.host_memory(), std::move(open));
  }
  /// All of them, where the host builds any.
  void build_by(const Context& ctx,
                const std::function<std::unique_ptr<EdgeSource>(detail::BuiltLists)>& build) {
    orient_by(ctx, [build] { return build(detail::BuiltLists::Oriented); });
    open_mutual = [build] { return build(detail::BuiltLists::Mutual); };
    open_reverse = [build] { return build(detail::BuiltLists::Reverse); };
  }
};

namespace detail {

/// What a graph is, all but its lists.
struct GraphCounts {
  VertexId vertices = 0;
  EdgeId edges = 0;
  bool directed = true, weighted = false, has_in = false;

  static GraphCounts of(const store::Header& header) {
    return {header.vertices, header.edges, header.directed, header.weighted, header.has_in_edges};
  }
  /// Whose lists there are.
  int directions() const { return directed && has_in ? 2 : 1; }
};

/// A state that lacks only how to open the lists.
std::shared_ptr<Graph::State> new_state(const Context& ctx, const GraphCounts& counts,
                                        ResidencyOptions::Kind kind, std::string reason);

/// A kind that is not Auto (but on the host), and why it was chosen.
struct Resolved {
  ResidencyOptions::Kind kind;
  std::string reason;
};

// Bytes per vertex that are reckoned with before an algorithm is known: on a device at most
// (offsets of two directions, ranks, sums), there beside offsets for those that can be split and do
// not sweep (depths, parents, frontiers), and on the host (offsets, and results being copied).
inline constexpr std::uint64_t kStatePerVertex = 64, kSplitStatePerVertex = 9;
inline constexpr std::uint64_t kHostStatePerVertex = 24;

/// What a GPU that has `left` bytes needs to decide.
struct GpuNeeds {
  std::uint64_t list_bytes = 0;  // of both directions of a directed graph
  std::uint64_t vertices = 0;
  int directions = 1;                           // whose offsets are kept
  bool sweeps = false;                          // all lists are read in every superstep
  std::uint64_t left = 0;                       // of device memory
  std::uint64_t host_left = ~std::uint64_t{0};  // of host memory, for lists that kernels read there
  bool may_split = true;                        // vertex state
  bool in_place = false;                        // packed lists, which warps unpack as they walk
};
/// What Auto means there: resident when the lists fit beside vertex state, else zero-copy, or
/// streamed when all of them are read in every superstep, or do not fit host memory either, or
/// vertex state does not fit the device and has to be split. Lists that are unpacked in place are
/// not streamed for being swept: they come over the link as packed as in pages, and faster (docs/
/// adr/0034).
FATHOM_API Resolved choose_for_gpu(const GpuNeeds& needs);

/// Packed or narrow lists of a host.
struct DecodedLists {
  const char* decoded = "unpacked";  // what messages call them then
  std::uint64_t bytes = 0;           // of all of them, decoded
  std::uint64_t room = ~std::uint64_t{0};
  std::uint64_t streamed = 0;  // at most what a stream takes in their place
};
/// Where they are: decoded in memory, if that has the room, or if a stream would need as much; else
/// streamed.
FATHOM_API Resolved choose_for_decoded(const DecodedLists& lists);

/// What encoded lists that are streamed take of host memory at most, beside vertex state: offsets,
/// a slot to decode into, and as many units of a disk as a page and its weights may be in.
FATHOM_API std::uint64_t least_stream(std::uint64_t vertices, int directions,
                                      std::uint64_t page_bytes);

/// What several GPUs that have `left` bytes each do, where a share of the lists takes so many with
/// what a device has of all vertices; 0: they have none. Zero-copy means shares (gpu_shares.hpp).
struct SharesOfGpus {
  std::uint64_t bytes = 0, left = 0;
  bool plain = true;  // lists are arrays in CSR: others have no shares
};
/// Shares where they fit, which is faster than pages that stay in frames; else they stream. @throws
/// Error(Usage) for the resident and managed residencies.
FATHOM_API Resolved choose_for_gpus(ResidencyOptions::Kind asked, const SharesOfGpus& shares);
/// Of lists of so many bytes, of so many devices.
FATHOM_API std::uint64_t bytes_of_share(std::uint64_t lists, std::uint64_t vertices, int directions,
                                        std::uint64_t devices);

/// Whether pages shall come from a store's file although host memory has room for all lists.
bool streams_from_file(const PagingOptions& paging);

/// What Auto compares with the memory there is.
struct ListSize {
  std::uint64_t bytes = 0;  // of both directions of a directed graph
  int directions = 1;
  std::uint64_t host_room = ~std::uint64_t{0};  // for lists that GPUs read in host memory
  bool in_place = false;                        // see GpuNeeds
  bool plain = false;  // arrays in CSR, of which several GPUs can have shares
};
/// Of arrays in CSR.
std::uint64_t bytes_of_lists(EdgeId edges, bool weighted, int directions);
/// The same as they are placed: a GPU may narrow them (GpuEdgeOptions::id_bits), which is reckoned
/// with 16 bits a weight. @throws Error(Usage) for ids of another width than there is.
std::uint64_t bytes_as_placed(const Context& ctx, const GraphCounts& counts,
                              const GpuEdgeOptions& options);
/// Of lists in a file, which need not be in host memory. Beside them there are offsets and results.
ListSize stored_lists(const Context& ctx, std::uint64_t bytes, int directions, VertexId vertices);

/// Decides what Auto means: choose_for_gpu's answer there; on the host the arrays where they are.
Resolved resolve(const Context& ctx, const ResidencyOptions& options, VertexId vertices,
                 const ListSize& lists);

/// Puts lists in CSR where options.kind, which is resolved, says. `chosen`: nobody has asked for
/// it; lists in a GPU's memory then make room for a run whose vertex state needs it.
std::unique_ptr<EdgeSource> place(const Context& ctx, CsrView csr,
                                  std::shared_ptr<const void> owner,
                                  const ResidencyOptions& options,
                                  const InterleavedEdges::Pair* pairs = nullptr,
                                  bool chosen = false);

/// Where degree-oriented lists go: they are read once for each edge that points to their vertex.
ResidencyOptions oriented_options(const Context& ctx, ResidencyOptions options);

/// Has a graph read its lists from the disk of its store, through one buffer; degree-oriented ones
/// too, if the store has them.
void stream_from_disk(const Context& ctx, const std::string& path, const PagingOptions& options,
                      Graph::State& state);

/// Counts memory that is obtained elsewhere against the host's budget, while the handle lives.
std::shared_ptr<const void> reserve(const Context& ctx, std::size_t bytes);

/// Of offsets and targets.
std::size_t list_bytes(VertexId vertices, EdgeId edges);

/// Degree-oriented lists need both directions of every edge.
/// @throws Error(Usage) where ids cannot number what mutual edges are found by.
std::unique_ptr<EdgeSource> build_oriented(const Context& ctx, BuiltLists which, const CsrView& out,
                                           const CsrView* in, bool directed,
                                           const ResidencyOptions& options);

/// @throws Error(Usage) where ids are too narrow for the lists of mutual edges.
void check_mutual_ids(VertexId vertices);

/// The same of the lists in a store, mapped.
std::unique_ptr<EdgeSource> orient_mapped(const Context& ctx, BuiltLists which, store::Store& store,
                                          const ResidencyOptions& options);

/// Of a directed graph, the lists that find where edges go both ways (graph::orient_mutual). They
/// are built for each run that asks, which first gives up oriented() lists that nobody reads; the
/// graph's traffic() and for_each_open() leave them out.
/// @throws Error(Usage) where ids are too narrow for twice as many vertices; Error(DoesNotFit).
std::unique_ptr<EdgeSource> open_mutual(const Graph& graph);

/// Of a directed graph without in-edges, lists of these, without weights. They are built for each
/// run that asks, as those of open_mutual() are. @throws Error(DoesNotFit)
std::unique_ptr<EdgeSource> open_reverse(const Graph& graph);

/// Has the GPU of the context make a graph's degree-oriented lists from those that it reads, where
/// it reads them directly, edges have no direction, and there is room; else they stay to be made as
/// they were. CUDA builds only.
void orient_on_device(const Context& ctx, Graph::State& state, const ResidencyOptions& options);

}  // namespace detail

/// A graph over an opened store with narrow lists.
Graph make_narrow_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                        const ResidencyOptions& options);

/// A graph over an opened store with slotted pages.
Graph make_slotted_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                         const ResidencyOptions& wanted);

/// A graph over an opened store with packed lists.
Graph make_packed_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                        const ResidencyOptions& options);

}  // namespace fathom
