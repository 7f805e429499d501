// The degree-oriented lists of a graph: opened when they are asked for, and given up when host
// memory is needed while nobody reads them (docs/adr/0013).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "fathom/core/memory_pool.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom::detail {

/// Thread-safe.
class OrientedLists {
 public:
  using Open = std::function<std::unique_ptr<EdgeSource>()>;

  OrientedLists(std::shared_ptr<MemoryPool> host, Open open);
  ~OrientedLists();
  OrientedLists(const OrientedLists&) = delete;
  OrientedLists& operator=(const OrientedLists&) = delete;

  /// Opens them, if they are not; they stay while the result lives.
  /// @throws what opening does.
  std::shared_ptr<EdgeSource> get();
  /// Null when they are not open.
  std::shared_ptr<EdgeSource> opened() const;
  /// What those that were given up had fetched.
  Traffic traffic_before() const;

 private:
  bool is_idle() const { return source_ && source_.use_count() == 1; }  // mutex_ is locked
  std::size_t held() const;
  void give_way();

  const std::shared_ptr<MemoryPool> host_;
  const Open open_;
  int handle_ = -1;  // among those that give way
  // Allocations take it: nothing is allocated while it is locked.
  mutable std::mutex mutex_;
  std::shared_ptr<EdgeSource> source_;
  std::size_t bytes_ = 0;  // of host memory, that opening took and the source does not let go
  Traffic traffic_before_;
};

}  // namespace fathom::detail
