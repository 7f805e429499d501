// Host memory that is pinned for GPUs by the driver. A registration is the process's, whichever
// devices use it: so is the record of them.
#pragma once

#include <memory>
#include <span>

#include "fathom/exec/host_pins.hpp"

namespace fathom::cuda {

/// Of this process.
HostPins& host_pins();

/// Begins to pin host memory for all GPUs, in pieces, in the context of the current device. Null
/// when it cannot be pinned: small or unaligned arrays, memory that is pinned already, or the
/// driver refuses the only piece. host_pins().unpin() ends it. `written` as in PinnedPieces.
std::shared_ptr<PinnedPieces> pin_pieces(std::span<const std::byte> memory,
                                         std::size_t written = PinnedPieces::kAll);

}  // namespace fathom::cuda
