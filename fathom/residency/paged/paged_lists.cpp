// Whole lists of a PagedSource: pairs of them for kernels, and one at a time for the host.
#include <algorithm>

#include "fathom/core/units.hpp"
#include "fathom/residency/paged/found_page.hpp"
#include "fathom/residency/paged/paged_source.hpp"

namespace fathom {
namespace {

/// Borders of runs of lists of at most `half` edges each, from 0 to `vertices`; `offset_at(v)` is
/// where the list of v begins. Page frames hold two such runs. Cost: a binary search for each run.
/// @throws Error(DoesNotFit) when one list is longer than that, naming what would be needed.
std::vector<VertexId> cut_into_whole_lists(VertexId vertices, std::size_t half,
                                           FunctionRef<EdgeId(VertexId)> offset_at) {
  std::vector<VertexId> cut{0};
  while (cut.back() < vertices) {
    const EdgeId begin = offset_at(cut.back());
    // The last vertex whose list begins at most `half` edges later.
    VertexId low = cut.back(), high = vertices;
    while (low < high) {
      const VertexId middle = low + (high - low + 1) / 2;
      if (offset_at(middle) <= begin + half)
        low = middle;
      else
        high = middle - 1;
    }
    if (low == cut.back()) {
      const EdgeId degree = offset_at(low + 1) - begin;
      throw Error(ErrorCode::DoesNotFit, "the list of one vertex has " + format_count(degree) +
                                             " edges, but a half of the page frames holds " +
                                             format_count(half) + "; at least " +
                                             format_bytes(2 * degree * sizeof(VertexId)) +
                                             " of page frames are needed");
    }
    cut.push_back(low);
  }
  return cut;
}

}  // namespace

/// What is shown is a copy: see FoundPage.
class PagedSource::Lists final : public ListReader {
 public:
  explicit Lists(PagedSource& source) : source_(source), page_(*source.supply_) {}

  EdgeId degree(VertexId v) override { return source_.offset_at(v + 1) - source_.offset_at(v); }

  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    const std::uint32_t shift = source_.page_shift_;
    const EdgeId end = source_.offset_at(v + 1);
    for (EdgeId at = source_.offset_at(v); at < end;) {
      const auto page = static_cast<std::size_t>(at >> shift);
      const EdgeId first = static_cast<EdgeId>(page) << shift;
      const EdgeId to = std::min({end, first + (EdgeId{1} << shift), at + kEntriesAtATime});
      const SuppliedPage& found = page_.at(source_.ctx_->task(), page);
      const VertexId* const targets = found.targets() + (at - first);
      const Weight* const weights = found.weights() ? found.weights() + (at - first) : nullptr;
      target_.assign(targets, targets + (to - at));
      if (weights) weight_.assign(weights, weights + (to - at));
      span({target_.data(), weights ? weight_.data() : nullptr,
            static_cast<std::uint32_t>(to - at)});
      at = to;
    }
  }

 private:
  static constexpr EdgeId kEntriesAtATime = EdgeId{1} << 16;

