#include "fathom/exec/cuda/gpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "fathom/core/units.hpp"
#include "fathom/exec/cuda/cards.hpp"
#include "fathom/exec/cuda/collectives.hpp"
#include "fathom/exec/cuda/pin_host.hpp"
#include "fathom/exec/cuda/staging.hpp"
#include "fathom/exec/nccl/cuda/rank_collectives.hpp"

namespace fathom::cuda {
namespace {

// Left to the driver when the limit is not given: code, stacks and its own tables.
constexpr double kUsableShare = 0.95;

/// Selects the device; the first call of a process creates its context.
void select(int ordinal) {
  const int count = card_count();
  if (ordinal < 0 || ordinal >= count)
    throw Error(ErrorCode::Device, "there is no CUDA device " + std::to_string(ordinal) +
                                       "; this machine has " + std::to_string(count));
  check(cudaSetDevice(ordinal), "selecting the CUDA device");
}

/// The saved profile of the device, or the default one.
LinkProfile link_profile_of(const cudaDeviceProp& properties) {
  std::array<unsigned char, 16> uuid{};
  std::copy_n(properties.uuid.bytes, uuid.size(), uuid.begin());
  try {
    if (auto saved = load_link_profile(gpu_uuid(uuid))) return *std::move(saved);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::Usage) throw;  // no home directory: nothing can have been saved
  }
  return default_link_profile();
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // a sticky error stays, others must not surface again elsewhere
  const auto code = status == cudaErrorMemoryAllocation ? ErrorCode::DoesNotFit : ErrorCode::Device;
  throw Error(code, std::string(what) + ": " + cudaGetErrorString(status) + " (" +
                        cudaGetErrorName(status) + ")");
}

DevicePool::DevicePool(std::string name, int ordinal, std::size_t limit, cudaStream_t stream)
    : MemoryPool(std::move(name), limit), ordinal_(ordinal), stream_(stream) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = ordinal;
  check(cudaMemPoolCreate(&pool_, &properties), "creating a device memory pool");
  std::uint64_t keep = ~std::uint64_t{0};
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
        "configuring the device memory pool");
}

DevicePool::~DevicePool() {
  cudaSetDevice(ordinal_);
  cudaStreamSynchronize(stream_);
  cudaMemPoolDestroy(pool_);
}

bool DevicePool::open_to(int ordinal) {
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = ordinal;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  if (cudaMemPoolSetAccess(pool_, &access, 1) == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

void* DevicePool::obtain(std::size_t bytes) {
  check(cudaSetDevice(ordinal_), "selecting the CUDA device");
  std::uint64_t reserved = 0, in_use = 0;
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "asking for the pool's size");
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &in_use),
        "asking for the pool's use");
  // Free blocks may be too scattered to serve this request: drop them before growing past the
  // limit.
  if (reserved > in_use && (bytes > limit() || reserved > limit() - bytes)) {
    check(cudaStreamSynchronize(stream_), "waiting for the device");
    check(cudaMemPoolTrimTo(pool_, 0), "returning device memory");
  }
  void* p = nullptr;
  const cudaError_t status = cudaMallocFromPoolAsync(&p, bytes, pool_, stream_);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;  // allocate() reports it
  }
  check(status, "allocating device memory");
  return p;
}

void DevicePool::give_back(void* p, std::size_t) noexcept {
  cudaSetDevice(ordinal_);
  cudaFreeAsync(p, stream_);
}

Gpu::Gpu(int ordinal) : ordinal_(ordinal) {
  select(ordinal);
}

