// The survey's allocators on host threads.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "bench/papers/memory/memory.hpp"
#include "fathom/memory/allocator.hpp"

namespace fathom::cli::memory_bench {
namespace {

using namespace memory;

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

/// Runs body(first, end) for a share of [0, n) on each thread; the milliseconds from the first
/// thread's start to the last one's end, by their own clocks.
template <class Body>
double share_out(int threads, std::uint64_t n, const Body& body) {
  const auto count = static_cast<std::uint64_t>(threads);
  std::vector<Clock::time_point> starts(count), ends(count);
  std::barrier ready(threads);
  std::vector<std::jthread> team;
  for (std::uint64_t t = 0; t < count; ++t)
    team.emplace_back([&, t] {
      ready.arrive_and_wait();
      starts[t] = Clock::now();
      body(n * t / count, n * (t + 1) / count);
      ends[t] = Clock::now();
    });
  team.clear();
  return ms_between(*std::ranges::min_element(starts), *std::ranges::max_element(ends));
}

template <HeapOwner Owner>
class HostSubject final : public SurveySubject {
 public:
  HostSubject(const HeapOptions& options, std::uint64_t most_blocks, int threads)
      : threads_(threads), owner_(options), address_(most_blocks), bytes_(most_blocks) {}

  double reset() override {
    const auto start = Clock::now();
    owner_.reset();
    return ms_between(start, Clock::now());
  }
  double allocate(const Requests& r) override {
    note_sizes(r);
    return for_each(r.blocks, [&](std::uint64_t i) { address_[i] = manager_.malloc(bytes_[i]); });
  }
  double release(std::uint64_t blocks) override {
    return for_each(blocks, [&](std::uint64_t i) {
      if (address_[i] != nullptr) manager_.free(address_[i]);
      address_[i] = nullptr;
    });
  }
  double write(std::uint64_t blocks) override {
    return for_each(blocks, [&](std::uint64_t i) { fill(i, static_cast<std::uint32_t>(i)); });
  }
  double work(const Requests& r) override {
    note_sizes(r);
    return for_each(r.blocks, [&](std::uint64_t i) {
      address_[i] = manager_.malloc(bytes_[i]);
      fill(i, mark(i));
    });
  }
  double work_by_prefix_sum(const Requests& r) override {
    std::vector<std::uint64_t> offsets(r.blocks + 1);
    std::vector<std::byte> data;
    for (std::uint64_t i = 0; i < r.blocks; ++i)
      offsets[i + 1] = offsets[i] + (r.bytes(i) + 15) / 16 * 16;
    data.resize(offsets.back());
    const auto start = Clock::now();  // of the sums
    for (std::uint64_t i = 0; i < r.blocks; ++i)
      offsets[i + 1] = offsets[i] + (r.bytes(i) + 15) / 16 * 16;
    const double sums = ms_between(start, Clock::now());
    return sums + for_each(r.blocks, [&](std::uint64_t i) {
             fill_words(data.data() + offsets[i], r.bytes(i), mark(i));
           });
  }

  Churned churn(const Churn& c) override {
    Churned all;
    std::mutex counting;
    all.ms = share_out(threads_, c.blocks, [&](std::uint64_t first, std::uint64_t end) {
      Churned mine;
      for (std::uint64_t step = 0; step < c.steps; ++step)
        for (std::uint64_t i = first; i < end; ++i) replace(c, c.word(step, i), i, mine);
      const std::lock_guard lock(counting);
      all.operations += mine.operations;
      all.refused += mine.refused;
      all.damaged += mine.damaged;
    });
    return all;
  }

  Holding inspect(std::uint64_t blocks) override {
    std::vector<std::pair<std::byte*, std::uint32_t>> held;
    Holding h;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      fill(i, mark(i));
      if (address_[i] == nullptr) continue;
      held.emplace_back(static_cast<std::byte*>(address_[i]), bytes_[i]);
      ++h.blocks;
      h.bytes += bytes_[i];
      h.rounded += rounded_bytes(bytes_[i]);
    }
    for (std::uint64_t i = 0; i < blocks; ++i)
      if (address_[i] != nullptr && !filled(i)) ++h.damaged;
    std::ranges::sort(held);
    for (std::size_t i = 1; i < held.size(); ++i)
      if (held[i - 1].first + held[i - 1].second > held[i].first) ++h.overlaps;
    if (!held.empty())
      h.span =
          static_cast<std::uint64_t>(held.back().first + held.back().second - held.front().first);
    return h;
  }

