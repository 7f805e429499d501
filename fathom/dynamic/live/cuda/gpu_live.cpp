// Phases in which kernels change lists themselves: what they need is made ready, and what they came
// to is taken in.
#include <algorithm>

#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/pages/cuda/live_arena_kernels.hpp"

namespace fathom::dynamic::gpu {

OpenChanges Lists::open_changes(const LiveRequest& request) {
  OpenChanges open;
  open.manager = pages_->live();  // refuses what it is not for
  gpu_.wait();
  Live live = live_arrays(request);
  if (request.pinned != 0) make_room_for_retired(pages_->statistics().pages);
  open_arena(request.reserve);
  gpu_.wait();
  live_ = std::move(live);
  LiveLists::Parts& parts = open.parts;
  parts.out = {lists(0, request.epoch, request.pinned), live_.lock[0].data()};
  if (directions() == 2) parts.in = {lists(1, request.epoch, request.pinned), live_.lock[1].data()};
  parts.pages = {live_arena(), nullptr, live_.counts.data(), retired_.data(),
                 retired_count_.data()};
  parts.exists = exists();
  parts.vertices = request.vertices;
  parts.fresh = {live_.fresh.data(), live_.fresh.size(), live_.taken.data()};
  parts.directed = directed_;
  parts.duplicates = duplicates_;
  return open;
}

/// What a phase has of its own, and records for the vertices that it may insert.
Lists::Live Lists::live_arrays(const LiveRequest& request) {
  const auto zeros = [&](auto& array) {
    cuda::check(
        cudaMemsetAsync(array.data(), 0, array.size() * sizeof(array.data()[0]), gpu_.stream()),
        "clearing memory");
  };
  Live live;
  for (std::size_t d = 0; d < static_cast<std::size_t>(directions()); ++d) {
    grow_records(d, request.vertices, request.pinned);
    live.lock[d] = device_array<std::uint32_t>(request.vertices);
    zeros(live.lock[d]);
  }
  exists_.grow_to((std::size_t{request.vertices} / 32 + 1) * sizeof(std::uint32_t));
  live.counts = device_array<LiveCounts>(kLiveCounts);
  zeros(live.counts);
  live.fresh = on_device(request.fresh);
  live.taken = device_array<std::uint64_t>(1);
  zeros(live.taken);
  live.reused = request.reused;
  return live;
}

/// The pool's free pages, and `reserve` bytes more, are the arena's until the phase is finished.
void Lists::open_arena(std::size_t reserve) {
  LiveArenaState arena;
  if (!arena_.empty())
    gpu_.copy(&arena, arena_.data(), sizeof(arena));  // pages that close_changes() had no room for
  BulkPoolState free;
  gpu_.copy(&free, pages_->pool().ref().state, sizeof(free));
  pages_->reserve(free.border, reserve);
  const BulkPoolRef pool = pages_->pool().ref();
  arena.border = free.border;
  arena.limit = pool.limit;
  for (std::size_t k = 0; k < kPageSizes; ++k) {
    arena.page[k] = pool.page[k];
    arena.left[k] = free.free[k];
    arena.handed[k] = arena.returned[k] = 0;
  }
  // The last that may be refused: a phase that is leaves no state that none has written.
  if (arena_.empty()) arena_ = device_array<LiveArenaState>(1);
  gpu_.copy(arena_.data(), &arena, sizeof(arena));
}

LiveArena Lists::live_arena() {
  return {pages_->region(), arena_.data()};
}

void Lists::reserve_for_changes(std::size_t bytes) {
  wait_for_changes();
  LiveArenaState arena;
  gpu_.copy(&arena, arena_.data(), sizeof(arena));
  pages_->reserve(arena.border, bytes);
  arena.limit = pages_->pool().ref().limit;
  gpu_.copy(arena_.data(), &arena, sizeof(arena));
}

void Lists::wait_for_changes() const {
  gpu_.activate();
  cuda::check(cudaDeviceSynchronize(), "kernels that change a graph");
}

LiveCounts Lists::close_changes() {
  wait_for_changes();
  LiveArenaState arena;
  gpu_.copy(&arena, arena_.data(), sizeof(arena));
  BulkPoolState free;
  gpu_.copy(&free, pages_->pool().ref().state, sizeof(free));
  free.border = arena.border;
  std::copy_n(arena.left, kPageSizes, free.free);
  gpu_.copy(pages_->pool().ref().state, &free, sizeof(free));
  std::uint32_t handed[kPageSizes], returned[kPageSizes];
  for (std::size_t k = 0; k < kPageSizes; ++k) {
    // Pages have 32 bits, though they may have come and gone more often than that.
    const std::uint64_t more = arena.handed[k], less = arena.returned[k];
    handed[k] = more > less ? static_cast<std::uint32_t>(more - less) : 0;
    returned[k] = more > less ? 0 : static_cast<std::uint32_t>(less - more);
  }
  pages_->pool().count(handed, returned);
  std::uint32_t retired = 0;
  gpu_.copy(&retired, retired_count_.data(), sizeof(retired));
  most_retired_ = retired;
  std::array<LiveCounts, kLiveCounts> counts;
  gpu_.copy(counts.data(), live_.counts.data(), sizeof(counts));
  LiveCounts sum;
  for (const LiveCounts& c : counts) sum += c;
  direction_[0].edges += sum.entries(directed_);
  if (directions() == 2) direction_[1].edges += sum.entries(directed_);
  vertices_ += static_cast<VertexId>(sum.new_vertices -
                                     std::min<std::uint64_t>(sum.new_vertices, live_.reused));
  live_ = {};
  try {
    pages_->pool().expect_free(arena.left, arena.stacked);
    empty_stacks(gpu_, pages_->pool().ref(), live_arena());
    gpu_.wait();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    // Without memory for their numbers the pages stay where they are, for the next phase.
  }
  return sum;
}

}  // namespace fathom::dynamic::gpu
