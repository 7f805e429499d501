#include "fathom/residency/cuda/kept_hints.hpp"

#include <utility>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/cuda/hints.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {

KeptHints::KeptHints(const Device& device, VertexId vertices)
    : device_(device), vertices_(vertices) {
  handle_ = spare().enlist(
      {[this] { hint_ = {}; }, [this] { return hint_.size() * sizeof(VertexId); }, nullptr});
}

KeptHints::~KeptHints() {
  spare().leave(handle_);
}

SpareMemory& KeptHints::spare() const {
  return SpareMemory::of(*device_.memory());
}

bool KeptHints::have_room(std::size_t beside) const {
  return spare().room() >= vertices_ * sizeof(VertexId) + beside;
}

void KeptHints::make() {
  if (hint_.empty()) hint_ = Array<VertexId>(vertices_, device_.memory());
}

void KeptHints::hold() {
  spare().hold_for_run(handle_);
}

void KeptHints::prepare(FunctionRef<int()> place, FunctionRef<AnyEdges()> view) {
  try {
    if (hint_.empty()) find(place, view);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
  if (!hint_.empty()) hold();
}

void KeptHints::find(FunctionRef<int()> place, FunctionRef<AnyEdges()> view) {
  if (!have_room(0)) return;
  const int lists = place();
  // First: what these lists keep nearer may give way to it.
  Array<VertexId> hint(vertices_, device_.memory());
  const auto held = spare().hold(lists);
  cuda::find_hints(*device_.gpu(), view(), {0, vertices_}, hint.data());
  hint_ = std::move(hint);
}

}  // namespace fathom
