// Whether operators that hosts can do without have the device memory that they need.
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/ops/cuda/small_room.hpp"
#include "fathom/ops/cuda/windows.hpp"

namespace fathom::cuda {
namespace {

bool has_scratch(const Device& device, std::size_t bytes) {
  try {
    device.gpu()->scratch(bytes);
    return true;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return false;
  }
}

}  // namespace

bool room_for_small(const Device& device) {
  return has_scratch(device, kSmallBytes);
}
bool room_for_windows(const Device& device) {
  return has_scratch(device, kWindowBytes);
}

}  // namespace fathom::cuda