Gpu::Gpu(int ordinal, const GpuShare& share) : Gpu(ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "reading the device's properties");
  name_ = properties.name;
  link_ = link_profile_of(properties);
  multiprocessors_ = properties.multiProcessorCount;
  has_clusters_ = properties.clusterLaunch != 0;
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  check(cudaEventCreateWithFlags(&marked_, cudaEventDisableTiming), "creating an event");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free device memory");
  std::size_t limit = share.limit;
  const auto sharers = static_cast<std::size_t>(share.sharers);
  if (limit == MemoryPool::kUnlimited) {
    limit = static_cast<std::size_t>(static_cast<double>(free) * kUsableShare) / sharers;
  } else if (limit > free / sharers) {
    throw Error(
        ErrorCode::DoesNotFit,
        "a device memory limit of " + format_bytes(limit) +
            (sharers > 1 ? " each for " + std::to_string(sharers) + " devices on one card" : "") +
            " was asked for, but " + name_ + " has " + format_bytes(free) + " free of " +
            format_bytes(total));
  }
  pool_ = std::make_shared<DevicePool>(share.pool, ordinal, limit, stream_);
  memory_ = pool_;
  check(cudaHostAlloc(&mailbox_, kMailbox + sizeof(std::uint64_t), cudaHostAllocDefault),
        "allocating pinned memory");
  status_taken_ = Array<unsigned>(1, memory_);
  check(cudaMemsetAsync(status_taken_.data(), 0, sizeof(unsigned), stream_), "clearing the status");
  status_ = {status_taken_.data(),
             reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(mailbox_) + kMailbox)};
  *status_.word = 0;
}

Gpu::~Gpu() {
  cudaSetDevice(ordinal_);
  collectives_.reset();  // while its streams are there
  ranks_.reset();
  for (std::unique_ptr<Staging>* its : {&staging_, &wide_staging_}) {
    if (*its) staged_in_->unreserve((*its)->bytes());
    its->reset();
  }
  scratch_ = {};
  status_taken_ = {};
  memory_.reset();
  pool_.reset();
  // What a constructor that was refused has not made is no error for others to find.
  if (mailbox_) cudaFreeHost(mailbox_);
  if (marked_) cudaEventDestroy(marked_);
  if (stream_) cudaStreamDestroy(stream_);
}

void Gpu::connect(Gpu& a, Gpu& b) {
  const auto open = [](Gpu& to, const Gpu& from) {  // kernels of `to` may use memory of `from`
    if (to.ordinal_ != from.ordinal_) {
      int can = 0;
      check(cudaDeviceCanAccessPeer(&can, to.ordinal_, from.ordinal_),
            "asking for access between devices");
      if (can == 0 || !from.pool_->open_to(to.ordinal_)) return;
      // Pools need only that; copies of other memory are direct with this.
      to.activate();
      if (cudaDeviceEnablePeerAccess(from.ordinal_, 0) != cudaSuccess) cudaGetLastError();
    }
    to.reached_.push_back(&from);
  };
  open(a, b);
  open(b, a);
}

bool Gpu::reaches(const Gpu& other) const {
  return &other == this || std::find(reached_.begin(), reached_.end(), &other) != reached_.end();
}

void Gpu::mark() const {
  check(cudaEventRecord(marked_, stream()), "recording an event");
}

void Gpu::wait_for(const Gpu& other) const {
  check(cudaStreamWaitEvent(stream(), other.marked_, 0), "ordering two streams");
}

unsigned Gpu::grid(const void* kernel) const {
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, int> per_multiprocessor;
  activate();
  const std::lock_guard lock(mutex);
  const auto known = per_multiprocessor.find({ordinal_, kernel});
  int blocks = 0;
  if (known != per_multiprocessor.end()) {
    blocks = known->second;
  } else {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0),
          "asking for a kernel's occupancy");
    per_multiprocessor.emplace(std::pair{ordinal_, kernel}, blocks);
  }
  return static_cast<unsigned>(blocks * multiprocessors_);
}

void Gpu::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  activate();
  for (std::size_t done = 0; done < bytes;) {  // host memory may be pinned in pieces
    const auto* const piece = static_cast<const std::byte*>(from) + done;
    const std::size_t count = host_pins().stretch(piece, bytes - done).bytes;
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + done, piece, count, cudaMemcpyDefault,
                          stream_),
          "copying memory");
    done += count;
  }
  check(cudaStreamSynchronize(stream_), "waiting for a copy (or an earlier kernel)");
  check_status();
}

