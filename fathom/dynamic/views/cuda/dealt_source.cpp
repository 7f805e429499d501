#include "fathom/dynamic/views/cuda/dealt_source.hpp"

#include <string>
#include <utility>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/dynamic/views/cuda/copy_reader.hpp"

namespace fathom::dynamic::gpu {
namespace {

constexpr std::size_t kDegreeGrain = std::size_t{1} << 16;

}  // namespace

/// Which lists a device of a context reads: contexts other than the graph's have the same GPUs.
std::size_t DealtSource::place_of(const Device& device) const {
  const auto d = static_cast<std::size_t>(device.index());
  const std::span<const Device> all = ctx_.devices();
  if (device.gpu() && d < all.size() && all[d].gpu()->ordinal() == device.gpu()->ordinal())
    return d;
  throw Error(ErrorCode::Usage,
              "the vertices of the graph are dealt out to other GPUs than those that read it");
}

void DealtSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                        FunctionRef<void(const Pass&)> pass) {
  unchanged_.check();
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  if (ctx.devices().size() != lists_.size())
    throw Error(ErrorCode::Usage, "the vertices of the graph are dealt out to " +
                                      std::to_string(lists_.size()) +
                                      " GPUs, and as many have to read it");
  ctx.on_each([&](const Device& device) {
    DynamicEdges edges = lists_[place_of(device)];
    edges.limit = options.first;
    pass({device, edges, 0, vertices()});
  });
}

const EdgeId* DealtSource::offsets(const Device& device) {
  unchanged_.check();
  const std::lock_guard lock(summing_);
  if (offset_.empty()) sum_degrees();
  return offset_[place_of(device)].data();
}

/// Each device knows the degrees of its vertices, and 0 of others: sums of all are those of all. By
/// the host: what merges replicas of the context may be at work for a batch.
void DealtSource::sum_degrees() {
  const std::size_t n = vertices() + std::size_t{1};
  Array<EdgeId> sum(n, EdgeId{0}, ctx_.host_memory()), part(n, ctx_.host_memory());
  std::vector<Array<EdgeId>> offset;
  for (const Device& device : ctx_.devices()) {
    const cuda::Gpu& gpu = *device.gpu();
    offset.emplace_back(n, device.memory());
    EdgeId* const degree = offset.back().data();
    list_degrees(*device.gpu(), lists_[offset.size() - 1], n - 1, degree);
    gpu.copy(part.data(), degree, n * sizeof(EdgeId));
    parallel_for(ctx_.threads(), n, kDegreeGrain, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t v = first; v < last; ++v) sum[v] += part[v];
    });
  }
  EdgeId before = 0;
  for (EdgeId& its : sum) before += std::exchange(its, before);
  for (const Device& device : ctx_.devices()) {
    const cuda::Gpu& gpu = *device.gpu();
    gpu.copy(offset[static_cast<std::size_t>(device.index())].data(), sum.data(),
             n * sizeof(EdgeId));
  }
  offset_ = std::move(offset);
}

Csr DealtSource::all_lists() const {
  unchanged_.check();
  return graph_.to_csr(lists_, vertices(), nullptr);
}

void DealtSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  unchanged_.check();
  if (!copy_) {
    graph::BuiltGraph built;
    built.out = all_lists();
    copy_ = make_graph(ctx, std::move(built), true);
  }
  copy_->out().sweep_pairs(ctx, pass);
}

std::unique_ptr<ListReader> DealtSource::read_lists() {
  return std::make_unique<CopyReader>(all_lists());
}

}  // namespace fathom::dynamic::gpu
