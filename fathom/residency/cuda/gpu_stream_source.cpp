#include "fathom/residency/cuda/gpu_stream_source.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/residency/paged/whole_lists.hpp"

namespace fathom {

GpuStreamSource::GpuStreamSource(const Context& ctx, const CsrView& csr,
                                 std::shared_ptr<const void> owner, const PagingOptions& paging,
                                 const GpuEdgeOptions& options)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      ctx_(&ctx),
      owner_(std::move(owner)) {
  if (options.id_bytes != 4)
    throw Error(ErrorCode::Usage,
                "streamed edges have ids of 4 bytes, not " + std::to_string(options.id_bytes));
  lists_.csr = csr;
  lists_.paging = paging;
  lists_.options = options;
  lists_.way = options.host_memory.value_or(ZeroCopyWay::Register);
  lists_.page_shift = page_shift_of(paging.page_bytes);
  lists_.pages = lists_.host(false).count();
  lists_.deal = PageDeal::of(lists_.pages, paging.page_bytes, ctx.devices().size());
  for (const Device& device : ctx.devices())
    stream_.push_back(std::make_unique<cuda::PageStream>(ctx, device, lists_));
}

GpuStreamSource::~GpuStreamSource() {
  settle();
}

/// Kernels of an interrupted run may read host memory, which goes.
void GpuStreamSource::settle() const noexcept {
  for (const Device& device : ctx_->devices()) device.gpu()->settle();
}

double GpuStreamSource::link_ceiling() const {
  double sum = 0;
  std::set<int> counted;  // devices on one card share its link
  for (const auto& stream : stream_)
    if (counted.insert(stream->gpu().ordinal()).second)
      sum += stream->gpu().link().copies.to_device;
  return sum;
}

/// Has the arrays where copies can come from, and with `whole` where kernels can read all of them.
void GpuStreamSource::pin(bool weights, bool whole) {
  cuda::Gpu& first = *ctx_->devices()[0].gpu();
  auto put = [&](std::unique_ptr<HostBlock>& block, const void* data, std::size_t bytes) {
    if (!block) {
      std::unique_ptr<HostBlock> fresh;
      if (lists_.way == ZeroCopyWay::Register) fresh = HostBlock::pin(first, data, bytes);
      if (!fresh) fresh = HostBlock::holding(*ctx_, first, lists_.way, data, bytes);
      for (const Device& device : ctx_->devices().subspan(1)) fresh->map_for(*device.gpu());
      block = std::move(fresh);
    }
    if (!whole || block->wait(ctx_->task())) return;
    const std::string refusal = block->refusal();
    settle();
    for (const auto& stream : stream_) stream->forget_pages();
    block = HostBlock::holding(*ctx_, first, lists_.way, data, bytes);
    block->note("the lists were copied, since they could not be registered: " + refusal);
  };
  put(lists_.target, lists_.csr.target, edges() * sizeof(VertexId));
  if (weights) put(lists_.weight, lists_.csr.weight, edges() * sizeof(Weight));
}

void GpuStreamSource::prepare(const Context&, const SweepOptions& options) {
  const bool weights = options.weights && weighted();
  pin(weights, reads_in_place());
  for (const auto& stream : stream_) stream->place(weights);
  if (!options.hints) return;
  try {
    prepare_hints(weights);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without, rather than not at all
  }
}

bool GpuStreamSource::hinted() const {
  return std::all_of(stream_.begin(), stream_.end(),
                     [](const auto& stream) { return stream->hints() != nullptr; });
}

void GpuStreamSource::prepare_hints(bool weights) {
  for (const auto& stream : stream_)
    if (!stream->room_for_hints()) return;
  // They are found where kernels read all lists.
  if (!stream_[0]->hints()) pin(weights, true);
  for (const auto& stream : stream_)
    stream->prepare_hints(stream == stream_[0] ? nullptr : stream_[0].get());
}

void GpuStreamSource::sweep(const Context&, Frontier& active, const SweepOptions& options,
                            FunctionRef<void(const Pass&)> pass) {
  // A list on a GPU is empty.
  if (active.form() == Frontier::Form::List || lists_.pages == 0) return;
  SweepOptions adjusted = options;
  adjusted.weights = options.weights && weighted();
  pin(adjusted.weights, reads_in_place());
  ctx_->on_each([&](const Device& device) { on(device).sweep(active, adjusted, pass); });
}

void GpuStreamSource::sweep_pairs(const Context&, FunctionRef<void(const PairPass&)> pass) {
  if (edges() == 0) return;
  pin(false, false);
  std::size_t third = edges();
  for (const auto& stream : stream_) {
    stream->place(false);
    third = std::min(third, stream->third());
  }
  const std::vector<VertexId> cut =
      cut_into_whole_lists(vertices(), third, 3, [&](VertexId v) { return lists_.csr.offset[v]; });
  ctx_->on_each([&](const Device& device) { on(device).sweep_pairs(cut, third, pass); });
}

std::size_t GpuStreamSource::cache_bytes() const {
  std::size_t sum = 0;
  for (const auto& stream : stream_) sum += stream->frame_bytes();
  return sum;
}

void GpuStreamSource::report_host_memory(HostMemoryReport& report) const {
  for (const auto* block : {&lists_.target, &lists_.weight})
    if (*block) report.add((*block)->report());
}

Traffic GpuStreamSource::traffic() const {
  Traffic sum;
  for (const auto& stream : stream_) sum = sum + stream->traffic();
  return sum;
}

}  // namespace fathom
