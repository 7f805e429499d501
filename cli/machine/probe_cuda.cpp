// CUDA devices, asked through the driver's libraries if they are there: nothing of CUDA is needed
// to build this, a machine without a driver is told so, and no context is made on any device.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <memory>

#include "cli/machine/probes.hpp"
#include "fathom/exec/cuda/link_probe.hpp"

namespace fathom::cli {
namespace {

class Library {
 public:
  explicit Library(const char* name) : handle_(::dlopen(name, RTLD_LAZY)) {}
  ~Library() {
    if (handle_) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool there() const { return handle_ != nullptr; }
  /// The function of that name; null when there is none.
  template <class Function>
  Function find(const char* name) const {
    return handle_ ? reinterpret_cast<Function>(::dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_;
};

// The driver's C interface as far as it is used here (cuda.h: CUresult and CUdevice are ints).
struct Driver {
  Library library{"libcuda.so.1"};
  int (*init)(unsigned) = library.find<int (*)(unsigned)>("cuInit");
  int (*version)(int*) = library.find<int (*)(int*)>("cuDriverGetVersion");
  int (*count)(int*) = library.find<int (*)(int*)>("cuDeviceGetCount");
  int (*name)(char*, int, int) = library.find<int (*)(char*, int, int)>("cuDeviceGetName");
  int (*memory)(std::size_t*,
                int) = library.find<int (*)(std::size_t*, int)>("cuDeviceTotalMem_v2");
  int (*uuid)(unsigned char*,
              int) = library.find<int (*)(unsigned char*, int)>("cuDeviceGetUuid_v2");
  int (*attribute)(int*, int, int) = library.find<int (*)(int*, int, int)>("cuDeviceGetAttribute");

  bool complete() const { return init && version && count && name && memory && uuid && attribute; }
};
constexpr int kManagedMemory = 83, kPageableMemoryAccess = 88, kConcurrentManagedAccess = 89;

// The management library (nvml.h: nvmlReturn_t is an int, nvmlDevice_t a pointer). It knows what
// is free without taking any of it.
class Management {
 public:
  Management() {
    const auto init = library_.find<int (*)()>("nvmlInit_v2");
    running_ = init && init() == 0;
  }
  ~Management() {
    const auto shutdown = library_.find<int (*)()>("nvmlShutdown");
    if (running_ && shutdown) shutdown();
  }
  Management(const Management&) = delete;
  Management& operator=(const Management&) = delete;

  Json driver_version() const {
    const auto ask = library_.find<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
    std::array<char, 96> text{};
    if (!running_ || !ask || ask(text.data(), text.size() - 1) != 0) return nullptr;
    return text.data();
  }

  /// Bytes free on the device.
  Json free_memory(const std::string& uuid) const {
    struct Memory {
      unsigned long long total, free, used;
    } memory{};
    const auto ask = library_.find<int (*)(void*, Memory*)>("nvmlDeviceGetMemoryInfo");
    void* const device = find(uuid);
    if (!device || !ask || ask(device, &memory) != 0) return nullptr;
    return memory.free;
  }

  /// {generation, width}: what device and slot agree on at most; idle links are slower for a while.
  Json pcie(const std::string& uuid) const {
    void* const device = find(uuid);
    unsigned generation = 0, width = 0;
    using Ask = int (*)(void*, unsigned*);
    const auto ask_generation = library_.find<Ask>("nvmlDeviceGetMaxPcieLinkGeneration");
    const auto ask_width = library_.find<Ask>("nvmlDeviceGetMaxPcieLinkWidth");
    if (!device || !ask_generation || !ask_width || ask_generation(device, &generation) != 0 ||
        ask_width(device, &width) != 0)
      return nullptr;
    return {{"generation", generation}, {"width", width}};
  }

 private:
  void* find(const std::string& uuid) const {
    const auto ask = library_.find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByUUID");
    void* device = nullptr;
    return running_ && ask && ask(uuid.c_str(), &device) == 0 ? device : nullptr;
  }

  Library library_{"libnvidia-ml.so.1"};
  bool running_ = false;
};

Json found(bool driver, const std::string& why) {
  return {{"built", link_probe_built()},
          {"driver", driver},
          {"driver_version", nullptr},
          {"cuda_version", nullptr},
          {"why", why.empty() ? Json(nullptr) : Json(why)},
          {"devices", Json::array()}};
}

Json device_json(const Driver& driver, const Management& management, int device) {
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  std::array<unsigned char, 16> id{};
  driver.name(name.data(), static_cast<int>(name.size()) - 1, device);
  driver.memory(&bytes, device);
  driver.uuid(id.data(), device);
  const std::string uuid = gpu_uuid(id);
  const auto has = [&](int attribute) {
    int value = 0;
    return driver.attribute(&value, attribute, device) == 0 && value != 0;
  };
  return {{"name", name.data()},
          {"uuid", uuid},
          {"memory_bytes", bytes},
          {"free_bytes", management.free_memory(uuid)},
          {"pcie", management.pcie(uuid)},
          {"managed_memory", has(kManagedMemory)},
          {"concurrent_managed_access", has(kConcurrentManagedAccess)},
          {"pageable_memory_access", has(kPageableMemoryAccess)}};
}

}  // namespace

Json probe_cuda() {
  const Driver driver;
  if (!driver.library.there()) return found(false, "libcuda.so.1 is not on this machine");
  if (!driver.complete()) return found(false, "libcuda.so.1 lacks functions of the CUDA driver");
  int count = 0, version = 0;
  if (const int status = driver.init(0); status != 0)
    return found(true, fmt::format("cuInit failed with error {}", status));
  if (const int status = driver.count(&count); status != 0)
    return found(true, fmt::format("cuDeviceGetCount failed with error {}", status));
  Json cuda = found(true, count == 0 ? "the driver lists none" : "");
  const Management management;
  cuda["driver_version"] = management.driver_version();
  if (driver.version(&version) == 0)
    cuda["cuda_version"] = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  for (int device = 0; device < count; ++device)
    cuda["devices"].push_back(device_json(driver, management, device));
  return cuda;
}

}  // namespace fathom::cli
