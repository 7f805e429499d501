#include "fathom/residency/ssd/ssd_supply.hpp"

#include <algorithm>

#include "fathom/store/parts/part_offsets.hpp"

namespace fathom {

using store::SectionId;

PageShape SsdSupply::shape_of(const SectionReads& reads, const ListSectionIds& sections,
                              std::size_t page_bytes) {
  const store::Header& header = reads.file().layout().header;
  const std::uint64_t bytes = reads.section(sections.targets).bytes;
  // Degree-oriented lists have fewer edges than the header says, and no weights.
  if (sections.targets != SectionId::OutPages && sections.targets != SectionId::InPages)
    return PageShape::csr(header.vertices, bytes / sizeof(VertexId), sections.weights.has_value(),
                          page_bytes);
  return {header.vertices, header.edges, header.weighted, page_bytes, bytes, false};
}

SsdSupply::SsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer,
                     const ListSectionIds& sections, std::size_t page_bytes,
                     const std::optional<store::PartRange>& part)
    : PageSupply(shape_of(buffer->reads(), sections, page_bytes)),
      ctx_(&ctx),
      buffer_(std::move(buffer)),
      sections_(sections),
      part_(part),
      pages_per_unit_(buffer_->unit_bytes() / page_bytes),
      group_of_(pages(), PageBuffer::kNone),
      turn_(*buffer_) {
  buffer_->reads().section(sections.offsets);
  if (sections.weights) buffer_->reads().section(*sections.weights);
  const std::size_t units = (pages() + pages_per_unit_ - 1) / pages_per_unit_;
  const std::size_t weight_units = (units + kTargetsPerWeight - 1) / kTargetsPerWeight;
  buffer_->announce(units + (weight_pages() ? weight_units : 0));
}

void SsdSupply::for_each_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) {
  stop();
  turn_.begin();
  const EdgeId all = part_ ? buffer_->reads().file().layout().header.edges : edges();
  std::vector<EdgeId> within;
  const auto show = [&](std::size_t first, std::span<const EdgeId> offset) {
    if (!part_) return piece(first, offset);
    within.resize(offset.size());
    std::transform(offset.begin(), offset.end(), within.begin(),
                   [&](EdgeId at) { return store::offset_within(*part_, at); });
    piece(first, within);
  };
  read_offsets(*ctx_, buffer_->reads(), sections_.offsets, vertices(), all, show);
  turn_.end();
}

PageBuffer::Unit SsdSupply::unit_of(const Group& group, std::size_t plane) const {
  const std::size_t unit = wanted_[group.first] / pages_per_unit_;
  if (plane == 0) return {sections_.targets, unit};
  return {*sections_.weights, unit / kTargetsPerWeight};
}

bool SsdSupply::has_all_of(const Group& group) const {
  for (std::size_t p = 0; p < planes(); ++p) {
    const std::uint32_t slot = buffer_->find(unit_of(group, p));
    if (slot == PageBuffer::kNone || !buffer_->is_ready(slot)) return false;
  }
  return true;
}

void SsdSupply::start(std::span<const std::size_t> pages, bool weights) {
  stop();
  weights_ = weights && weight_pages();
  if (pages.empty()) return;
  turn_.begin();
  wanted_.assign(pages.begin(), pages.end());
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (group_.empty() ||
        wanted_[group_.back().first] / pages_per_unit_ != wanted_[i] / pages_per_unit_)
      group_.push_back({i, i});
    group_.back().last = i + 1;
  }
  // One group can then be used while another is read; less than that still works, without overlap.
  // (A buffer that is too small for what is asked of it here gives up all that it has.)
  try {
    buffer_->begin_sweep(std::min(std::size_t{2}, group_.size()) * planes());
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    buffer_->begin_sweep(planes());
  }
  for (std::uint32_t g = 0; g < group_.size(); ++g) {
    const std::size_t count = group_[g].last - group_[g].first;
    if (has_all_of(group_[g])) {
      take(g);
      ready_.push_back(g);
      turn_.traffic().page_hits += count;
    } else {
      queue_.push_back(g);
      turn_.traffic().page_misses += count;
    }
  }
  read_ahead();
}

