#include "fathom/residency/cuda/list_cache.hpp"

#include <algorithm>
#include <vector>

namespace fathom {
namespace {

constexpr std::uint32_t kNotCached = CachedEdges<FlatEdges>::kNotCached;
constexpr std::size_t kStaging = std::size_t{64} << 20;

// Lists are chosen by a key: their degree, or how often they are read. Keys from here on share the
// last class of the histogram.
constexpr std::uint64_t kClasses = 4096;

/// Which classes of keys fit `capacity` edges, the smallest (or largest) first: whole classes up to
/// `border`, of which only the first vertices fit.
struct Choice {
  std::uint64_t border;
  bool low_first;
  bool takes(std::uint64_t key) const {
    const std::uint64_t c = std::min(key, kClasses - 1);
    return low_first ? c <= border : c >= border;
  }
};

template <class Key>
Choice choose(const CsrView& csr, bool low_first, EdgeId capacity, const Key& key) {
  std::vector<EdgeId> of_class(kClasses, 0);
  for (VertexId v = 0; v < csr.vertices; ++v)
    of_class[std::min<std::uint64_t>(key(v), kClasses - 1)] += csr.degree(v);
  EdgeId sum = 0;
  if (!low_first) {
    std::uint64_t c = kClasses;
    while (c > 0 && sum <= capacity) sum += of_class[--c];
    return {c, false};
  }
  std::uint64_t c = 0;
  while (c + 1 < kClasses && (sum += of_class[c]) <= capacity) ++c;
  return {c, true};
}

}  // namespace

ListCache::ListCache(const Context& ctx, const CsrView& csr, CachePolicy policy, std::size_t bytes,
                     std::size_t entry_bytes, FunctionRef<void(EdgeId, EdgeId, std::byte*)> entries,
                     std::span<const std::uint32_t> reads) {
  const auto& memory = ctx.devices()[0].memory();
  const std::size_t index_bytes = csr.vertices * sizeof(std::uint32_t);
  const EdgeId capacity = bytes > index_bytes ? (bytes - index_bytes) / entry_bytes : 0;
  while (capacity >> unit_shift_ >= kNotCached) ++unit_shift_;
  const EdgeId unit = EdgeId{1} << unit_shift_;
  const bool by_reads = policy == CachePolicy::Reuse && !reads.empty();
  const auto key = [&](VertexId v) -> std::uint64_t { return by_reads ? reads[v] : csr.degree(v); };
  const bool low_first = !by_reads && policy != CachePolicy::HighDegree;
  const Choice choice = policy == CachePolicy::Prefix ? Choice{kClasses, true}
                                                      : choose(csr, low_first, capacity, key);

  Array<std::uint32_t> index(csr.vertices, kNotCached, ctx.host_memory());
  EdgeId used = 0;
  for (VertexId v = 0; v < csr.vertices; ++v) {
    const EdgeId degree = csr.degree(v);
    if (degree == 0 || !choice.takes(key(v))) continue;
    const EdgeId end = used + (degree + unit - 1) / unit * unit;
    if (end > capacity) continue;
    index[v] = static_cast<std::uint32_t>(used >> unit_shift_);
    used = end;
    edges_ += degree;
  }

  index_ = Array<std::uint32_t>(csr.vertices, memory);
  ctx.copy(index_.data(), index.data(), index_bytes);
  lists_ = Array<std::byte>(used * entry_bytes, memory);
  // Lists were placed in the order of their vertices: a staging buffer is filled and copied at a
  // time; a list longer than it goes in parts.
  Array<std::byte> staging(kStaging, ctx.host_memory());
  const EdgeId room = kStaging / entry_bytes;
  EdgeId filled = 0, start = 0;
  auto flush = [&] {
    ctx.copy(lists_.data() + start * entry_bytes, staging.data(), filled * entry_bytes);
    filled = 0;
  };
  for (VertexId v = 0; v < csr.vertices; ++v) {
    if (index[v] == kNotCached) continue;
    const EdgeId at = static_cast<EdgeId>(index[v]) << unit_shift_;
    for (EdgeId done = 0, degree = csr.degree(v); done < degree;) {
      if (filled > 0 && at + done - start >= room) flush();
      if (filled == 0) start = at + done;
      const EdgeId offset = at + done - start;
      const EdgeId count = std::min(degree - done, room - offset);
      entries(csr.offset[v] + done, count, staging.data() + offset * entry_bytes);
      filled = offset + count;
      done += count;
    }
  }
  if (filled > 0) flush();
}

}  // namespace fathom
