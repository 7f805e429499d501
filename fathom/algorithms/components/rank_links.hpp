// What several ranks link, merged: a replica of the labels on each, of which an operator has joined
// different trees.
#pragma once

#include <algorithm>
#include <optional>

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom {

using Components = VertexArray<VertexId, MergeLinks>;

/// Ranks tell each other the roots that they hooked and where: what else links change are shorter
/// paths, which can be left out. All of them link the same from the same labels on, in the order
/// of the ranks.
class RankLinks {
 public:
  /// Cost: a copy of the labels where there are several ranks that have no devices of their own.
  RankLinks(const Context& ctx, std::size_t vertices)
      : ctx_(ctx), before_(ctx.ranks() > 1 && !ctx.separate() ? vertices : 0, ctx.host_memory()) {}

  /// Before an operator links; labels are equal on all ranks.
  void begin(const Components& component) {
    const VertexId* const label = component.on(ctx_.devices()[0]);
    in_pieces([&](std::size_t first, std::size_t last) {
      std::copy(label + first, label + last, before_.data() + first);
    });
  }

  /// After it: labels are equal again.
  void merge(Components& component) {
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
  struct Hook {
    VertexId root, below;
  };
  template <class Work>
  void in_pieces(const Work& work) {
    parallel_for(ctx_.threads(), before_.size(), std::size_t{1} << 16,
                 [&](std::size_t first, std::size_t last, int) { work(first, last); });
  }

  const Context& ctx_;
  Array<VertexId> before_;
};

}  // namespace fathom