Staging* Gpu::staging(std::size_t bytes, const std::shared_ptr<MemoryPool>& host, int threads) {
  // Filling slots takes longer than copying them, even as small as these.
  constexpr std::size_t kSlots = 4, kSlotBytes = std::size_t{256} << 10;
  constexpr std::size_t kWideSlotBytes = std::size_t{2} << 20, kWideFrom = std::size_t{1} << 19;
  constexpr std::size_t kPlenty = 16;  // times as much: most is for vertex state and pages
  const auto made = [&](std::unique_ptr<Staging>& its, std::size_t slot_bytes, int team) {
    if (its) return its.get();
    if (host->available() / kPlenty < kSlots * slot_bytes) return its.get();
    activate();
    auto fresh = std::make_unique<Staging>(kSlots, slot_bytes, team);
    host->reserve(fresh->bytes());
    staged_in_ = host;
    its = std::move(fresh);
    return its.get();
  };
  if (threads > 1 && bytes >= kWideFrom)
    if (Staging* const wide = made(wide_staging_, kWideSlotBytes, threads)) return wide;
  return made(staging_, kSlotBytes, 1);
}

void Gpu::send(void* to, const void* from, std::size_t bytes,
               const std::shared_ptr<MemoryPool>& host, int threads) {
  if (Staging* const its = staging(bytes, host, threads))
    its->send(stream(), to, from, bytes);
  else
    copy(to, from, bytes);
}

void Gpu::receive(void* to, const void* from, std::size_t bytes,
                  const std::shared_ptr<MemoryPool>& host, int threads) {
  Staging* const its = staging(bytes, host, threads);
  if (!its) return copy(to, from, bytes);
  its->receive(stream(), to, from, bytes);
  wait();
}

void Gpu::check_status() const {
  const std::uint64_t word = *status_.word;
  if (word == 0) return;
  *status_.word = 0;
  check(cudaMemsetAsync(status_.taken, 0, sizeof(unsigned), stream()), "clearing the status");
  const std::uint64_t value = word & ((std::uint64_t{1} << StatusRef::kValueBits) - 1);
  switch (static_cast<DeviceFault>(word >> StatusRef::kValueBits)) {
    case DeviceFault::QueueOverflow:
      throw Error(ErrorCode::Device, "a kernel's queue was full: it needed room for " +
                                         format_count(value) + " entries");
    case DeviceFault::OutOfRange:
      throw Error(ErrorCode::Device,
                  "a kernel found the index " + format_count(value) + ", which is out of range");
    case DeviceFault::None:
      break;
  }
  throw Error(ErrorCode::Device, "a kernel reported an unknown fault");
}

void Gpu::wait() const {
  check(cudaGetLastError(), "starting a kernel");
  check(cudaStreamSynchronize(stream_), "running a kernel");
  check_status();
}

void Gpu::settle() const noexcept {
  cudaSetDevice(ordinal_);
  cudaStreamSynchronize(stream_);
}

void* Gpu::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) {
    scratch_ = {};
    scratch_ = Array<std::byte>(bytes, memory_);
  }
  return scratch_.data();
}

void copy_among(std::span<const std::unique_ptr<Gpu>> gpus, void* to, const void* from,
                std::size_t bytes) {
  if (gpus.size() == 1 || bytes == 0) return gpus[0]->copy(to, from, bytes);
  // Several devices may be on the card: what any of them has queued may use the memory.
  const auto owner_of = [&](const void* p) -> const Gpu* {
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, p), "asking whose memory it is");
    if (attributes.type != cudaMemoryTypeDevice) return nullptr;
    const Gpu* owner = nullptr;
    for (const auto& gpu : gpus) {
      if (gpu->ordinal() != attributes.device) continue;
      gpu->wait();
      owner = gpu.get();
    }
    return owner;
  };
  const Gpu* const source = owner_of(from);
  const Gpu* const target = owner_of(to);
  if (!source && !target) {
    std::memmove(to, from, bytes);
    return;
  }
  if (!source || !target || source->ordinal() == target->ordinal())
    return (source ? source : target)->copy(to, from, bytes);
  check(
      cudaMemcpyPeerAsync(to, target->ordinal(), from, source->ordinal(), bytes, target->stream()),
      "copying between devices");
  target->wait();
}

}  // namespace fathom::cuda
