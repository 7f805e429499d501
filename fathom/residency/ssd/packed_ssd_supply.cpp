#include "fathom/residency/ssd/packed_ssd_supply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fathom/residency/packed/host_packed_supply.hpp"

namespace fathom {

using store::SectionId;
using store::packed::kGroup;

PackedSsdSupply::PackedSsdSupply(const Context& ctx, std::shared_ptr<PageBuffer> buffer, bool out,
                                 std::size_t page_bytes)
    : PageSupply(PageShape::csr(buffer->reads().file().layout().header.vertices,
                                buffer->reads().file().layout().header.edges,
                                buffer->reads().file().layout().header.weighted, page_bytes)),
      ctx_(&ctx),
      buffer_(std::move(buffer)),
      ids_(store::PackedSectionIds::of(out)),
      turn_(*buffer_) {
  check_packed_page(page_bytes);
  const store::StoreFile& file = buffer_->reads().file();
  name_ = store::name_of_section(file, ids_.words);
  std::array<std::uint32_t, 4> format{};
  read_section(ctx, buffer_->reads(), SectionId::Packed,
               [&](std::uint64_t, std::span<const std::byte> part) {
                 std::memcpy(format.data(), part.data(), sizeof(format));
               });
  layout_ = store::decode_packed(file, format);
  read_index();
  if (weighted()) read_values();
  place_of_.assign(pages(), 0);
  for (std::size_t p = 0; p < pages(); ++p) most_units_ = std::max(most_units_, units_of(p).size());
  const auto units_in = [&](SectionId id) {
    const std::uint64_t bytes = buffer_->reads().section(id).bytes;
    return static_cast<std::size_t>((bytes + buffer_->unit_bytes() - 1) / buffer_->unit_bytes());
  };
  buffer_->announce(units_in(ids_.words));
  if (weighted()) buffer_->announce(units_in(layout_.code_bytes > 0 ? ids_.codes : ids_.weights));
}

void PackedSsdSupply::read_index() {
  SectionReads& reads = buffer_->reads();
  index_ = read_array<std::uint64_t>(*ctx_, reads, ids_.index);
  const std::string fault =
      store::fault_of_index(index_.span(), edges(), layout_.id_bits,
                            reads.section(ids_.words).bytes / sizeof(std::uint32_t));
  if (!fault.empty())
    store::throw_bad_store(reads.file().path(),
                           fmt::format("section '{}': {}", store::name_of(ids_.index), fault));
}

void PackedSsdSupply::read_values() {
  if (layout_.code_bytes == 0) return;
  SectionReads& reads = buffer_->reads();
  values_ = read_array<Weight>(*ctx_, reads, SectionId::WeightValues);
  store::check_code_values(reads.file(), layout_, values_.span());
}

void PackedSsdSupply::for_each_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) {
  stop();
  turn_.begin();
  read_offsets(*ctx_, buffer_->reads(), ids_.offsets, vertices(), edges(), piece);
  turn_.end();
}

/// Those of its words, ascending, and that of its weights if they are wanted.
std::vector<PageBuffer::Unit> PackedSsdSupply::units_of(std::size_t page) const {
  const std::uint64_t first = group_of(page);
  const std::uint64_t last = std::min<std::uint64_t>(group_of(page + 1), index_.size() - 1);
  std::vector<PageBuffer::Unit> units;
  for (std::uint64_t u = index_[first] / unit_words(); u <= (index_[last] - 1) / unit_words(); ++u)
    units.push_back({ids_.words, u});
  if (weights_) {
    const bool coded = layout_.code_bytes > 0;
    const std::size_t each = coded ? layout_.code_bytes : sizeof(Weight);
    const std::uint64_t at = page * std::uint64_t{page_bytes() / sizeof(VertexId)} * each;
    units.push_back({coded ? ids_.codes : ids_.weights, at / buffer_->unit_bytes()});
  }
  return units;
}

bool PackedSsdSupply::has_all_of(std::size_t page) const {
  for (const PageBuffer::Unit& unit : units_of(page)) {
    const std::uint32_t slot = buffer_->find(unit);
    if (slot == PageBuffer::kNone || !buffer_->is_ready(slot)) return false;
  }
  return true;
}

void PackedSsdSupply::start(std::span<const std::size_t> pages, bool weights) {
  stop();
  weights_ = weights && weight_pages();
  if (pages.empty()) return;
  turn_.begin();
  // One page can then be used while another is read; less than that still works, without overlap.
  const std::size_t each = most_units(weights_);
  try {
    buffer_->begin_sweep(each * std::min<std::size_t>(2, pages.size()));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    buffer_->begin_sweep(each);
  }
  wanted_.resize(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    wanted_[i].page = pages[i];
    place_of_[pages[i]] = i;
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (has_all_of(pages[i])) {
      take(wanted_[i]);
      ready_.push_back(i);
      ++turn_.traffic().page_hits;
    } else {
      queue_.push_back(i);
      ++turn_.traffic().page_misses;
    }
  }
  read_ahead();
}

