#include "fathom/dynamic/views/cuda/gpu_dynamic_source.hpp"

#include "fathom/dynamic/views/cuda/copy_reader.hpp"

namespace fathom::dynamic::gpu {

std::optional<AnyEdges> Source::whole(const SweepOptions& options) const {
  unchanged_.check();
  DynamicEdges edges = lists_;
  edges.limit = options.first;
  return edges;
}

void Source::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                   FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  pass({ctx.devices()[0], *whole(options), 0, vertices()});
}

const EdgeId* Source::offsets(const Device&) {
  unchanged_.check();
  if (offset_.empty()) offset_ = graph_.offsets(lists_, vertices());
  return offset_.data();
}

void Source::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const EdgeId* const offset = offsets(ctx.devices()[0]);
  if (!target_) {
    const Csr csr = graph_.to_csr({&lists_, 1}, vertices(), nullptr);
    const std::size_t bytes = csr.target.size() * sizeof(VertexId);
    const cuda::Gpu& gpu = *ctx.devices()[0].gpu();
    auto copy = std::make_unique<MappedMemory>(
        gpu, bytes, 0, HostShare{ctx.host_memory(), gpu.memory()->limit() / 8});
    copy->grow_to(bytes);
    ctx.copy(copy->data(), csr.target.data(), bytes);
    target_ = std::move(copy);
  }
  const auto* const target = reinterpret_cast<const VertexId*>(target_->data());
  const FlatEdges all{offset, target, nullptr, 0, kWholeList};
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

std::unique_ptr<ListReader> Source::read_lists() {
  unchanged_.check();
  return std::make_unique<CopyReader>(graph_.to_csr({&lists_, 1}, vertices(), nullptr));
}

}  // namespace fathom::dynamic::gpu
