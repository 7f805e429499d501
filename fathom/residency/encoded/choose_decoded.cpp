// Whether a host decodes packed and narrow lists as a whole or streams them.
#include <algorithm>

#include "fathom/core/units.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/ssd/section_reads.hpp"

namespace fathom::detail {

using Kind = ResidencyOptions::Kind;

Resolved choose_for_decoded(const DecodedLists& lists) {
  const std::string sizes =
      format_bytes(lists.bytes) + " " + lists.decoded + ", " +
      (lists.room == ~std::uint64_t{0} ? "no bound" : format_bytes(lists.room)) + " of host memory";
  if (lists.bytes <= lists.room) return {Kind::Resident, "they fit: " + sizes};
  if (lists.bytes <= lists.streamed)
    return {Kind::Resident, "a stream would need as much: " + sizes};
  return {Kind::Stream, "they do not fit: " + sizes};
}

std::uint64_t least_stream(std::uint64_t vertices, int directions, std::uint64_t page_bytes) {
  constexpr std::uint64_t kUnits = 4;  // with weights, and some for tables of pages
  const std::uint64_t slot = page_bytes / sizeof(VertexId) * (sizeof(VertexId) + sizeof(Weight));
  return static_cast<std::uint64_t>(directions) * ((vertices + 1) * sizeof(EdgeId) + slot) +
         kUnits * std::max<std::uint64_t>(page_bytes, SectionReads::kBlockBytes);
}

}  // namespace fathom::detail
