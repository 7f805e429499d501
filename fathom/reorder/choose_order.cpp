#include "fathom/reorder/choose_order.hpp"

#include <algorithm>

#include "fathom/store/packed/pack.hpp"

namespace fathom::reorder {
namespace {

using store::packed::kGroup;

constexpr EdgeId kStretches = 64;
constexpr EdgeId kIdsOfStretch = EdgeId{1} << 16;
// Of the bits before: what an order has to come to, and what says that hubs are what gains.
constexpr double kWorthIt = .98, kOfHubs = .9;

/// Packs ids as they come, and counts.
class BitCount {
 public:
  explicit BitCount(VertexId vertices) : id_bits_(store::packed::id_bits_of(vertices)) {}

  void add(std::span<const VertexId> ids) {
    for (const VertexId id : ids) {
      group_.push_back(id);
      if (group_.size() == kGroup) pack();
    }
  }
  /// What was added next does not follow.
  void end_stretch() {
    if (!group_.empty()) pack();
  }
  double bits_each() const {
    return ids_ == 0 ? 0 : static_cast<double>(bits_) / static_cast<double>(ids_);
  }

 private:
  void pack() {
    words_.clear();
    store::packed::pack_group(group_, id_bits_, words_);
    bits_ += words_.size() * 32 + 64;  // and a place in the index
    ids_ += group_.size();
    group_.clear();
  }

  std::uint32_t id_bits_;
  std::vector<VertexId> group_;
  std::vector<std::uint32_t> words_;
  std::uint64_t bits_ = 0, ids_ = 0;
};

/// Of the lists of one direction, `at` being the vertices in their new order.
void count_lists(const Context& ctx, EdgeSource& edges, const Permutation& position,
                 const Permutation& at, BitCount& count) {
  const auto lists = edges.read_lists();
  const bool all = edges.edges() <= kStretches * kIdsOfStretch;
  const EdgeId stride = all ? edges.edges() : edges.edges() / kStretches;
  const EdgeId length = all ? edges.edges() : kIdsOfStretch;
  std::vector<VertexId> ids;
  EdgeId before = 0, next = 0, left = 0;  // edges so far; where a stretch begins; of this one
  for (VertexId p = 0; p < at.size(); ++p) {
    if (p % 4096 == 0) ctx.task().check();
    const VertexId v = at[p];
    const EdgeId degree = lists->degree(v);
    if (left == 0 && before + degree > next) {
      left = length;
      next += stride;
    }
    before += degree;
    if (left == 0 || degree == 0) continue;
    ids.clear();
    lists->read(v, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) ids.push_back(position[span.target(i)]);
    });
    std::sort(ids.begin(), ids.end());
    const auto take = static_cast<std::size_t>(std::min<EdgeId>(left, ids.size()));
    count.add(std::span(ids).first(take));
    left -= take;
    if (left == 0) count.end_stretch();
  }
  count.end_stretch();
}

}  // namespace

double packed_bits(const Context& ctx, const Graph& graph, const Permutation& position) {
  const Permutation at = position.inverse(ctx.threads());  // new position -> vertex
  BitCount count(graph.vertices());
  count_lists(ctx, graph.out(), position, at, count);
  if (graph.directed() && graph.has_in()) count_lists(ctx, graph.in(), position, at, count);
  return count.bits_each();
}

Choice choose_order(const Context& ctx, const Graph& graph, const Options& options) {
  Choice best{Permutation::identity(graph.vertices()), Method::Natural, 0, 0};
  best.natural_bits = best.bits = packed_bits(ctx, graph, best.order);
  for (const Method method : {Method::Degree, Method::DegreeNeighbors, Method::Bp}) {
    // Where hubs are what gains, bisection adds little to degrees and takes minutes.
    if (method == Method::Bp && best.bits < best.natural_bits * kOfHubs) break;
    Options its = options;
    its.method = method;
    Permutation order = make_order(ctx, graph, its);
    const double bits = packed_bits(ctx, graph, order);
    if (bits > best.natural_bits * kWorthIt || bits > best.bits) continue;
    best.order = std::move(order);
    best.method = method;
    best.bits = bits;
  }
  return best;
}

}  // namespace fathom::reorder
