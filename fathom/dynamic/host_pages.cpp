#include "fathom/dynamic/host_pages.hpp"

#include <algorithm>
#include <atomic>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kPagesAtOnce = 256;
// 2^32 units less one, whose number means that there is no page.
constexpr std::size_t kMost = (std::size_t{kNoPage} - 1) * kDynamicUnit;

std::uint64_t sum_of(std::span<const PageRequest> pages) {
  std::uint64_t sum = 0;
  for (const PageRequest& r : pages) sum += r.bytes == 0 ? 0 : page_bytes_for(r.bytes);
  return sum;
}

std::uint64_t count_of(std::span<const PageRequest> pages) {
  return static_cast<std::uint64_t>(
      std::count_if(pages.begin(), pages.end(), [](const PageRequest& r) { return r.bytes != 0; }));
}

}  // namespace

HostPages::HostPages(std::size_t limit, const std::shared_ptr<MemoryPool>& pool)
    : memory_(std::min(limit, kMost), pool) {
  std::fill(std::begin(state_.stack), std::end(state_.stack), std::uint64_t{kNoPage});
}

void HostPages::allocate(std::span<PageRequest> requests, int threads) {
  if (requests.empty()) return;
  // Stacks first: the border moves only for what they do not have.
  auto fill = [&] {
    const PoolRef pool = allocator();
    std::atomic<std::uint64_t> missing{0};
    parallel_for(threads, requests.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        PageRequest& r = requests[i];
        if (r.bytes == 0 || r.page != kNoPage) continue;
        r.page = pool.allocate(r.bytes);
        if (r.page == kNoPage)
          missing.fetch_add(page_bytes_for(r.bytes) + 128, std::memory_order_relaxed);
      }
    });
    return missing.load();
  };
  for (PageRequest& r : requests) r.page = kNoPage;
  try {
    while (const std::uint64_t missing = fill()) {
      const std::uint64_t most = state_.border * kDynamicUnit + missing;
      // Not all of them need what their alignment may cost: all there may be is worth a try.
      const bool may_do = most > memory_.limit() && memory_.counted() < memory_.limit();
      memory_.grow_to(may_do ? memory_.limit() : most);
    }
  } catch (const Error&) {
    const PoolRef pool = allocator();
    for (PageRequest& r : requests) {
      if (r.page != kNoPage) pool.free(r.page, r.bytes);
      r.page = kNoPage;
    }
    throw;
  }
  used_ += sum_of(requests);
  pages_ += count_of(requests);
}

void HostPages::free(std::span<const PageRequest> pages, int threads) noexcept {
  const PoolRef pool = allocator();
  parallel_for(threads, pages.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i)
      if (pages[i].bytes != 0) pool.free(pages[i].page, pages[i].bytes);
  });
  used_ -= sum_of(pages);
  pages_ -= count_of(pages);
}

std::uint32_t HostPages::allocate(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(single_);
  const std::uint32_t page = allocator().allocate(bytes);
  if (page == kNoPage) return kNoPage;
  used_ += page_bytes_for(bytes);
  ++pages_;
  return page;
}

void HostPages::free(std::uint32_t page, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(single_);
  allocator().free(page, bytes);
  used_ -= page_bytes_for(bytes);
  --pages_;
}

void HostPages::reserve(std::size_t bytes, int) {
  const std::uint64_t most = state_.border * kDynamicUnit + bytes;
  if (most > memory_.counted()) memory_.grow_to(most);
}

}  // namespace fathom::dynamic
