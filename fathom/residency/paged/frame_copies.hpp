// What a streaming source asks of one device: copies into frames, beside its kernels where it can
// do both at once, and the table through which kernels find pages.
#pragma once

#include <memory>
#include <span>

#include "fathom/exec/context.hpp"
#include "fathom/exec/link_profile.hpp"

namespace fathom {

class Trace;

/// A page for the table that kernels see: both null when it is nowhere.
struct PageEntry {
  std::size_t page;
  const void* data;
  const void* weight;  // null: not wanted, or in `data` too
};

/// The table, in the device's memory; `weight` may be null.
struct PageTable {
  const void** data;    // [pages]
  const void** weight;  // [pages]
};

class FrameCopies {
 public:
  struct Piece {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  virtual ~FrameCopies() = default;

  /// Kernels queued so far may use every one of so many frames.
  virtual void begin_sweep(std::size_t frames) = 0;
  /// Queues the copy of what belongs to a frame, after the passes that used it. Copies end in the
  /// order they were queued in.
  virtual void copy(std::size_t frame, std::span<const Piece> pieces) = 0;
  /// The same, of a page that was copied last into `peer_frame` of another device, which the pieces
  /// are in: it then crosses the link to the host once. False, and nothing was done, where this
  /// device does not reach the other.
  virtual bool forward(FrameCopies& peer, std::size_t peer_frame, std::size_t frame,
                       std::span<const Piece> pieces) = 0;
  /// The number of copies of this sweep that have ended, after waiting for `least`: what they read
  /// may be overwritten.
  virtual std::size_t ended(std::size_t least) = 0;
  /// What was measured of the link to the device; null: nothing is.
  virtual const LinkProfile* link() const = 0;
  /// Where the device's kernels find this host memory; null: they cannot read it.
  virtual const std::byte* reachable(const std::byte* host) const = 0;
  /// Kernels queued from now on find what was copied so far, and these entries in the table.
  virtual void begin_pass(const PageTable& table, std::span<const PageEntry> entries) = 0;
  /// A pass over these frames has been queued; it looked up these entries, which go. `bytes`: of
  /// its pages, for the trace.
  virtual void end_pass(const PageTable& table, std::span<const PageEntry> entries,
                        std::span<const std::size_t> frames, std::size_t bytes) = 0;
  /// Passes of this sweep so far; of those, how many have ended, after waiting for `least`: host
  /// memory that they read may be overwritten.
  virtual std::size_t passes() const = 0;
  virtual std::size_t passes_ended(std::size_t least) = 0;
  /// Waits for copies under way, and with `passes` for passes too: what they read may go.
  virtual void settle(bool passes) noexcept = 0;
  /// After the last pass.
  virtual void end_sweep() = 0;

  /// For the host or an emulated device, where everything is done when a call returns, or for a
  /// GPU. `pages`: of the table. Context, device and trace (may be null) outlive it.
  static std::unique_ptr<FrameCopies> of(const Context& ctx, const Device& device,
                                         std::size_t pages, Trace* trace);
};

}  // namespace fathom
