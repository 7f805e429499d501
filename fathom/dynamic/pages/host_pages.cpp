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

struct PageCount {
  std::uint64_t bytes = 0, pages = 0;
  PageCount operator+(const PageCount& o) const { return {bytes + o.bytes, pages + o.pages}; }
};

PageCount count_of(std::span<const PageRequest> pages, int threads) {
  const auto part = [&](std::size_t first, std::size_t last) {
    PageCount count;
    for (const PageRequest& r : pages.subspan(first, last - first))
      if (r.bytes != 0) count = count + PageCount{page_bytes_for(r.bytes), 1};
    return count;
  };
  return parallel_reduce(threads, pages.size(), std::size_t{1} << 14, PageCount{}, part,
                         [](const PageCount& a, const PageCount& b) { return a + b; });
}

/// Free units side by side.
struct Run {
  std::uint64_t first, end;
};

std::vector<Run> take_free_runs(std::uint32_t* region, PoolState& state, std::span<OwnStacks> own) {
  std::vector<Run> runs;
  const auto next_of = [&](std::uint32_t page) {
    return region[std::size_t{page} * (kDynamicUnit / 4)];
  };
  const auto look_at = [&](const std::uint64_t(&stack)[kPageSizes]) {
    for (int k = 0; k < kPageSizes; ++k)
      for (auto page = static_cast<std::uint32_t>(stack[k]); page != kNoPage; page = next_of(page))
        runs.push_back({page, page + (std::uint64_t{1} << k)});
  };
  look_at(state.stack);
  for (const OwnStacks& stacks : own) look_at(stacks.stack);
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
  for (OwnStacks& stacks : own)
    for (std::uint64_t& head : stacks.stack) head |= kNoPage;
  return runs;
}

}  // namespace

void join_free_pages(std::uint32_t* region, PoolState& state, std::span<OwnStacks> own) noexcept {
  std::vector<Run> runs;
  try {
    runs = take_free_runs(region, state, own);
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

/// The allocator of a worker: a page that is not on its own stacks it takes from those of all, from
/// those of others, and then as take_page() says.
struct HostPages::OfWorker {
  PoolRef pool;
  std::span<OwnStacks, kWorkers> all;
  std::size_t own;

  OfWorker(HostPages& pages, int worker)
      : pool(pages.pool()), all(pages.own_), own(static_cast<std::size_t>(worker) % kWorkers) {}

  std::uint32_t allocate(std::uint64_t bytes) const {
    const int k = page_size_class(bytes);
    return k < kPageSizes ? take_page(*this, k) : kNoPage;
  }
  void free(std::uint32_t page, std::uint64_t bytes) const { push(page_size_class(bytes), page); }

  // What take_page() asks for.
  std::uint32_t pop(int k) const {
    std::uint32_t page = stack(own, k).pop();
    if (page == kNoPage) page = pool.pop(k);
    for (std::size_t i = 1; i < kWorkers && page == kNoPage; ++i)
      page = stack((own + i) % kWorkers, k).pop();
    return page;
  }
  void push(int k, std::uint32_t page) const { stack(own, k).push(page); }
  std::uint32_t advance(std::uint64_t units) const {
    return advance_border(*this, pool.state->border, pool.limit, units);
  }

 private:
  PageStack stack(std::size_t worker, int k) const { return {pool.region, &all[worker].stack[k]}; }
};

/// Gives requests of these classes that have no page one. Returns the bytes of those that got none.
std::uint64_t HostPages::fill(std::span<PageRequest> requests, SizeClasses classes, int threads) {
  std::atomic<std::uint64_t> missing{0};
  parallel_for(threads, requests.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int w) {
    const OfWorker pool(*this, w);
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
  const OfWorker pool(*this, 0);
  for (PageRequest& r : requests) {
    if (r.page != kNoPage) pool.free(r.page, r.bytes);
    r.page = kNoPage;
  }
}

/// With all that may count, and with free pages joined. Whether each request has a page.
bool HostPages::fill_with_all(std::span<PageRequest> requests) {
  give_back(requests);
  join_free_pages(region(), state_, own_);
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
  parallel_for(threads, requests.size(), std::size_t{1} << 14,
               [&](std::size_t first, std::size_t last, int) {
                 for (std::size_t i = first; i < last; ++i) requests[i].page = kNoPage;
               });
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
  const PageCount count = count_of(requests, threads);
  used_ += count.bytes;
  pages_ += count.pages;
}

void HostPages::free(std::span<const PageRequest> pages, int threads) noexcept {
  parallel_for(threads, pages.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int w) {
    const OfWorker pool(*this, w);
    for (std::size_t i = a; i < b; ++i)
      if (pages[i].bytes != 0) pool.free(pages[i].page, pages[i].bytes);
  });
  const PageCount count = count_of(pages, threads);
  used_ -= count.bytes;
  pages_ -= count.pages;
}

std::uint32_t HostPages::allocate(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(single_);
  const std::uint32_t page = OfWorker(*this, 0).allocate(bytes);
  if (page == kNoPage) return kNoPage;
  used_ += page_bytes_for(bytes);
  ++pages_;
  return page;
}

void HostPages::free(std::uint32_t page, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(single_);
  OfWorker(*this, 0).free(page, bytes);
  used_ -= page_bytes_for(bytes);
  --pages_;
}

void HostPages::reserve(std::size_t bytes, int) {
  const std::size_t taken = state_.border * kDynamicUnit;
  memory_.grow_to(bytes > memory_.limit() ? bytes : taken + bytes);
}

void HostPages::shrink_to(std::size_t bytes) noexcept {
  join_free_pages(region(), state_, own_);
  memory_.shrink_to(std::max<std::size_t>(bytes, state_.border * kDynamicUnit));
}

}  // namespace fathom::dynamic
