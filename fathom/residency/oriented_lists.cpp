#include "fathom/residency/oriented_lists.hpp"

#include <utility>

#include "fathom/residency/spare_memory.hpp"

namespace fathom::detail {

OrientedLists::OrientedLists(std::shared_ptr<MemoryPool> host, Open open)
    : host_(std::move(host)), open_(std::move(open)) {
  handle_ = SpareMemory::of(*host_).enlist(
      {[this] { give_way(bytes_); }, [this] { return held(bytes_); }, nullptr});
}

OrientedLists::~OrientedLists() {
  SpareMemory::of(*host_).leave(handle_);
  if (device_) SpareMemory::of(*device_).leave(near_handle_);
}

void OrientedLists::prefer(std::shared_ptr<MemoryPool> device, std::function<Near()> open,
                           std::function<void()> prepare) {
  device_ = std::move(device);
  open_near_ = std::move(open);
  prepare_near_ = std::move(prepare);
  near_handle_ = SpareMemory::of(*device_).enlist(
      {[this] { give_way(near_bytes_); }, [this] { return held(near_bytes_); }, nullptr});
}

void OrientedLists::prepare() const {
  if (prepare_near_ && !opened()) prepare_near_();
}

std::shared_ptr<EdgeSource> OrientedLists::get() {
  SpareMemory::of(*host_).use(handle_);
  if (device_) SpareMemory::of(*device_).use(near_handle_);
  if (auto source = opened()) return source;
  if (open_near_)
    if (Near fresh = open_near_(); fresh.source)
      return keep(std::move(fresh.source), 0, fresh.bytes);
  // What the source itself lets go is counted where it says so.
  const auto kept = [&] {
    const std::size_t used = host_->used(), spare = SpareMemory::of(*host_).spare();
    return used > spare ? used - spare : 0;
  };
  const std::size_t before = kept();
  std::unique_ptr<EdgeSource> fresh = open_();
  const std::size_t after = kept();
  return keep(std::move(fresh), after > before ? after - before : 0, 0);
}

std::shared_ptr<EdgeSource> OrientedLists::keep(std::unique_ptr<EdgeSource> fresh, std::size_t host,
                                                std::size_t near) {
  const std::lock_guard lock(mutex_);
  if (!source_) {
    source_ = std::move(fresh);
    bytes_ = host;
    near_bytes_ = near;
  }
  return source_;
}

std::shared_ptr<EdgeSource> OrientedLists::opened() const {
  const std::lock_guard lock(mutex_);
  return source_;
}

Traffic OrientedLists::traffic_before() const {
  const std::lock_guard lock(mutex_);
  return traffic_before_;
}

std::size_t OrientedLists::held(const std::size_t& bytes) const {
  const std::lock_guard lock(mutex_);
  return is_idle() ? bytes : 0;
}

void OrientedLists::release() {
  std::shared_ptr<EdgeSource> idle;  // goes after the lock
  const std::lock_guard lock(mutex_);
  if (is_idle()) idle = let_go();
}

void OrientedLists::give_way(const std::size_t& bytes) {
  std::shared_ptr<EdgeSource> idle;  // goes after the lock
  const std::lock_guard lock(mutex_);
  if (!is_idle() || bytes == 0) return;
  idle = let_go();
}

std::shared_ptr<EdgeSource> OrientedLists::let_go() {
  traffic_before_ = traffic_before_ + source_->traffic();
  return std::exchange(source_, nullptr);
}

}  // namespace fathom::detail
