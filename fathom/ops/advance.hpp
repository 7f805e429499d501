// advance: applies a functor to every edge that leaves the frontier; the targets it accepts form
// the next frontier. (Push; the edge-map of Ligra, the advance of Gunrock.)
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/device_code.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// How the next frontier is written.
enum class Emit {
  Once,   // the functor accepts a vertex at most once per superstep and device
  Often,  // it may accept a vertex several times: collect in a bitmap, or drop repeats
};

namespace cpu {

/// Collects accepted vertices per worker and appends them to the shared list in blocks.
class ListWriter {
 public:
  ListWriter(int workers, VertexId* list)
      : list_(list), buffer_(static_cast<std::size_t>(workers)) {}

  void push(int worker, VertexId v) {
    Buffer& b = buffer_[static_cast<std::size_t>(worker)];
    b.vertex[b.size++] = v;
    if (b.size == kBlock) flush(b);
  }
  /// The number of vertices written in all.
  VertexId finish() {
    for (Buffer& b : buffer_) flush(b);
    return static_cast<VertexId>(size_.load());
  }

 private:
  static constexpr std::size_t kBlock = 1024;
  struct alignas(64) Buffer {
    Buffer() {}  // NOLINT(modernize-use-equals-default): leaves the vertices alone
    std::size_t size = 0;
    VertexId vertex[kBlock];
  };
  void flush(Buffer& b) {
    const std::size_t at = size_.fetch_add(b.size, std::memory_order_relaxed);
    std::copy_n(b.vertex, b.size, list_ + at);
    b.size = 0;
  }

  VertexId* list_;
  std::vector<Buffer> buffer_;
  std::atomic<std::size_t> size_{0};
};

template <EdgeView E, EdgeFunctor F, class Keep>
void advance(const Context& ctx, const E& edges, const FrontierRef& in, const Pass& pass, F f,
             const Keep& keep_vertex) {
  for_active(ctx.threads(), in, pass.first, pass.last,
             [edges, f, keep_vertex](VertexId u, int worker) {
               expand(OneLane{}, edges, u, f, [&](const OneLane&, VertexId v, bool keep) {
                 if (keep) keep_vertex(worker, v);
               });
             });
}

/// Sorts what a superstep has accepted, and drops what it accepted before.
inline VertexId drop_repeats(VertexId* list, VertexId size) {
  std::sort(list, list + size);
  return static_cast<VertexId>(std::unique(list, list + size) - list);
}

/// Of so few, sorting costs less than a pass over the bits of all vertices; a list has room for
/// them with their repeats.
inline VertexId few_of(const Frontier& frontier) {
  return std::min(frontier.universe(), frontier.universe() / 1024 + 64);
}

/// Frontiers whose lists were never asked for stay bitmaps: memory is as planned.
inline bool accepts_few(const Context& ctx, EdgeSource& edges, const Frontier& in,
                        const Frontier& out) {
  return in.form() == Frontier::Form::List && out.has_list() && in.size() <= few_of(out) &&
         edges.degree_sum(ctx, in) <= few_of(out);
}

}  // namespace cpu

/// Has a frontier of few vertices be a list where it keeps one (Frontier::keep_list): from a list
/// to one that keeps a list too, Emit::Often costs what the vertices do, not what all do.
inline void list_few(Frontier& frontier) {
  if (frontier.has_list() && frontier.size() <= cpu::few_of(frontier)) frontier.make_list();
}

/// make(device) builds the functor from the device's replicas. `out` may be null when the functor
/// accepts nothing. Replicas of vertex state may differ afterwards: merge() them.
/// Cost: one read of each edge of `in`, plus out's storage.
template <class Factory>
void advance(const Context& ctx, EdgeSource& edges, Frontier& in, Frontier* out,
             const Factory& make, Emit emit = Emit::Once, EdgeId first = kWholeList) {
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  const SweepOptions options{first, kReadsWeights<F>};
  if constexpr (has_device_code<F>()) {
    if (ctx.on_gpu()) {
      if (out) out->begin_bitmap();
      if (in.form() == Frontier::Form::List) in.make_bitmap();
      edges.sweep(ctx, in, options, [&](const Pass& pass) {
        cuda::advance(pass, edges.edges(), in.on(pass.device), make(pass.device),
                      out ? out->bits(pass.device) : nullptr);
      });
      if (out) out->end_bitmap();
      return;
    }
  }
  auto run = [&](const auto& keep_on) {
    edges.sweep(ctx, in, options, [&](const Pass& pass) {
      ctx.launch(pass.device, [&] {
        visit_host_edges(
            [&](const auto& view) {
              cpu::advance(ctx, view, in.on(pass.device), pass, make(pass.device),
                           keep_on(pass.device));
            },
            pass.edges);
      });
    });
  };
  if (!out) {
    run([](const Device&) { return [](int, VertexId) {}; });
    return;
  }
  const bool few = emit == Emit::Often && cpu::accepts_few(ctx, edges, in, *out);
  if (few || (emit == Emit::Once && out->can_list())) {
    VertexId* const list = out->begin_list();
    cpu::ListWriter writer(ctx.threads(), list);
    run([&](const Device&) { return [&](int worker, VertexId v) { writer.push(worker, v); }; });
    VertexId size = 0;
    ctx.launch(ctx.devices()[0], [&] {
      size = writer.finish();
      if (few) size = cpu::drop_repeats(list, size);
    });
    out->end_list(size);
  } else {
    out->begin_bitmap();
    run([&](const Device& device) {
      return [bits = out->bits(device)](int, VertexId v) {
        AtomicRef(bits[v >> 6]).fetch_or(std::uint64_t{1} << (v & 63));
      };
    });
    out->end_bitmap();
  }
}

}  // namespace fathom
