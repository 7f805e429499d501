#include "fathom/exec/device_team.hpp"

namespace fathom {

DeviceTeam::DeviceTeam(std::size_t devices) {
  failure_.resize(devices);
  threads_.reserve(devices);
  try {
    for (std::size_t d = 1; d < devices; ++d) threads_.emplace_back([this, d] { serve(d); });
  } catch (...) {
    end();
    throw;
  }
}

DeviceTeam::~DeviceTeam() {
  end();
}

void DeviceTeam::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begins_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DeviceTeam::call(std::size_t device) noexcept {
  try {
    (*body_)(device);
  } catch (...) {
    failure_[device] = std::current_exception();
  }
}

void DeviceTeam::run(FunctionRef<void(std::size_t)> body) {
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    failure_.assign(failure_.size(), nullptr);
    busy_ = threads_.size();
    ++round_;
  }
  begins_.notify_all();
  call(0);
  {
    std::unique_lock lock(mutex_);
    ends_.wait(lock, [&] { return busy_ == 0; });
  }
  for (const std::exception_ptr& failure : failure_)
    if (failure) std::rethrow_exception(failure);
}

void DeviceTeam::serve(std::size_t device) {
  for (std::size_t seen = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begins_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    call(device);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) ends_.notify_one();
  }
}

}  // namespace fathom
