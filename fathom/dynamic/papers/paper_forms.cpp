#include "fathom/dynamic/papers/paper_forms.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/papers/paper_functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom::dynamic {
namespace {

template <EdgeView E>
Array<paper::Piece<E>> find_pieces(const Context& ctx, const E& edges, VertexId n) {
  const VertexId blocks = (n - 1) / paper::kBlockVertices + 1;
  VertexArray<std::uint64_t> first(ctx, n), sum(ctx, blocks);
  compute(ctx, n, [&](const Device& d) { return paper::CountPieces<E>{edges, first.on(d)}; });
  compute(ctx, blocks, [&](const Device& d) { return paper::SumBlock{first.on(d), n, sum.on(d)}; });
  const Device& device = ctx.devices()[0];
  std::vector<std::uint64_t> before(blocks);
  ctx.copy(before.data(), sum.on(device), blocks * sizeof(std::uint64_t));
  std::uint64_t all = 0;
  for (std::uint64_t& b : before) b = std::exchange(all, all + b);
  if (all >= kNoVertex)
    throw Error(ErrorCode::DoesNotFit, "lists of more pages than a vertex id can tell apart");
  sum.assign(before);
  compute(ctx, blocks, [&](const Device& d) {
    return paper::PlaceBlock{first.on(d), n, sum.on(d)};
  });
  Array<paper::Piece<E>> pieces(all, device.memory());
  compute(ctx, n, [&](const Device& d) {
    return paper::WritePieces<E>{edges, first.on(d), pieces.data()};
  });
  ctx.wait();
  return pieces;
}

/// The work of a form: so many items.
template <EdgeView E>
class PaperWork {
 public:
  PaperWork(const Context& ctx, const E& edges, VertexId vertices, PaperForm form)
      : edges_(edges), count_(vertices) {
    if (form == PaperForm::Naive) return;
    const auto start = std::chrono::steady_clock::now();
    balanced_ = true;
    pieces_ = find_pieces(ctx, edges, vertices);
    count_ = static_cast<VertexId>(pieces_.size());
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  paper::WorkItems<E> items() const { return {edges_, balanced_ ? pieces_.data() : nullptr}; }
  VertexId count() const { return count_; }
  double seconds() const { return seconds_; }

 private:
  E edges_;
  VertexId count_;
  bool balanced_ = false;
  Array<paper::Piece<E>> pieces_;
  double seconds_ = 0;
};

template <EdgeView E>
PaperRanks push_ranks(const Context& ctx, const E& edges, VertexId n, PaperForm form,
                      std::uint32_t iterations, double alpha) {
  const PaperWork<E> work(ctx, edges, n, form);
  const double each = 1 / static_cast<double>(n);
  VertexArray<double> rank(ctx, n, each), next(ctx, n);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    ctx.task().check();
    next.fill((1 - alpha) * each);
    compute(ctx, work.count(), [&](const Device& d) {
      return paper::PushRank<E>{work.items(), rank.on(d), next.on(d), alpha};
    });
    std::swap(rank, next);
  }
  return {std::move(rank).take(), work.seconds()};
}

template <EdgeView E>
PaperTriangles test_pairs(const Context& ctx, const E& edges, VertexId n, PaperForm form) {
  const PaperWork<E> work(ctx, edges, n, form);
  VertexArray<std::uint64_t> count(ctx, n, 0);
  compute(ctx, work.count(), [&](const Device& d) {
    return paper::TestPairs<E>{work.items(), count.on(d)};
  });
  const std::uint64_t corners = reduce(
      ctx, n, std::uint64_t{0}, [&](const Device& d) { return paper::CountOf{count.on(d)}; },
      MergeSum{});
  return {corners / 3, work.seconds()};
}

/// Calls body(view) for the views that the forms are compiled for. @throws Error(Usage)
template <class Body>
auto on_view(const Context& ctx, const AnyEdges& edges, const Body& body) {
  if (ctx.devices().size() != 1)
    throw Error(ErrorCode::Usage, "the papers' algorithms run on one device");
  if (const auto* changing = std::get_if<DynamicEdges>(&edges)) return body(*changing);
  if (const auto* flat = std::get_if<FlatEdges>(&edges)) return body(*flat);
  throw Error(
      ErrorCode::Usage,
      "the papers' algorithms run on plain lists in CSR and on those of graphs that change");
}

}  // namespace

PaperRanks paper_pagerank(const Context& ctx, const AnyEdges& edges, VertexId vertices,
                          PaperForm form, std::uint32_t iterations, double alpha) {
  return on_view(ctx, edges, [&](const auto& view) {
    return vertices == 0 ? PaperRanks{} : push_ranks(ctx, view, vertices, form, iterations, alpha);
  });
}

PaperTriangles paper_triangles(const Context& ctx, const AnyEdges& edges, VertexId vertices,
                               PaperForm form) {
  return on_view(ctx, edges, [&](const auto& view) {
    return vertices == 0 ? PaperTriangles{} : test_pairs(ctx, view, vertices, form);
  });
}

}  // namespace fathom::dynamic
