#include "fathom/memory/cuda/address_range.hpp"

#include <cuda.h>

#include <string>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom::memory {
namespace {

/// The entry point of a driver function, as of the CUDA version this is compiled with.
template <class Function>
Function driver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result);
  if (status != cudaSuccess || result != cudaDriverEntryPointSuccess || function == nullptr)
    throw Error(ErrorCode::Device, std::string("the CUDA driver has no ") + name);
  return reinterpret_cast<Function>(function);
}

struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity =
      driver<decltype(granularity)>("cuMemGetAllocationGranularity");
  decltype(&cuMemAddressReserve) reserve = driver<decltype(reserve)>("cuMemAddressReserve");
  decltype(&cuMemAddressFree) unreserve = driver<decltype(unreserve)>("cuMemAddressFree");
  decltype(&cuMemCreate) create = driver<decltype(create)>("cuMemCreate");
  decltype(&cuMemRelease) release = driver<decltype(release)>("cuMemRelease");
  decltype(&cuMemMap) map = driver<decltype(map)>("cuMemMap");
  decltype(&cuMemUnmap) unmap = driver<decltype(unmap)>("cuMemUnmap");
  decltype(&cuMemSetAccess) access = driver<decltype(access)>("cuMemSetAccess");
  decltype(&cuDeviceGetAttribute) attribute = driver<decltype(attribute)>("cuDeviceGetAttribute");
};

const Driver& the_driver() {
  static const Driver functions;
  return functions;
}

/// `may_refuse`: whatever the driver says, there is none.
void check(CUresult status, const char* what, bool may_refuse = false) {
  if (status == CUDA_SUCCESS) return;
  const bool none = may_refuse || status == CUDA_ERROR_OUT_OF_MEMORY;
  throw Error(none ? ErrorCode::DoesNotFit : ErrorCode::Device,
              std::string(what) + ": CUDA driver error " + std::to_string(status));
}

CUmemAllocationProp memory_of(CUmemLocationType type, int id) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = type;
  properties.location.id = id;
  return properties;
}

CUmemAllocationProp on(int device) {
  return memory_of(CU_MEM_LOCATION_TYPE_DEVICE, device);
}

/// -1: the driver maps none for this device.
int host_node_of(int device) {
  const auto ask = [&](CUdevice_attribute what) {
    int value = 0;
    return the_driver().attribute(&value, what, device) == CUDA_SUCCESS ? value : 0;
  };
  if (ask(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) == 0) return -1;
  const int node = ask(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID);
  return node < 0 ? 0 : node;  // of a host without NUMA there is one
}

}  // namespace

AddressRange::AddressRange(std::uint64_t bytes) {
  // The runtime makes the device's context current, which the driver's functions need.
  if (cudaGetDevice(&device_) != cudaSuccess || cudaFree(nullptr) != cudaSuccess)
    throw Error(ErrorCode::Device, "no CUDA device can be used here");
  const CUmemAllocationProp properties = on(device_);
  std::size_t granularity = 0;
  check(the_driver().granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "asking for the granularity of mappings");
  granularity_ = granularity;
  host_node_ = host_node_of(device_);
  bytes_ = (bytes + granularity_ - 1) / granularity_ * granularity_;
  check(the_driver().reserve(&address_, bytes_, 0, 0, 0), "reserving device addresses");
}

AddressRange::~AddressRange() {
  if (address_ == 0) return;
  cudaSetDevice(device_);
  cudaDeviceSynchronize();
  for (const Piece& piece : pieces_) {
    the_driver().unmap(address_ + piece.begin, piece.bytes);
    the_driver().release(piece.handle);
  }
  the_driver().unreserve(address_, bytes_);
}

AddressRange::AddressRange(AddressRange&& other) noexcept
    : address_(std::exchange(other.address_, 0)),
      bytes_(other.bytes_),
      granularity_(other.granularity_),
      device_(other.device_),
      host_node_(other.host_node_),
      pieces_(std::move(other.pieces_)) {}

AddressRange& AddressRange::operator=(AddressRange&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(granularity_, other.granularity_);
  std::swap(device_, other.device_);
  std::swap(host_node_, other.host_node_);
  std::swap(pieces_, other.pieces_);
  return *this;
}

void AddressRange::map(std::uint64_t begin, std::uint64_t end, Place place) {
  if (begin >= end) return;
  const bool of_host = place == Place::Host;
  const CUmemAllocationProp properties =
      of_host ? memory_of(CU_MEM_LOCATION_TYPE_HOST_NUMA, host_node_) : on(device_);
  Piece piece{begin, end - begin, 0};
  pieces_.reserve(pieces_.size() + 1);
  check(the_driver().create(&piece.handle, piece.bytes, &properties, 0),
        of_host ? "obtaining pinned host memory" : "obtaining device memory", of_host);
  CUmemAccessDesc access{};
  access.location = on(device_).location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUresult status = the_driver().map(address_ + begin, piece.bytes, 0, piece.handle, 0);
  if (status == CUDA_SUCCESS) {
    status = the_driver().access(address_ + begin, piece.bytes, &access, 1);
    if (status != CUDA_SUCCESS) the_driver().unmap(address_ + begin, piece.bytes);
  }
  if (status != CUDA_SUCCESS) the_driver().release(piece.handle);
  check(status, of_host ? "mapping host memory" : "mapping device memory", of_host);
  pieces_.push_back(piece);
}

void AddressRange::unmap_last() noexcept {
  const Piece piece = pieces_.back();
  pieces_.pop_back();
  the_driver().unmap(address_ + piece.begin, piece.bytes);
  the_driver().release(piece.handle);
}

}  // namespace fathom::memory
