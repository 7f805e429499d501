#include "fathom/residency/filtered/filtered_source.hpp"

#include "fathom/residency/rank_share.hpp"

namespace fathom {
namespace {

class FilteredReader final : public ListReader {
 public:
  explicit FilteredReader(const FilteredEdges& edges) : edges_(edges) {}
  EdgeId degree(VertexId v) override {
    return edges_.offset[v + std::size_t{1}] - edges_.offset[v];
  }
  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    auto cursor = edges_.begin(v);
    for (PlainSpan s; edges_.next(cursor, s);) span(s);
  }

 private:
  FilteredEdges edges_;
};

}  // namespace

FilteredSource::FilteredSource(const Context& ctx, const CsrView& all,
                               std::shared_ptr<const KeptEdges> kept,
                               std::shared_ptr<const void> owner)
    : EdgeSource(all.vertices, kept->kept, all.weight != nullptr),
      all_(all),
      kept_(std::move(kept)),
      owner_(std::move(owner)),
      offset_(kept_offsets(ctx, *kept_, all.offset, all.vertices)),
      shared_(ctx.ranks() > 1),
      shown_(share_of_rank(ctx, offset_.data(), all.vertices)) {}

FilteredEdges FilteredSource::edges(EdgeId limit) const {
  return {offset_.data(), all_.offset, all_.target, all_.weight, kept_->bits.data(), limit};
}

std::optional<AnyEdges> FilteredSource::whole(const SweepOptions& options) const {
  if (shared_) return std::nullopt;
  return edges(options.first);
}

void FilteredSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                           FunctionRef<void(const Pass&)> pass) {
  if (active.empty() || shown_.size() == 0) return;
  pass({ctx.devices()[0], edges(options.first), shown_.first, shown_.last});
}

void FilteredSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  if (shown_.size() == 0) return;
  if (copy_.offset.empty()) copy_ = kept_lists(ctx, *kept_, all_, false);
  const FlatEdges all{copy_.offset.data(), copy_.target.data(), nullptr, 0, kWholeList};
  pass({ctx.devices()[0], all, shown_.first, shown_.last, all, 0, vertices()});
}

std::unique_ptr<ListReader> FilteredSource::read_lists() {
  return std::make_unique<FilteredReader>(edges(kWholeList));
}

}  // namespace fathom
