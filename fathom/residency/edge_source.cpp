#include "fathom/residency/edge_source.hpp"

#include "fathom/exec/bitmap.hpp"
#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/residency/spare_memory.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/vertex_ops.hpp"
#endif

namespace fathom {
namespace {

class ArrayListReader final : public ListReader {
 public:
  explicit ArrayListReader(const CsrView& lists) : lists_(lists) {}
  EdgeId degree(VertexId v) override { return lists_.degree(v); }
  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    const FlatEdges edges{lists_.offset, lists_.target, lists_.weight};
    auto cursor = edges.begin(v);
    for (PlainSpan s; edges.next(cursor, s);) span(s);
  }

 private:
  CsrView lists_;
};

/// Offsets that are asked for stay until the run ends: outside of one, until this does.
class RunHere {
 public:
  explicit RunHere(const Device& device) : spare_(SpareMemory::of(*device.memory())) {
    begun_ = !spare_.in_run();
    if (begun_) spare_.begin_run(0);
  }
  ~RunHere() {
    if (begun_) spare_.end_run();
  }
  RunHere(const RunHere&) = delete;
  RunHere& operator=(const RunHere&) = delete;

 private:
  SpareMemory& spare_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<ListReader> EdgeSource::read_lists() {
  if (const auto lists = host_lists()) return std::make_unique<ArrayListReader>(*lists);
  throw Error(ErrorCode::Usage, "the host does not have these edges");
}

EdgeId EdgeSource::degree_sum(const Context& ctx, const Frontier& frontier) {
  if (frontier.form() == Frontier::Form::All) return edges_;
  const Device& device = ctx.devices()[0];
  const RunHere run(device);
  const EdgeId* offset = offsets(device);
#if FATHOM_WITH_CUDA
  if (device.gpu() && frontier.form() == Frontier::Form::Bitmap) {
    const cuda::Degrees sum =
        cuda::degree_sum(*device.gpu(), frontier.on(device).bits, bitmap::words(vertices_), offset);
    frontier.set_size(static_cast<VertexId>(sum.vertices));
    return sum.edges;
  }
#endif
  if (frontier.empty()) return 0;
  std::vector<EdgeId> sum(static_cast<std::size_t>(ctx.threads()) * 8, 0);  // a cache line each
  ctx.launch(device, [&] {
    cpu::for_active(ctx.threads(), frontier.on(device), 0, vertices_, [&](VertexId v, int worker) {
      sum[static_cast<std::size_t>(worker) * 8] += offset[v + 1] - offset[v];
    });
  });
  EdgeId total = 0;
  for (const EdgeId s : sum) total += s;
  return total;
}

}  // namespace fathom
