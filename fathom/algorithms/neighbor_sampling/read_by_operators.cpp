// Lists wherever they are: sweeps over those of a hop's vertices. Without weights positions are
// chosen from degrees alone and one sweep takes what is there; otherwise, and where every neighbour
// is wanted, whole lists come to the host, as many at a time as fit the room for them.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "fathom/algorithms/neighbor_sampling/functors.hpp"
#include "fathom/algorithms/neighbor_sampling/hop_reads.hpp"
#include "fathom/exec/bitmap.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// A file may keep its lists twice, with weights and without them.
[[noreturn]] void refuse_lists(VertexId v) {
  throw Error(ErrorCode::BadInput,
              "the list of vertex " + std::to_string(v) +
                  " does not have as many edges as its degree says: `fathom verify` says where");
}

class OperatorReads final : public HopReads {
 public:
  OperatorReads(const Context& ctx, EdgeSource& source, const ListChoosers& choosers)
      : ctx_(ctx),
        source_(source),
        choosers_(choosers),
        active_(ctx, source.vertices()),
        ids_(ctx.host_memory()),
        vertex_(ctx.host_memory()),
        place_of_(ctx.host_memory()),
        group_(ctx.host_memory()),
        member_(ctx.host_memory()),
        begin_(ctx.host_memory()) {}

  void locate(std::span<const VertexId> vertex, EdgeId* first, EdgeId* degree) override {
    find_distinct(vertex);
    put_on_devices();
    const std::size_t n = vertex_.size();
    VertexArray<EdgeId> firsts(ctx_, n), degrees(ctx_, n);
    activate(0, n);
    compute(ctx_, active_, [&](const Device& d) {
      return LocateLists{places(d), source_.offsets(d), firsts.on(d), degrees.on(d)};
    });
    const Array<EdgeId> its_first = std::move(firsts).take();
    const Array<EdgeId> its_degree = std::move(degrees).take();
    for (std::size_t e = 0; e < vertex.size(); ++e) {
      first[e] = its_first[place_of_[e]];
      degree[e] = its_degree[place_of_[e]];
    }
  }

  void draw(const Hop& hop) override {
    if (hop.rule.fan_out < 0)
      draw_from_lists<false>(hop);
    else if (hop.rule.reads_weights())
      draw_from_lists<true>(hop);
    else
      draw_by_position(hop);
    parallel_for(threads(), hop.vertex.size(), kEntryGrain,
                 [&](std::size_t begin, std::size_t end, int) {
                   for (std::size_t e = begin; e < end; ++e)
                     for (EdgeId i = 0; i < hop.count[e]; ++i)
                       hop.edge[hop.place[e] + i] += hop.first[e];
                 });
  }

 private:
  int threads() const { return static_cast<int>(choosers_.size()); }
  ListChooser& chooser(int worker) const { return *choosers_[static_cast<std::size_t>(worker)]; }
  std::span<const std::uint32_t> entries_of(std::size_t place) const {
    return {member_.data() + group_[place], group_[place + 1] - group_[place]};
  }

  /// The distinct vertices of the hop, and which entries are whose.
  void find_distinct(std::span<const VertexId> vertex) {
    ids_.clear();
    vertex_.clear();
    place_of_.resize(vertex.size());
    for (std::size_t e = 0; e < vertex.size(); ++e) {
      const auto next = static_cast<std::uint32_t>(vertex_.size());
      place_of_[e] = ids_.find_or_add(LocalIds::hash(vertex[e], 0), vertex[e], 0, next,
                                      vertex_.data(), nullptr);
      if (place_of_[e] == next) vertex_.push(vertex[e]);
    }
    group_.resize(vertex_.size() + 1);
    member_.resize(vertex.size());
    std::fill_n(group_.data(), group_.size(), 0u);
    for (const std::uint32_t place : place_of_.span()) ++group_[place];
    std::uint32_t sum = 0;
    for (std::uint32_t& g : group_.span()) g = sum += g;
    for (std::size_t e = vertex.size(); e-- > 0;)
      member_[--group_[place_of_[e]]] = static_cast<std::uint32_t>(e);
  }

  void put_on_devices() {
    on_devices_.clear();
    for (const Device& d : ctx_.devices())
      on_devices_.push_back({Array<VertexId>(vertex_.size(), d.memory()),
                             Array<std::uint32_t>(ids_.table().size(), d.memory())});
    for (Places& p : on_devices_) {
      ctx_.copy(p.vertex.data(), vertex_.data(), vertex_.span().size_bytes());
      ctx_.copy(p.table.data(), ids_.table().data(), ids_.table().size_bytes());
    }
  }
  PlaceRef places(const Device& d) const {
    const Places& p = on_devices_[static_cast<std::size_t>(d.index())];
    return {p.vertex.data(), p.table.data(), static_cast<std::uint32_t>(p.table.size() - 1)};
  }

  /// Makes the vertices at places [first, last) active.
  void activate(std::size_t first, std::size_t last) {
    active_.begin_bitmap();
    for (const Device& d : ctx_.devices())
      bitmap::set_listed(ctx_, d, active_.bits(d),
                         on_devices_[static_cast<std::size_t>(d.index())].vertex.data() + first,
                         last - first);
    active_.end_bitmap(true);
    active_.set_size(static_cast<VertexId>(last - first));
  }

