#include "fathom/exec/context.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "fathom/exec/cpu/guarded_pool.hpp"
#include "fathom/exec/device_team.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/cards.hpp"
#include "fathom/exec/cuda/collectives.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/vertex_ops.hpp"
#include "fathom/exec/nccl/cuda/rank_collectives.hpp"
#endif

namespace fathom {
namespace {

template <class T>
void fill_typed(int threads, void* values, std::size_t count, const void* value) {
  T wanted;
  std::memcpy(&wanted, value, sizeof(T));
  T* const to = static_cast<T*>(values);
  parallel_for(threads, count, std::size_t{1} << 16,
               [&](std::size_t a, std::size_t b, int) { std::fill(to + a, to + b, wanted); });
}

void fill_host(int threads, void* values, std::size_t count, const void* value, std::size_t size) {
  switch (size) {
    case 1:
      return fill_typed<std::uint8_t>(threads, values, count, value);
    case 4:
      return fill_typed<std::uint32_t>(threads, values, count, value);
    case 8:
      return fill_typed<std::uint64_t>(threads, values, count, value);
    default:
      parallel_for(threads, count, std::size_t{1} << 13, [&](std::size_t a, std::size_t b, int) {
        for (std::size_t i = a; i < b; ++i)
          std::memcpy(static_cast<std::byte*>(values) + i * size, value, size);
      });
  }
}

#if FATHOM_WITH_CUDA
std::string name_of(std::span<const std::unique_ptr<cuda::Gpu>> gpus) {
  const std::string& first = gpus[0]->name();
  if (gpus.size() == 1) return first;
  bool same = true;
  std::string all;
  for (const auto& gpu : gpus) {
    same = same && gpu->name() == first;
    all += (all.empty() ? "" : ", ") + gpu->name();
  }
  return same ? std::to_string(gpus.size()) + " x " + first : all;
}

/// Where replicas are to be merged by NCCL.
void connect_by_nccl(std::span<const std::unique_ptr<cuda::Gpu>> gpus, const CudaOptions& options) {
  std::vector<int> ordinals;
  bool apart = false;
  for (const auto& gpu : gpus) {
    for (const int other : ordinals)
      if (other == gpu->ordinal()) return;  // a card has one place among NCCL's
    ordinals.push_back(gpu->ordinal());
    for (const auto& other : gpus) apart = apart || !gpu->reaches(*other);
  }
  using Nccl = CudaOptions::Nccl;
  const bool always = options.nccl == Nccl::Always;
  if (!always && (options.nccl == Nccl::Never || options.device_memory != MemoryPool::kUnlimited))
    return;
  if (gpus.size() > 1 && (always || apart))
    gpus[0]->merge_by(std::make_shared<cuda::Collectives>(std::move(ordinals)));
  if (gpus.size() == 1 && options.group && options.group->ranks() > 1)
    gpus[0]->merge_ranks_by(std::make_shared<cuda::RankCollectives>(*gpus[0], options.group));
}
#endif

}  // namespace

struct Context::State {
#if FATHOM_WITH_CUDA
  std::vector<std::unique_ptr<cuda::Gpu>> gpus;
#endif
  std::unique_ptr<DeviceTeam> team;  // of several GPUs
  int threads = 1;
  Task task;
  bool emulated = false, on_gpu = false;
  std::string name = "cpu";
  std::shared_ptr<MemoryPool> host;
  std::shared_ptr<cpu::GuardedPool> guarded_host;              // emulated only; the same as host
  std::vector<std::shared_ptr<cpu::GuardedPool>> device_pool;  // emulated only
  std::vector<Device> devices;
  std::shared_ptr<ReplicaGroup> group = ReplicaGroup::alone();
};

Context Context::cpu(const CpuOptions& options) {
  if (options.threads < 0 || options.devices < 0)
    throw Error(ErrorCode::Usage, "a context cannot have a negative number of threads or devices");
  auto state = std::make_unique<State>();
  state->threads = worker_count(options.threads);
  state->task = options.task;
  if (options.group) state->group = options.group;
  state->emulated = options.devices > 0;
  if (!state->emulated) {
    state->host = std::make_shared<MemoryPool>("host memory", options.host_memory);
    state->devices.emplace_back(0, state->host);
  } else {
    state->guarded_host =
        std::make_shared<cpu::GuardedPool>("host memory", options.host_memory, false);
    state->host = state->guarded_host;
    state->name = "cpu (" + std::to_string(options.devices) + " emulated device" +
                  (options.devices > 1 ? "s)" : ")");
    for (int d = 0; d < options.devices; ++d) {
      auto pool = std::make_shared<cpu::GuardedPool>("device " + std::to_string(d),
                                                     options.device_memory, true);
      state->device_pool.push_back(pool);
      state->devices.emplace_back(d, pool);
    }
  }
  return Context(std::move(state));
}

Context Context::cuda([[maybe_unused]] const CudaOptions& options) {
#if FATHOM_WITH_CUDA
  if (options.threads < 0)
    throw Error(ErrorCode::Usage, "a context cannot have a negative number of threads");
  auto state = std::make_unique<State>();
  state->threads = worker_count(options.threads);
  state->task = options.task;
  if (options.group) state->group = options.group;
  state->on_gpu = true;
  state->host = std::make_shared<MemoryPool>("host memory", options.host_memory);
  const std::vector<cuda::Card> cards = cuda::cards_of(options);
  const std::size_t count = cards.size();
  if (count > kMostGpus)
    throw Error(ErrorCode::Usage, "a context has at most " + std::to_string(kMostGpus) +
                                      " GPUs, and " + std::to_string(count) + " were named");
  for (std::size_t at = 0; at < count; ++at) {
    const auto [ordinal, sharers] = cards[at];
    cuda::GpuShare share;
    share.limit = options.device_memory;
    share.sharers = sharers;
    if (count > 1) share.pool = "memory of device " + std::to_string(at);
    state->gpus.push_back(std::make_unique<cuda::Gpu>(ordinal, share));
    cuda::Gpu& gpu = *state->gpus.back();
    state->devices.emplace_back(static_cast<int>(at), gpu.memory(), &gpu, ordinal);
    for (std::size_t other = 0; other < at && options.peer_access; ++other)
      cuda::Gpu::connect(*state->gpus[other], gpu);
  }
  connect_by_nccl(state->gpus, options);
  state->name = name_of(state->gpus);
  if (count > 1) state->team = std::make_unique<DeviceTeam>(count);
  return Context(std::move(state));
#else
  throw Error(ErrorCode::Device, "this program was built without CUDA: it cannot use a GPU");
#endif
}

Context::Context(std::unique_ptr<State> state) : state_(std::move(state)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

int Context::threads() const {
  return state_->threads;
}
const Task& Context::task() const {
  return state_->task;
}
std::span<const Device> Context::devices() const {
  return state_->devices;
}
ReplicaGroup& Context::group() const {
  return *state_->group;
}
int Context::ranks() const {
  return state_->group->ranks();
}
std::size_t Context::replicas() const {
  return static_cast<std::size_t>(ranks()) * devices().size();
}
std::size_t Context::first_replica() const {
  return static_cast<std::size_t>(state_->group->rank()) * devices().size();
}
bool Context::separate() const {
  return state_->emulated || state_->on_gpu;
}
bool Context::on_gpu() const {
  return state_->on_gpu;
}
std::string Context::device_name() const {
  return state_->name;
}
std::string Context::device_name([[maybe_unused]] const Device& device) const {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return device.gpu()->name();
#endif
  return state_->name;
}
const std::shared_ptr<MemoryPool>& Context::host_memory() const {
  return state_->host;
}

void Context::launch(const Device& device, FunctionRef<void()> kernels) const {
  if (state_->on_gpu)
    throw Error(ErrorCode::Device,
                "this operation has no device code (a functor's kDeviceCode, or the instantiation "
                "in a .cu file, is missing): run it on the CPU");
  if (!state_->emulated) {
    kernels();
    return;
  }
  struct Scope {
    cpu::GuardedPool &host, &own;
    Scope(cpu::GuardedPool& h, cpu::GuardedPool& o) : host(h), own(o) {
      host.fence(true);
      own.fence(false);
    }
    ~Scope() {
      own.fence(true);
      host.fence(false);
    }
  } scope(*state_->guarded_host, *state_->device_pool[static_cast<std::size_t>(device.index())]);
  kernels();
}

void Context::on_each(FunctionRef<void(const Device&)> body) const {
  if (state_->team) return state_->team->run([&](std::size_t d) { body(state_->devices[d]); });
  for (const Device& device : state_->devices) body(device);
}

void Context::copy(void* to, const void* from, std::size_t bytes) const {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu) return cuda::copy_among(state_->gpus, to, from, bytes);
#endif
  cpu::copy_across(to, from, bytes);
}

void Context::send([[maybe_unused]] const Device& device, void* to, const void* from,
                   std::size_t bytes) const {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu)
    return state_->gpus[static_cast<std::size_t>(device.index())]->send(to, from, bytes,
                                                                        state_->host);
#endif
  cpu::copy_across(to, from, bytes);
}

