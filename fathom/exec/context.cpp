#include "fathom/exec/context.hpp"

#include <string>

#include "fathom/exec/cpu/guarded_pool.hpp"

namespace fathom {

struct Context::State {
  int threads = 1;
  Task task;
  bool emulated = false;
  std::shared_ptr<MemoryPool> host;
  std::shared_ptr<cpu::GuardedPool> guarded_host;              // emulated only; the same as host
  std::vector<std::shared_ptr<cpu::GuardedPool>> device_pool;  // emulated only
  std::vector<Device> devices;
};

Context Context::cpu(const CpuOptions& options) {
  if (options.threads < 0 || options.devices < 0)
    throw Error(ErrorCode::Usage, "a context cannot have a negative number of threads or devices");
  auto state = std::make_unique<State>();
  state->threads = worker_count(options.threads);
  state->task = options.task;
  state->emulated = options.devices > 0;
  if (!state->emulated) {
    state->host = std::make_shared<MemoryPool>("host memory", options.host_memory);
    state->devices.emplace_back(0, state->host);
  } else {
    state->guarded_host =
        std::make_shared<cpu::GuardedPool>("host memory", options.host_memory, false);
    state->host = state->guarded_host;
    for (int d = 0; d < options.devices; ++d) {
      auto pool = std::make_shared<cpu::GuardedPool>("device " + std::to_string(d),
                                                     options.device_memory, true);
      state->device_pool.push_back(pool);
      state->devices.emplace_back(d, pool);
    }
  }
  return Context(std::move(state));
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
bool Context::emulated() const {
  return state_->emulated;
}
const std::shared_ptr<MemoryPool>& Context::host_memory() const {
  return state_->host;
}

void Context::launch(const Device& device, FunctionRef<void()> kernels) const {
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

void Context::copy(void* to, const void* from, std::size_t bytes) const {
  cpu::copy_across(to, from, bytes);
}

void Context::fence_host(const void* p, std::size_t bytes) const {
  if (state_->emulated) state_->guarded_host->adopt(p, bytes);
}

void Context::unfence_host(const void* p) const noexcept {
  if (state_->emulated) state_->guarded_host->disown(p);
}

std::size_t Context::peak_device_bytes() const {
  std::size_t peak = 0;
  for (const auto& pool : state_->device_pool) peak = std::max(peak, pool->peak());
  return peak;
}

std::size_t Context::peak_host_bytes() const {
  return state_->host->peak();
}

}  // namespace fathom
