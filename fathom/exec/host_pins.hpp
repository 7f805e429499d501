// Which host memory of a process is pinned for GPUs, or about to be: who copies out of it asks how.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "fathom/core/platform.hpp"
#include "fathom/exec/pinned_pieces.hpp"

namespace fathom {

/// Thread-safe. Invariant: memories do not overlap; one without a holder is being unpinned, and
/// whoever wants to pin some of it waits for that.
class FATHOM_API HostPins {
 public:
  enum class State {
    Unknown,  // nothing was asked for here: pinned by other means, or not
    Waiting,  // to be pinned, or refused: the driver may pin it at any moment
    Pinned,
  };
  /// The longest beginning of a range that one copy may cover: it crosses no border between pieces,
  /// of which the driver knows each by itself, and may learn of one at any moment.
  struct Stretch {
    State state;
    std::size_t bytes;
  };

  /// As PinnedPieces does. What somebody else holds already is shared: it stays pinned until the
  /// last holder has given it back. Null when some of the memory is part of another one.
  std::shared_ptr<PinnedPieces> pin(std::shared_ptr<HostPinner> pinner,
                                    std::span<const std::byte> memory,
                                    std::size_t written = PinnedPieces::kAll,
                                    std::size_t piece_bytes = PinnedPieces::kPieceBytes);
  /// Gives back the memory that begins there; nothing if none does. The holder no longer reads it,
  /// by a copy or a kernel.
  void unpin(const std::byte* first) noexcept;

  /// What begins there; null.
  std::shared_ptr<const PinnedPieces> at(const std::byte* first) const;
  Stretch stretch(const void* p, std::size_t bytes) const;
  /// Whether the whole memory that `p` lies in is pinned; Waiting until then.
  State of_whole(const void* p) const;

 private:
  struct Memory {
    std::shared_ptr<PinnedPieces> pieces;
    std::size_t holders = 1;
  };
  using Memories = std::map<std::uintptr_t, Memory>;
  std::shared_ptr<PinnedPieces> holding(std::uintptr_t at) const;
  Memories::const_iterator first_from(std::uintptr_t at) const;
  bool going(std::span<const std::byte> memory) const;

  mutable std::mutex mutex_;
  std::condition_variable gone_;
  Memories memory_;  // by where it begins
};

}  // namespace fathom
