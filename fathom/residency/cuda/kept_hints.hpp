// Hints (hints.hpp) that a source keeps in a GPU's memory, and that give way as caches do.
#pragma once

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom {

class SpareMemory;

class KeptHints {
 public:
  /// The device is a GPU and outlives it.
  KeptHints(const Device& device, VertexId vertices);
  ~KeptHints();
  KeptHints(const KeptHints&) = delete;
  KeptHints& operator=(const KeptHints&) = delete;

  /// [vertices]; null where there are none.
  const VertexId* data() const { return hint_.data(); }
  VertexId* data() { return hint_.data(); }
  bool empty() const { return hint_.empty(); }
  /// Finds them in the lists that view() shows unless they are there, and keeps them until the run
  /// ends. Nothing where there is no room. place() places these lists and returns whose memory they
  /// are in, a handle of SpareMemory that does not give way meanwhile.
  void prepare(FunctionRef<int()> place, FunctionRef<AnyEdges()> view);

  // The same in steps, for lists that several GPUs have together.
  /// Whether there is room for them and for `beside` bytes more.
  bool have_room(std::size_t beside) const;
  /// Memory for them, for the caller to write. @throws Error(DoesNotFit).
  void make();
  void drop() { hint_ = {}; }
  /// Keeps them until the run ends.
  void hold();

 private:
  void find(FunctionRef<int()> place, FunctionRef<AnyEdges()> view);
  SpareMemory& spare() const;

  const Device& device_;
  VertexId vertices_;
  Array<VertexId> hint_;
  int handle_;  // of the device's SpareMemory
};

}  // namespace fathom