/// Pins or loads its units; what is there is pinned before anything makes room.
void PackedSsdSupply::take(Held& held) {
  const std::vector<PageBuffer::Unit> units = units_of(held.page);
  held.slots.assign(units.size(), PageBuffer::kNone);
  for (std::size_t u = 0; u < units.size(); ++u) {
    held.slots[u] = buffer_->find(units[u]);
    if (held.slots[u] != PageBuffer::kNone) buffer_->pin(held.slots[u]);
  }
  loads_ = true;
  for (std::size_t u = 0; u < units.size(); ++u)
    if (held.slots[u] == PageBuffer::kNone) held.slots[u] = buffer_->load(units[u]);
}

void PackedSsdSupply::read_ahead() {
  while (!queue_.empty() && buffer_->can_queue() && buffer_->loadable() >= most_units(weights_)) {
    take(wanted_[queue_.front()]);
    under_way_.push_back(queue_.front());
    queue_.pop_front();
  }
  buffer_->poll(false);
  take_ready();
}

void PackedSsdSupply::take_ready() {
  const auto is_ready = [&](std::size_t i) {
    const std::vector<std::uint32_t>& slots = wanted_[i].slots;
    return std::all_of(slots.begin(), slots.end(),
                       [&](std::uint32_t slot) { return buffer_->is_ready(slot); });
  };
  const auto still = std::stable_partition(under_way_.begin(), under_way_.end(),
                                           [&](std::size_t i) { return !is_ready(i); });
  ready_.insert(ready_.end(), still, under_way_.end());
  under_way_.erase(still, under_way_.end());
}

std::optional<SuppliedPage> PackedSsdSupply::next() {
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

std::optional<SuppliedPage> PackedSsdSupply::try_next() {
  read_ahead();
  const bool may_hold_more = (queue_.empty() && under_way_.empty()) ||
                             (held_ + 1) * most_units(weights_) * 2 <= buffer_->slots();
  if (ready_.empty() || !may_hold_more) return std::nullopt;
  return pop();
}

std::optional<SuppliedPage> PackedSsdSupply::pop() {
  Held& held = wanted_[ready_.front()];
  ready_.pop_front();
  ++held_;
  describe(held);
  SuppliedPage page{held.page, nullptr, nullptr, bytes_of(held.page)};
  page.packed = &held.packed;
  page.packed_weights = weights_;
  return page;
}

/// Where the words of its groups are: no group crosses the border of a unit.
void PackedSsdSupply::describe(Held& held) const {
  const std::uint64_t first = group_of(held.page);
  const std::size_t entries = bytes_of(held.page) / sizeof(VertexId);
  PackedPage& page = held.packed;
  page = PackedPage::at(layout_.id_bits, vertices(), index_.span(), first, entries, name_);
  const std::uint64_t unit = index_[first] / unit_words();
  held.runs.clear();
  for (std::uint64_t g = 0; g < page.groups(); ++g) {
    const std::uint64_t word = page.index[g], its = word / unit_words();
    if (held.runs.empty() || held.runs.back().first_word / unit_words() != its) {
      const std::byte* const data = buffer_->data(held.slots[static_cast<std::size_t>(its - unit)]);
      held.runs.push_back(
          {reinterpret_cast<const std::uint32_t*>(data) + word % unit_words(), word, 0});
    }
    ++held.runs.back().groups;
  }
  page.runs = held.runs;
  page.weights = {nullptr, layout_.code_bytes, values_.span()};
  if (!weights_) return;
  const std::uint64_t at = first * kGroup * page.weights.entry_bytes();
  page.weights.at = buffer_->data(held.slots.back()) + at % buffer_->unit_bytes();
}

void PackedSsdSupply::release(std::size_t page) {
  Held& held = wanted_[place_of_[page]];
  for (const std::uint32_t slot : held.slots) buffer_->unpin(slot);
  held.slots.clear();
  --held_;
}

void PackedSsdSupply::stop() noexcept {
  if (loads_) buffer_->cancel();
  loads_ = false;
  turn_.end();
  for (Held& held : wanted_) {
    for (const std::uint32_t slot : held.slots)
      if (slot != PageBuffer::kNone) buffer_->unpin(slot);
  }
  wanted_.clear();
  queue_.clear();
  under_way_.clear();
  ready_.clear();
  held_ = 0;
}

}  // namespace fathom
