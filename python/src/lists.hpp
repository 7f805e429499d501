// Adjacency lists that Python holds, for serial work in their order.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "call.hpp"
#include "fathom/core/error.hpp"

namespace fathom::python {

namespace nb = nanobind;

using Row = std::int32_t;
using Rows = std::vector<Row>;
template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = Values<std::int64_t>;
using Targets = Values<Row>;
using Weights = Values<double>;

constexpr Row kNone = -1;
constexpr std::size_t kCheckEvery = 4096;  // vertices between two looks for Ctrl-C

/// Compressed sparse rows: offset int64 [n + 1], target int32 [m], weight float64 [m] or none.
struct Lists {
  std::span<const std::int64_t> offset;
  std::span<const Row> target;
  std::span<const double> weight;  // empty: none

  Lists(const Offsets& offsets, const Targets& targets, const Weights* weights = nullptr)
      : offset(offsets.data(), offsets.size()), target(targets.data(), targets.size()) {
    if (weights != nullptr) weight = {weights->data(), weights->size()};
    if (offset.empty() || offset.back() != static_cast<std::int64_t>(target.size()) ||
        (weights != nullptr && weight.size() != target.size()))
      throw Error(ErrorCode::Usage, "offsets, targets and weights do not go together");
  }
  std::size_t vertices() const { return offset.size() - 1; }
  std::span<const Row> of(Row v) const {
    const auto first = static_cast<std::size_t>(offset[static_cast<std::size_t>(v)]);
    const auto last = static_cast<std::size_t>(offset[static_cast<std::size_t>(v) + 1]);
    return target.subspan(first, last - first);
  }
  const double* weights_of(Row v) const {
    return weight.data() + offset[static_cast<std::size_t>(v)];
  }
};

inline std::size_t at(Row v) {
  return static_cast<std::size_t>(v);
}

inline void check_rows(const Lists& lists, std::span<const Row> rows) {
  for (const Row v : rows)
    if (v < 0 || at(v) >= lists.vertices()) throw Error(ErrorCode::Usage, "there is no such row");
}

inline std::span<const Row> rows_of(const Targets& rows) {
  return {rows.data(), rows.size()};
}

/// Looks for Ctrl-C now and then.
class Ticker {
 public:
  explicit Ticker(Task task) : task_(std::move(task)) {}
  void tick() {
    if (++count_ % kCheckEvery == 0) task_.check();
  }

 private:
  Task task_;
  std::size_t count_ = 0;
};

template <class Work>
void interruptibly(Work work) {
  Watched watched;
  call(watched, [&] { work(Ticker(watched.task())); });
}

}  // namespace fathom::python
