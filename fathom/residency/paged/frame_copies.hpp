// What a streaming source asks of one device: copies into frames, beside its kernels where it can
// do both at once, and the table through which kernels find pages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fathom/exec/context.hpp"
#include "fathom/exec/link_profile.hpp"
#include "fathom/residency/encoded/encoded_page.hpp"

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

/// All calls for one device come from one thread at a time.
class FrameCopies {
 public:
  struct Piece {
    void* to;
    const void* from;
    std::size_t bytes;                     // that are written
    const EncodedPage* encoded = nullptr;  // what they are decoded from, in place of `from`
    bool weights = false;                  // they are its weights, not its targets
  };

  virtual ~FrameCopies() = default;

  /// Kernels queued so far may use every one of so many frames. The table has no entry from now on,
  /// whatever the last sweep, or one that was interrupted, left there.
  virtual void begin_sweep(std::size_t frames, const PageTable& table) = 0;
  /// Copies what belongs to a frame, after the passes that used it: at once, or with its neighbours
  /// when start() is called at the latest. Copies end in the order of these calls.
  virtual void copy(std::size_t frame, std::span<const Piece> pieces) = 0;
  /// The same, of a page that was copied last into `peer_frame` of another device, which the pieces
  /// are in: it then crosses the link to the host once. False, and nothing was done, where this
  /// device does not reach the other.
  virtual bool forward(FrameCopies& peer, std::size_t peer_frame, std::size_t frame,
                       std::span<const Piece> pieces) = 0;
  /// Queues what waits for neighbours.
  virtual void start() = 0;
  /// The number of calls of copy() and forward() in this sweep whose copies have ended, after
  /// waiting for `least`: what they read may be overwritten.
  virtual std::size_t ended(std::size_t least) = 0;
  /// Copies of host memory so far, in all sweeps: neighbours that went together count once.
  virtual std::uint64_t requests() const = 0;
  /// What was measured of the link to the device; null: nothing is.
  virtual const LinkProfile* link() const = 0;
  /// Where the device's kernels find this host memory now; null: they cannot read all of it.
  virtual const std::byte* reachable(const std::byte* host, std::size_t bytes) const = 0;
  /// Starts copies. Kernels queued from now on find what was copied so far.
  virtual void show_copied() = 0;
  /// Kernels queued from now on find these entries in the table, and no others. A page has an entry
  /// once a sweep.
  virtual void begin_pass(const PageTable& table, std::span<const PageEntry> entries) = 0;
  /// A pass over these frames has been queued. `bytes`: of its pages, for the trace.
  virtual void end_pass(std::span<const std::size_t> frames, std::size_t bytes) = 0;
  /// Passes of this sweep so far; of those, how many have ended, after waiting for `least`: host
  /// memory that they read may be overwritten.
  virtual std::size_t passes() const = 0;
  virtual std::size_t passes_ended(std::size_t least) = 0;
  /// Waits for copies under way, and with `passes` for passes too: what they read may go.
  virtual void settle(bool passes) noexcept = 0;
  /// After the last pass.
  virtual void end_sweep() = 0;

  // In the order of the device's kernels:
  /// Copies host memory to the device, without waiting for it where that is possible.
  virtual void copy_in_order(void* to, const void* from, std::size_t bytes) = 0;
  virtual void clear(void* at, std::size_t bytes) = 0;
  /// Copies to the host; done when it returns.
  virtual void fetch(void* to, const void* from, std::size_t bytes) const = 0;

  /// For the host or an emulated device, where everything is done when a call returns, or for a
  /// GPU. `pages`: of the table. Context, device and trace (may be null) outlive it.
  static std::unique_ptr<FrameCopies> of(const Context& ctx, const Device& device,
                                         std::size_t pages, Trace* trace);
};

}  // namespace fathom
