#include "fathom/residency/cuda/list_cache.hpp"

#include "fathom/residency/cuda/list_copies.hpp"
#include "fathom/residency/list_choice.hpp"

namespace fathom {

static_assert(ListChoice::kNone == CachedEdges<FlatEdges>::kNotCached);

ListCache::ListCache(const Context& ctx, const Device& device, const CsrView& csr,
                     CachePolicy policy, std::size_t bytes, std::uint32_t entry_bits,
                     const AnyEdges& far, std::span<const std::uint32_t> reads)
    : made_for_(bytes) {
  const auto& memory = device.memory();
  const std::size_t index_bytes = csr.vertices * sizeof(std::uint32_t);
  const EdgeId capacity = bytes > index_bytes ? EdgeId{bytes - index_bytes} * 8 / entry_bits : 0;
  const ListChoice choice = choose_lists(csr, policy, capacity, reads, ctx.threads(),
                                         ctx.host_memory(), unit_shift_of(entry_bits));
  unit_shift_ = choice.unit_shift;
  edges_ = choice.edges;
  index_ = Array<std::uint32_t>(csr.vertices, memory);
  // Whole units, hence whole words.
  lists_ = Array<std::byte>(choice.used * entry_bits / 8, memory);
  ctx.copy(index_.data(), choice.at.data(), index_bytes);
  cuda::copy_lists(*device.gpu(), far, csr.vertices, index_.data(), unit_shift_, lists_.data());
}

}  // namespace fathom
