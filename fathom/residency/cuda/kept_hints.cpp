#include "fathom/residency/cuda/kept_hints.hpp"

#include <utility>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/cuda/hints.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

SpareMemory& spare_of(const Context& ctx) {
  return SpareMemory::of(*ctx.devices()[0].memory());
}

}  // namespace

KeptHints::KeptHints(const Context& ctx, VertexId vertices) : ctx_(ctx), vertices_(vertices) {
  handle_ = spare_of(ctx).enlist(
      {[this] { hint_ = {}; }, [this] { return hint_.size() * sizeof(VertexId); }, nullptr});
}

KeptHints::~KeptHints() {
  spare_of(ctx_).leave(handle_);
}

void KeptHints::prepare(FunctionRef<int()> place, FunctionRef<AnyEdges()> view) {
  try {
    if (hint_.empty()) find(place, view);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
  if (!hint_.empty()) spare_of(ctx_).hold_for_run(handle_);
}

void KeptHints::find(FunctionRef<int()> place, FunctionRef<AnyEdges()> view) {
  SpareMemory& spare = spare_of(ctx_);
  if (spare.room() < vertices_ * sizeof(VertexId)) return;
  const int lists = place();
  // First: what these lists keep nearer may give way to it.
  Array<VertexId> hint(vertices_, ctx_.devices()[0].memory());
  const auto held = spare.hold(lists);
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (!std::is_same_v<E, DynamicEdges> && !std::is_same_v<E, FilteredEdges>)
          cuda::find_hints(*ctx_.devices()[0].gpu(), edges, vertices_, hint.data());
      },
      view());
  hint_ = std::move(hint);
}

}  // namespace fathom