  std::optional<Account> account() override {
    if constexpr (requires { owner_.stats(); })
      return Account{owner_.stats().bytes_live, owner_.valid() == Broken::None};
    else
      return {};
  }

 private:
  static std::uint32_t mark(std::uint64_t i) { return static_cast<std::uint32_t>(i) + 1; }
  static void fill_words(std::byte* at, std::uint64_t bytes, std::uint32_t word) {
    for (std::uint64_t w = 0; w < bytes / 4; ++w) std::memcpy(at + 4 * w, &word, 4);
  }
  void fill(std::uint64_t i, std::uint32_t word) {
    if (address_[i] != nullptr) fill_words(static_cast<std::byte*>(address_[i]), bytes_[i], word);
  }
  std::uint32_t word_of(std::uint64_t i, std::uint64_t w) const {
    std::uint32_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(address_[i]) + 4 * w, 4);
    return word;
  }
  bool filled(std::uint64_t i) const {
    for (std::uint64_t w = 0; w < bytes_[i] / 4; ++w)
      if (word_of(i, w) != mark(i)) return false;
    return true;
  }

  template <class Step>
  double for_each(std::uint64_t n, const Step& step) {
    return share_out(threads_, n, [&](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t i = first; i < end; ++i) step(i);
    });
  }
  void note_sizes(const Requests& r) {
    for (std::uint64_t i = 0; i < r.blocks; ++i) bytes_[i] = static_cast<std::uint32_t>(r.bytes(i));
  }

  void replace(const Churn& c, std::uint64_t word, std::uint64_t i, Churned& counted) {
    if (address_[i] != nullptr) {
      if (c.keeps(word)) return;
      if (word_of(i, 0) != mark(i) || word_of(i, bytes_[i] / 4 - 1) != mark(i)) ++counted.damaged;
      manager_.free(address_[i]);
      ++counted.operations;
    }
    bytes_[i] = c.bytes(word);
    address_[i] = manager_.malloc(bytes_[i]);
    if (address_[i] == nullptr) {
      ++counted.refused;
      return;
    }
    ++counted.operations;
    fill_words(static_cast<std::byte*>(address_[i]), 4, mark(i));
    fill_words(static_cast<std::byte*>(address_[i]) + (bytes_[i] / 4 - 1) * 4, 4, mark(i));
  }

  int threads_;
  Owner owner_;
  decltype(std::declval<Owner&>().manager()) manager_ = owner_.manager();
  std::vector<void*> address_;
  std::vector<std::uint32_t> bytes_;
};

template <HeapOwner Owner>
std::unique_ptr<SurveySubject> make(const HeapOptions& options, std::uint64_t most_blocks,
                                    int threads) {
  double init = 0;
  {
    const auto start = Clock::now();
    const Owner alone(options);
    init = ms_between(start, Clock::now());
  }
  auto subject = std::make_unique<HostSubject<Owner>>(options, most_blocks, threads);
  subject->init_ms = init;
  return subject;
}

}  // namespace

std::vector<SubjectKind> host_subjects() {
  return {{"S-P", true, true, make<HostHeap<Ouroboros<SP>>>},
          {"S-C", true, true, make<HostHeap<Ouroboros<SC>>>},
          {"VA-P", true, true, make<HostHeap<Ouroboros<VAP>>>},
          {"VA-C", true, true, make<HostHeap<Ouroboros<VAC>>>},
          {"VL-P", true, true, make<HostHeap<Ouroboros<VLP>>>},
          {"VL-C", true, true, make<HostHeap<Ouroboros<VLC>>>},
          {"bump", false, false, make<BumpHeap>},
          {"system", true, false, make<SystemHeap>}};
}

}  // namespace fathom::cli::memory_bench
