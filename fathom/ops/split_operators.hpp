// The operators where vertex state may be split. Each chunk gets a stream of all pages of its own,
// of which its kernels keep the edges into it (GTS, sections 3.1 and 4.2), so that functors stay as
// they are. Where nothing is split these are the operators of the other headers.
//
// make(device) is called for each pass: it asks arrays for their current pointers.
#pragma once

#include "fathom/exec/split_array.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/ops/in_chunk.hpp"
#include "fathom/residency/paged/split_edges.hpp"

namespace fathom {

namespace detail {

/// The source as one that shows every page to each device.
inline SplitEdges& split_source(EdgeSource& edges) {
  SplitEdges* const source = edges.split_edges();
  if (!source)
    throw Error(ErrorCode::Internal, "vertex state is split, and the edges are not streamed");
  return *source;
}

/// Calls body(device) for each chunk that is not empty, in ascending order of chunks.
template <class Body>
void for_each_chunk(Split& split, const Body& body) {
  for (std::uint32_t round = 0; round < split.rounds(); ++round) {
    split.begin_round(round);
    for (const Device& device : split.context().devices())
      if (split.range_on(device).size() > 0) body(device);
  }
}

/// Calls pass(pass, chunk) for the passes of every chunk's stream.
template <class Body>
void sweep_chunks(Split& split, EdgeSource& edges, Frontier& in, const SweepOptions& options,
                  const Body& body) {
  SplitEdges& source = split_source(edges);
  split.publish();
  for (std::uint32_t round = 0; round < split.rounds(); ++round) {
    split.begin_round(round);
    source.sweep_split(split.context(), in, options, split.pass_size(), [&](const Pass& pass) {
      const VertexRange chunk = split.range_on(pass.device);
      if (chunk.size() == 0) return;
      split.show({pass.first, pass.last});
      body(pass, chunk);
    });
  }
}

}  // namespace detail

/// EdgeSource::degree_sum().
inline EdgeId degree_sum(Split& split, EdgeSource& edges, const Frontier& frontier) {
  if (!split.on()) return edges.degree_sum(split.context(), frontier);
  return detail::split_source(edges).degree_sum_on_host(frontier);
}

/// advance(): functors write at targets alone, and read at sources what SplitArray::at_source()
/// gives. `emit` and `first` as there; split, the next frontier is always a bitmap.
template <class Factory>
void advance(Split& split, EdgeSource& edges, Frontier& in, Frontier* out, const Factory& make,
             Emit emit = Emit::Once, EdgeId first = kWholeList) {
  const Context& ctx = split.context();
  if (!split.on()) return advance(ctx, edges, in, out, make, emit, first);
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  if (out) out->begin_bitmap();
  const SweepOptions options{first, kReadsWeights<F>};
  detail::sweep_chunks(split, edges, in, options, [&](const Pass& pass, const VertexRange& chunk) {
    const InChunk<F> f{make(pass.device), chunk};
    std::uint64_t* const bits = out ? out->bits(pass.device) : nullptr;
    if constexpr (has_device_code<InChunk<F>>())
      if (ctx.on_gpu()) return cuda::advance(pass, edges.edges(), in.on(pass.device), f, bits);
    ctx.launch(pass.device, [&] {
      visit_host_edges(
          [&](const auto& view) {
            cpu::advance(ctx, view, in.on(pass.device), pass, f, [&](int, VertexId v) {
              if (bits) AtomicRef(bits[v >> 6]).fetch_or(std::uint64_t{1} << (v & 63));
            });
          },
          pass.edges);
    });
  });
  if (out) out->end_bitmap();
}

/// gather() without a next frontier, for functors that read and write at the vertex itself alone.
template <class Factory>
void gather_own(Split& split, EdgeSource& edges, Frontier& active, const Factory& make) {
  const Context& ctx = split.context();
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  if (!split.on()) {
    gather(ctx, edges, active, nullptr, make);
    return;
  }
  const SweepOptions options{kWholeList, kReadsWeights<F>};
  detail::sweep_chunks(
      split, edges, active, options, [&](const Pass& pass, const VertexRange& chunk) {
        const VertexId first = std::max(pass.first, chunk.first);
        const VertexId last = std::min(pass.last, chunk.last);
        if (first >= last) return;
        const F f = make(pass.device);
        if constexpr (has_device_code<F>())
          if (ctx.on_gpu()) {
            Pass own = pass;
            own.first = first;
            own.last = last;
            TallyOf<F> none{};
            return cuda::gather(own, edges.edges(), active.on(pass.device), f, nullptr, none);
          }
        ctx.launch(pass.device, [&] {
          visit_host_edges(
              [&](const auto& view) {
                cpu::for_active(ctx.threads(), active.on(pass.device), first, last,
                                [&](VertexId u, int) { fold(OneLane{}, view, u, f); });
              },
              pass.edges);
        });
      });
}

/// compute() over every v in [0, n).
template <class Factory>
void compute(Split& split, VertexId n, const Factory& make) {
  const Context& ctx = split.context();
  if (!split.on()) return compute(ctx, n, make);
  const FrontierRef all{FrontierRef::Form::All, n, n, nullptr, nullptr};
  detail::for_each_chunk(split, [&](const Device& device) {
    detail::compute_on(ctx, device, all, split.range_on(device), make(device));
  });
}

/// compute_reduce(): chunk by chunk, so that a sum may be rounded otherwise.
template <class T, class Factory, class Combine>
T compute_reduce(Split& split, VertexId n, T identity, const Factory& make,
                 const Combine& combine) {
  const Context& ctx = split.context();
  if (!split.on()) return compute_reduce(ctx, n, identity, make, combine);
  T total = identity;
  detail::for_each_chunk(split, [&](const Device& device) {
    total = combine(total, detail::reduce_on(ctx, device, split.range_on(device), identity,
                                             make(device), combine));
  });
  return total;
}

/// reduce().
template <class T, class Factory, class Combine>
T reduce(Split& split, VertexId n, T identity, const Factory& make, const Combine& combine) {
  if (!split.on()) return reduce(split.context(), n, identity, make, combine);
  return compute_reduce(split, n, identity, make, combine);
}

/// filter().
template <class Factory>
void filter(Split& split, Frontier& active, Frontier& out, const Factory& make) {
  const Context& ctx = split.context();
  if (!split.on()) return filter(ctx, active, out, make);
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  out.begin_bitmap();
  detail::for_each_chunk(split, [&](const Device& device) {
    detail::filter_on(ctx, device, active.on(device), split.range_on(device), make(device),
                      out.bits(device));
  });
  out.end_bitmap();
}

}  // namespace fathom
