#include "fathom/dynamic/views/cuda/dealt_source.hpp"

#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/dynamic/views/cuda/copy_reader.hpp"
#include "fathom/exec/replicas.hpp"

namespace fathom::dynamic::gpu {

void DealtSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                        FunctionRef<void(const Pass&)> pass) {
  unchanged_.check();
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  ctx.on_each([&](const Device& device) {
    DynamicEdges edges = lists_[static_cast<std::size_t>(device.index())];
    edges.limit = options.first;
    pass({device, edges, 0, vertices()});
  });
}

const EdgeId* DealtSource::offsets(const Device& device) {
  unchanged_.check();
  const std::lock_guard lock(summing_);
  if (offset_.empty()) sum_degrees();
  return offset_[static_cast<std::size_t>(device.index())].data();
}

/// Each device knows the degrees of its vertices, and 0 of others: sums of all are those of all.
void DealtSource::sum_degrees() {
  const std::size_t n = vertices() + std::size_t{1};
  std::vector<Array<EdgeId>> degree, offset;
  std::vector<void*> replica;
  for (const Device& device : ctx_.devices()) {
    degree.emplace_back(n, device.memory());
    offset.emplace_back(n, device.memory());
    replica.push_back(degree.back().data());
    list_degrees(*device.gpu(), lists_[static_cast<std::size_t>(device.index())], n - 1,
                 degree.back().data());
  }
  merge_on_gpus(ctx_, replica, n, ScalarKind::Uint64, MergeRule::Sum);
  for (const Device& device : ctx_.devices()) {
    const auto d = static_cast<std::size_t>(device.index());
    const cuda::Gpu& gpu = *device.gpu();
    // Of its own: snapshots are read while batches are applied.
    cuda::ArrayScratch scratch(device.memory());
    cuda::exclusive_sum(scratch, degree[d].data(), offset[d].data(), n, gpu.stream());
    gpu.wait();  // who reads them may do so in the stream of another context
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
