// A bit per vertex in the memory of one device, in words of 64: what frontiers are made of. The
// same functions on the host, on emulated devices and on GPUs.
#pragma once

#include "fathom/exec/context.hpp"

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

}  // namespace fathom::bitmap