  void draw_by_position(const Hop& hop) {
    parallel_for(threads(), hop.vertex.size(), kEntryGrain,
                 [&](std::size_t begin, std::size_t end, int worker) {
                   for (std::size_t e = begin; e < end; ++e)
                     hop.count[e] = chooser(worker).choose(hop.rule, hop.list(e), kNoWeights,
                                                           hop.edge + hop.place[e]);
                 });
    const std::size_t n = vertex_.size();
    begin_.resize(n + 1);
    begin_[0] = 0;
    for (std::size_t p = 0; p < n; ++p) {
      begin_[p + 1] = begin_[p];
      for (const std::uint32_t e : entries_of(p)) begin_[p + 1] += hop.count[e];
    }
    const EdgeId all = begin_[n];
    if (all == 0) return;
    Array<EdgeId> chosen(all, ctx_.host_memory());
    parallel_for(threads(), n, kEntryGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t p = first; p < last; ++p) {
        EdgeId* to = chosen.data() + begin_[p];
        for (const std::uint32_t e : entries_of(p))
          to = std::copy_n(hop.edge + hop.place[e], hop.count[e], to);
        if (entries_of(p).size() > 1) std::sort(chosen.data() + begin_[p], to);
      }
    });
    VertexArray<EdgeId> begins(ctx_, n + 1), positions(ctx_, all);
    begins.assign(begin_.span());
    positions.assign(std::as_const(chosen).span());
    VertexArray<VertexId, MergeMin> targets(ctx_, all, kNoVertex);
    activate(0, n);
    advance(ctx_, source_, active_, nullptr, [&](const Device& d) {
      return PickEdges{places(d), begins.on(d), positions.on(d), targets.on(d)};
    });
    merge(targets);
    const Array<VertexId> target = std::move(targets).take();
    parallel_for(threads(), n, kEntryGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t p = first; p < last; ++p)
        for (const std::uint32_t e : entries_of(p))
          for (EdgeId at = hop.place[e]; at < hop.place[e] + hop.count[e]; ++at) {
            const EdgeId* const its = std::lower_bound(chosen.data() + begin_[p],
                                                       chosen.data() + begin_[p + 1], hop.edge[at]);
            hop.target[at] = target[static_cast<std::size_t>(its - chosen.data())];
            if (hop.target[at] == kNoVertex) refuse_lists(vertex_[p]);
          }
    });
  }

  template <bool kWeighted>
  void draw_from_lists(const Hop& hop) {
    const std::size_t n = vertex_.size();
    begin_.resize(n + 1);
    begin_[0] = 0;
    EdgeId longest = 0;
    for (std::size_t p = 0; p < n; ++p) {
      const EdgeId degree = hop.degree[entries_of(p)[0]];
      begin_[p + 1] = begin_[p] + degree;
      longest = std::max(longest, degree);
    }
    const EdgeId room = std::min(begin_[n], std::max(longest, kListsAtATime));
    VertexArray<EdgeId> begins(ctx_, n + 1);
    begins.assign(begin_.span());
    for (std::size_t first = 0, last = 0; first < n; first = last) {
      while (last < n && begin_[last + 1] - begin_[first] <= room) ++last;
      const std::size_t size = begin_[last] - begin_[first];
      VertexArray<VertexId, MergeMin> targets(ctx_, size, kNoVertex);
      VertexArray<Weight, MergeMin> weights(ctx_, kWeighted ? size : 0,
                                            std::numeric_limits<Weight>::infinity());
      if (size > 0) {
        const EdgeId base = begin_[first];  // kernels reach no memory of the host
        activate(first, last);
        advance(ctx_, source_, active_, nullptr, [&](const Device& d) {
          return StoreLists<kWeighted>{places(d), begins.on(d), base, targets.on(d), weights.on(d)};
        });
        merge(targets, weights);
      }
      const Array<VertexId> target = std::move(targets).take();
      const Array<Weight> weight = std::move(weights).take();
      const FlatEdges lists{begin_.data(), target.data(), kWeighted ? weight.data() : nullptr,
                            begin_[first]};
      draw_from(hop, lists, first, last);
    }
  }

  /// From lists by place, of places [first, last).
  void draw_from(const Hop& hop, const FlatEdges& lists, std::size_t first, std::size_t last) {
    parallel_for(
        threads(), last - first, kEntryGrain, [&](std::size_t a, std::size_t b, int worker) {
          for (std::size_t p = first + a; p < first + b; ++p) {
            const VertexId* const list = lists.target + (lists.offset[p] - lists.base);
            if (std::find(list, list + (lists.offset[p + 1] - lists.offset[p]), kNoVertex) !=
                list + (lists.offset[p + 1] - lists.offset[p]))
              refuse_lists(vertex_[p]);
            const auto weights = weights_of(lists, static_cast<VertexId>(p));
            for (const std::uint32_t e : entries_of(p)) {
              EdgeId* const into = hop.edge + hop.place[e];
              hop.count[e] = chooser(worker).choose(hop.rule, hop.list(e), weights, into);
              for (EdgeId i = 0; i < hop.count[e]; ++i)
                hop.target[hop.place[e] + i] = list[into[i]];
            }
          }
        });
  }

  struct Places {
    Array<VertexId> vertex;
    Array<std::uint32_t> table;
  };

  const Context& ctx_;
  EdgeSource& source_;
  const ListChoosers& choosers_;
  Frontier active_;
  LocalIds ids_;
  GrowingArray<VertexId> vertex_;         // distinct ones, by place
  GrowingArray<std::uint32_t> place_of_;  // [entries]
  GrowingArray<std::uint32_t> group_;     // by place, and the end of the last: in member_
  GrowingArray<std::uint32_t> member_;    // entries
  GrowingArray<EdgeId> begin_;            // by place: of what is chosen, or of lists
  std::vector<Places> on_devices_;
};

}  // namespace

std::unique_ptr<HopReads> read_by_operators(const Context& ctx, EdgeSource& source,
                                            const ListChoosers& choosers) {
  return std::make_unique<OperatorReads>(ctx, source, choosers);
}

}  // namespace fathom