/// Pins or loads what a group consists of; what is there is pinned before anything makes room.
void SsdSupply::take(std::uint32_t g) {
  Group& group = group_[g];
  group.kept = group.last - group.first;
  for (std::size_t p = 0; p < planes(); ++p) {
    group.slot[p] = buffer_->find(unit_of(group, p));
    if (group.slot[p] != PageBuffer::kNone) buffer_->pin(group.slot[p]);
  }
  loads_ = true;
  for (std::size_t p = 0; p < planes(); ++p)
    if (group.slot[p] == PageBuffer::kNone) group.slot[p] = buffer_->load(unit_of(group, p));
}

void SsdSupply::read_ahead() {
  while (!queue_.empty() && buffer_->can_queue() && buffer_->loadable() >= planes()) {
    take(queue_.front());
    under_way_.push_back(queue_.front());
    queue_.pop_front();
  }
  buffer_->poll(false);
  take_ready();
}

void SsdSupply::take_ready() {
  auto still = under_way_.begin();
  for (const std::uint32_t g : under_way_) {
    bool ready = true;
    for (std::size_t p = 0; p < planes(); ++p)
      ready = ready && buffer_->is_ready(group_[g].slot[p]);
    if (ready)
      ready_.push_back(g);
    else
      *still++ = g;
  }
  under_way_.erase(still, under_way_.end());
}

std::optional<SuppliedPage> SsdSupply::next() {
  for (;;) {
    read_ahead();
    if (!ready_.empty()) return pop();
    if (under_way_.empty()) {
      if (queue_.empty()) return std::nullopt;
      throw Error(ErrorCode::Internal, "pages were waited for while all of the buffer was held");
    }
    buffer_->poll(true);
    take_ready();
  }
}

bool SsdSupply::may_hold_more() const {
  if (queue_.empty() && under_way_.empty()) return true;
  return next_in_ready_ > 0 || (groups_held_ + 1) * planes() * 2 <= buffer_->slots();
}

std::optional<SuppliedPage> SsdSupply::try_next() {
  read_ahead();
  if (ready_.empty() || !may_hold_more()) return std::nullopt;
  return pop();
}

std::optional<SuppliedPage> SsdSupply::pop() {
  const std::uint32_t g = ready_.front();
  const Group& group = group_[g];
  if (next_in_ready_ == 0) ++groups_held_;
  const std::size_t page = wanted_[group.first + next_in_ready_];
  if (++next_in_ready_ == group.last - group.first) {
    ready_.pop_front();
    next_in_ready_ = 0;
  }
  group_of_[page] = g;
  const std::size_t at = page % pages_per_unit_ * page_bytes();
  const std::size_t weights_at =
      page % (pages_per_unit_ * kTargetsPerWeight) * (page_bytes() / kTargetsPerWeight);
  return SuppliedPage{page, buffer_->data(group.slot[0]) + at,
                      weights_ ? buffer_->data(group.slot[1]) + weights_at : nullptr,
                      bytes_of(page)};
}

void SsdSupply::release(std::size_t page) {
  Group& group = group_[group_of_[page]];
  if (--group.kept > 0) return;
  for (std::size_t p = 0; p < planes(); ++p) buffer_->unpin(group.slot[p]);
  --groups_held_;
}

void SsdSupply::stop() noexcept {
  // Not under_way_ alone: a group that was taken in part, when memory ran out, is in no list.
  if (loads_) buffer_->cancel();
  loads_ = false;
  turn_.end();
  for (Group& group : group_) {
    if (group.kept == 0) continue;
    for (std::size_t p = 0; p < planes(); ++p)
      if (group.slot[p] != PageBuffer::kNone) buffer_->unpin(group.slot[p]);
  }
  wanted_.clear();
  group_.clear();
  queue_.clear();
  under_way_.clear();
  ready_.clear();
  next_in_ready_ = groups_held_ = 0;
}

}  // namespace fathom
