// Lists within the host's reach: of most of them only the entries that are drawn are touched.
#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <variant>

#include "fathom/algorithms/walks/step_reads.hpp"
#include "fathom/core/array.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

constexpr std::size_t kStepGrain = 256;  // edges that a thread draws at a time

template <EdgeView E>
VertexId entry_at(const E& view, VertexId v, EdgeId i) {
  auto cursor = view.begin(v);
  for (typename E::Span s; view.next(cursor, s); i -= s.size)
    if (i < s.size) return s.target(static_cast<std::size_t>(i));
  return kNoVertex;
}
VertexId entry_at(const FlatEdges& view, VertexId v, EdgeId i) {
  return view.target[view.offset[v] - view.base + i];
}

/// The first entry of an ascending span, from `low` on, that is not below.
template <class Span>
std::uint32_t first_from(const Span& s, std::uint32_t low, std::uint64_t wanted) {
  std::uint32_t high = s.size;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (s.target(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// How often a list has it; of hubs of some graphs that is thousands of times. `any`: not more than
/// once.
template <EdgeView E>
std::uint32_t times_in(const E& view, VertexId v, VertexId wanted, bool any) {
  std::uint32_t times = 0;
  auto cursor = view.begin(v);
  for (typename E::Span s; view.next(cursor, s);) {
    if (s.size == 0 || s.target(s.size - 1) < wanted) continue;
    const std::uint32_t first = first_from(s, 0, wanted);
    if (s.target(first) != wanted) return times;
    if (any) return 1;
    const std::uint32_t end = first_from(s, first, std::uint64_t{wanted} + 1);
    times += end - first;
    if (end < s.size) return times;
  }
  return times;
}
/// Lists of graphs that change are in no order.
std::uint32_t times_in(const DynamicEdges& view, VertexId v, VertexId wanted, bool any) {
  std::uint32_t times = 0;
  auto cursor = view.begin(v);
  for (DynamicEdges::Span s; view.next(cursor, s);)
    for (std::uint32_t i = 0; i < s.size; ++i)
      if (s.target(i) == wanted) {
        if (any) return 1;
        ++times;
      }
  return times;
}

class ReachedSteps final : public StepReads {
 public:
  ReachedSteps(const Context& ctx, const AnyEdges& edges, const EdgeId* offset,
               const WalkOptions& options, std::size_t most, bool both_ways)
      : ctx_(ctx),
        edges_(edges),
        offset_(offset),
        options_(options),
        both_ways_(both_ways && !std::holds_alternative<DynamicEdges>(edges)),
        order_(options.weighted ? most : 0, ctx.host_memory()) {}

  void degrees(std::span<const VertexId> vertex, EdgeId* degree) override {
    each(vertex.size(), [&](std::size_t e) {
      degree[e] = offset_[std::size_t{vertex[e]} + 1] - offset_[vertex[e]];
    });
  }

  void pick(std::span<const VertexId> vertex, const EdgeId* place, VertexId* target) override {
    visit_host_edges(
        [&](const auto& view) {
          each(vertex.size(),
               [&](std::size_t e) { target[e] = entry_at(view, vertex[e], place[e]); });
        },
        edges_);
  }

  void pick_by_weight(std::span<const VertexId> vertex, const double* share,
                      VertexId* target) override {
    // Walks at one vertex share the reads of its list.
    const std::span order = order_.span().first(vertex.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return vertex[a] != vertex[b] ? vertex[a] < vertex[b] : share[a] < share[b];
    });
    const auto same = [&](std::size_t a, std::size_t b) {
      return vertex[order[a]] == vertex[order[b]];
    };
    visit_host_edges(
        [&](const auto& view) {
          parallel_for(ctx_.threads(), order.size(), kStepGrain,
                       [&](std::size_t first, std::size_t last, int) {
                         // Those that begin here.
                         for (std::size_t k = first; k < last; ++k) {
                           if (k > 0 && same(k - 1, k)) continue;
                           std::size_t end = k + 1;
                           while (end < order.size() && same(k, end)) ++end;
                           pick_from(view, vertex[order[k]], order.subspan(k, end - k), share,
                                     target);
                         }
                       });
        },
        edges_);
  }

  void find(std::span<const VertexId> vertex, const VertexId* wanted, VertexId* found) override {
    each(vertex.size(), [&](std::size_t e) {
      found[e] = times_of(vertex[e], wanted[e], true) > 0 ? wanted[e] : kNoVertex;
    });
  }

  VertexId entry(VertexId v, EdgeId place) const override {
    VertexId target = kNoVertex;
    visit_host_edges([&](const auto& view) { target = entry_at(view, v, place); }, edges_);
    return target;
  }
  bool has(VertexId v, VertexId wanted) const override { return times_of(v, wanted, true) > 0; }
  std::uint32_t times(VertexId v, VertexId wanted) const override {
    return times_of(v, wanted, false);
  }
  void count(std::span<const VertexId> vertex, const VertexId* wanted,
             std::uint32_t* into) override {
    each(vertex.size(), [&](std::size_t e) { into[e] = times(vertex[e], wanted[e]); });
  }

 private:
  EdgeId degree(VertexId v) const { return offset_[std::size_t{v} + 1] - offset_[v]; }

  std::uint32_t times_of(VertexId v, VertexId wanted, bool any) const {
    // The shorter of two lists: most searches are from a hub to one of its many neighbours.
    if (both_ways_ && degree(wanted) < degree(v)) std::swap(v, wanted);
    std::uint32_t found = 0;
    visit_host_edges([&](const auto& view) { found = times_in(view, v, wanted, any); }, edges_);
    return found;
  }

  template <class Body>
  void each(std::size_t n, const Body& body) const {
    parallel_for(ctx_.threads(), n, kStepGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t e = first; e < last; ++e) body(e);
    });
  }

  /// `entries` draw from the list of v, by their shares.
  template <EdgeView E>
  void pick_from(const E& view, VertexId v, std::span<const std::uint32_t> entries,
                 const double* share, VertexId* target) const {
    PickByWeight pick(options_, v);
    const auto show_all = [&](const auto& body) {
      auto cursor = view.begin(v);
      for (typename E::Span s; view.next(cursor, s);)
        for (std::uint32_t i = 0; i < s.size; ++i) body(s.target(i), s.weight(i));
    };
    const auto take = [&](std::size_t k, VertexId t) { target[entries[k]] = t; };
    show_all([&](VertexId t, Weight w) { pick.add(t, w); });
    show_all([&](VertexId t, Weight w) {
      pick.show(
          t, w, entries.size(), [&](std::size_t k) { return share[entries[k]]; }, take);
    });
    pick.end(entries.size(), take);
  }

  const Context& ctx_;
  AnyEdges edges_;
  const EdgeId* offset_;
  const WalkOptions& options_;
  const bool both_ways_;
  Array<std::uint32_t> order_;
};

}  // namespace

void refuse_step_weight(const WalkOptions& options, VertexId from, VertexId to, Weight w) {
  const auto label = [&](VertexId v) {
    return options.label_of ? options.label_of(v) : std::to_string(v);
  };
  throw Error(ErrorCode::BadInput,
              fmt::format("walks go by weights that are finite and not negative; that of the edge "
                          "from {} to {} is {}",
                          label(from), label(to), w));
}

std::unique_ptr<StepReads> reached_steps(const Context& ctx, EdgeSource& source,
                                         const WalkOptions& options, std::size_t most,
                                         bool both_ways) {
  if (const auto lists = source.host_lists())
    return std::make_unique<ReachedSteps>(ctx,
                                          FlatEdges{lists->offset, lists->target, lists->weight},
                                          lists->offset, options, most, both_ways);
  if (ctx.separate() || !source.comes_whole()) return nullptr;
  SweepOptions reads;
  reads.weights = options.weighted;
  const auto whole = source.whole(reads);
  if (!whole) return nullptr;
  return std::make_unique<ReachedSteps>(ctx, *whole, source.offsets(ctx.devices()[0]), options,
                                        most, both_ways);
}

}  // namespace fathom
