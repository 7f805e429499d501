// The certificate of degrees.
#include <string>
#include <utility>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

struct CountEnds {
  EdgeId* out;
  EdgeId* in;  // null: not wanted

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    AtomicRef(out[u]).fetch_add(EdgeId{1});
    if (in) AtomicRef(in[v]).fetch_add(EdgeId{1});
    return false;
  }
};

void compare(const Context& ctx, VertexArray<EdgeId, MergeSum>& counted,
             const Array<EdgeId>& reported, const std::string& what) {
  VertexArray<EdgeId> given(ctx, reported.size());
  given.assign(reported);
  Rule differs(ctx);
  compute(ctx, static_cast<VertexId>(reported.size()), [&](const Device& d) {
    return [counted = counted.on(d), given = given.on(d), differs = differs.on(d)](VertexId v) {
      if (counted[v] != given[v]) differs.broken_by(v);
    };
  });
  differs.check("degrees", what);
}

}  // namespace

void verify_degrees(const Context& ctx, const Graph& graph, const DegreesResult& result) {
  const VertexId n = graph.vertices();
  if (result.out.size() != n || result.in.size() != (graph.directed() ? n : 0))
    throw Error(ErrorCode::VerificationFailed, "degrees: not one degree per vertex and direction");
  VertexArray<EdgeId, MergeSum> out(ctx, n, 0), in(ctx, result.in.size(), 0);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CountEnds{out.on(d), graph.directed() ? in.on(d) : nullptr};
  });
  merge(out, in);
  compare(ctx, out, result.out, "has another number of out-edges");
  compare(ctx, in, result.in, "has another number of in-edges");
}

}  // namespace fathom
