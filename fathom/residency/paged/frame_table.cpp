#include "fathom/residency/paged/frame_table.hpp"

#include <algorithm>

namespace fathom {
namespace {

// Copies of 16 MiB and more reach the link's full rate (fathom bench link); a larger batch only
// delays the first kernel. Other sizes of a batch were not compared.
constexpr std::size_t kBatchBytes = std::size_t{64} << 20;

constexpr std::size_t kReserve = std::size_t{64} << 20;
constexpr std::size_t kShareOfFree = 8;   // one part in so many stays free
constexpr std::size_t kEdgesPerByte = 8;  // of operators: queues of hubs, and parts of their sums

}  // namespace

std::size_t room_for_frames(std::size_t available, EdgeId edges, std::size_t sources) {
  const std::size_t reserve = std::max(
      {kReserve, available / kShareOfFree, static_cast<std::size_t>(edges / kEdgesPerByte)});
  return (available > reserve ? available - reserve : available / 2) / sources;
}

FrameTable::FrameTable(std::size_t frames, std::size_t pages, std::size_t page_bytes,
                       PageCache policy)
    : policy_(policy),
      // A batch is shown, one is there already, and one is on its way.
      batch_(std::clamp<std::size_t>(kBatchBytes / page_bytes, 1,
                                     std::max<std::size_t>(frames / 3, 1))),
      page_(frames, kNone),
      used_(frames, 0),
      frame_of_(pages, kNone) {
  if (policy == PageCache::Static && frames > 3 * batch_) kept_ = frames - 3 * batch_;
}

std::size_t FrameTable::empty() const {
  return static_cast<std::size_t>(std::count(page_.begin(), page_.end(), kNone));
}

void FrameTable::begin_sweep(FunctionRef<bool(std::size_t page)> wanted) {
  ++sweep_;
  // Empty frames go first, then those longest out of use.
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < size(); ++f)
    if (page_[f] == kNone || (!keeps(f) && !wanted(page_[f]))) order.push_back(f);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if ((page_[a] == kNone) != (page_[b] == kNone)) return page_[a] == kNone;
    return page_[a] != kNone && used_[a] < used_[b];
  });
  victims_.assign(order.begin(), order.end());
}

std::size_t FrameTable::take(std::size_t page) {
  const std::size_t frame = victims_.front();
  victims_.pop_front();
  if (page_[frame] != kNone) frame_of_[page_[frame]] = kNone;
  page_[frame] = page;
  frame_of_[page] = frame;
  used_[frame] = sweep_;
  return frame;
}

void FrameTable::shown(std::size_t page) {
  const std::size_t frame = frame_of_[page];
  used_[frame] = sweep_;
  if (!keeps(frame)) victims_.push_back(frame);
}

void FrameTable::end_sweep() {
  if (policy_ == PageCache::None) forget_all();
}

void FrameTable::forget(std::size_t page) {
  const std::size_t frame = frame_of_[page];
  page_[frame] = kNone;
  frame_of_[page] = kNone;
  victims_.push_front(frame);
}

void FrameTable::forget_all() {
  std::fill(page_.begin(), page_.end(), kNone);
  std::fill(frame_of_.begin(), frame_of_.end(), kNone);
  victims_.clear();
}

void FrameTable::clear() noexcept {
  page_.clear();
  used_.clear();
  frame_of_.clear();
  victims_.clear();
}

}  // namespace fathom
