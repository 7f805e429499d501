#include "fathom/residency/filtered/filtering_supply.hpp"

#include <algorithm>
#include <array>

#include "fathom/core/parallel.hpp"
#include "fathom/residency/filtered/kept_runs.hpp"

namespace fathom {
namespace {

constexpr std::size_t kOffsetsAtOnce = 4096;
constexpr std::size_t kTakenAtOnce = std::size_t{1} << 14;  // edges of a page, by one thread

PageShape kept_shape(const PageSupply& all, const KeptEdges& kept) {
  return PageShape::csr(all.vertices(), kept.kept, all.weighted(), all.page_bytes());
}

}  // namespace

FilteringSupply::FilteringSupply(const Context& ctx, std::unique_ptr<PageSupply> all,
                                 std::shared_ptr<const KeptEdges> kept)
    : MakingSupply(ctx, kept_shape(*all, *kept), std::move(all)),
      kept_(std::move(kept)),
      shift_(page_shift_of(page_bytes())),
      before_(from().pages() + 1, ctx.host_memory()) {
  before_[0] = 0;
  for (std::size_t p = 0; p < from().pages(); ++p) {
    const EdgeId first = static_cast<EdgeId>(p) << shift_;
    before_[p + 1] = before_[p] + count_kept(kept_->bits.data(), first,
                                             std::min(first + edges_of_page(), from().edges()));
  }
}

void FilteringSupply::for_each_offsets(
    FunctionRef<void(std::size_t first, std::span<const EdgeId>)> piece) {
  EdgeId all = 0, kept = 0;  // edges before the next offset
  std::array<EdgeId, kOffsetsAtOnce> mine;
  from().for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
    for (std::size_t i = 0; i < offset.size(); i += kOffsetsAtOnce) {
      const std::size_t n = std::min(kOffsetsAtOnce, offset.size() - i);
      for (std::size_t k = 0; k < n; ++k) {
        kept += count_kept(kept_->bits.data(), all, offset[i + k]);
        all = offset[i + k];
        mine[k] = kept;
      }
      piece(first + i, std::span<const EdgeId>(mine).first(n));
    }
  });
}

void FilteringSupply::start_making(std::span<const std::size_t> pages, bool weights) {
  wanted_.assign(pages.begin(), pages.end());
  next_ = 0;
  weights_ = weights;
  fetch_next();
}

/// Has those pages fetched that have kept edges of the next page to be made.
void FilteringSupply::fetch_next() {
  if (next_ == wanted_.size()) return;
  const EdgeId first = static_cast<EdgeId>(wanted_[next_]) << shift_;
  const EdgeId last = std::min(first + edges_of_page(), edges());
  std::vector<std::size_t> fetched;
  const auto at = std::upper_bound(before_.begin(), before_.end(), first) - 1;
  for (auto p = static_cast<std::size_t>(at - before_.begin()); before_[p] < last; ++p)
    if (before_[p + 1] > before_[p]) fetched.push_back(p);
  from().start(fetched, weights_);
}

std::optional<std::size_t> FilteringSupply::next_to_make(bool wait) {
  // What is read from a disk is waited for as a whole.
  if (next_ == wanted_.size() || (!wait && !from().in_memory())) return std::nullopt;
  return wanted_[next_];
}

void FilteringSupply::make(std::size_t page, std::byte* into) {
  const EdgeId first = static_cast<EdgeId>(page) << shift_;
  const EdgeId last = std::min(first + edges_of_page(), edges());
  while (const auto some = from().next()) {
    take(*some, first, last, into);
    from().release(some->page);
  }
  ++next_;
  fetch_next();
}

/// Copies to `into` what a page has of the kept edges at positions [first, last) among these.
void FilteringSupply::take(const SuppliedPage& page, EdgeId first, EdgeId last,
                           std::byte* into) const {
  const EdgeId begin = static_cast<EdgeId>(page.page) << shift_;
  const std::uint64_t* const bits = kept_->bits.data();
  auto* const targets = reinterpret_cast<VertexId*>(into);
  auto* const weights = reinterpret_cast<Weight*>(into + page_bytes());
  parallel_for(context().threads(), page.count(), kTakenAtOnce,
               [&](std::size_t a, std::size_t b, int) {
                 EdgeId at = before_[page.page] + count_kept(bits, begin, begin + a);
                 each_kept_run(bits, begin + a, begin + b, [&](EdgeId run, EdgeId n) {
                   const EdgeId from = std::max(at, first), to = std::min(at + n, last);
                   if (from < to) {
                     const EdgeId source = run - begin + (from - at);
                     std::copy_n(page.targets() + source, to - from, targets + (from - first));
                     if (weights_)
                       std::copy_n(page.weights() + source, to - from, weights + (from - first));
                   }
                   at += n;
                 });
               });
}

}  // namespace fathom
