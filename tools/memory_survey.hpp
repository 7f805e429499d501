// The survey of allocators (Winter, 5.6) with host threads as the device: what is measured, for any
// HeapOwner. Every allocation is checked against all others that are live.
#pragma once

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"
#include "fathom/memory/allocator.hpp"

namespace fathom::cli {

struct SurveyOptions {
  std::uint64_t heap_bytes = std::uint64_t{256} << 20;
  std::uint64_t allocations = 10000;
  int threads = 2, rounds = 5;
  std::uint64_t seed = 1;
};

/// Milliseconds for all allocations of a round; -1 where the heap was too small.
struct SurveyRow {
  std::uint64_t low = 0, high = 0;  // sizes in bytes
  double cold_ms = -1, warm_ms = -1, free_ms = -1, write_ms = -1;
  double span = 0, span_after = 0;  // address range over bytes asked, first and last round
  std::uint64_t failed = 0;
};

struct Survey {
  double init_ms = 0;
  std::vector<SurveyRow> rows;
  std::vector<std::pair<std::uint64_t, double>> utilisation;  // size, share of the data handed out
  std::vector<double> churn_span;                             // bytes, after each churn round
  double churn_ms = 0;
};

class SurveyClock {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct SurveyBlock {
  void* p = nullptr;
  std::uint64_t bytes = 0;
};

/// @throws Error(VerificationFailed) when two blocks overlap; returns the address range they span.
inline double check_apart(std::vector<SurveyBlock> blocks, const char* name) {
  std::erase_if(blocks, [](const SurveyBlock& b) { return b.p == nullptr; });
  std::ranges::sort(blocks, {}, &SurveyBlock::p);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (static_cast<std::byte*>(blocks[i - 1].p) + blocks[i - 1].bytes > blocks[i].p)
      throw Error(ErrorCode::VerificationFailed,
                  std::string(name) + ": two live allocations overlap");
  if (blocks.empty()) return 0;
  return static_cast<double>(static_cast<std::byte*>(blocks.back().p) + blocks.back().bytes -
                             static_cast<std::byte*>(blocks.front().p));
}

/// Runs body(first, last) for a share of [0, n) on each thread; the milliseconds that took.
template <class Body>
double share_out(int threads, std::size_t n, const Body& body) {
  const auto count = static_cast<std::size_t>(threads);
  std::barrier start(threads + 1);
  std::vector<std::jthread> team;
  for (std::size_t t = 0; t < count; ++t)
    team.emplace_back([&, t] {
      start.arrive_and_wait();
      body(n * t / count, n * (t + 1) / count);
    });
  start.arrive_and_wait();
  const SurveyClock clock;
  team.clear();
  return clock.ms();
}

template <memory::HeapOwner Owner>
class Surveyor {
 public:
  Surveyor(const SurveyOptions& options, const char* name, bool frees)
      : options_(options), name_(name), frees_(frees) {}

  Survey run(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes, bool bounded) {
    Survey survey;
    const SurveyClock clock;
    Owner owner(memory::HeapOptions{options_.heap_bytes});
    survey.init_ms = clock.ms();
    for (const auto& [low, high] : sizes) survey.rows.push_back(row(owner, low, high));
    if (bounded)
      for (const auto& [low, high] : sizes)
        if (low == high && high >= 16) survey.utilisation.emplace_back(high, fill(high));
    if (frees_) churn(owner, survey);
    return survey;
  }

 private:
  SurveyRow row(Owner& owner, std::uint64_t low, std::uint64_t high) {
    SurveyRow row{low, high};
    owner.reset();
    std::vector<SurveyBlock> blocks(options_.allocations);
    std::uint64_t asked = 0;
    const RandomStream random(options_.seed, high);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      asked += blocks[i].bytes = low + bounded(random.at(i), high - low + 1);
    std::vector<double> warm, freed;
    for (int round = 0; round < options_.rounds; ++round) {
      const double took = allocate(owner, blocks);
      if (round == 0) row.cold_ms = took;
      if (round > 0) warm.push_back(took);
      const double span = check_apart(blocks, name_) / static_cast<double>(asked);
      if (round == 0) row.span = span;
      row.span_after = span;
      row.failed +=
          static_cast<std::uint64_t>(std::ranges::count(blocks, nullptr, &SurveyBlock::p));
      if (round == 0) row.write_ms = write(blocks);
      if (frees_)
        freed.push_back(release(owner, blocks));
      else
        owner.reset();
    }
    if (!warm.empty()) row.warm_ms = median(warm);
    if (!freed.empty()) row.free_ms = median(freed);
    return row;
  }

  double allocate(Owner& owner, std::vector<SurveyBlock>& blocks) const {
    const auto allocator = owner.manager();
    return share_out(options_.threads, blocks.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) blocks[i].p = allocator.malloc(blocks[i].bytes);
    });
  }
  double release(Owner& owner, std::vector<SurveyBlock>& blocks) const {
    const auto allocator = owner.manager();
    return share_out(options_.threads, blocks.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        allocator.free(blocks[i].p);
        blocks[i].p = nullptr;
      }
    });
  }
  double write(const std::vector<SurveyBlock>& blocks) const {
    return share_out(options_.threads, blocks.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        if (blocks[i].p) std::memset(blocks[i].p, 1, blocks[i].bytes);
    });
  }

  /// Share of the data, of a heap of at most 16 MiB, that one size gets before null is returned.
  double fill(std::uint64_t bytes) const {
    const std::uint64_t data = std::min(options_.heap_bytes, std::uint64_t{16} << 20);
    Owner owner(memory::HeapOptions{data});
    const auto allocator = owner.manager();
    std::vector<SurveyBlock> blocks;
    while (void* p = allocator.malloc(bytes)) blocks.push_back({p, bytes});
    check_apart(blocks, name_);
    return static_cast<double>(blocks.size() * bytes) / static_cast<double>(data);
  }

  /// Rounds in which half of what lives, at random, is replaced by blocks of other sizes.
  void churn(Owner& owner, Survey& survey) const {
    owner.reset();
    std::vector<SurveyBlock> blocks(options_.allocations);
    const auto allocator = owner.manager();
    for (int round = 0; round < 20 * options_.rounds; ++round) {
      const RandomStream random(options_.seed, 1000 + static_cast<std::uint64_t>(round));
      survey.churn_ms +=
          share_out(options_.threads, blocks.size(), [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
              if (blocks[i].p && random.at(2 * i) % 2 == 0) continue;  // a survivor
              allocator.free(blocks[i].p);
              blocks[i].bytes = 4 + bounded(random.at(2 * i + 1), 1021);
              blocks[i].p = allocator.malloc(blocks[i].bytes);
            }
          });
      survey.churn_span.push_back(check_apart(blocks, name_));
    }
    release(owner, blocks);
  }

  static double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }

  SurveyOptions options_;
  const char* name_;
  bool frees_;
};

}  // namespace fathom::cli