void Context::wait() const {
#if FATHOM_WITH_CUDA
  for (const auto& gpu : state_->gpus) gpu->wait();
#endif
}

void Context::gather([[maybe_unused]] const Device& device, const void* values, std::size_t size,
                     std::span<const std::size_t> at, void* to) const {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu) return cuda::gather(*device.gpu(), values, size, at, to);
#endif
  for (std::size_t i = 0; i < at.size(); ++i)
    cpu::copy_across(static_cast<std::byte*>(to) + i * size,
                     static_cast<const std::byte*>(values) + at[i] * size, size);
}

void Context::fill(const Device& device, void* values, std::size_t count, const void* value,
                   std::size_t size) const {
  if (count == 0) return;
#if FATHOM_WITH_CUDA
  if (state_->on_gpu) return cuda::fill(*device.gpu(), values, count, value, size);
#endif
  std::byte copy[64];  // the caller's value may be fenced host memory
  if (size > sizeof(copy)) throw Error(ErrorCode::Internal, "a fill value of more than 64 bytes");
  std::memcpy(copy, value, size);
  launch(device, [&] { fill_host(state_->threads, values, count, copy, size); });
}

void Context::fence_host(const void* p, std::size_t bytes) const {
  if (state_->emulated) state_->guarded_host->adopt(p, bytes);
}

