// Whole lists of a PagedSource: pairs of them for kernels, and one at a time for the host.
#include <algorithm>
#include <array>

#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/paged/whole_lists.hpp"

namespace fathom {

class PagedSource::Lists final : public ListReader {
 public:
  explicit Lists(PagedSource& source) : source_(source) {}
  ~Lists() override { source_.supply_->stop(); }

  EdgeId degree(VertexId v) override { return source_.offset_at(v + 1) - source_.offset_at(v); }

  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    const std::uint32_t shift = source_.page_shift_;
    const EdgeId end = source_.offset_at(v + 1);
    for (EdgeId at = source_.offset_at(v); at < end;) {
      const auto page = static_cast<std::size_t>(at >> shift);
      const EdgeId first = static_cast<EdgeId>(page) << shift;
      const EdgeId to = std::min(end, first + (EdgeId{1} << shift));
      hold(page);
      const Weight* const weights = held_->weights();
      span({held_->targets() + (at - first), weights ? weights + (at - first) : nullptr,
            static_cast<std::uint32_t>(to - at)});
      at = to;
    }
  }

 private:
  void hold(std::size_t page) {
    if (held_ && held_->page == page) return;
    held_.reset();
    source_.ctx_->task().check();
    source_.supply_->start(std::array{page}, true);
    held_ = source_.supply_->next();
  }

  PagedSource& source_;
  std::optional<SuppliedPage> held_;
};

std::unique_ptr<ListReader> PagedSource::read_lists() {
  return std::make_unique<Lists>(*this);
}

FlatEdges PagedSource::load_lists(const Context& ctx, Replica& r, VertexId first, VertexId last,
                                  std::size_t half) {
  const EdgeId base = offset_at(first), end = offset_at(last);
  VertexId* const to = reinterpret_cast<VertexId*>(r.data.data()) + half * (frame_edges(r) / 2);
  const FlatEdges lists{r.offset.data(), to, nullptr, base, kWholeList};
  if (base == end) return lists;
  std::vector<std::size_t> pages;
  for (EdgeId p = base >> page_shift_; p <= (end - 1) >> page_shift_; ++p)
    pages.push_back(static_cast<std::size_t>(p));
  supply_->start(pages, false);
  while (const auto page = supply_->next()) {
    const EdgeId at = static_cast<EdgeId>(page->page) << page_shift_;
    const EdgeId from = std::max(at, base), until = std::min<EdgeId>(at + page->count(), end);
    ctx.copy(to + (from - base), page->targets() + (from - at), (until - from) * sizeof(VertexId));
    supply_->release(page->page);
  }
  ++traffic_.requests;
  traffic_.bytes += (end - base) * sizeof(VertexId);
  return lists;
}

void PagedSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  refuse_if_split();
  if (edges() == 0) return;
  const Holds held = offsets_held();
  // Lists are copied together, so that pages need little room of their own: where the supply's
  // buffer and frames share a memory, frames get it.
  struct Done {
    PagedSource& source;
    ~Done() {
      source.supply_->stop();
      source.sweeping_ = false;
      if (!source.on_host_) return;
      release_frames(source.replica_[0]);
      source.supply_->limit_block(MemoryPool::kUnlimited);
    }
  } done{*this};
  const std::size_t aside = on_host_ ? 2 * supply_->least_block(false) : 0;
  if (on_host_) supply_->limit_block(aside);
  // Every device goes through the same runs of lists, or their pairs would overlap and leave gaps:
  // the device with the least room decides how long these are.
  EdgeId half = edges();
  for (Replica& r : replica_) {
    obtain_frames(r, false, [&] {
      const std::size_t left = r.device->memory()->available() / 8 * 7;
      return left > aside ? left - aside : std::size_t{0};
    });
    half = std::min<EdgeId>(half, frame_edges(r) / 2);
  }
  sweeping_ = true;
  const std::vector<VertexId> cut =
      cut_into_whole_lists(vertices(), half, 2, [&](VertexId v) { return offset_at(v); });
  for (Replica& r : replica_) {
    r.table.forget_all();  // halves overwrite pages
    const auto devices = replica_.size();
    for (auto a = static_cast<std::size_t>(r.device->index()); a + 1 < cut.size(); a += devices) {
      const FlatEdges lists = load_lists(ctx, r, cut[a], cut[a + 1], 0);
      for (std::size_t b = 0; b + 1 < cut.size(); ++b) {
        ctx.task().check();
        const FlatEdges others = b == a ? lists : load_lists(ctx, r, cut[b], cut[b + 1], 1);
        ++passes_;
        pass({*r.device, lists, cut[a], cut[a + 1], others, cut[b], cut[b + 1]});
      }
    }
  }
}

}  // namespace fathom
