#include "fathom/residency/oriented_lists.hpp"

#include <utility>

#include "fathom/residency/spare_memory.hpp"

namespace fathom::detail {

OrientedLists::OrientedLists(std::shared_ptr<MemoryPool> host, Open open)
    : host_(std::move(host)), open_(std::move(open)) {
  handle_ =
      SpareMemory::of(*host_).enlist({[this] { give_way(); }, [this] { return held(); }, nullptr});
}

OrientedLists::~OrientedLists() {
  SpareMemory::of(*host_).leave(handle_);
}

std::shared_ptr<EdgeSource> OrientedLists::get() {
  SpareMemory::of(*host_).use(handle_);
  if (auto source = opened()) return source;
  // What the source itself lets go is counted where it says so.
  const auto kept = [&] {
    const std::size_t used = host_->used(), spare = SpareMemory::of(*host_).spare();
    return used > spare ? used - spare : 0;
  };
  const std::size_t before = kept();
  std::shared_ptr<EdgeSource> fresh = open_();
  const std::size_t after = kept();
  const std::lock_guard lock(mutex_);
  if (!source_) {  // nobody else was faster
    source_ = std::move(fresh);
    bytes_ = after > before ? after - before : 0;
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

std::size_t OrientedLists::held() const {
  const std::lock_guard lock(mutex_);
  return is_idle() ? bytes_ : 0;
}

void OrientedLists::give_way() {
  std::shared_ptr<EdgeSource> idle;  // goes after the lock
  const std::lock_guard lock(mutex_);
  if (!is_idle()) return;
  traffic_before_ = traffic_before_ + source_->traffic();
  idle.swap(source_);
}

}  // namespace fathom::detail
