// What several ranks link, merged: a replica of the labels on each, of which an operator has joined
// different trees.
#pragma once

#include <algorithm>
#include <optional>

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/algorithms/components/parts.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {

using Components = VertexArray<VertexId, MergeLinks>;

/// Ranks tell each other the roots that they hooked and where: what else links change are shorter
/// paths, which can be left out. Ranks on hosts link the same from the same labels on, in the order
/// of the ranks. On devices each links what others have hooked to what it has itself: the same
/// trees, and the same labels once these are roots. Where too many were hooked whole arrays are
/// merged.
class RankLinks {
 public:
  /// Cost: where there are several ranks, a copy of the labels on hosts, a bit per vertex on
  /// devices.
  RankLinks(const Context& ctx, VertexId vertices)
      : ctx_(ctx),
        before_(ctx.ranks() > 1 && !ctx.separate() ? vertices : 0, ctx.host_memory()),
        all_(ctx, vertices),
        roots_(ctx, vertices) {
    all_.fill();
    if (ctx.ranks() > 1 && ctx.separate() && ctx.devices().size() == 1) count_.emplace(ctx, 1);
  }

  /// Before an operator links; trees are the same on all ranks, and labels on hosts.
  void begin(const Components& component) {
    if (count_)
      return filter(ctx_, all_, roots_, [&](const Device& d) { return IsRoot{component.on(d)}; });
    const VertexId* const label = component.on(ctx_.devices()[0]);
    in_pieces([&](std::size_t first, std::size_t last) {
      std::copy(label + first, label + last, before_.data() + first);
    });
  }

  /// After it: trees are the same again, and labels on hosts.
  void merge(Components& component) {
    if (count_ && tell_of_device(component)) return;
    if (before_.empty()) return component.merge();
    VertexId* const label = component.on(ctx_.devices()[0]);
    std::vector<Hook> hooks;
    for (std::size_t v = 0; v < before_.size(); ++v)
      if (label[v] != v && before_[v] == v) hooks.push_back({static_cast<VertexId>(v), label[v]});
    in_pieces([&](std::size_t first, std::size_t last) {
      std::copy(before_.data() + first, before_.data() + last, label + first);
    });
    const Pieces all = ctx_.group().all_gather(std::as_bytes(std::span(hooks)), ctx_.host_memory());
    const std::span told(reinterpret_cast<const Hook*>(all.bytes.data()),
                         all.bytes.size() / sizeof(Hook));
    // The first to hook a root does so at once: labels only ever fall, so that no circle can close.
    // Who comes later links what it found below another root.
    hooks.clear();
    for (const Hook& hook : told) {
      if (label[hook.root] == hook.root)
        label[hook.root] = hook.below;
      else if (label[hook.root] != hook.below)
        hooks.push_back(hook);
    }
    for (const Hook& hook : hooks) link(label, hook.root, hook.below);
  }

  /// After HookFirst: a vertex is hooked by who shows its list, which `own` are this rank's.
  void merge_first(Components& component, std::optional<VertexRange> own) {
    if (own)
      component.share(*own);
    else
      component.merge();
  }

 private:
  /// False on all ranks, with nothing done, where one has hooked too many.
  bool tell_of_device(Components& component) {
    const Device& device = ctx_.devices()[0];
    return give_among_ranks(
        ctx_, sizeof(Hook), roots_.universe() / kVerticesPerHook,
        [&](void* to, std::size_t most) {
          count_->set(0, 0);
          compute(ctx_, roots_, [&](const Device& d) {
            return ListHook{component.on(d), static_cast<Hook*>(to), most, count_->on(d)};
          });
          return std::size_t{count_->get(0)};
        },
        [&](const void* from, std::size_t count) {
          compute(ctx_, static_cast<VertexId>(count), [&](const Device&) {
            return LinkHook{component.on(device), static_cast<const Hook*>(from)};
          });
        });
  }
  template <class Work>
  void in_pieces(const Work& work) {
    parallel_for(ctx_.threads(), before_.size(), std::size_t{1} << 16,
                 [&](std::size_t first, std::size_t last, int) { work(first, last); });
  }

  const Context& ctx_;
  Array<VertexId> before_;
  Frontier all_, roots_;                        // roots_: before the operator, on devices
  std::optional<VertexArray<VertexId>> count_;  // of hooks, there
};

}  // namespace fathom
