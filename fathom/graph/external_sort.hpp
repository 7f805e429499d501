// External merge sort of trivially copyable records within a memory bound.
//
// Records collect in a buffer; a full buffer is radix-sorted by all workers and becomes a run in an
// unlinked temporary file; at the end a tournament tree merges the runs with large sequential
// reads (Knuth, TAOCP 3, 5.4.1). What fits the buffer never touches the disk. Stable: equal records
// keep their order of arrival, so that the result depends on neither memory nor threads.
#pragma once

#include <cstring>
#include <memory>
#include <optional>

#include "fathom/core/task.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/graph/pages.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/graph/tournament.hpp"

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
  ExternalSorter(Order order, const SortOptions& options)
      : order_(order), options_(options), workers_(worker_count(options.threads)) {
    capacity_ = std::max<std::size_t>(options.memory / (2 * sizeof(Record)), 16);
    allocate();
  }

  void push(const Record& record) {
    if (buffered_ == capacity_) spill();
    buffer_.data()[buffered_++] = record;
  }

  std::uint64_t size() const { return spilled_ + buffered_; }

  /// No more pushes. Frees what the merge does not need.
  void finish() {
    if (runs_.empty()) {
      sort_buffer();
      scratch_ = {};
      return;
    }
    if (buffered_ > 0) spill();
    buffer_ = {};
    scratch_ = {};
    while (runs_.size() > fan_in()) merge_level();
  }

  /// Bytes held between finish() and the end of the last for_each().
  std::size_t held_bytes() const {
    return runs_.empty() ? buffered_ * sizeof(Record) : merge_bytes();
  }

  /// After finish(): all records in ascending order, in pieces. May be called again.
  template <class Sink>
  void for_each(const Sink& sink) {
    if (runs_.empty()) {
      for (std::size_t at = 0; at < buffered_; at += kPiece) {
        options_.task.check();
        sink(std::span<const Record>(buffer_.data() + at, std::min(kPiece, buffered_ - at)));
      }
      return;
    }
    merge(*file_, runs_, sink);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 14;
  // Reads below this size cost more in seeks and calls than in transfer.
  static constexpr std::size_t kLeastRead = std::size_t{64} << 10;

  struct Run {
    std::uint64_t offset, count;
  };

  // The merge gets by with a part: whoever consumes it may be a sorter, too.
  std::size_t merge_bytes() const { return std::max(options_.memory / 3, 2 * kLeastRead); }
  std::size_t fan_in() const { return std::max<std::size_t>(2, merge_bytes() / kLeastRead); }

  void allocate() {
    buffer_ = Pages<Record>(capacity_);
    scratch_ = Pages<Record>(capacity_);
    if (capacity_ * sizeof(Record) >= std::size_t{64} << 20) {
      buffer_.prefer_huge();
      scratch_.prefer_huge();
    }
  }

  void sort_buffer() {
    options_.task.check();
    parallel_radix_sort(
        buffer_.data(), scratch_.data(), buffered_, workers_,
        [this](const Record& r) { return order_.key(r); },
        [this](Record* first, Record* last) { sort_ties(first, last); });
  }

  void sort_ties(Record* first, Record* last) const {
    while (first != last) {
      Record* end = first + 1;
      while (end != last && order_.key(*end) == order_.key(*first)) ++end;
      if (end - first > 1)
        std::stable_sort(
            first, end, [this](const Record& a, const Record& b) { return order_.tie_less(a, b); });
      first = end;
    }
  }

  void spill() {
    if (!file_) file_.emplace(options_.temp_directory);
    sort_buffer();
    runs_.push_back({file_->size(), buffered_});
    file_->append(std::as_bytes(std::span(buffer_.data(), buffered_)));
    spilled_ += buffered_;
    buffered_ = 0;
  }

  // Replaces each group of fan_in() neighbouring runs by one.
  void merge_level() {
    TempFile merged(options_.temp_directory);
    std::vector<Run> longer;
    const std::span<const Run> runs(runs_);
    for (std::size_t i = 0; i < runs.size(); i += fan_in()) {
      const auto group = runs.subspan(i, std::min(fan_in(), runs.size() - i));
      const std::uint64_t start = merged.size();
      merge(*file_, group,
            [&](std::span<const Record> piece) { merged.append(std::as_bytes(piece)); });
      longer.push_back({start, (merged.size() - start) / sizeof(Record)});
    }
    file_ = std::move(merged);
    runs_ = std::move(longer);
  }

  template <class Sink>
  void merge(const TempFile& file, std::span<const Run> runs, const Sink& sink) {
    const std::size_t read_bytes =
        std::clamp(merge_bytes() / (runs.size() + 1), kLeastRead / 2, std::size_t{4} << 20);
    std::vector<TempReader<Record>> readers;
    for (const Run& run : runs) readers.emplace_back(file, run.offset, run.count, read_bytes);
    std::vector<Record> piece;
    piece.reserve(kPiece);
    auto flush = [&] {
      options_.task.check();
      sink(std::span<const Record>(piece));
      piece.clear();
    };
    Tournament<Record, Order> tournament(order_, runs.size(),
                                         [&](std::size_t run) { return readers[run].next(); });
    while (!tournament.empty()) {
      piece.push_back(tournament.pop());
      if (piece.size() == kPiece) flush();
    }
    if (!piece.empty()) flush();
  }

  Order order_;
  SortOptions options_;
  int workers_;
  std::size_t capacity_ = 0, buffered_ = 0;
  std::uint64_t spilled_ = 0;
  Pages<Record> buffer_, scratch_;
  std::optional<TempFile> file_;
  std::vector<Run> runs_;
};

}  // namespace fathom::graph
