// Levels of a search that are repaired after a batch by the engine's operators, wherever the graph
// is: the two phases of search_forest.hpp, in supersteps. First, vertices without a neighbour on
// the level below are lost, which may cost those above them theirs, until no more are; the order
// does not matter, since who is lost only ever becomes more. Then these take the levels behind
// what is left around them, and whatever comes nearer by that or by added edges is lowered, until
// nothing is. A superstep takes long beside one of a search, so that a repair may do a few only,
// and, where it is said, take no longer than a search did.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "fathom/dynamic/follow/incremental_functors.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::dynamic {

/// Values of vertices in the memory of a context's only device.
template <class T>
class DeviceValues {
 public:
  explicit DeviceValues(const Context& ctx) : ctx_(ctx) {}

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  VertexId size() const { return size_; }

  /// New values are `fill`. @throws Error(DoesNotFit)
  void grow_to(VertexId size, T fill) {
    if (size > values_.size()) {
      const std::size_t room = size_ == 0 ? size : std::max<std::size_t>(size, size_ + size_ / 4);
      Array<T> more(room, device().memory());
      ctx_.copy(more.data(), values_.data(), size_ * sizeof(T));
      values_ = std::move(more);
    }
    if (size > size_) ctx_.fill(device(), values_.data() + size_, size - size_, &fill, sizeof(T));
    size_ = std::max(size, size_);
  }
  void fill(VertexId size, T value) {
    grow_to(size, value);
    ctx_.fill(device(), values_.data(), size, &value, sizeof(T));
  }
  void assign(const T* from, VertexId size) {
    grow_to(size, T{});
    ctx_.copy(values_.data(), from, size * sizeof(T));
  }
  T get(VertexId v) const {
    T value;
    ctx_.copy(&value, values_.data() + v, sizeof(T));
    return value;
  }
  std::vector<T> to_host() const {
    std::vector<T> all(size_);
    ctx_.copy(all.data(), values_.data(), size_ * sizeof(T));
    return all;
  }

 private:
  const Device& device() const { return ctx_.devices()[0]; }

  const Context& ctx_;
  Array<T> values_;
  VertexId size_ = 0;
};

/// Supersteps of a repair, at least: for graphs on which a search takes few.
inline constexpr std::uint32_t kRepairSteps = 24;

/// When a repair gives up.
struct RepairLimits {
  std::uint32_t steps = kRepairSteps;
  double seconds = std::numeric_limits<double>::infinity();
};

class LevelRepair {
 public:
  /// The graph must outlive it. `weak`: paths go along edges both ways. Beyond `limits` it gives
  /// up, which leaves levels that mean nothing.
  LevelRepair(const Context& ctx, const Graph& graph, bool weak, Levels levels,
              const RepairLimits& limits);

  /// Phase one. @return who is lost, all of them not reached now
  Frontier lose(const ChangesRef& batch);
  /// Gives `lost` levels behind their neighbours, those that have any.
  void find_ways(Frontier& lost);
  /// Along added edges. `shorten`: else only to vertices that are not reached.
  void offer(const ChangesRef& batch, bool shorten);
  /// From vertices that have been given their levels.
  void spread(Frontier from);
  bool gave_up() const { return gave_up_; }

 private:
  /// @return false where it would be one too many, or it has taken too long
  bool begin_step();
  template <class Functor>
  void push(Frontier& from, Frontier& out, const Functor& functor);
  /// Those of `which` for which the functor says so of a neighbour through which paths come.
  template <class Functor>
  Frontier pull(Frontier& which, const Functor& functor, bool rest_only);

  const Context& ctx_;
  std::vector<EdgeSource*> to_, from_;  // lists along which paths go on, and come
  bool weak_;
  Levels levels_;
  VertexId vertices_;
  RepairLimits left_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool gave_up_ = false;
};

}  // namespace fathom::dynamic
