// Owners of what the link probe needs of CUDA, and host memory by each of the three ways.
#pragma once

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <memory>
#include <new>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/exec/link_profile.hpp"

namespace fathom::link {

/// @throws Error(Device) that says what was attempted.
inline void check(cudaError_t status, const char* attempt) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that is not fatal must not show up at the next launch
  throw Error(ErrorCode::Device, std::string("CUDA could not ") + attempt + ": " +
                                     cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
                                     ")");
}

/// Makes a device current, and what was current before again at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&before_), "tell the current device");
    check(cudaSetDevice(device), "use the device");
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "create an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "record an event"); }
  void wait() const { check(cudaEventSynchronize(event_), "finish its work"); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) {
    check(cudaMalloc(&data_, bytes), "allocate device memory");
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

#if CUDART_VERSION >= 13000
inline cudaMemLocation place(int device) {
  return {device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
          device < 0 ? 0 : device};
}
#endif
constexpr int kHost = -1;

/// cudaMemAdvise for a device or kHost.
inline void advise(void* data, std::size_t bytes, cudaMemoryAdvise advice, int device) {
#if CUDART_VERSION >= 13000
  check(cudaMemAdvise(data, bytes, advice, place(device)), "advise on managed memory");
#else
  check(cudaMemAdvise(data, bytes, advice, device < 0 ? cudaCpuDeviceId : device),
        "advise on managed memory");
#endif
}

/// Moves managed memory to the host, and waits until it is there. Pages never touched get zeros.
inline void bring_home(void* data, std::size_t bytes) {
#if CUDART_VERSION >= 13000
  check(cudaMemPrefetchAsync(data, bytes, place(kHost), 0, cudaStream_t{}),
        "move managed memory to the host");
#else
  check(cudaMemPrefetchAsync(data, bytes, cudaCpuDeviceId, cudaStream_t{}),
        "move managed memory to the host");
#endif
  check(cudaStreamSynchronize(cudaStream_t{}), "move managed memory to the host");
}

/// Managed memory whose place is left to page faults; full of zeros, on the host.
class ManagedMemory {
 public:
  explicit ManagedMemory(std::size_t bytes) : bytes_(bytes) {
    check(cudaMallocManaged(&data_, bytes), "allocate managed memory");
    try {
      bring_home(data_, bytes);
    } catch (...) {
      cudaFree(data_);
      throw;
    }
  }
  ~ManagedMemory() { cudaFree(data_); }
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Anonymous memory, every page of it there.
class MappedMemory {
 public:
  explicit MappedMemory(std::size_t bytes) : bytes_(bytes) {
    data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    ::madvise(data_, bytes, MADV_HUGEPAGE);  // faster to touch; reach does not depend on it
    auto* const begin = static_cast<volatile std::byte*>(data_);
    parallel_for(worker_count(0), bytes, std::size_t{1} << 25,
                 [&](std::size_t first, std::size_t last, int) {
                   for (std::size_t i = first; i < last; i += 4096) begin[i] = std::byte{0};
                 });
  }
  ~MappedMemory() { ::munmap(data_, bytes_); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Host memory full of zeros that kernels of the current device read in place.
class HostRegion {
 public:
  HostRegion(ZeroCopyWay way, std::size_t bytes, int device) : way_(way), bytes_(bytes) {
    switch (way) {
      case ZeroCopyWay::Malloc:
        check(cudaMallocHost(&data_, bytes), "allocate pinned memory");
        break;
      case ZeroCopyWay::Register:
        mapped_ = std::make_unique<MappedMemory>(bytes);
        check(cudaHostRegister(mapped_->data(), bytes, cudaHostRegisterMapped),
              "register host memory");
        data_ = mapped_->data();
        break;
      case ZeroCopyWay::Managed:
        // The advice comes first, so that the driver takes large pages for memory that stays.
        check(cudaMallocManaged(&data_, bytes), "allocate managed memory");
        try {
          advise(data_, bytes, cudaMemAdviseSetPreferredLocation, kHost);
          advise(data_, bytes, cudaMemAdviseSetAccessedBy, device);
          bring_home(data_, bytes);
        } catch (...) {
          cudaFree(data_);
          throw;
        }
        break;
    }
  }
  ~HostRegion() {
    if (way_ == ZeroCopyWay::Malloc) cudaFreeHost(data_);
    if (way_ == ZeroCopyWay::Register) cudaHostUnregister(data_);
    if (way_ == ZeroCopyWay::Managed) cudaFree(data_);
  }
  HostRegion(const HostRegion&) = delete;
  HostRegion& operator=(const HostRegion&) = delete;

  void* on_host() const { return data_; }
  const void* on_device() const {
    void* device = data_;
    if (way_ != ZeroCopyWay::Managed)
      check(cudaHostGetDevicePointer(&device, data_, 0), "map pinned memory into the device");
    return device;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  ZeroCopyWay way_;
  std::size_t bytes_;
  void* data_ = nullptr;
  std::unique_ptr<MappedMemory> mapped_;
};

}  // namespace fathom::link
