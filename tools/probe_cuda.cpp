// CUDA devices, asked through the driver library if there is one: nothing of CUDA is needed to
// build this, and a machine without a driver is told so.
#include <dlfcn.h>

#include <array>
#include <memory>

#include "probes.hpp"

namespace fathom::cli {
namespace {

// The driver's C interface as far as it is used here (cuda.h: CUresult and CUdevice are ints).
using Init = int (*)(unsigned);
using DeviceGetCount = int (*)(int*);
using DeviceGetName = int (*)(char*, int, int);
using DeviceTotalMem = int (*)(std::size_t*, int);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

Json found(bool driver, const std::string& why) {
  return {{"driver", driver},
          {"why", why.empty() ? Json(nullptr) : Json(why)},
          {"devices", Json::array()}};
}

}  // namespace

Json probe_cuda() {
  const std::unique_ptr<void, int (*)(void*)> library(::dlopen("libcuda.so.1", RTLD_LAZY),
                                                      ::dlclose);
  if (!library) return found(false, "libcuda.so.1 is not on this machine");
  const auto init = symbol<Init>(library.get(), "cuInit");
  const auto count_devices = symbol<DeviceGetCount>(library.get(), "cuDeviceGetCount");
  const auto name_of_device = symbol<DeviceGetName>(library.get(), "cuDeviceGetName");
  const auto memory_of_device = symbol<DeviceTotalMem>(library.get(), "cuDeviceTotalMem_v2");
  if (!init || !count_devices || !name_of_device || !memory_of_device)
    return found(false, "libcuda.so.1 lacks functions of the CUDA driver");
  int count = 0;
  if (const int status = init(0); status != 0)
    return found(true, "cuInit failed with error " + std::to_string(status));
  if (const int status = count_devices(&count); status != 0)
    return found(true, "cuDeviceGetCount failed with error " + std::to_string(status));
  Json cuda = found(true, count == 0 ? "the driver lists none" : "");
  for (int device = 0; device < count; ++device) {
    std::array<char, 256> name{};
    std::size_t bytes = 0;
    name_of_device(name.data(), static_cast<int>(name.size()) - 1, device);
    memory_of_device(&bytes, device);
    cuda["devices"].push_back({{"name", name.data()}, {"memory_bytes", bytes}});
  }
  return cuda;
}

}  // namespace fathom::cli
