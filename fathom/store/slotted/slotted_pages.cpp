#include "fathom/store/slotted/slotted_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fathom/core/units.hpp"
#include "fathom/store/format.hpp"

namespace fathom::store {
namespace {

using slotted::kSizeBytes;
using slotted::kSlotBytes;
using slotted::kVidBytes;

// Little-endian numbers of 4 and 6 bytes: sizes that a compiler knows are copied by one or two
// moves.
void store_u32(std::byte* at, std::uint64_t value) {
  std::memcpy(at, &value, 4);
}
void store_u48(std::byte* at, std::uint64_t value) {
  std::memcpy(at, &value, 6);
}
std::uint64_t load_u32(const std::byte* at) {
  return slotted::load_u32(slotted::halves(at));
}
std::uint64_t load_u48(const std::byte* at) {
  return slotted::load_u48(slotted::halves(at));
}
std::uint64_t load_id(const std::byte* at, std::uint32_t bytes) {
  return bytes == 4 ? load_u32(at) : load_u48(at);
}

}  // namespace

SlottedLayout layout_of(const SlottedOptions& options, bool weighted) {
  return {static_cast<std::uint32_t>(options.pid_bytes),
          static_cast<std::uint32_t>(options.slot_bytes),
          static_cast<std::uint32_t>(options.page_bytes),
          weighted ? static_cast<std::uint32_t>(sizeof(Weight)) : 0};
}

void Paginator::put(const RvtEntry& entry) {
  if (++pages_ <= layout_.most_pages() && keep_) rvt_.push_back(entry);
}

void Paginator::close() {
  if (slots_ == 0) return;
  put({next_vertex_ - slots_, 0, 0, static_cast<std::uint32_t>(entries_), 0, 0});
  used_ = slots_ = entries_ = 0;
}

void Paginator::add(EdgeId degree) {
  const std::uint64_t capacity = layout_.capacity();
  if (degree > capacity) {
    close();
    const auto count = static_cast<std::uint32_t>((degree + capacity - 1) / capacity);
    for (std::uint32_t i = 0; i < count; ++i)
      put({next_vertex_, i, count,
           static_cast<std::uint32_t>(std::min<EdgeId>(capacity, degree - i * capacity)), 0, 0});
    ++next_vertex_;
    return;
  }
  const std::uint64_t needed = layout_.record_bytes(degree) + kSlotBytes;
  if (used_ + needed > layout_.page_bytes || slots_ == layout_.most_slots()) close();
  used_ += needed;
  entries_ += degree;
  ++slots_;
  ++next_vertex_;
}

void Paginator::finish() {
  close();
}

void refuse_page_count(const SlottedOptions& asked, bool weighted, std::uint64_t pages,
                       EachDegree each_degree) {
  auto has_room = [&](const SlottedOptions& o) {
    try {
      check_slotted_options(o);
    } catch (const Error&) {
      return false;
    }
    Paginator trial(layout_of(o, weighted), false);
    each_degree([&](EdgeId degree) { trial.add(degree); });
    trial.finish();
    return trial.fits();
  };
  for (const auto& [p, q] : {std::pair(asked.pid_bytes, asked.slot_bytes), {3, 3}, {4, 2}})
    for (std::size_t bytes = asked.page_bytes; bytes <= kMostSlottedPage; bytes *= 2)
      if (has_room({bytes, p, q}))
        throw Error(ErrorCode::DoesNotFit,
                    fmt::format("the graph takes {} pages of {}, more than page ids of {} bytes "
                                "can number; pages of {} with page ids and slot numbers of {} and "
                                "{} bytes work",
                                format_count(pages), format_bytes(asked.page_bytes),
                                asked.pid_bytes, format_bytes(bytes), p, q));
  throw Error(ErrorCode::DoesNotFit,
              fmt::format("the graph takes {} pages of {}; no configuration has ids for so many",
                          format_count(pages), format_bytes(asked.page_bytes)));
}

std::byte* PageEncoder::put_entries(std::span<const VertexId> target,
                                    std::span<const Weight> weight, std::byte* at) const {
  const RvtView rvt = tables_.view();
  const std::uint32_t pid_bits = 8 * layout_.pid_bytes;
  const std::uint32_t id_bytes = layout_.pid_bytes + layout_.slot_bytes;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::uint32_t page = rvt.page_of(target[i]);
    const std::uint64_t slot = target[i] - rvt.start_vid[page];
    const std::uint64_t id = page | slot << pid_bits;
    if (id_bytes == 4)
      store_u32(at, id);
    else
      store_u48(at, id);
    at += id_bytes;
    if (layout_.weight_bytes == 0) continue;
    std::memcpy(at, &weight[i], sizeof(Weight));
    at += sizeof(Weight);
  }
  return at;
}

