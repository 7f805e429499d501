#include "fathom/dynamic/pages/host_pages.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kPagesAtOnce = 256;
constexpr std::size_t kLine = kDynamicUnit << kLineClass;
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

/// Free units side by side.
struct Run {
  std::uint64_t first, end;
};

std::vector<Run> take_free_runs(std::uint32_t* region, PoolState& state) {
  std::vector<Run> runs;
  const auto next_of = [&](std::uint32_t page) {
    return region[std::size_t{page} * (kDynamicUnit / 4)];
  };
  for (int k = 0; k < kPageSizes; ++k)
    for (auto page = static_cast<std::uint32_t>(state.stack[k]); page != kNoPage;
         page = next_of(page))
      runs.push_back({page, page + (std::uint64_t{1} << k)});
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].first == runs[last].end)
      runs[last].end = runs[i].end;
    else
      runs[++last] = runs[i];
  }
  if (!runs.empty()) runs.resize(last + 1);
  for (std::uint64_t& head : state.stack) head |= kNoPage;
  return runs;
}

}  // namespace

void join_free_pages(std::uint32_t* region, PoolState& state) noexcept {
  std::vector<Run> runs;
  try {
    runs = take_free_runs(region, state);
  } catch (const std::bad_alloc&) {
    return;
  }
  if (!runs.empty() && runs.back().end == state.border) {
    state.border = runs.back().first;
    runs.pop_back();
  }
  const PoolRef pool{region, &state, 0};
  for (const Run& run : runs)
    pages_between(run.first, run.end, [&](int k, std::uint32_t page) { pool.push(k, page); });
}

HostPages::HostPages(std::size_t limit, const std::shared_ptr<MemoryPool>& pool)
    : memory_(std::min(limit, kMost), pool) {
  std::fill(std::begin(state_.stack), std::end(state_.stack), std::uint64_t{kNoPage});
}

/// Gives requests of these classes that have no page one. Returns the bytes of those that got none.
std::uint64_t HostPages::fill(std::span<PageRequest> requests, SizeClasses classes, int threads) {
  const PoolRef pool = allocator();
  std::atomic<std::uint64_t> missing{0};
  parallel_for(threads, requests.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i) {
      PageRequest& r = requests[i];
      if (r.bytes == 0 || r.page != kNoPage) continue;
      const int k = page_size_class(r.bytes);
      if (k < classes.first || k > classes.last) continue;
      r.page = pool.allocate(r.bytes);
      if (r.page == kNoPage) missing.fetch_add(page_bytes_for(r.bytes), std::memory_order_relaxed);
    }
  });
  return missing.load();
}

/// The same for all: the border is aligned once, and what that skips is left for the smaller ones.
std::uint64_t HostPages::fill_largest_first(std::span<PageRequest> requests, int threads) {
  std::uint64_t missing = fill(requests, {.first = kLineClass}, threads);
  for (int k = kLineClass - 1; k >= 0; --k) missing += fill(requests, {k, k}, threads);
  return missing;
}

void HostPages::give_back(std::span<PageRequest> requests) noexcept {
  const PoolRef pool = allocator();
  for (PageRequest& r : requests) {
    if (r.page != kNoPage) pool.free(r.page, r.bytes);
    r.page = kNoPage;
  }
}

/// With all that may count, and with free pages joined. Whether each request has a page.
bool HostPages::fill_with_all(std::span<PageRequest> requests) {
  give_back(requests);
  join_free_pages(region(), state_);
  try {
    memory_.grow_to(memory_.most());
  } catch (const Error&) {
    // Others have taken it.
  }
  if (fill_largest_first(requests, 1) == 0) return true;
  give_back(requests);
  return false;
}

void HostPages::allocate(std::span<PageRequest> requests, int threads) {
  for (PageRequest& r : requests) r.page = kNoPage;
  // Stacks first: the border moves only for what they do not have.
  if (std::uint64_t missing = fill(requests, {}, threads); missing != 0) {
    const std::size_t before = memory_.counted();
    try {
      while (missing != 0) {
        memory_.grow_to(state_.border * kDynamicUnit + missing + kLine);
        missing = fill_largest_first(requests, threads);
      }
    } catch (const Error&) {
      if (!fill_with_all(requests)) {
        shrink_to(before);
        throw;
      }
      shrink_to(before);
    }
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
  const std::size_t taken = state_.border * kDynamicUnit;
  memory_.grow_to(bytes > memory_.limit() ? bytes : taken + bytes);
}

void HostPages::shrink_to(std::size_t bytes) noexcept {
  join_free_pages(region(), state_);
  memory_.shrink_to(std::max<std::size_t>(bytes, state_.border * kDynamicUnit));
}

}  // namespace fathom::dynamic
