// What DynamicGraph, its snapshots and its queries share; nothing for users.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/lists/lists_on_gpus.hpp"
#include "fathom/dynamic/pages/host_pages.hpp"
#include "fathom/dynamic/vertex_table.hpp"
#include "fathom/dynamic/views/dynamic_source.hpp"

namespace fathom {

/// Invariants: exists has an entry per index; free are the indices that do not exist; a retired
/// page is in at least one live snapshot.
struct DynamicGraph::State {
  State(const Context& context, const DynamicGraphOptions& wanted);

  const std::uint64_t number;  // among the graphs of the process, from 1 on
  const Context* ctx;
  DynamicGraphOptions options;
  /// On a context with one GPU, or several that vertices are dealt out to: all lists, in their
  /// memory. `pages`, `out` and `in` hold nothing then.
  std::unique_ptr<dynamic::GpuLists> gpu;
  std::unique_ptr<dynamic::PageStore> pages;
  dynamic::DynamicLists out;
  std::optional<dynamic::DynamicLists> in;
  std::vector<bool> exists;
  std::vector<VertexId> free;
  /// Beside the lists. Not changed while a snapshot of the epoch that wrote it, or a later one,
  /// lives: they share it.
  std::shared_ptr<dynamic::VertexTable> vertex_fields;
  std::uint32_t fields_epoch = 0;

  std::mutex changing;                    // held while anything below or above changes
  std::atomic<std::uint64_t> version{0};  // batches applied
  /// Of the last batch. One for all batches between two snapshots: only snapshots tell epochs
  /// apart, and they are numbered with 32 bits.
  std::uint32_t epoch = 1;
  static constexpr std::uint32_t kLastEpoch = ~std::uint32_t{0};
  std::multiset<std::uint32_t> snapshots;  // epochs of those alive, below kLastEpoch
  std::vector<dynamic::RetiredPage> retired;
  std::atomic<bool> changing_in_kernels{false};  // a phase is open: lists change by themselves

  int threads() const { return ctx->threads(); }
  /// Where the lists are. @throws Error(DoesNotFit)
  std::shared_ptr<dynamic::VertexTable> vertex_table(std::span<const VertexFields> all) const {
    return gpu ? gpu->vertex_table(all) : dynamic::make_host_vertex_table(all);
  }
  std::uint32_t pinned() const { return snapshots.empty() ? 0 : *snapshots.rbegin(); }
  /// Of the next batch: later than every snapshot.
  std::uint32_t next_epoch() const { return epoch + (epoch == pinned() ? 1 : 0); }
  VertexId vertices() const { return gpu ? gpu->vertices() : out.vertices(); }
  EdgeId edges() const { return gpu ? gpu->edges() : out.edges(); }
  /// None where there are no such lists.
  dynamic::ListViews views(bool of_in) const;
  /// Of lists in one memory; empty where there are none. @throws Error(Usage) where vertices are
  /// dealt out.
  DynamicEdges view(bool of_in) const;
  /// The same, ascending, in host memory.
  Csr to_csr(bool of_in, Array<EdgeFields>* fields = nullptr) const;
  /// Indices that so many new vertices get: free ones first.
  std::vector<VertexId> next_vertices(VertexId count) const;
  /// @throws Error(DoesNotFit) where there would be too many.
  void check_new_vertices(VertexId count) const;
  bool both_directions() const { return options.directed && options.in_edges; }
  /// @throws Error(Usage) while a phase of changes in kernels is open.
  void check_at_rest() const;
  /// @throws Error(Usage) where vertices are dealt out to several GPUs, as `what` needs all lists
  /// in one memory.
  void check_in_one_memory(const char* what) const;
  /// Gives back pages that no snapshot needs any more.
  void release_retired() noexcept;
};

struct Snapshot::State {
  std::shared_ptr<DynamicGraph::State> graph;
  std::uint32_t epoch = 0;
  std::uint64_t batches = 0;
  VertexId vertices = 0;
  EdgeId edges = 0;
  std::vector<Array<DynamicRecord>> out, in;  // of every memory that has lists
  std::shared_ptr<const dynamic::VertexTable> vertex_fields;

  dynamic::ListViews views(bool of_in) const;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();
};

namespace dynamic {

/// Room for so many more, at a cost that does not depend on how many there are, as a rule.
template <class T>
void reserve_more(std::vector<T>& to, std::size_t more) {
  const std::size_t needed = to.size() + more;
  if (needed > to.capacity()) to.reserve(std::max(needed, to.capacity() * 2));
}

/// What a change that is refused has made the lists of the host count goes back.
class HostGrowth {
 public:
  explicit HostGrowth(DynamicGraph::State& s)
      : s_(s),
        pages_(s.pages->statistics().reserved_bytes),
        out_(s.out.record_bytes()),
        in_(s.in ? s.in->record_bytes() : 0) {}
  HostGrowth(const HostGrowth&) = delete;
  HostGrowth& operator=(const HostGrowth&) = delete;
  ~HostGrowth() {
    if (stay_) return;
    s_.pages->shrink_to(pages_);
    s_.out.give_back_records(out_);
    if (s_.in) s_.in->give_back_records(in_);
  }
  void stay() { stay_ = true; }

 private:
  DynamicGraph::State& s_;
  const std::size_t pages_, out_, in_;
  bool stay_ = false;
};

/// A Graph over views of lists; `in` empty: undirected when `directed` is false, else without
/// in-edges. `gpu`: whose lists they are, else null: contexts whose devices have memories of their
/// own get a copy in CSR.
Graph make_dynamic_graph(const Context& ctx, const GpuLists* gpu, const ListViews& out,
                         const ListViews& in, VertexId vertices, EdgeId edges, bool directed,
                         Unchanged unchanged, std::shared_ptr<const void> owner);

/// The graph as it is, until the next batch.
Graph graph_of(const std::shared_ptr<DynamicGraph::State>& state);

}  // namespace dynamic
}  // namespace fathom