void PageEncoder::encode(std::size_t p, std::span<const EdgeId> offset,
                         std::span<const VertexId> target, std::span<const Weight> weight,
                         std::span<std::byte> page) const {
  std::byte* at = page.data();
  auto put_slot = [&](std::uint64_t number, std::uint64_t vid) {
    std::byte* slot = page.data() + page.size() - (number + 1) * kSlotBytes;
    store_u48(slot, vid);
    store_u32(slot + kVidBytes, static_cast<std::uint64_t>(at - page.data()));
  };
  auto put_record = [&](std::size_t first, std::size_t count) {
    store_u32(at, count);
    at = put_entries(target.subspan(first, count),
                     weight.empty() ? weight : weight.subspan(first, count), at + kSizeBytes);
  };
  std::uint64_t slots = 1;
  if (rvt_[p].lp_count != 0) {
    put_slot(0, rvt_[p].start_vid);
    put_record(0, target.size());
  } else {
    slots = offset.size() - 1;
    for (std::size_t i = 0; i < slots; ++i) {
      put_slot(i, rvt_[p].start_vid + i);
      put_record(static_cast<std::size_t>(offset[i] - offset[0]),
                 static_cast<std::size_t>(offset[i + 1] - offset[i]));
    }
  }
  std::fill(at, page.data() + page.size() - slots * kSlotBytes, std::byte{0});
}

std::string fault_of_rvt(const SlottedLayout& layout, std::span<const RvtEntry> rvt,
                         std::uint64_t vertices, EdgeId edges) {
  std::uint64_t next = 0, entries = 0;
  for (std::size_t p = 0; p < rvt.size(); ++p) {
    const RvtEntry& e = rvt[p];
    const std::string where = fmt::format("element {}: ", p);
    if (e.start_vid != next || next >= vertices)
      return where +
             fmt::format("begins with vertex {}, expected {} of {}", e.start_vid, next, vertices);
    if (e.reserved != 0) return where + "its reserved field is not 0";
    entries += e.entries;
    if (e.lp_count == 0) {
      const std::uint64_t after = p + 1 < rvt.size() ? rvt[p + 1].start_vid : vertices;
      if (after <= next || after - next > layout.most_slots() || after > vertices ||
          e.lp_index != 0 ||
          (after - next) * (kSlotBytes + kSizeBytes) +
                  std::uint64_t{e.entries} * layout.entry_bytes() >
              layout.page_bytes)
        return where + fmt::format("{} vertices and {} entries are no small page",
                                   static_cast<std::int64_t>(after - next), e.entries);
      next = after;
      continue;
    }
    const bool follows = p > 0 && rvt[p - 1].lp_count == e.lp_count &&
                         rvt[p - 1].start_vid == e.start_vid &&
                         rvt[p - 1].lp_index + 1 == e.lp_index;
    const bool last = e.lp_index + 1 == e.lp_count;
    if (e.lp_count < 2 || e.lp_index >= e.lp_count || (e.lp_index != 0 && !follows) ||
        e.entries == 0 || (last ? e.entries > layout.capacity() : e.entries != layout.capacity()))
      return where + fmt::format("large page {} of {} with {} entries is not possible here",
                                 e.lp_index, e.lp_count, e.entries);
    if (last) ++next;
    if (!last && (p + 1 == rvt.size() || rvt[p + 1].lp_index != e.lp_index + 1))
      return where + "the next large page of its vertex is missing";
  }
  if (next != vertices) return fmt::format("ends before vertex {} of {}", next, vertices);
  if (entries != edges) return fmt::format("counts {} edges, the graph has {}", entries, edges);
  return {};
}

