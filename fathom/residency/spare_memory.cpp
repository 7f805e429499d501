#include "fathom/residency/spare_memory.hpp"

#include <algorithm>
#include <utility>

namespace fathom {
namespace {

/// Every pool's; never destroyed, for pools may live until the process ends.
struct SpareMemories {
  std::mutex mutex;
  std::map<const MemoryPool*, SpareMemory*> of;
};

SpareMemories& spare_memories() {
  static auto* const all = new SpareMemories;
  return *all;
}

}  // namespace

std::vector<std::size_t> divide_spare(std::size_t room, std::span<const CacheWant> wants) {
  std::vector<std::size_t> order(wants.size()), share(wants.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wants[a].reads > wants[b].reads; });
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    double useful = 0;
    for (; last < order.size() && wants[order[last]].reads == wants[order[first]].reads; ++last)
      useful += static_cast<double>(wants[order[last]].useful);
    const double part = useful > 0 ? std::min(1.0, static_cast<double>(room) / useful) : 0;
    std::size_t taken = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t most = wants[order[i]].useful;
      const auto proportional = static_cast<std::size_t>(static_cast<double>(most) * part);
      share[order[i]] = std::min({most, proportional, room - taken});
      taken += share[order[i]];
    }
    room -= taken;
  }
  return share;
}

SpareMemory& SpareMemory::of(MemoryPool& pool) {
  SpareMemories& all = spare_memories();
  {
    const std::lock_guard lock(all.mutex);
    const auto found = all.of.find(&pool);
    if (found != all.of.end()) return *found->second;
  }
  // The pool's function owns it: both go together. It is registered while nothing is locked, for
  // what gives way, with the pool locked, comes here. Until it is entered, its end changes nothing.
  const std::shared_ptr<SpareMemory> fresh(new SpareMemory(pool));
  const int handle = pool.register_cache([fresh](std::size_t bytes) { fresh->give_way(bytes); });
  SpareMemory* its = nullptr;
  try {
    const std::lock_guard lock(all.mutex);
    its = all.of.try_emplace(&pool, fresh.get()).first->second;
    fresh->entered_ = its == fresh.get();
  } catch (...) {
    pool.forget_cache(handle);
    throw;
  }
  if (its != fresh.get()) pool.forget_cache(handle);  // another thread was faster
  return *its;
}

SpareMemory::~SpareMemory() {
  if (!entered_) return;
  SpareMemories& all = spare_memories();
  const std::lock_guard lock(all.mutex);
  all.of.erase(&pool_);
}

int SpareMemory::enlist(Cache cache) {
  const std::lock_guard lock(mutex_);
  caches_.emplace(next_, Entry{std::move(cache), ++uses_});
  return next_++;
}

void SpareMemory::leave(int handle) noexcept {
  const std::lock_guard lock(mutex_);
  caches_.erase(handle);
  std::erase_if(wanted_, [&](const Wanted& w) { return w.handle == handle; });
}

void SpareMemory::use(int handle) {
  const std::lock_guard lock(mutex_);
  caches_.at(handle).used = ++uses_;
}

std::shared_ptr<const void> SpareMemory::hold(int handle) {
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = caches_.at(handle);
    ++entry.holds;
    entry.used = ++uses_;
  }
  // Without memory for it the function is called at once.
  return {this, [this, handle](const void*) {
            const std::lock_guard ending(mutex_);
            const auto found = caches_.find(handle);
            if (found != caches_.end() && found->second.holds > 0) --found->second.holds;
          }};
}

std::size_t SpareMemory::spare_locked() const {
  std::size_t sum = 0;
  for (const auto& [handle, entry] : caches_)
    if (entry.holds == 0) sum += entry.cache.held();
  return sum;
}

std::size_t SpareMemory::spare() const {
  const std::lock_guard lock(mutex_);
  return spare_locked();
}

std::size_t SpareMemory::obtainable_locked() const {
  // Without a limit there is no room for a sum; nor shall caches that change meanwhile exceed it.
  const std::size_t available = pool_.available();
  return available + std::min(spare_locked(), pool_.limit() - available);
}

std::size_t SpareMemory::obtainable() const {
  const std::lock_guard lock(mutex_);
  return obtainable_locked();
}

void SpareMemory::give_way(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::uint64_t, int>> idle;  // by use
  for (const auto& [handle, entry] : caches_)
    if (entry.holds == 0) idle.emplace_back(entry.used, handle);
  std::sort(idle.begin(), idle.end());
  for (const auto& [used, handle] : idle) {
    if (pool_.available() >= bytes) return;
    const auto found = caches_.find(handle);
    if (found != caches_.end()) found->second.cache.give_way();  // else it went with another
  }
}

void SpareMemory::begin_run(std::size_t leave) {
  const std::lock_guard lock(mutex_);
  ++runs_;
  leave_ = leave;
  reads_ = 1;
  wanted_.clear();
}

bool SpareMemory::in_run() const {
  const std::lock_guard lock(mutex_);
  return runs_ > 0;
}

std::size_t SpareMemory::room() const {
  const std::lock_guard lock(mutex_);
  const std::size_t all = obtainable_locked();
  return all > leave_ ? all - leave_ : 0;
}

void SpareMemory::expect(double reads) {
  const std::lock_guard lock(mutex_);
  reads_ = reads;
}

void SpareMemory::want(int handle, std::size_t useful) {
  const std::lock_guard lock(mutex_);
  caches_.at(handle).used = ++uses_;
  for (Wanted& wanted : wanted_) {
    if (wanted.handle != handle) continue;  // else both directions of an undirected graph
    wanted.want = {std::max(wanted.want.useful, useful), std::max(wanted.want.reads, reads_)};
    return;
  }
  wanted_.push_back({handle, {useful, reads_}});
}

void SpareMemory::fill() {
  const std::size_t spare = room();
  std::vector<CacheWant> wants;
  std::vector<std::function<void(std::size_t)>> fills;
  {
    const std::lock_guard lock(mutex_);
    for (const Wanted& wanted : wanted_) {
      wants.push_back(wanted.want);
      fills.push_back(caches_.at(wanted.handle).cache.fill);
    }
    wanted_.clear();
  }
  const std::vector<std::size_t> share = divide_spare(spare, wants);
  for (std::size_t i = 0; i < fills.size(); ++i)
    if (fills[i]) fills[i](share[i]);
}

void SpareMemory::hold_within_run(int handle) {
  if (in_run())
    hold_for_run(handle);
  else
    use(handle);
}

void SpareMemory::hold_for_run(int handle) {
  std::shared_ptr<const void> held = hold(handle);  // what is not kept ends after the lock
  const std::lock_guard lock(mutex_);
  held_for_run_[handle].swap(held);
}

void SpareMemory::end_run() noexcept {
  std::map<int, std::shared_ptr<const void>> over;  // they lock as they end
  const std::lock_guard lock(mutex_);
  if (--runs_ > 0) return;
  leave_ = 0;
  over.swap(held_for_run_);
}

}  // namespace fathom
