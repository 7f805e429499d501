// External merge sort of trivially copyable records within a memory bound.
//
// Records collect in a buffer; a full buffer is radix-sorted by all workers and becomes a run in an
// unlinked temporary file; at the end tournament trees merge the runs with large sequential
// reads (Knuth, TAOCP 3, 5.4.1). What fits the buffer never touches the disk. Stable: equal records
// keep their order of arrival, so that the result depends on neither memory nor threads. Records
// that arrive in order are not moved.
#pragma once

#include <cstring>
#include <memory>
#include <optional>

#include "fathom/core/task.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/graph/pages.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/graph/run_merge.hpp"

namespace fathom::graph {

struct SortOptions {
  std::size_t memory = std::size_t{1} << 30;  // bytes for everything the sorter holds
  std::string temp_directory;
  int threads = 0;
  Task task;
};

/// `Order` gives `std::uint64_t key(const Record&)` and `bool tie_less(a, b)`, which orders records
/// of equal keys (always false: they are equal).
template <class Record, class Order>
class ExternalSorter {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  /// `buffer`: memory that a sorter of at least as much was done with, or none.
  ExternalSorter(Order order, const SortOptions& options, Pages<Record> buffer = {})
      : order_(order),
        options_(options),
        workers_(worker_count(options.threads)),
        buffer_(std::move(buffer)) {
    capacity_ = std::max<std::size_t>(options.memory / (2 * sizeof(Record)), 16);
    allocate();
  }

  void push(const Record& record) {
    if (buffered_ == capacity_) spill();
    buffer_.data()[buffered_++] = record;
  }

  /// Records that the buffer takes before it is full.
  std::size_t room() const { return capacity_ - buffered_; }
  /// Makes room for `n` records; false when the buffer is smaller than that.
  bool make_room(std::size_t n) {
    if (n > capacity_) return false;
    if (n > room()) spill();
    return true;
  }
  /// The next `n` records, at most room(), for the caller to fill in.
  std::span<Record> extend(std::size_t n) {
    const std::span<Record> added(buffer_.data() + buffered_, n);
    buffered_ += n;
    return added;
  }

  std::uint64_t size() const { return spilled_ + buffered_; }

  /// No more pushes. When nothing was spilled, take_scratch() can give up half of the memory.
  void finish() {
    if (runs_.empty()) return sort_buffer();
    if (buffered_ > 0) spill();
    buffer_ = {};
    scratch_ = {};
    while (runs_.size() > fan_in()) merge_level();
  }

  /// Memory that has been touched already, for another sorter; empty when there is none.
  Pages<Record> take_scratch() { return std::move(scratch_); }
  /// After the last for_each().
  Pages<Record> take_buffer() { return std::move(buffer_); }
  /// Before finish(): takes another sorter's buffer to sort with.
  void sort_with(Pages<Record> scratch) {
    if (scratch.capacity() < capacity_) return;
    scratch.release_after(capacity_);
    scratch_ = std::move(scratch);
  }

  /// Bytes held until the end of the last for_each() beside what another sorter can take.
  std::size_t held_bytes() const { return runs_.empty() ? 0 : merge_bytes(); }

  /// After finish(): all records in ascending order, in pieces of up to `piece` records, which the
  /// caller's memory holds. May be called again.
  template <class Sink>
  void for_each(const Sink& sink, std::size_t piece = kPiece) {
    if (runs_.empty()) {
      for (std::size_t at = 0; at < buffered_; at += piece) {
        options_.task.check();
        sink(std::span<const Record>(buffer_.data() + at, std::min(piece, buffered_ - at)));
      }
      return;
    }
    merge(runs_, piece, sink);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 14;
  // Of each run that is merged.
  static constexpr std::size_t kLeastRead = std::size_t{64} << 10;

  using Run = SortedRun<Record>;

  // The merge gets by with a part: whoever consumes it may be a sorter, too.
  std::size_t merge_bytes() const { return std::max(options_.memory / 3, 2 * kLeastRead); }
  std::size_t fan_in() const { return std::max<std::size_t>(2, merge_bytes() / kLeastRead); }

  void allocate() {
    const bool huge = capacity_ * sizeof(Record) >= std::size_t{64} << 20;
    if (buffer_.capacity() >= capacity_) {
      buffer_.release_after(capacity_);
    } else {
      buffer_ = Pages<Record>(capacity_);
      if (huge) buffer_.prefer_huge();
    }
    scratch_ = Pages<Record>(capacity_);
    if (huge) scratch_.prefer_huge();
  }

  void sort_buffer() {
    options_.task.check();
    parallel_radix_sort(
        buffer_.data(), scratch_.data(), buffered_, workers_,
        [this](const Record& r) { return order_.key(r); },
        [this](Record* first, Record* last) { sort_ties(first, last); });
  }

  bool in_order(const Record& a, const Record& b) const {
    const std::uint64_t x = order_.key(a), y = order_.key(b);
    return x < y || (x == y && !order_.tie_less(b, a));
  }

  void sort_ties(Record* first, Record* last) const {
    while (first != last) {
      Record* end = first + 1;
      while (end != last && order_.key(*end) == order_.key(*first)) ++end;
      auto less = [this](const Record& a, const Record& b) { return order_.tie_less(a, b); };
      if (end - first > 1 && !std::is_sorted(first, end, less)) std::stable_sort(first, end, less);
      first = end;
    }
  }

  void spill() {
    if (!file_) file_.emplace(options_.temp_directory);
    sort_buffer();
    if (runs_.empty() || !in_order(last_spilled_, buffer_.data()[0]))
      runs_.push_back({file_->size(), 0, {}});
    runs_.back().add(std::span<const Record>(buffer_.data(), buffered_), order_);
    last_spilled_ = buffer_.data()[buffered_ - 1];
    file_->append(std::as_bytes(std::span(buffer_.data(), buffered_)));
    spilled_ += buffered_;
    buffered_ = 0;
  }

  // Replaces each group of fan_in() neighbouring runs by one.
  void merge_level() {
    TempFile merged(options_.temp_directory);
    std::vector<Run> longer;
    const std::size_t window = std::max(kPiece, merge_bytes() / sizeof(Record));
    const std::span<const Run> runs(runs_);
    for (std::size_t i = 0; i < runs.size(); i += fan_in()) {
      longer.push_back({merged.size(), 0, {}});
      merge(runs.subspan(i, std::min(fan_in(), runs.size() - i)), window,
            [&](std::span<const Record> piece) {
              longer.back().add(piece, order_);
              merged.append(std::as_bytes(piece));
            });
    }
    file_ = std::move(merged);
    runs_ = std::move(longer);
  }

  template <class Sink>
  void merge(std::span<const Run> runs, std::size_t most, const Sink& sink) const {
    RunMerge<Record, Order>(order_, *file_, runs, merge_bytes(), workers_, options_.task)
        .each(most, sink);
  }

  Order order_;
  SortOptions options_;
  int workers_;
  std::size_t capacity_ = 0, buffered_ = 0;
  std::uint64_t spilled_ = 0;
  Pages<Record> buffer_, scratch_;
  std::optional<TempFile> file_;
  std::vector<Run> runs_;
  Record last_spilled_;  // when there is a run
};

}  // namespace fathom::graph
