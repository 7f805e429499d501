// Host memory that is pinned for GPUs piece by piece, by a thread of its own, while it is in use:
// the driver needs up to a tenth of a second for a GiB, and nobody has to wait for the last piece
// to copy out of the first (docs/adr/0014).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"

namespace fathom {

/// The driver, or what stands for it in a test. Pieces of one memory come one at a time.
class HostPinner {
 public:
  virtual ~HostPinner() = default;
  /// Empty: it is pinned. Otherwise what the system said, and nothing of it is.
  virtual std::string pin(const std::byte* first, std::size_t bytes) = 0;
  /// What one call of pin() pinned.
  virtual void unpin(const std::byte* first) noexcept = 0;
};

/// Invariants: pieces are pinned in ascending order, so that [0, pinned()) is pinned and the rest
/// is not; pinned() is a multiple of piece_bytes() or the whole, and grows until end().
class FATHOM_API PinnedPieces {
 public:
  /// Smaller pieces cost more calls, larger ones hold up more copies meanwhile (docs/adr/0014).
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 20;
  static constexpr std::size_t kAll = ~std::size_t{0};

  /// Begins to pin `memory`, which outlives this: one piece at once, more by a thread. `written`:
  /// from its beginning, so many bytes have been written, and may be pinned; see written_to().
  PinnedPieces(std::shared_ptr<HostPinner> pinner, std::span<const std::byte> memory,
               std::size_t written = kAll, std::size_t piece_bytes = kPieceBytes);
  ~PinnedPieces() { end(); }
  PinnedPieces(const PinnedPieces&) = delete;
  PinnedPieces& operator=(const PinnedPieces&) = delete;

  /// Waits for the piece under way, and unpins all; the destructor does it otherwise. By one
  /// thread; who waits is told that no more will be pinned.
  void end() noexcept;

  /// Pages that nobody has written are pinned slowly, on one thread: pinning stays behind what its
  /// owner has written. Ascending.
  void written_to(std::size_t bytes);

  std::span<const std::byte> memory() const { return memory_; }
  std::size_t piece_bytes() const { return piece_bytes_; }
  /// Acquire: whoever sees a piece counted may have the device read it.
  std::size_t pinned() const noexcept { return pinned_.load(std::memory_order_acquire); }
  bool complete() const noexcept { return pinned() == memory_.size(); }

  /// Waits until all is pinned (true) or no more will be. All has been written.
  /// @throws Error(Interrupted).
  bool wait(const Task& task = {});
  /// No more will be pinned than is.
  bool ended() const;
  /// Why not all is; empty while nothing was refused.
  std::string refusal() const;
  /// That pinning took so far.
  double seconds() const;

 private:
  void run() noexcept;
  bool pin_next();

  std::shared_ptr<HostPinner> pinner_;
  std::span<const std::byte> memory_;
  std::size_t piece_bytes_;
  std::atomic<std::size_t> pinned_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::size_t written_;
  bool stop_ = false, ended_ = false;
  int waiters_ = 0;
  std::string refusal_;
  double seconds_ = 0;
  /// After each piece the thread rests for as long as it took, unless somebody waits for the end:
  /// the driver's lock is not fair, and all other calls would stand still until the last piece.
  std::chrono::duration<double> pause_{0};
  std::thread thread_;  // joinable only where there are several pieces
};

}  // namespace fathom
