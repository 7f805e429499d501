// Which page is in which frame of a device's memory, and which frame the next page takes. Host
// side; the memory itself is its owner's.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/residency/paged/paging_options.hpp"

namespace fathom {

/// What frames may take of `available` bytes of a GPU's memory: the rest is for vertex state yet to
/// come and for operators' temporary data, which hubs make grow with the edges. `sources` of a
/// graph share it.
FATHOM_API std::size_t room_for_frames(std::size_t available, EdgeId edges, std::size_t sources);

/// Pages leave frames in the order in which they were last shown (PageCache::Lru; GTS, section
/// 3.3), those of the sweep under way last: a sweep over all pages then finds as many of them as
/// there are frames, where plain LRU would find none.
///
/// Invariant: a page is in at most one frame; a frame is among the victims only if every pass that
/// uses it has been queued.
class FATHOM_API FrameTable {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  FrameTable() = default;
  /// With PageCache::Static all frames but those of three batches keep the page they got first.
  FrameTable(std::size_t frames, std::size_t pages, std::size_t page_bytes, PageCache policy);

  std::size_t size() const { return page_.size(); }
  /// Pages that are copied and shown together.
  std::size_t batch() const { return batch_; }
  bool has(std::size_t page) const { return frame_of_[page] != kNone; }
  std::size_t frame_of(std::size_t page) const { return frame_of_[page]; }
  /// Frames without a page.
  std::size_t empty() const;

  /// Before the first pass of a sweep. Kernels queued so far may use every frame.
  void begin_sweep(FunctionRef<bool(std::size_t page)> wanted);
  /// Whether so many pages find a frame now.
  bool can_take(std::size_t count) const { return victims_.size() >= count; }
  /// Gives a page that has none a frame; can_take(1).
  std::size_t take(std::size_t page);
  /// A pass over a page has been queued: its frame may be taken, unless it keeps its page.
  void shown(std::size_t page);
  /// After the last pass. With PageCache::None every page is forgotten.
  void end_sweep();
  /// Empties the frame of a page, which may be taken in this sweep.
  void forget(std::size_t page);
  /// Empties every frame.
  void forget_all();
  /// There are no frames any more. Allocates nothing.
  void clear() noexcept;

 private:
  bool keeps(std::size_t frame) const { return frame < kept_ && page_[frame] != kNone; }

  PageCache policy_ = PageCache::Lru;
  std::size_t batch_ = 1, kept_ = 0;   // frames [0, kept_) keep the page they got first
  std::vector<std::size_t> page_;      // [frames]
  std::vector<std::uint64_t> used_;    // [frames]: the sweep that showed it last
  std::vector<std::size_t> frame_of_;  // [pages]
  std::deque<std::size_t> victims_;
  std::uint64_t sweep_ = 0;
};

}  // namespace fathom
