// The parts of the survey of allocators (Winter, 5.6): what is measured, on whatever device. After
// every round all blocks that are live are filled with their numbers, read again, and sorted by
// address: no two may overlap.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bench/papers/memory/memory.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli::memory_bench {
namespace {

using memory::Churned;
using memory::Holding;
using memory::Requests;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Surveyor {
 public:
  Surveyor(const SubjectKind& kind, const Options& options, const Task& task)
      : kind_(kind), options_(options), task_(task) {
    found_.name = kind.name;
  }

  Survey run() {
    subject_ = kind_.make({.bytes = options_.heap_bytes}, options_.most_blocks(), options_.threads);
    found_.init_ms = subject_->init_ms;
    found_.registers = subject_->registers();
    found_.reset_ms = subject_->reset();
    if (options_.wants("thread")) sizes(found_.thread, "thread", 1);
    if (options_.wants("warp") && options_.on_gpu) sizes(found_.warp, "warp", 32);
    if (options_.wants("mixed")) mixed();
    if (options_.wants("scaling")) scaling();
    if (options_.wants("fragmentation")) fragmentation();
    if (options_.wants("work")) work();
    if (options_.wants("churn") && kind_.frees) churn();
    if (options_.wants("endurance") && kind_.frees) endurance();
    if (options_.wants("utilisation") && kind_.bounded) utilisation();
    return std::move(found_);
  }

 private:
  /// Whether the heap can hold that many of the largest size, by half of what is mixed.
  bool fits(std::uint64_t blocks, std::uint64_t low, std::uint64_t high) const {
    const std::uint64_t most = memory::rounded_bytes(high) * blocks;
    return (low == high ? most : most / 4 * 3) <= options_.heap_bytes / 8 * 7;
  }

  void leave_out(const char* part, std::uint64_t blocks, std::uint64_t low, std::uint64_t high,
                 const char* why) {
    found_.left_out.push_back(fmt::format(
        "{}: {} allocations of {}: {}", part, blocks,
        low == high ? fmt::format("{} B", low) : fmt::format("{}-{} B", low, high), why));
  }

  /// What is live, all of it apart.
  Holding checked(std::uint64_t blocks) {
    const Holding held = subject_->inspect(blocks);
    if (held.overlaps > 0 || held.damaged > 0)
      throw Error(ErrorCode::VerificationFailed,
                  fmt::format("{}: {} live allocations overlap the next one, {} do not hold what "
                              "was written",
                              kind_.name, held.overlaps, held.damaged));
    return held;
  }

  Row row(const Requests& r, int trials) {
    Row row;
    row.blocks = r.blocks;
    row.low = r.low;
    row.high = r.high;
    subject_->reset();
    std::vector<double> warm, freed;
    double spent = 0;
    for (; row.rounds < trials && (row.rounds < 2 || spent < options_.limit_ms); ++row.rounds) {
      task_.check();
      const double took = subject_->allocate(r);
      spent += took;
      const Holding held = checked(r.blocks);
      row.failed += r.blocks - held.blocks;
      row.span_bytes_after = held.span;
      row.span_bytes_most = std::max(row.span_bytes_most, held.span);
      if (row.rounds == 0) {
        row.cold_ms = took;
        row.asked_bytes = held.bytes;
        row.rounded_bytes = held.rounded;
        row.span_bytes = held.span;
        row.write_ms = subject_->write(r.blocks);
      } else {
        warm.push_back(took);
      }
      if (kind_.frees) {
        const double gone = subject_->release(r.blocks);
        spent += gone;
        if (row.rounds == 0) row.free_cold_ms = gone;
        if (row.rounds > 0) freed.push_back(gone);
      } else {
        subject_->reset();
      }
    }
    if (!warm.empty()) row.warm_ms = median(warm);
    if (!freed.empty()) row.free_ms = median(freed);
    return row;
  }

  /// One row, unless the heap is too small or fewer allocations took too long already.
  void add(std::vector<Row>& rows, const char* part, const Requests& r, int trials) {
    if (!fits(r.blocks, r.low, r.high)) {
      leave_out(part, r.blocks, r.low, r.high, "more than the heap holds");
      return;
    }
    for (const Row& before : rows)
      if (before.low == r.low && before.high == r.high && before.blocks < r.blocks &&
          before.cold_ms > options_.limit_ms / 4) {
        leave_out(part, r.blocks, r.low, r.high, "fewer took too long already");
        return;
      }
    rows.push_back(row(r, trials));
  }

  void sizes(std::vector<Row>& rows, const char* part, std::uint32_t stride) {
    for (const std::uint64_t blocks : options_.allocations)
      for (const std::uint64_t bytes : options_.sizes)
        add(rows, part, {blocks, stride, bytes, bytes, options_.seed}, options_.trials);
  }

  void mixed() {
    for (const std::uint64_t blocks : options_.allocations)
      for (const std::uint64_t bytes : options_.sizes)
        if (bytes >= 64 && (bytes == options_.sizes.back() || bytes % 3 == 1))  // 64, 256, 1024...
          add(found_.mixed, "mixed", {blocks, 1, 4, bytes, options_.seed}, options_.trials);
  }

  void scaling() {
    for (const std::uint64_t bytes : options_.sizes) {
      if (bytes != 16 && bytes != 64 && bytes != 512 && bytes != options_.sizes.back()) continue;
      for (std::uint64_t blocks = 1; blocks <= options_.most_blocks(); blocks *= 2)
        add(found_.scaling, "scaling", {blocks, 1, bytes, bytes, options_.seed}, options_.trials);
    }
  }

  void fragmentation() {
    for (const std::uint64_t bytes : options_.sizes)
      add(found_.fragmentation, "fragmentation",
          {options_.usual_blocks(), 1, bytes, bytes, options_.seed}, options_.rounds);
  }

  void work() {
    for (const std::uint64_t blocks : options_.allocations)
      for (const std::uint64_t high :
           {std::uint64_t{64}, std::min(options_.sizes.back(), std::uint64_t{4096})}) {
        const Requests r{blocks, 1, 4, high, options_.seed};
        if (high < 4 || !fits(blocks, 4, high)) continue;
        subject_->reset();
        std::vector<double> took, floor;
        double spent = 0;
        for (int i = 0; i < options_.trials && (i < 2 || spent < options_.limit_ms); ++i) {
          task_.check();
          took.push_back(subject_->work(r));
          spent += took.back();
          floor.push_back(subject_->work_by_prefix_sum(r));
          checked(blocks);
          if (kind_.frees)
            spent += subject_->release(blocks);
          else
            subject_->reset();
        }
        found_.work.push_back({blocks, 4, high, median(took), median(floor)});
      }
  }

  /// The share of a heap of its own that one size gets: what a first round does not get is asked
  /// for again.
  void utilisation() {
    subject_.reset();
    const std::uint64_t most = std::uint64_t{options_.on_gpu ? 64U : 16U} << 20;
    found_.utilisation_heap = std::min(options_.heap_bytes, most) / 8192 * 8192;
    const std::uint64_t too_many = options_.on_gpu ? 4096 : 16;
    const auto blocks_of = [&](std::uint64_t bytes) {
      return found_.utilisation_heap / bytes + too_many;
    };
    subject_ = kind_.make({.bytes = found_.utilisation_heap}, blocks_of(16), options_.threads);
    for (const std::uint64_t bytes : options_.sizes) {
      if (bytes < 16) continue;
      task_.check();
      const std::uint64_t blocks = blocks_of(bytes);
      subject_->reset();
      subject_->allocate({blocks, 1, bytes, bytes, options_.seed});
      for (int again = 0; again < 2; ++again)
        subject_->churn(
            {.blocks = blocks, .low = bytes, .high = bytes, .seed = options_.seed, .keep = 256});
      const Holding held = checked(blocks);
      found_.utilisation.emplace_back(
          bytes, static_cast<double>(held.bytes) / static_cast<double>(found_.utilisation_heap));
      if (kind_.frees) subject_->release(blocks);
    }
  }

  void add_up(const Churned& step) const {
    if (step.damaged > 0)
      throw Error(
          ErrorCode::VerificationFailed,
          fmt::format("{}: {} allocations were written to by others", kind_.name, step.damaged));
  }

  void churn() {
    const std::uint64_t blocks = options_.usual_blocks(), high = options_.sizes.back();
    if (!fits(blocks, 4, high))
      return leave_out("churn", blocks, 4, high, "more than the heap holds");
    subject_->reset();
    for (int round = 0;
         round < options_.rounds && (round < 2 || found_.churn_ms < 5 * options_.limit_ms);
         ++round) {
      task_.check();
      const Churned step = subject_->churn({.blocks = blocks,
                                            .low = 4,
                                            .high = high,
                                            .seed = options_.seed,
                                            .first_step = static_cast<std::uint64_t>(round)});
      add_up(step);
      found_.churn_ms += step.ms;
      found_.churn_span.push_back(checked(blocks).span);
    }
    subject_->release(blocks);
  }

  /// Several kernels at the same time, each of whose threads keep half of what they have.
  void endurance() {
    const std::uint64_t high = options_.sizes.back();
    std::uint64_t blocks = options_.on_gpu ? std::uint64_t{1} << 18 : options_.usual_blocks();
    blocks = std::min(blocks, options_.most_blocks());
    while (blocks > 1 && !fits(blocks, 4, high)) blocks /= 2;
    subject_->reset();
    Endurance e;
    const std::uint64_t steps = options_.on_gpu ? 64 : 16;
    for (std::uint64_t step = 0; e.operations < options_.operations; step += steps) {
      task_.check();
      const Churned some = subject_->churn({.blocks = blocks,
                                            .low = 4,
                                            .high = high,
                                            .seed = options_.seed,
                                            .first_step = step,
                                            .steps = steps,
                                            .kernels = 4});
      add_up(some);
      e.operations += some.operations;
      e.refused += some.refused;
      e.ms += some.ms;
      if (some.operations == 0) throw Error(ErrorCode::Internal, "no operation succeeded");
      if (step % (16 * steps) == 0) checked(blocks);
    }
    checked(blocks);
    subject_->release(blocks);
    e.account = subject_->account();
    if (e.account && (e.account->live > 0 || !e.account->valid))
      throw Error(
          ErrorCode::VerificationFailed,
          fmt::format("{}: {} bytes are live after everything was freed{}", kind_.name,
                      e.account->live, e.account->valid ? "" : ", and invariants do not hold"));
    found_.endurance = e;
  }

  SubjectKind kind_;
  const Options& options_;
  const Task& task_;
  std::unique_ptr<SurveySubject> subject_;
  Survey found_;
};

}  // namespace

bool Options::wants(const char* part) const {
  return std::ranges::find(parts, part) != parts.end();
}

std::uint64_t Options::most_blocks() const {
  // Scaling goes to a power of two: 2^20 for a million.
  return std::bit_ceil(allocations.back());
}

std::uint64_t Options::usual_blocks() const {
  std::uint64_t usual = allocations.front();
  for (const std::uint64_t n : allocations)
    if (n <= 100000) usual = n;
  return usual;
}

Survey survey(const SubjectKind& kind, const Options& options, const Task& task) {
  return Surveyor(kind, options, task).run();
}

}  // namespace fathom::cli::memory_bench
