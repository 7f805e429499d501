// A bit per vertex in the memory of one device, in words of 64: what frontiers are made of. The
// same functions on the host, on emulated devices and on GPUs.
#pragma once

#include <bit>
#include <span>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"

namespace fathom::bitmap {

inline std::size_t words(std::size_t vertices) {
  return (vertices + 63) / 64;
}

void clear(const Context& ctx, const Device& device, std::uint64_t* bits, std::size_t words);
/// The bits below `vertices`; the rest of the last word is cleared.
void set_all(const Context& ctx, const Device& device, std::uint64_t* bits, std::size_t vertices);
/// The bits of list[0 .. size), which lies in the device's memory.
void set_listed(const Context& ctx, const Device& device, std::uint64_t* bits, const VertexId* list,
                std::size_t size);
void clear_listed(const Context& ctx, const Device& device, std::uint64_t* bits,
                  const VertexId* list, std::size_t size);
/// into &= ~gone, and into |= more.
void subtract(const Context& ctx, const Device& device, std::uint64_t* into,
              const std::uint64_t* gone, std::size_t words);
void unite(const Context& ctx, const Device& device, std::uint64_t* into, const std::uint64_t* more,
           std::size_t words);
/// The number of bits set.
VertexId count(const Context& ctx, const Device& device, const std::uint64_t* bits,
               std::size_t words);

// Single bits, in host memory.
/// By several threads at once.
inline void mark(std::uint64_t* bits, std::size_t v) {
  const AtomicRef word(bits[v / 64]);
  const std::uint64_t bit = std::uint64_t{1} << v % 64;
  if ((word.load() & bit) == 0) word.fetch_or(bit);
}
inline bool is_marked(const std::uint64_t* bits, std::size_t v) {
  return (bits[v / 64] >> v % 64 & 1) != 0;
}
/// Calls visit(i) for each bit of a word, ascending: `first` is the number of its lowest.
template <class Visit>
void for_each_of(std::uint64_t word, std::size_t first, const Visit& visit) {
  for (; word != 0; word &= word - 1)
    visit(first + static_cast<std::size_t>(std::countr_zero(word)));
}
/// Calls visit(v) for the vertices of a range that have a bit, ascending.
template <class Visit>
void for_each_marked(std::span<const std::uint64_t> bits, VertexRange range, const Visit& visit) {
  for (std::size_t w = range.first / 64; w * 64 < range.last; ++w)
    for_each_of(bits[w], w * 64, [&](std::size_t v) {
      if (v >= range.first && v < range.last) visit(static_cast<VertexId>(v));
    });
}

}  // namespace fathom::bitmap
