#include "fathom/exec/bitmap.hpp"

#include "fathom/core/atomic.hpp"
#include "fathom/core/bits.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/vertex_ops.hpp"
#endif

namespace fathom::bitmap {
namespace {

constexpr std::size_t kWordGrain = 1024;  // words per chunk: 64 Ki vertices
constexpr std::size_t kListGrain = 4096;

/// body(w) for each word, as a kernel of `device`.
template <class Body>
void for_words(const Context& ctx, const Device& device, std::size_t words, const Body& body) {
  ctx.launch(device, [&] {
    parallel_for(ctx.threads(), words, kWordGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t w = a; w < b; ++w) body(w);
    });
  });
}

template <class Body>
void for_listed(const Context& ctx, const Device& device, const VertexId* list, std::size_t size,
                const Body& body) {
  ctx.launch(device, [&] {
    parallel_for(ctx.threads(), size, kListGrain, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) body(list[i]);
    });
  });
}

std::uint64_t bit(VertexId v) {
  return std::uint64_t{1} << (v & 63);
}

}  // namespace

void clear(const Context& ctx, const Device& device, std::uint64_t* bits, std::size_t words) {
  const std::uint64_t none = 0;
  ctx.fill(device, bits, words, &none, sizeof(none));
}

void set_all(const Context& ctx, const Device& device, std::uint64_t* bits, std::size_t vertices) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return cuda::set_all(*device.gpu(), bits, vertices);
#endif
  for_words(ctx, device, words(vertices), [&](std::size_t w) {
    const std::size_t rest = vertices - w * 64;
    bits[w] = rest < 64 ? (std::uint64_t{1} << rest) - 1 : ~std::uint64_t{0};
  });
}

void set_listed(const Context& ctx, const Device& device, std::uint64_t* bits, const VertexId* list,
                std::size_t size) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return cuda::set_listed(*device.gpu(), bits, list, size);
#endif
  for_listed(ctx, device, list, size,
             [&](VertexId v) { AtomicRef(bits[v >> 6]).fetch_or(bit(v)); });
}

void clear_listed(const Context& ctx, const Device& device, std::uint64_t* bits,
                  const VertexId* list, std::size_t size) {
  for_listed(ctx, device, list, size,
             [&](VertexId v) { AtomicRef(bits[v >> 6]).fetch_and(~bit(v)); });
}

void subtract(const Context& ctx, const Device& device, std::uint64_t* into,
              const std::uint64_t* gone, std::size_t words) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return cuda::subtract(*device.gpu(), into, gone, words);
#endif
  for_words(ctx, device, words, [&](std::size_t w) { into[w] &= ~gone[w]; });
}

void unite(const Context& ctx, const Device& device, std::uint64_t* into, const std::uint64_t* more,
           std::size_t words) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return cuda::unite(*device.gpu(), into, more, words);
#endif
  for_words(ctx, device, words, [&](std::size_t w) { into[w] |= more[w]; });
}

VertexId count(const Context& ctx, const Device& device, const std::uint64_t* bits,
               std::size_t words) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return static_cast<VertexId>(cuda::count(*device.gpu(), bits, words));
#endif
  VertexId total = 0;
  ctx.launch(device, [&] {
    total = parallel_reduce(
        ctx.threads(), words, kWordGrain, VertexId{0},
        [&](std::size_t first, std::size_t last) {
          VertexId sum = 0;
          for (std::size_t w = first; w < last; ++w) sum += count_bits(bits[w]);
          return sum;
        },
        [](VertexId a, VertexId b) { return a + b; });
  });
  return total;
}

}  // namespace fathom::bitmap
