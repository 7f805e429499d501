// Which lists a cache holds, and where: whole lists, by a policy, as many as fit.
//
// Byte models and measurements favour the shortest lists (docs/adr/0005): they serve the most
// vertices per byte, and pulling searches end within the first few edges of the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/store/narrow/narrow.hpp"

namespace fathom {

struct ListChoice {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // [vertices]: where the list begins, in units of 2^unit_shift edges; kNone: not there, or empty.
  Array<std::uint32_t> at;
  std::uint32_t unit_shift = 0;
  EdgeId used = 0;   // edges of the cache, with what fills up units
  EdgeId edges = 0;  // of the lists chosen
};

/// Chooses lists that together take at most `capacity` edges. Only the offsets of `csr` are read.
/// `reads`: [vertices] how often each list is expected to be read, for CachePolicy::Reuse.
/// `least_shift`: of the units, in which lists begin. The same for any number of threads.
FATHOM_API ListChoice choose_lists(const CsrView& csr, CachePolicy policy, EdgeId capacity,
                                   std::span<const std::uint32_t> reads, int threads,
                                   const std::shared_ptr<MemoryPool>& pool,
                                   std::uint32_t least_shift = 0);

/// [vertices] How often each list is expected to be read: its vertex's in-degree. Cost: a read of
/// each edge.
FATHOM_API std::vector<std::uint32_t> count_reads(const CsrView& csr, int threads);
FATHOM_API std::vector<std::uint32_t> count_reads(const store::NarrowLists& lists, int threads);

}  // namespace fathom
