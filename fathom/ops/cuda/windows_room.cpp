#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/ops/cuda/windows.hpp"

namespace fathom::cuda {

bool room_for_windows(const Device& device) {
  try {
    device.gpu()->scratch(kWindowBytes);
    return true;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return false;
  }
}

}  // namespace fathom::cuda
