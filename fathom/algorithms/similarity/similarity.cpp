#include "fathom/algorithms/similarity/similarity.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "fathom/algorithms/similarity/neighborhoods.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

using Pairs = std::span<const std::pair<VertexId, VertexId>>;

/// Similarities of given pairs, as many at a time as their lists have room.
class PairSums : public detail::Neighborhoods {
 public:
  PairSums(const Context& ctx, const Graph& graph, SimilarityMeasure measure)
      : Neighborhoods(ctx, graph, measure),
        u_(ctx, from_.room()),
        v_(ctx, from_.room()),
        sum_(ctx, from_.room()),
        us_(from_.room(), ctx.host_memory()),
        vs_(from_.room(), ctx.host_memory()),
        sums_(from_.room(), ctx.host_memory()) {}

  /// `order`: places of pairs in the order of their vertices.
  void run(Pairs pairs, std::span<const std::uint64_t> order, Array<double>& value) {
    for (std::size_t at = 0; at < order.size();) {
      const std::size_t count = choose(pairs, order.subspan(at));
      add_up(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto& [u, v] = pairs[order[at + i]];
        value[order[at + i]] = score(sums_[i], u, v);
      }
      at += count;
      ctx_.task().at(at);
    }
  }

 private:
  void send(VertexArray<VertexId>& to, const Array<VertexId>& from, std::size_t count) {
    for (const Device& d : ctx_.devices())
      ctx_.copy(to.on(d), from.data(), count * sizeof(VertexId));
  }

  /// Names the lists of the next pairs, at least of one. @returns of how many.
  std::size_t choose(Pairs pairs, std::span<const std::uint64_t> order) {
    EdgeId of_u = 0, of_v = 0;
    std::size_t count = 0;
    for (; count < std::min<EdgeId>(order.size(), from_.room()); ++count) {
      const auto& [u, v] = pairs[order[count]];
      of_u += count > 0 && us_[count - 1] == u ? 0 : from_.length(u);
      of_v += from_.length(v);
      if (count > 0 && std::max(of_u, of_v) > from_.room()) break;
      us_[count] = u;
      vs_[count] = v;
    }
    send(u_, us_, count);
    send(v_, vs_, count);
    from_.name({us_.data(), std::unique(us_.data(), us_.data() + count)});
    std::sort(vs_.data(), vs_.data() + count);
    through_.name({vs_.data(), std::unique(vs_.data(), vs_.data() + count)});
    return count;
  }

  void add_up(std::size_t count) {
    sum_.fill(0);
    from_.for_each_part([&] {
      through_.for_each_part([&] {
        compute(ctx_, static_cast<VertexId>(count), [&](const Device& d) {
          return SumCommon{from_.on(d), through_.on(d), u_.on(d), v_.on(d), sum_.on(d), terms(d)};
        });
      });
    });
    ctx_.copy(sums_.data(), sum_.on(ctx_.devices()[0]), count * sizeof(std::uint64_t));
  }

  VertexArray<VertexId> u_, v_;
  VertexArray<std::uint64_t> sum_;
  Array<VertexId> us_, vs_;
  Array<std::uint64_t> sums_;
};

void check_pairs(const Graph& graph, Pairs pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [u, v] = pairs[i];
    if (u >= graph.vertices() || v >= graph.vertices() || u == v)
      throw Error(ErrorCode::Usage, "similarity: pair " + std::to_string(i) + ", of " +
                                        std::to_string(u) + " and " + std::to_string(v) +
                                        ", is not of two vertices");
  }
}

}  // namespace

SimilarityResult similarity_of(const Context& ctx, const Graph& graph, Pairs pairs,
                               const SimilarityOptions& options) {
  check_pairs(graph, pairs);
  const RunLists lists(ctx, similarity_state(true, weighs_neighbors(options.measure), 0),
                       {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  SimilarityResult result;
  result.rows = pairs.size();
  result.u = Array<VertexId>(pairs.size(), ctx.host_memory());
  result.v = Array<VertexId>(pairs.size(), ctx.host_memory());
  result.value = Array<double>(pairs.size(), ctx.host_memory());
  Array<std::uint64_t> order(pairs.size(), ctx.host_memory());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::tie(result.u[i], result.v[i]) = pairs[i];
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return pairs[a] < pairs[b]; });
  {
    PairSums sums(ctx, graph, options.measure);
    const EdgeId before = sums.read();
    record.step(graph.vertices(), before, "degrees", graph.traffic());
    ctx.task().begin("similarity", pairs.size(), "pairs");
    sums.run(pairs, order.span(), result.value);
    ctx.task().end();
    record.step(pairs.size(), sums.read() - before, "common", graph.traffic());
    result.rounding = sums.rounding();
  }
  result.report = record.finish();
  return result;
}

}  // namespace fathom
