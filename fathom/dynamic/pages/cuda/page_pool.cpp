#include "fathom/dynamic/pages/cuda/page_pool.hpp"

#include <algorithm>

namespace fathom::dynamic::gpu {

PagePool::PagePool(cuda::Gpu& gpu, MappedMemory& memory, int least)
    : gpu_(gpu), memory_(memory), least_(least), state_(1, gpu.memory()), plan_(1, gpu.memory()) {
  BulkPoolState none;
  // Behind the pool of a manager's large pages lie the manager's.
  none.far = least == 0 ? memory.far_begin() / kDynamicUnit : 0;
  gpu.copy(state_.data(), &none, sizeof(none));
  for (Array<std::uint32_t>& pages : page_) pages = Array<std::uint32_t>(kSlack, gpu.memory());
}

BulkPoolRef PagePool::ref() const {
  BulkPoolRef ref{};
  ref.region = reinterpret_cast<std::uint32_t*>(memory_.data());
  ref.state = const_cast<BulkPoolState*>(state_.data());
  ref.limit = memory_.usable() / kDynamicUnit;
  for (std::size_t k = 0; k < page_.size(); ++k)
    ref.page[k] = const_cast<std::uint32_t*>(page_[k].data());
  ref.least = least_;
  ref.far_limit = (memory_.far_begin() + kDynamicUnit - 1) / kDynamicUnit;
  ref.far_from = far_from_;
  return ref;
}

void PagePool::grow(std::uint64_t border, std::uint64_t missing) {
  const std::uint64_t near = std::min<std::uint64_t>(missing, memory_.device_room());
  if (!memory_.has_host() || least_ != 0 || near == missing) return grow_behind(border, missing);
  // Of less than a step nothing is the device's.
  if (near != 0) grow_behind(border, near);
  memory_.grow_from_end(missing - near);
}

void PagePool::expect(const std::uint64_t* bytes) {
  if (!memory_.has_host()) return;
  const std::uint64_t room = memory_.device_room();
  std::uint64_t small = 0, all = 0;
  int k = 0;
  for (; k < kPageSizes && small + bytes[k] <= room; ++k) small += bytes[k];
  for (int of = 0; of < kPageSizes; ++of) all += bytes[of];
  if (all <= room) return;
  far_from_ = k;
  // At once: who fills lists takes of the device's memory meanwhile.
  if (room != 0) memory_.grow_to(memory_.usable() + room);
  memory_.grow_from_end(all - room);
}

void PagePool::rooms(std::uint32_t* free) const {
  for (std::size_t k = 0; k < page_.size(); ++k)
    free[k] = k < static_cast<std::size_t>(least_)
                  ? ~std::uint32_t{0}
                  : static_cast<std::uint32_t>(page_[k].size() - kSlack);
}

void PagePool::make_rooms(const std::uint32_t* free, const std::uint32_t* more) {
  for (auto k = static_cast<std::size_t>(least_); k < page_.size(); ++k) {
    const std::uint64_t needed = std::uint64_t{free[k]} + more[k];
    if (needed + kSlack > page_[k].size()) {
      Array<std::uint32_t> wider(std::max<std::size_t>(2 * page_[k].size(), needed + kSlack),
                                 gpu_.memory());
      cuda::check(cudaMemcpyAsync(wider.data(), page_[k].data(), page_[k].size() * sizeof(wider[0]),
                                  cudaMemcpyDeviceToDevice, gpu_.stream()),
                  "moving the numbers of free pages");
      page_[k] = std::move(wider);
    }
  }
}

void PagePool::make_rooms_for(std::uint64_t changes) {
  std::array<std::uint32_t, kPageSizes> more{};
  for (std::size_t k = 0; k < more.size(); ++k)
    more[k] = static_cast<std::uint32_t>(std::min<std::uint64_t>(changes, handed_out_[k]));
  make_rooms(free_.data(), more.data());
}

void PagePool::expect_free(const std::uint32_t* free, const std::uint32_t* more) {
  make_rooms(free, more);
  for (auto k = static_cast<std::size_t>(least_); k < page_.size(); ++k)
    free_[k] = free[k] + more[k];
}

void PagePool::count(const std::uint32_t* wanted, const std::uint32_t* returned) {
  for (std::size_t k = 0; k < page_.size(); ++k) {
    const std::size_t bytes = std::size_t{kDynamicUnit} << k;
    used_ += bytes * wanted[k];
    used_ -= bytes * returned[k];
    handed_out_[k] += wanted[k] - returned[k];
    pages_ += wanted[k];
    pages_ -= returned[k];
  }
}

}  // namespace fathom::dynamic::gpu