std::string fault_of_page(const SlottedLists& lists, std::size_t p, const std::byte* page) {
  const SlottedLayout& layout = lists.layout;
  const std::uint32_t entry_bytes = layout.entry_bytes();
  const std::uint64_t slots = slots_of(lists.rvt, p, lists.vertices);
  const std::uint64_t end = layout.page_bytes - slots * kSlotBytes;
  const std::uint32_t pid_bits = 8 * layout.pid_bytes;
  const std::uint32_t id_bytes = layout.pid_bytes + layout.slot_bytes;
  std::uint64_t at = 0, entries = 0;
  for (std::uint64_t i = 0; i < slots; ++i) {
    const std::byte* slot = layout.slot(page, i);
    if (load_u48(slot) != lists.rvt[p].start_vid + i)
      return fmt::format("slot {} names vertex {}, expected {}", i, load_u48(slot),
                         lists.rvt[p].start_vid + i);
    if (load_u32(slot + kVidBytes) != at)
      return fmt::format("slot {} names offset {}, expected {}", i, load_u32(slot + kVidBytes), at);
    if (end - at < kSizeBytes) return fmt::format("record {} lies over the slots", i);
    const std::uint64_t size = load_u32(page + at);
    at += kSizeBytes;
    if (size > (end - at) / entry_bytes)
      return fmt::format("record {} of {} entries lies over the slots", i, size);
    for (std::uint64_t k = 0; k < size; ++k, at += entry_bytes) {
      const std::uint64_t id = load_id(page + at, id_bytes);
      const std::uint64_t pid = id & (layout.most_pages() - 1);
      if (pid >= lists.rvt.size() || lists.rvt[pid].lp_index != 0 ||
          id >> pid_bits >= slots_of(lists.rvt, pid, lists.vertices))
        return fmt::format("entry {} of record {} names slot {} of page {}, which is not there", k,
                           i, id >> pid_bits, pid);
    }
    entries += size;
  }
  if (entries != lists.rvt[p].entries)
    return fmt::format("has {} entries, expected {}", entries, lists.rvt[p].entries);
  // The first is zero, and each as the one before.
  if (at < end &&
      (page[at] != std::byte{0} ||
       std::memcmp(page + at, page + at + 1, static_cast<std::size_t>(end - at - 1)) != 0))
    return "the space between records and slots is not zero";
  return {};
}

void decode_page(const SlottedLayout& layout, std::span<const RvtEntry> rvt, std::size_t p,
                 const std::byte* page, std::span<VertexId> target, std::span<Weight> weight) {
  const std::uint32_t id_bytes = layout.pid_bytes + layout.slot_bytes;
  const std::uint64_t pid_mask = layout.most_pages() - 1;
  const std::byte* at = page;
  for (std::size_t i = 0; i < rvt[p].entries;) {
    const std::uint64_t size = load_u32(at);
    at += kSizeBytes;
    for (const std::size_t end = i + size; i < end; ++i, at += layout.entry_bytes()) {
      const std::uint64_t id = load_id(at, id_bytes);
      target[i] =
          static_cast<VertexId>(rvt[id & pid_mask].start_vid + (id >> 8 * layout.pid_bytes));
      if (!weight.empty()) std::memcpy(&weight[i], at + id_bytes, sizeof(Weight));
    }
  }
}

}  // namespace fathom::store
