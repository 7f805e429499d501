// Merges sorted runs that lie in a file, by all workers: each takes a range of keys of its own.
//
// Every run keeps the keys of some of its records, which say where ranges of about equal size begin
// (Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", 1991).
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "fathom/core/parallel_each.hpp"
#include "fathom/core/task.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/graph/tournament.hpp"

namespace fathom::graph {

/// Ascending records in a file, and the key of every kStride-th.
template <class Record>
struct SortedRun {
  static constexpr std::uint64_t kStride = 4096;

  std::uint64_t offset = 0;  // of its first byte
  std::uint64_t count = 0;
  std::vector<std::uint64_t> keys;

  template <class Order>
  void add(std::span<const Record> next, const Order& order) {
    for (std::uint64_t i = (kStride - count % kStride) % kStride; i < next.size(); i += kStride)
      keys.push_back(order.key(next[i]));
    count += next.size();
  }
};

/// `Order` as for ExternalSorter. Stable: of equal records those of earlier runs come first.
template <class Record, class Order>
class RunMerge {
  using Run = SortedRun<Record>;
  using Places = std::vector<std::uint64_t>;  // a record of each run

 public:
  // Reads below this size cost more in seeks and calls than in transfer.
  static constexpr std::size_t kLeastRead = std::size_t{16} << 10;

  /// Reads with `memory` bytes of buffers. All arguments outlive the merge.
  RunMerge(const Order& order, const TempFile& file, std::span<const Run> runs, std::size_t memory,
           int workers, const Task& task)
      : order_(order),
        file_(file),
        runs_(runs),
        memory_(memory),
        workers_(static_cast<int>(
            std::clamp<std::size_t>(memory / (kLeastRead * std::max<std::size_t>(1, runs.size())),
                                    1, static_cast<std::size_t>(workers)))),
        task_(task) {}

  /// Calls sink(records) for all records in ascending order, at most `most` at a time.
  template <class Sink>
  void each(std::size_t most, const Sink& sink) {
    if (runs_.size() == 1) return copy(most, sink);
    Places at(runs_.size(), 0), ends;
    for (const Run& run : runs_) ends.push_back(run.count);
    std::vector<Record> window(
        static_cast<std::size_t>(std::min<std::uint64_t>(most, between(at, ends))));
    const bool divides = workers_ > 1 && window.size() / kStride >= 2 * runs_.size();
    while (at != ends) {
      task_.check();
      const std::vector<Places> border =
          divides ? borders(at, ends, window.size()) : std::vector<Places>{};
      if (border.size() < 2) {  // equal keys fill the window, for one
        at = stream(at, ends, divides ? 1 : ~std::uint64_t{0}, window, sink);
        continue;
      }
      sink(std::span<const Record>(merge_parts(border, window)));
      at = border.back();
    }
  }

 private:
  static constexpr std::uint64_t kStride = Run::kStride;

  static std::uint64_t between(const Places& begin, const Places& end) {
    return std::reduce(end.begin(), end.end()) - std::reduce(begin.begin(), begin.end());
  }

  // Where parts of about equal size begin that follow each other from `at` on, `most` records at
  // most together, and where the last one ends. None when there is no such key.
  std::vector<Places> borders(const Places& at, const Places& ends, std::size_t most) const {
    const std::uint64_t wanted = most / kStride - runs_.size();  // of each run one more may be cut
    std::vector<std::uint64_t> keys;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const std::uint64_t first = at[r] / kStride + 1;
      for (std::uint64_t k = first;
           k < std::min<std::uint64_t>(runs_[r].keys.size(), first + wanted); ++k)
        keys.push_back(runs_[r].keys[k]);
    }
    std::sort(keys.begin(), keys.end());
    const bool all = keys.size() < wanted;  // the rest is one more part
    const std::uint64_t step =
        std::max<std::uint64_t>(1, wanted / static_cast<std::uint64_t>(workers_));
    std::vector<std::uint64_t> splitters;
    for (std::uint64_t k = step - 1; k < std::min<std::uint64_t>(keys.size(), wanted); k += step)
      if (splitters.empty() || splitters.back() != keys[k]) splitters.push_back(keys[k]);
    std::vector<Places> border(splitters.size() + 1, at);
    parallel_each(workers_, splitters.size(), [&](std::size_t s, int) {
      std::vector<Record> block;
      for (std::size_t r = 0; r < runs_.size(); ++r)
        border[s + 1][r] = std::max(at[r], first_from(runs_[r], splitters[s], block));
    });
    if (all) border.push_back(ends);
    while (border.size() > 1 && between(at, border.back()) > most) border.pop_back();
    return between(at, border.back()) > 0 ? border : std::vector<Places>{};
  }

