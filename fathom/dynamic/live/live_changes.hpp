// A phase in which loops and kernels change a graph themselves (live_lists.hpp).
#pragma once

#include <memory>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/live/live_lists.hpp"
#include "fathom/dynamic/pages/page_allocator.hpp"

namespace fathom {

/// How much a phase may take.
struct LiveOptions {
  /// Bytes that pages may take beside those that are free: what lists grow by, and, where a
  /// snapshot is alive, lists that change. Twice as much with a memory manager.
  std::size_t reserve = std::size_t{1} << 20;
  /// Vertices that may be inserted: their indices are those of DynamicGraph::next_vertices(). Each
  /// takes its records and locks until the phase is finished, used or not.
  VertexId reserve_vertices = 0;
};

/// What the changes of a phase came to; of an undirected graph each edge counts once.
struct LiveReport {
  std::uint64_t inserted = 0;     // edges
  std::uint64_t overwritten = 0;  // insertions of an edge that was there and got their weight
  std::uint64_t ignored = 0;      // insertions of an edge that was there
  std::uint64_t removed = 0;      // edges
  std::uint64_t missing = 0;      // deletions of an edge that was not there
  std::uint64_t no_memory = 0;    // for want of pages: they changed nothing
  std::uint64_t no_vertex = 0;    // of a vertex that does not exist
  std::uint64_t new_vertices = 0;
  std::uint64_t no_index = 0;  // insertions of a vertex when none were left of those reserved
  std::uint64_t number = 0;    // of the phase among the batches of the graph
};

/// Made by DynamicGraph::change_in_kernels(). While it is open, the graph takes no batches and no
/// snapshots and answers no queries; snapshots that are there may be read, and go. Views of the
/// graph made before are refused like those before a batch, and the phase counts as one.
///
/// Movable. Keeps the graph; the context must outlive it.
class FATHOM_API LiveChanges {
 public:
  LiveChanges(LiveChanges&&) noexcept;
  LiveChanges& operator=(LiveChanges&&) noexcept;
  /// Finishes; errors of the device are lost.
  ~LiveChanges();

  /// What changes the graph: host threads, or kernels where the graph is in a GPU's memory. Stays
  /// valid when reserve() is called. @throws Error(Usage) for a graph in a GPU's memory whose pages
  /// come from a manager: visit_live_lists() (live_managers.hpp) has its lists, and these.
  LiveLists lists() const;
  /// Has so many bytes for pages beside those that are free now, for changes that came to NoMemory.
  /// While no changes are under way. @throws Error(DoesNotFit); nothing has changed then.
  void reserve(std::size_t bytes);
  /// Ends the phase once all changes are done: host threads are joined; kernels are waited for.
  /// Without effect the second time, but for the same report. @throws Error(Device)
  LiveReport finish();

  // For the library.
  const LiveLists::Parts& parts() const;
  const dynamic::LiveManager& manager() const;
  struct State;
  explicit LiveChanges(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fathom
