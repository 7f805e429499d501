// compute, reduce and filter: operators over vertices alone. Every device does the same work on its
// own replica, so replicas that were equal stay equal.
#pragma once

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/device_code.hpp"

namespace fathom {

namespace detail {
/// compute() over part of the vertices, on one device.
template <class F>
void compute_on(const Context& ctx, const Device& device, const FrontierRef& active,
                VertexRange range, const F& f) {
  if constexpr (has_device_code<F>())
    if (device.gpu()) return cuda::compute(device, active, range, f);
  ctx.launch(device, [&] {
    cpu::for_active(ctx.threads(), active, range.first, range.last, [&](VertexId v, int) { f(v); });
  });
}

template <class T, class F, class Combine>
T reduce_on(const Context& ctx, const Device& device, VertexRange range, T identity, const F& f,
            const Combine& combine) {
  if constexpr (has_device_code<F>())
    if (device.gpu()) return cuda::reduce(device, range, identity, f, combine);
  T total = identity;
  ctx.launch(device, [&] {
    total = parallel_reduce(
        ctx.threads(), range.size(), std::size_t{1} << 14, identity,
        [&](std::size_t first, std::size_t last) {
          T sum = identity;
          for (std::size_t v = first; v < last; ++v)
            sum = combine(sum, f(static_cast<VertexId>(range.first + v)));
          return sum;
        },
        combine);
  });
  return total;
}

/// filter() over part of the vertices, which begins and ends with a word of `out`.
template <class F>
void filter_on(const Context& ctx, const Device& device, const FrontierRef& active,
               VertexRange range, const F& f, std::uint64_t* out) {
  if constexpr (has_device_code<F>())
    if (device.gpu()) return cuda::filter(device, active, range, f, out);
  ctx.launch(device, [&] {
    cpu::for_active_words(
        ctx.threads(), active, range.first, range.last,
        [&](std::size_t word, std::uint64_t rest, int) {
          std::uint64_t kept = 0;
          for (; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            if (f(static_cast<VertexId>(word * 64 + static_cast<std::size_t>(bit))))
              kept |= std::uint64_t{1} << bit;
          }
          out[word] = kept;
        });
  });
}
}  // namespace detail

/// Calls make(device)(v) for every vertex of `active`.
template <class Factory>
void compute(const Context& ctx, const Frontier& active, const Factory& make) {
  for (const Device& device : ctx.devices())
    detail::compute_on(ctx, device, active.on(device), {0, active.universe()}, make(device));
}

/// Calls make(device)(v) for every v in [0, n).
template <class Factory>
void compute(const Context& ctx, VertexId n, const Factory& make) {
  Frontier all(ctx, n);
  all.fill();
  compute(ctx, all, make);
}

/// The combination of make(device)(v) over all v in [0, n), on the first device. The order of
/// combination depends on n alone, not on the number of threads.
template <class T, class Factory, class Combine>
T reduce(const Context& ctx, VertexId n, T identity, const Factory& make, const Combine& combine) {
  const Device& device = ctx.devices()[0];
  return detail::reduce_on(ctx, device, {0, n}, identity, make(device), combine);
}

/// compute() and reduce() in one pass: calls make(device)(v), which may write its replica, for
/// every v in [0, n) on every device, and returns the combination of the first device's values.
template <class T, class Factory, class Combine>
T compute_reduce(const Context& ctx, VertexId n, T identity, const Factory& make,
                 const Combine& combine) {
  T total = identity;
  ctx.on_each([&](const Device& device) {
    const T mine = detail::reduce_on(ctx, device, {0, n}, identity, make(device), combine);
    if (device.index() == 0) total = mine;
  });
  return total;
}

/// out = the vertices of `active` for which make(device)(v) is true; a bitmap. `active` and `out`
/// are different frontiers; replicas of what is asked are equal.
template <class Factory>
void filter(const Context& ctx, Frontier& active, Frontier& out, const Factory& make) {
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  out.begin_bitmap();
  for (const Device& device : ctx.devices())
    detail::filter_on(ctx, device, active.on(device), {0, active.universe()}, make(device),
                      out.bits(device));
  out.end_bitmap(true);
}

}  // namespace fathom
