#include "fathom/residency/packed/packed_list_reader.hpp"

#include <algorithm>

namespace fathom {

void PackedListReader::read(VertexId v, FunctionRef<void(const PlainSpan&)> span) {
  using store::packed::kGroup;
  const bool weighted = static_cast<bool>(lists_.weights);
  const EdgeId last = lists_.offset[v + 1];
  for (EdgeId at = lists_.offset[v]; at < last;) {
    const std::uint64_t group = at / kGroup;
    const std::uint32_t entries = lists_.entries_of(group);
    if (group != group_) {
      group_ = ~std::uint64_t{0};
      store::unpack_edges(lists_, group * kGroup, std::span(target_).first(entries),
                          std::span(weight_).first(weighted ? entries : 0));
      group_ = group;
    }
    const auto first = static_cast<std::size_t>(at % kGroup);
    const EdgeId size = std::min<EdgeId>(last - at, entries - first);
    span({target_.data() + first, weighted ? weight_.data() + first : nullptr,
          static_cast<std::uint32_t>(size)});
    at += size;
  }
}

}  // namespace fathom
