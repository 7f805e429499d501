#include "fathom/residency/sweep_memory.hpp"

#include <algorithm>

#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/residency/ssd/section_reads.hpp"

namespace fathom {

std::size_t least_sweep_memory(const Context& ctx, const EdgeSource& edges) {
  const auto* const streamed = dynamic_cast<const StreamSource*>(&edges);
  if (!streamed || ctx.separate()) return 0;
  return std::max(streamed->frame_bytes(false), SectionReads::kBlockBytes) +
         SectionReads::kAlignment;
}

}  // namespace fathom
