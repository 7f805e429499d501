#include "fathom/residency/cuda/host_block.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <string>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/cuda/pin_host.hpp"

namespace fathom {
namespace {

using Clock = std::chrono::steady_clock;

// Less is not worth pages of its own, which registering needs.
constexpr std::size_t kRegisterFrom = std::size_t{2} << 20;
constexpr std::size_t kFillGrain = std::size_t{1} << 20;
// Filled by all threads, then pinned by one behind them.
constexpr std::size_t kFillStep = 2 * PinnedPieces::kPieceBytes;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

cudaMemLocation on_device(const cuda::Gpu& gpu) {
  return {cudaMemLocationTypeDevice, {gpu.ordinal()}};
}
constexpr cudaMemLocation kOnHost{cudaMemLocationTypeHost, {0}};

/// Managed memory is never asked for beyond this: more of it than the device has free can hang
/// some systems.
std::size_t most_managed() {
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return free;
}

void* allocate_managed(std::size_t bytes) {
  if (bytes > most_managed())
    throw Error(ErrorCode::DoesNotFit,
                format_bytes(bytes) + " of unified memory were asked for, but the device has " +
                    format_bytes(most_managed()) + " free; use another way to obtain host memory");
  void* p = nullptr;
  cuda::check(cudaMallocManaged(&p, bytes), "allocating unified memory");
  return p;
}

}  // namespace

HostBlock::Choice HostBlock::farthest_reaching(const cuda::Gpu& gpu, std::size_t bytes) {
  if (best_way(gpu.link(), bytes) != ZeroCopyWay::Managed) return {ZeroCopyWay::Register, ""};
  int concurrent = 0;
  gpu.activate();
  cuda::check(
      cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, gpu.ordinal()),
      "asking for a device attribute");
  const std::size_t most = concurrent != 0 ? most_managed() : 0;
  if (bytes <= most) return {ZeroCopyWay::Managed, ""};
  const auto rate = [&](ZeroCopyWay way) { return zero_copy_ceiling(gpu.link(), way, bytes); };
  return {ZeroCopyWay::Register,
          fmt::format("managed memory is not taken for {}: {}; scattered reads of registered "
                      "memory run at {:.3g} instead of {:.3g} GB/s",
                      format_bytes(bytes),
                      concurrent != 0 ? "the device has " + format_bytes(most) + " free"
                                      : "the device cannot share it with the host",
                      rate(ZeroCopyWay::Register), rate(ZeroCopyWay::Managed))};
}

void HostBlock::obtain(cuda::Gpu& gpu, ZeroCopyWay way, std::size_t bytes,
                       const std::shared_ptr<MemoryPool>& budget) {
  bytes_ = bytes;
  way_ = way;
  budget->reserve(bytes);
  budget_ = budget;
  gpu.activate();
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
  }
}

void HostBlock::fill_all(const Context& ctx, Fill fill) {
  auto* const to = static_cast<std::byte*>(data_);
  for (std::size_t done = 0; done < bytes_; done += kFillStep) {
    ctx.task().check();
    const std::size_t count = std::min(kFillStep, bytes_ - done);
    parallel_for(ctx.threads(), count, kFillGrain, [&](std::size_t a, std::size_t b, int) {
      fill(done + a, done + b, to + done + a);
    });
    if (pieces_) pieces_->written_to(done + count);
  }
}

bool HostBlock::fill_and_pin(const Context& ctx, Fill fill) {
  pieces_ = cuda::pin_pieces({static_cast<const std::byte*>(data_), bytes_}, 0);
  if (!pieces_) return false;
  fill_all(ctx, fill);
  return pieces_->wait(ctx.task());
}

std::unique_ptr<HostBlock> HostBlock::filled(const Context& ctx, cuda::Gpu& gpu, ZeroCopyWay way,
                                             std::size_t bytes, Fill fill) {
  const auto start = Clock::now();
  auto block = std::unique_ptr<HostBlock>(new HostBlock);
  if (bytes == 0) return block;
  if (way == ZeroCopyWay::Register && bytes < kRegisterFrom) way = ZeroCopyWay::Malloc;
  std::string refused;
  block->obtain(gpu, way, bytes, ctx.host_memory());
  if (way != ZeroCopyWay::Register) {
    block->fill_all(ctx, fill);
  } else if (!block->fill_and_pin(ctx, fill)) {
    refused = block->refusal();
    block.reset(new HostBlock);  // after the memory has gone
    block->obtain(gpu, ZeroCopyWay::Malloc, bytes, ctx.host_memory());
    block->fill_all(ctx, fill);
    block->note("cudaMallocHost took the place of registered memory: " + refused);
  }
  block->seconds_ = since(start);
  return block;
}

