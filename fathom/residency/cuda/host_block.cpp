#include "fathom/residency/cuda/host_block.hpp"

#include <cstring>
#include <string>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

cudaMemLocation on_device(const cuda::Gpu& gpu) {
  return {cudaMemLocationTypeDevice, {gpu.ordinal()}};
}
constexpr cudaMemLocation kOnHost{cudaMemLocationTypeHost, {0}};

void* allocate_managed(std::size_t bytes) {
  if (bytes > HostBlock::most_managed())
    throw Error(ErrorCode::DoesNotFit,
                format_bytes(bytes) + " of unified memory were asked for, but the device has " +
                    format_bytes(HostBlock::most_managed()) +
                    " free; use another way to obtain host memory");
  void* p = nullptr;
  cuda::check(cudaMallocManaged(&p, bytes), "allocating unified memory");
  return p;
}

}  // namespace

std::size_t HostBlock::most_managed() {
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return free;
}

ZeroCopyWay HostBlock::farthest_reaching(const cuda::Gpu& gpu, std::size_t bytes) {
  int concurrent = 0;
  gpu.activate();
  cuda::check(
      cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, gpu.ordinal()),
      "asking for a device attribute");
  const ZeroCopyWay best = best_way(gpu.link(), bytes);
  const bool can_manage = concurrent != 0 && bytes <= most_managed();
  return best == ZeroCopyWay::Managed && !can_manage ? ZeroCopyWay::Malloc : best;
}

HostBlock::HostBlock(cuda::Gpu& gpu, ZeroCopyWay way, std::size_t bytes,
                     std::shared_ptr<MemoryPool> budget)
    : bytes_(bytes), budget_(std::move(budget)) {
  if (bytes == 0) return;
  budget_->reserve(bytes);
  gpu.activate();
  try {
    if (way == ZeroCopyWay::Managed) {
      data_ = allocate_managed(bytes);
      kind_ = Kind::Managed;
      // Kept where it is, and mapped by the device in large entries (docs/adr/0005).
      cuda::check(cudaMemAdvise(data_, bytes, cudaMemAdviseSetPreferredLocation, kOnHost),
                  "placing unified memory on the host");
      map_for(gpu);
    } else if (way == ZeroCopyWay::Malloc) {
      cuda::check(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable), "allocating pinned memory");
      kind_ = Kind::Pinned;
    } else {
      data_ = MemoryPool::unlimited()->allocate(bytes);
      kind_ = Kind::Registered;
      cuda::check(cudaHostRegister(data_, bytes, cudaHostRegisterPortable), "pinning memory");
    }
  } catch (...) {
    if (kind_ == Kind::Managed) cudaFree(data_);
    if (kind_ == Kind::Registered) MemoryPool::unlimited()->release(data_, bytes);
    budget_->unreserve(bytes);
    throw;
  }
}

void HostBlock::map_for(const cuda::Gpu& gpu) {
  // Pinned memory is every GPU's.
  if (kind_ == Kind::Managed && bytes_ > 0)
    cuda::check(cudaMemAdvise(data_, bytes_, cudaMemAdviseSetAccessedBy, on_device(gpu)),
                "mapping unified memory for the device");
}

std::unique_ptr<HostBlock> HostBlock::pin(const void* data, std::size_t bytes) {
  if (!cuda::pin_host(data, bytes)) return nullptr;
  auto block = std::make_unique<HostBlock>();
  block->kind_ = Kind::Borrowed;
  block->data_ = const_cast<void*>(data);
  block->bytes_ = bytes;
  return block;
}

std::unique_ptr<HostBlock> HostBlock::holding(const Context& ctx, cuda::Gpu& gpu, ZeroCopyWay way,
                                              const void* data, std::size_t bytes) {
  if (way == ZeroCopyWay::Register)
    if (auto pinned = pin(data, bytes)) return pinned;
  auto block = std::make_unique<HostBlock>(gpu, way, bytes, ctx.host_memory());
  parallel_for(ctx.threads(), bytes, std::size_t{1} << 20,
               [&](std::size_t first, std::size_t last, int) {
                 std::memcpy(static_cast<std::byte*>(block->data()) + first,
                             static_cast<const std::byte*>(data) + first, last - first);
               });
  return block;
}

std::unique_ptr<HostBlock> HostBlock::migrating(cuda::Gpu& gpu, std::size_t bytes,
                                                std::shared_ptr<MemoryPool> budget) {
  auto block = std::make_unique<HostBlock>();
  budget->reserve(bytes);
  block->budget_ = std::move(budget);
  block->bytes_ = bytes;
  if (bytes == 0) return block;
  gpu.activate();
  block->data_ = allocate_managed(bytes);
  block->kind_ = Kind::Managed;
  return block;
}

HostBlock::~HostBlock() {
  switch (kind_) {
    case Kind::Pinned:
      cudaFreeHost(data_);
      break;
    case Kind::Registered:
      cudaHostUnregister(data_);
      MemoryPool::unlimited()->release(data_, bytes_);
      break;
    case Kind::Borrowed:
      cudaHostUnregister(data_);
      break;
    case Kind::Managed:
      cudaFree(data_);
      break;
    case Kind::None:
      break;
  }
  if (budget_) budget_->unreserve(bytes_);
}

}  // namespace fathom
