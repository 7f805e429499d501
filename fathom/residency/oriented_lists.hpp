// The degree-oriented lists of a graph: opened when they are asked for, and given up when the
// memory they are in is needed while nobody reads them (docs/adr/0013).
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
  /// What is in a device's memory alone.
  struct Near {
    std::unique_ptr<EdgeSource> source;  // null: it does not fit
    std::size_t bytes = 0;
  };

  OrientedLists(std::shared_ptr<MemoryPool> host, Open open);
  ~OrientedLists();
  OrientedLists(const OrientedLists&) = delete;
  OrientedLists& operator=(const OrientedLists&) = delete;

  /// Before the first get(): it opens them with `open` where that gives a source. `prepare` makes
  /// ready what that reads.
  void prefer(std::shared_ptr<MemoryPool> device, std::function<Near()> open,
              std::function<void()> prepare);
  /// Optional, before get(): what is not to be part of a measured run.
  void prepare() const;
  /// Opens them, if they are not; they stay while the result lives.
  /// @throws what opening does.
  std::shared_ptr<EdgeSource> get();
  /// Null when they are not open.
  std::shared_ptr<EdgeSource> opened() const;
  /// Gives them up, unless somebody reads them.
  void release();
  /// What those that were given up had fetched.
  Traffic traffic_before() const;

 private:
  bool is_idle() const { return source_ && source_.use_count() == 1; }  // mutex_ is locked
  /// `host`, `near`: bytes of it in either memory. Another thread may have been faster.
  std::shared_ptr<EdgeSource> keep(std::unique_ptr<EdgeSource> fresh, std::size_t host,
                                   std::size_t near);
  // Of one of the memories: `bytes` is a member, read while mutex_ is locked.
  std::size_t held(const std::size_t& bytes) const;
  void give_way(const std::size_t& bytes);
  std::shared_ptr<EdgeSource> let_go();  // mutex_ is locked, and they are open

  const std::shared_ptr<MemoryPool> host_;
  const Open open_;
  int handle_ = -1;                     // among those that give way
  std::shared_ptr<MemoryPool> device_;  // null: nothing is preferred
  std::function<Near()> open_near_;
  std::function<void()> prepare_near_;
  int near_handle_ = -1;
  // Allocations take it: nothing is allocated while it is locked.
  mutable std::mutex mutex_;
  std::shared_ptr<EdgeSource> source_;
  std::size_t bytes_ = 0;       // of host memory, that opening took and the source does not let go
  std::size_t near_bytes_ = 0;  // of the device's
  Traffic traffic_before_;
};

}  // namespace fathom::detail