std::unique_ptr<HostBlock> HostBlock::over_link(const Context& ctx, cuda::Gpu& gpu,
                                                std::optional<ZeroCopyWay> asked, const void* there,
                                                std::size_t bytes, Fill fill) {
  const Choice choice = asked ? Choice{*asked, ""} : farthest_reaching(gpu, bytes);
  std::unique_ptr<HostBlock> block;
  if (choice.way == ZeroCopyWay::Register && there) block = pin(gpu, there, bytes);
  std::string refusal;
  if (block && !block->wait(ctx.task())) {
    refusal = block->refusal();
    block.reset();
  }
  if (!block) block = filled(ctx, gpu, choice.way, bytes, fill);
  if (!refusal.empty())
    block->note("the lists were copied, since they could not be registered: " + refusal);
  if (!choice.note.empty()) block->note(choice.note);
  return block;
}

void HostBlock::map_for(const cuda::Gpu& gpu) {
  // Pinned memory is every GPU's.
  if (kind_ == Kind::Managed && bytes_ > 0)
    cuda::check(cudaMemAdvise(data_, bytes_, cudaMemAdviseSetAccessedBy, on_device(gpu)),
                "mapping unified memory for the device");
}

std::unique_ptr<HostBlock> HostBlock::pin(const cuda::Gpu& gpu, const void* data,
                                          std::size_t bytes) {
  const auto start = Clock::now();
  gpu.activate();
  auto pieces = cuda::pin_pieces({static_cast<const std::byte*>(data), bytes});
  if (!pieces) return nullptr;
  auto block = std::unique_ptr<HostBlock>(new HostBlock);
  block->kind_ = Kind::Borrowed;
  block->way_ = ZeroCopyWay::Register;
  block->data_ = const_cast<void*>(data);
  block->bytes_ = bytes;
  block->pieces_ = std::move(pieces);
  block->seconds_ = since(start);
  return block;
}

bool HostBlock::wait(const Task& task) {
  if (!pieces_ || pieces_->complete()) return true;
  const auto start = Clock::now();
  const bool all = pieces_->wait(task);
  seconds_ += since(start);
  return all;
}

HostMemoryBlock HostBlock::report() const {
  HostMemoryBlock block;
  if (pieces_) {
    block = block_of(*pieces_, kind_ == Kind::Borrowed ? "file" : "register");
  } else {
    block.at = data_;
    block.way = name_of(way_);
    block.bytes = bytes_;
    block.pinned_bytes = kind_ == Kind::Pinned ? bytes_ : 0;
  }
  block.seconds = seconds_;
  if (!note_.empty()) block.note = note_;
  return block;
}

std::unique_ptr<HostBlock> HostBlock::holding(const Context& ctx, cuda::Gpu& gpu, ZeroCopyWay way,
                                              const void* data, std::size_t bytes) {
  return filled(ctx, gpu, way, bytes, [&](std::size_t first, std::size_t last, std::byte* to) {
    std::memcpy(to, static_cast<const std::byte*>(data) + first, last - first);
  });
}

std::unique_ptr<HostBlock> HostBlock::migrating(cuda::Gpu& gpu, std::size_t bytes,
                                                std::shared_ptr<MemoryPool> budget) {
  auto block = std::unique_ptr<HostBlock>(new HostBlock);
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
  if (pieces_) {  // unregistered before the memory goes
    pieces_.reset();
    cuda::host_pins().unpin(static_cast<const std::byte*>(data_));
  }
  switch (kind_) {
    case Kind::Pinned:
      cudaFreeHost(data_);
      break;
    case Kind::Registered:
      MemoryPool::unlimited()->release(data_, bytes_);
      break;
    case Kind::Managed:
      cudaFree(data_);
      break;
    case Kind::Borrowed:
    case Kind::None:
      break;
  }
  if (budget_) budget_->unreserve(bytes_);
}

}  // namespace fathom
