// How a GPU comes to packed lists: unpacked, in place, or as a stream of pages. The one place where
// this is decided, for runs and for plans.
#pragma once

#include "fathom/residency/gpu_options.hpp"
#include "fathom/residency/graph_parts.hpp"

namespace fathom::detail {

struct PackedWay {
  Resolved resolved;
  bool in_place = false;  // warps unpack what they walk; else lists are unpacked first, or streamed
};

/// `asked`: what was asked for; `unpacked`, `packed`: what Auto means for lists of either size
/// (choose_for_gpu). Lists that fit the GPU's memory unpacked are, for these are walked fastest;
/// those that do not are read in place where they fit packed, and over the link always.
/// `reads` other than Auto decides it, as far as the residency leaves a choice.
FATHOM_API PackedWay choose_packed_way(ResidencyOptions::Kind asked, PackedReads reads,
                                       const Resolved& unpacked, const Resolved& packed);

}  // namespace fathom::detail