  PagedSource& source_;
  FoundPage page_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

std::unique_ptr<ListReader> PagedSource::read_lists() {
  return std::make_unique<Lists>(*this);
}

/// For the kernels that are queued from now on: those of the pass before read the other half.
FlatEdges PagedSource::load_lists(DevicePages& d, VertexId first, VertexId last, std::size_t half) {
  const EdgeId base = offset_at(first), end = offset_at(last);
  VertexId* const to = reinterpret_cast<VertexId*>(d.data.data()) + half * (frame_edges(d) / 2);
  const FlatEdges lists{d.offset.data(), to, nullptr, base, kWholeList};
  if (base == end) return lists;
  const std::size_t bytes = (end - base) * sizeof(VertexId);
  ++d.traffic.requests;
  d.traffic.bytes += bytes;
  if (serves() && !supply_->encoded()) {
    const std::byte* const from = supply_->page_memory(false).data() + base * sizeof(VertexId);
    d.copies->copy_in_order(to, from, bytes);
    return lists;
  }
  std::vector<std::size_t> pages;
  for (EdgeId p = base >> page_shift_; p <= (end - 1) >> page_shift_; ++p)
    pages.push_back(static_cast<std::size_t>(p));
  std::vector<VertexId> decoded;
  const auto copy_its_part = [&](const SuppliedPage& page) {
    const EdgeId at = static_cast<EdgeId>(page.page) << page_shift_;
    const EdgeId from = std::max(at, base), until = std::min<EdgeId>(at + page.count(), end);
    const VertexId* targets = page.targets();
    if (page.encoded) {
      decoded.resize(page.count());
      page.encoded->decode_targets(ctx_->threads(), decoded.data());
      targets = decoded.data();
    }
    ctx_->copy(to + (from - base), targets + (from - at), (until - from) * sizeof(VertexId));
  };
  if (serves()) {
    for (const std::size_t page : pages) copy_its_part(supply_->page(page, false));
    return lists;
  }
  supply_->start(pages, false);
  while (const auto page = supply_->next()) {
    copy_its_part(*page);
    supply_->release(page->page);
  }
  return lists;
}

void PagedSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  refuse_if_split();
  if (edges() == 0) return;
  const Holds held = offsets_held();
  make_ready(false, false);
  // Lists are copied together, so that pages need little room of their own: where the supply's
  // buffer and frames share a memory, frames get it.
  struct Done {
    PagedSource& source;
    ~Done() {
      source.supply_->stop();
      for (DevicePages& d : source.devices_) d.sweeping = false;
      if (!source.on_host_) return;
      release_frames(source.devices_[0]);
      source.supply_->limit_block(MemoryPool::kUnlimited);
    }
  } done{*this};
  const std::size_t aside = on_host_ ? 2 * supply_->least_block(false) : 0;
  if (on_host_) supply_->limit_block(aside);
  // Every device goes through the same runs of lists, or their pairs would overlap and leave gaps:
  // the device with the least room decides how long these are.
  EdgeId half = edges();
  for (DevicePages& d : devices_) {
    // Lists of every page meet on every device, two runs of them at a time, whoever a page is dealt
    // to.
    if (ctx.replicas() > 1) release_frames(d);
    obtain_frames(
        d, false,
        [&] {
          const std::size_t left = d.device->memory()->available() / 8 * 7;
          return left > aside ? left - aside : std::size_t{0};
        },
        2 * pages_);
    half = std::min<EdgeId>(half, frame_edges(d) / 2);
  }
  note_cache_bytes();
  half = least_among_ranks(ctx, half);
  const std::vector<VertexId> cut =
      cut_into_whole_lists(vertices(), half, [&](VertexId v) { return offset_at(v); });
  for (DevicePages& d : devices_) d.sweeping = true;
  if (serves()) return ctx.on_each([&](const Device& device) { pairs_of(on(device), cut, pass); });
  for (DevicePages& d : devices_) pairs_of(d, cut, pass);
}

void PagedSource::pairs_of(DevicePages& d, const std::vector<VertexId>& cut,
                           FunctionRef<void(const PairPass&)> pass) {
  d.table.forget_all();  // halves overwrite pages
  d.copies->begin_sweep(d.table.size(), page_table(*d.device, false));
  const std::size_t devices = ctx_->replicas(), turn = d.turn;
  // Out of memory, each device has a share of every run, by edges, as far as whole lists allow; a
  // disk is read less if it has some of the runs.
  const auto share_begins = [&](std::size_t run, std::size_t device) {
    if (device == devices) return cut[run + 1];
    const EdgeId first = offset_at(cut[run]), count = offset_at(cut[run + 1]) - first;
    const EdgeId at = first + count * device / devices;
    VertexId low = cut[run], high = cut[run + 1];
    while (low < high) {
      const VertexId middle = low + (high - low) / 2;
      if (offset_at(middle) < at)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  for (std::size_t a = 0; a + 1 < cut.size(); ++a) {
    if (!serves() && a % devices != turn) continue;
    const VertexId first = serves() ? share_begins(a, turn) : cut[a];
    const VertexId last = serves() ? share_begins(a, turn + 1) : cut[a + 1];
    if (first == last) continue;
    const FlatEdges lists = load_lists(d, first, last, 0);
    for (std::size_t b = 0; b + 1 < cut.size(); ++b) {
      ctx_->task().check();
      const bool same = first == cut[b] && last == cut[b + 1];
      const FlatEdges others = same ? lists : load_lists(d, cut[b], cut[b + 1], 1);
      ++d.passes;
      pass({*d.device, lists, first, last, others, cut[b], cut[b + 1]});
    }
  }
  d.copies->end_sweep();
}

}  // namespace fathom
