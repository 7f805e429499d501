// The RVT of a store's slotted pages, read from its disk like they are; it says what each must be.
#pragma once

#include <memory>

#include "fathom/residency/ssd/section_reads.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom {

struct SlottedRvt {
  Array<store::RvtEntry> entries;
  store::SlottedLists lists;  // of which the offsets and the pages are not here
};

/// Reads and checks the RVT of the out- or in-lists. From then on `reads` checks what is in their
/// pages before it hands them out. Cost: 32 bytes of host memory per page.
/// @throws Error(BadInput), Error(Io), Error(DoesNotFit).
std::shared_ptr<const SlottedRvt> read_rvt(const Context& ctx, SectionReads& reads,
                                           store::SectionId rvt, store::SectionId pages);

}  // namespace fathom