  // The first record of a run whose key is not below `key`.
  std::uint64_t first_from(const Run& run, std::uint64_t key, std::vector<Record>& block) const {
    const auto noted = std::lower_bound(run.keys.begin(), run.keys.end(), key);
    const auto strides = static_cast<std::uint64_t>(noted - run.keys.begin());
    if (strides == 0) return 0;
    const std::uint64_t first = (strides - 1) * kStride;
    block.resize(static_cast<std::size_t>(std::min(kStride, run.count - first)));
    file_.read_at(run.offset + first * sizeof(Record), std::as_writable_bytes(std::span(block)));
    const auto found =
        std::lower_bound(block.begin(), block.end(), key,
                         [&](const Record& r, std::uint64_t k) { return order_.key(r) < k; });
    return first + static_cast<std::uint64_t>(found - block.begin());
  }

  // Merges what lies between neighbouring borders, all at once, into `window`.
  std::span<Record> merge_parts(const std::vector<Places>& border, std::span<Record> window) const {
    parallel_each(workers_, border.size() - 1, [&](std::size_t p, int) {
      Record* into = window.data() + between(border.front(), border[p]);
      std::vector<TempReader<Record>> readers =
          readers_of(border[p], border[p + 1], memory_ / static_cast<std::size_t>(workers_));
      for (auto merged = tournament(readers); !merged.empty();) *into++ = merged.pop();
    });
    return window.first(static_cast<std::size_t>(between(border.front(), border.back())));
  }

  // Gives up to `windows` windows from `begin` on, by one thread; where it has come.
  template <class Sink>
  Places stream(Places begin, const Places& end, std::uint64_t windows, std::span<Record> window,
                const Sink& sink) const {
    std::vector<TempReader<Record>> readers =
        readers_of(begin, end, windows == 1 ? std::min(memory_, window.size_bytes()) : memory_);
    auto merged = tournament(readers);
    while (windows-- > 0 && !merged.empty()) {
      task_.check();
      std::size_t n = 0;
      for (; n < window.size() && !merged.empty(); ++n) {
        ++begin[merged.winner()];
        window[n] = merged.pop();
      }
      sink(std::span<const Record>(window.first(n)));
    }
    return begin;
  }

  template <class Sink>
  void copy(std::size_t most, const Sink& sink) const {
    constexpr std::size_t kMostRead = std::size_t{4} << 20;
    TempReader<Record> reader(file_, runs_[0].offset, runs_[0].count,
                              std::clamp(memory_, kLeastRead, kMostRead));
    for (auto read = reader.next(); !read.empty(); read = reader.next()) {
      task_.check();
      for (; !read.empty(); read = read.subspan(std::min(most, read.size())))
        sink(read.first(std::min(most, read.size())));
    }
  }

  std::vector<TempReader<Record>> readers_of(const Places& begin, const Places& end,
                                             std::size_t memory) const {
    const std::size_t bytes =
        std::clamp(memory / (runs_.size() + 1), kLeastRead, std::size_t{4} << 20);
    std::vector<TempReader<Record>> readers;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      readers.emplace_back(file_, runs_[r].offset + begin[r] * sizeof(Record), end[r] - begin[r],
                           bytes);
    return readers;
  }

  Tournament<Record, Order> tournament(std::vector<TempReader<Record>>& readers) const {
    return Tournament<Record, Order>(order_, runs_.size(),
                                     [&](std::size_t run) { return readers[run].next(); });
  }

  const Order& order_;
  const TempFile& file_;
  std::span<const Run> runs_;
  std::size_t memory_;
  int workers_;
  const Task& task_;
};

}  // namespace fathom::graph