void Context::unfence_host(const void* p) const noexcept {
  if (state_->emulated) state_->guarded_host->disown(p);
}

bool Context::merges_by_nccl() const {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu && state_->gpus[0]->collectives())
    return state_->gpus[0]->collectives()->ready();
  if (state_->on_gpu && state_->gpus[0]->rank_collectives())
    return state_->gpus[0]->rank_collectives()->ready();
#endif
  return false;
}

std::string Context::why_not_nccl() const {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu && state_->gpus[0]->collectives())
    return state_->gpus[0]->collectives()->why();
  if (state_->on_gpu && state_->gpus[0]->rank_collectives())
    return state_->gpus[0]->rank_collectives()->why();
#endif
  return "it is of no use here, or was not asked for";
}

void Context::open_host(const void* p, std::size_t bytes) const {
  if (state_->emulated) state_->guarded_host->open(p, bytes);
}

void Context::close_host(const void* p) const noexcept {
  if (state_->emulated) state_->guarded_host->close(p);
}

bool Context::pin_host([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) const {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu) return cuda::pin_host(p, bytes);
#endif
  return false;
}

void Context::unpin_host([[maybe_unused]] const void* p) const noexcept {
#if FATHOM_WITH_CUDA
  if (state_->on_gpu) cuda::unpin_host(p);
#endif
}

std::size_t Context::peak_device_bytes() const {
  std::size_t peak = 0;
  if (separate())
    for (const Device& device : state_->devices) peak = std::max(peak, device.memory()->peak());
  return peak;
}

std::size_t Context::peak_host_bytes() const {
  return state_->host->peak();
}

}  // namespace fathom
