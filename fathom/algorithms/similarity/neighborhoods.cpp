#include "fathom/algorithms/similarity/neighborhoods.hpp"

#include <bit>
#include <cmath>

namespace fathom::detail {
namespace {

double term_of(SimilarityMeasure measure, VertexId degree) {
  if (degree < 2) return 0;  // nobody has it in common with another
  const auto d = static_cast<double>(degree);
  return measure == SimilarityMeasure::AdamicAdar ? 1 / std::log(d) : 1 / d;
}

Array<EdgeId> offsets_on_host(const Context& ctx, EdgeSource& lists) {
  Array<EdgeId> offset(std::size_t{lists.vertices()} + 1, ctx.host_memory());
  ctx.copy(offset.data(), lists.offsets(ctx.devices()[0]), offset.size() * sizeof(EdgeId));
  return offset;
}

/// The lists, unless neighbours in common have no meaning.
EdgeSource& lists_of(const Graph& graph) {
  if (graph.directed())
    throw Error(ErrorCode::Usage,
                "similarity: the graph is directed, and neighbours in common are those of "
                "undirected graphs: convert it with --undirected");
  return graph.out();
}

}  // namespace

Neighborhoods::Neighborhoods(const Context& ctx, const Graph& graph, SimilarityMeasure measure)
    : ctx_(ctx),
      n_(graph.vertices()),
      lists_(lists_of(graph)),
      offset_(offsets_on_host(ctx, lists_)),
      degree_(n_, ctx.host_memory()),
      frontier_(ctx, n_),
      degrees_(ctx, n_, 0),
      term_(ctx, weighs_neighbors(measure) ? n_ : 0),
      from_(ctx, lists_, offset_.span(), frontier_),
      through_(ctx, lists_, offset_.span(), frontier_),
      score_{measure} {
  find_degrees();
  if (weighs_neighbors(measure)) find_terms();
}

void Neighborhoods::find_degrees() {
  Array<VertexId> members(from_.room(), ctx_.host_memory());
  for (EdgeId first = 0; first < n_; first += from_.room()) {
    const std::size_t count = std::min(from_.room(), n_ - first);
    for (std::size_t i = 0; i < count; ++i) members[i] = static_cast<VertexId>(first + i);
    from_.name(members.span().first(count));
    from_.for_each_part([&] {
      const EdgeId entries = from_.end() - from_.begin();
      const auto segments = slot_segments(entries);
      compute(ctx_, segments, [&](const Device& d) {
        return CountNeighborsOnce{from_.on(d), degrees_.on(d)};
      });
    });
  }
  if (n_ > 0) ctx_.copy(degree_.data(), degrees_.on(ctx_.devices()[0]), n_ * sizeof(VertexId));
}

/// In fixed point, so that no sum of as many as a vertex may have neighbours exceeds 63 bits.
void Neighborhoods::find_terms() {
  VertexId most = 0;
  for (const VertexId d : degree_) most = std::max(most, d);
  score_.bits = 62 - static_cast<int>(std::bit_width(std::uint64_t{most}));
  Array<std::uint64_t> terms(n_, ctx_.host_memory());
  for (std::size_t v = 0; v < n_; ++v)
    terms[v] = static_cast<std::uint64_t>(
        std::llround(std::ldexp(term_of(score_.measure, degree_[v]), score_.bits)));
  term_.assign(terms.span());
}

}  // namespace fathom::detail
