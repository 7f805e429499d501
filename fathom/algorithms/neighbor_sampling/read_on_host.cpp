// Lists within the host's reach, entry by entry: of most lists only what is drawn is touched.
#include <optional>

#include "fathom/algorithms/neighbor_sampling/hop_reads.hpp"

namespace fathom {
namespace {

/// The entries of the list of v at `chosen`, which is ascending.
template <EdgeView E>
void read_targets(const E& view, VertexId v, std::span<const EdgeId> chosen, VertexId* into) {
  auto cursor = view.begin(v);
  typename E::Span s;
  EdgeId shown = 0;
  for (const EdgeId i : chosen) {
    while (i >= shown) {
      if (!view.next(cursor, s)) return;
      shown += s.size;
    }
    *into++ = s.target(i - (shown - s.size));
  }
}
void read_targets(const FlatEdges& view, VertexId v, std::span<const EdgeId> chosen,
                  VertexId* into) {
  const VertexId* const list = view.target + (view.offset[v] - view.base);
  for (const EdgeId i : chosen) *into++ = list[i];
}

class HostReads final : public HopReads {
 public:
  HostReads(const AnyEdges& edges, const EdgeId* offset, const ListChoosers& choosers)
      : edges_(edges), offset_(offset), choosers_(choosers) {}

  void locate(std::span<const VertexId> vertex, EdgeId* first, EdgeId* degree) override {
    parallel_for(threads(), vertex.size(), 16 * kEntryGrain,
                 [&](std::size_t begin, std::size_t end, int) {
                   for (std::size_t e = begin; e < end; ++e) {
                     first[e] = offset_[vertex[e]];
                     degree[e] = offset_[vertex[e] + 1] - first[e];
                   }
                 });
  }

  void draw(const Hop& hop) override {
    visit_host_edges([&](const auto& view) { draw_from(view, hop); }, edges_);
  }

 private:
  int threads() const { return static_cast<int>(choosers_.size()); }

  template <EdgeView E>
  void draw_from(const E& view, const Hop& hop) const {
    const auto each = [&](std::size_t begin, std::size_t end, int worker) {
      ListChooser& chooser = *choosers_[static_cast<std::size_t>(worker)];
      for (std::size_t e = begin; e < end; ++e)
        hop.count[e] = chooser.choose(hop.rule, hop.list(e), weights_of(view, hop.vertex[e]),
                                      hop.edge + hop.place[e]);
      // Apart, so that reads of many lists are under way at the same time.
      for (std::size_t e = begin; e < end; ++e) {
        const std::span chosen(hop.edge + hop.place[e], hop.count[e]);
        read_targets(view, hop.vertex[e], chosen, hop.target + hop.place[e]);
        for (EdgeId& i : chosen) i += hop.first[e];
      }
    };
    parallel_for(threads(), hop.vertex.size(), kEntryGrain, each);
  }

  AnyEdges edges_;
  const EdgeId* offset_;
  const ListChoosers& choosers_;
};

}  // namespace

std::unique_ptr<HopReads> read_on_host(const Context& ctx, EdgeSource& source,
                                       const ListChoosers& choosers) {
  if (const auto lists = source.host_lists())
    return std::make_unique<HostReads>(FlatEdges{lists->offset, lists->target, lists->weight},
                                       lists->offset, choosers);
  if (ctx.separate() || !source.comes_whole()) return nullptr;
  auto whole = source.whole({});
  if (!whole) return nullptr;
  return std::make_unique<HostReads>(*whole, source.offsets(ctx.devices()[0]), choosers);
}

}  // namespace fathom
