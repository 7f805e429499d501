#include "fathom/ops/cuda/small_room.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {

bool room_for_small(const Device& device) {
  try {
    device.gpu()->scratch(kSmallBytes);
    return true;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return false;
  }
}

}  // namespace fathom::cuda
