#include "fathom/residency/shares/cuda/gpu_shares.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/residency/rank_share.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

using Pair = InterleavedEdges::Pair;

}  // namespace

struct GpuShares::Lists {
  Form form;
  std::size_t entry_bytes;
  VertexRange near;       // vertices whose lists are in device memory
  Array<std::byte> data;  // of them
  int handle = 0;         // among what the device has to spare
};

GpuShares::GpuShares(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                     const Pair* pairs, const GpuEdgeOptions& options)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      ctx_(&ctx),
      csr_(csr),
      owner_(std::move(owner)),
      pairs_(pairs),
      options_(options) {
  if (options.id_bytes != 4 || options.id_bits)
    throw Error(ErrorCode::Usage, "several GPUs read plain ids of 4 bytes over their links");
  const auto shares = static_cast<int>(ctx.replicas());
  for (const Device& device : ctx.devices()) {
    const int its = static_cast<int>(ctx.first_replica()) + device.index();
    Share& share =
        share_.emplace_back(Share{&device,
                                  share_of_rank(its, shares, csr.offset, csr.vertices),
                                  Array<EdgeId>(csr.vertices + std::size_t{1}, device.memory()),
                                  LinkCounts(ctx),
                                  {}});
    ctx.copy(share.offset.data(), csr.offset, share.offset.size() * sizeof(EdgeId));
    share.counts.begin(device);
  }
}

GpuShares::~GpuShares() {
  for (Share& share : share_) {
    share.device->gpu()->settle();  // kernels of an interrupted run may read host memory
    for (const auto& its : share.lists) SpareMemory::of(*share.device->memory()).leave(its->handle);
  }
}

HostBlock& GpuShares::block(Form form) {
  std::unique_ptr<HostBlock>& its = form == Form::Pair ? both_ : targets_;
  if (!its) {
    const detail::Entries all = entries(form);
    auto made = HostBlock::over_link(
        *ctx_, *ctx_->devices()[0].gpu(), options_.host_memory, all.there(), all.bytes(),
        [&](std::size_t first, std::size_t last, std::byte* to) { all.write(first, last, to); });
    for (const Device& device : ctx_->devices().subspan(1)) made->map_for(*device.gpu());
    its = std::move(made);
  }
  return *its;
}

GpuShares::Lists& GpuShares::lists(Share& share, Form form) {
  for (const auto& its : share.lists)
    if (its->form == form) return *its;
  auto made = std::make_unique<Lists>();
  Lists* const l = made.get();
  l->form = form;
  l->entry_bytes = entries(form).unit();
  l->near = {share.shown.first, share.shown.first};
  l->handle = SpareMemory::of(*share.device->memory())
                  .enlist({[l] {
                             l->data = {};
                             l->near.last = l->near.first;
                           },
                           [l] { return l->data.size(); },
                           [this, &share, l](std::size_t bytes) { fill(share, *l, bytes); }});
  share.lists.push_back(std::move(made));
  return *l;
}

/// As many whole lists as `bytes` have room for, from the first on.
void GpuShares::fill(Share& share, Lists& l, std::size_t bytes) {
  const EdgeId* const offset = csr_.offset;
  const EdgeId base = offset[share.shown.first];
  const EdgeId* const end = std::upper_bound(
      offset + share.shown.first + 1, offset + share.shown.last + 1, base + bytes / l.entry_bytes);
  const auto last = static_cast<VertexId>(end - offset - 1);
  const double enough = kEnoughOfCache * static_cast<double>(offset[last] - base);
  if (l.near.last <= last && static_cast<double>(offset[l.near.last] - base) >= enough) return;
  l.data = {};
  l.near.last = l.near.first;
  const detail::Entries all = entries(l.form);
  const std::size_t from = base * l.entry_bytes, to = offset[last] * l.entry_bytes;
  try {
    l.data = all.on_device(*ctx_, *share.device, from, to);
    l.near.last = last;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
}

std::size_t GpuShares::bytes_of(const Share& share, Form form) const {
  return (csr_.offset[share.shown.last] - csr_.offset[share.shown.first]) * entries(form).unit();
}

void GpuShares::prepare(const Context&, const SweepOptions& options) {
  const Form form = form_of(options);
  bool all_near = true;
  for (Share& share : share_) {
    Lists& l = lists(share, form);
    SpareMemory& spare = SpareMemory::of(*share.device->memory());
    spare.use(l.handle);
    const std::size_t whole = bytes_of(share, form);
    const std::size_t useful = options_.cache == CachePolicy::None ? 0
                               : options_.cache_bytes > 0 ? std::min(whole, options_.cache_bytes)
                                                          : whole;
    if (useful > 0) spare.want(l.handle, useful);
    all_near = all_near && useful == whole && whole <= spare.room();
  }
  if (!all_near) block(form);  // otherwise it may not be needed
}

AnyEdges GpuShares::view(const Share& share, Form form, const std::byte* at, EdgeId base,
                         EdgeId limit) const {
  const EdgeId* const offset = share.offset.data();
  if (form == Form::Pair)  // which have no base: position p is pair[p]
    return InterleavedEdges{offset, reinterpret_cast<const Pair*>(at) - base, limit};
  return FlatEdges{offset, reinterpret_cast<const VertexId*>(at), nullptr, base, limit};
}

void GpuShares::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                      FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  const Form form = form_of(options);
  bool all_near = true;  // before threads look for theirs
  for (Share& share : share_)
    all_near = all_near && lists(share, form).near.last == share.shown.last;
  const HostBlock* const far = all_near ? nullptr : &block(form);
  ctx.on_each([&](const Device& device) {
    Share& share = on(device);
    const Lists& l = lists(share, form);
    const auto held = SpareMemory::of(*device.memory()).hold(l.handle);  // operators may allocate
    if (l.near.size() > 0)
      pass({device, view(share, form, l.data.data(), csr_.offset[l.near.first], options.first),
            l.near.first, l.near.last});
    if (l.near.last == share.shown.last) return;
    Pass rest{device,
              view(share, form, static_cast<const std::byte*>(far->data()), 0, options.first),
              l.near.last, share.shown.last};
    rest.remote = true;
    rest.access = options_.access;
    rest.link = share.counts.window({{static_cast<const std::byte*>(far->data()), far->size()}});
    pass(rest);
  });
}

void GpuShares::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const auto* const all = static_cast<const std::byte*>(block(Form::Target).data());
  ctx.on_each([&](const Device& device) {
    const Share& share = on(device);
    if (share.shown.size() == 0) return;
    const AnyEdges its = view(share, Form::Target, all, 0, kWholeList);
    pass({device, its, share.shown.first, share.shown.last, its, 0, vertices()});
  });
}

std::optional<VertexRange> GpuShares::own_lists() const {
  if (share_.size() > 1) return std::nullopt;
  return share_[0].shown;
}

EdgeId GpuShares::near_edges() const {
  EdgeId most = 0;
  for (const Form form : {Form::Target, Form::Pair}) {
    EdgeId edges = 0;
    for (const Share& share : share_)
      for (const auto& its : share.lists)
        if (its->form == form) edges += csr_.offset[its->near.last] - csr_.offset[its->near.first];
    most = std::max(most, edges);
  }
  return most;
}

double GpuShares::link_ceiling() const {
  const HostBlock* const its = targets_ ? targets_.get() : both_.get();
  if (!its) return 0;
  double sum = 0;
  for (const Share& share : share_)
    sum += sweep_ceiling(share.device->gpu()->link(), its->way(), its->size(), 1);
  return sum;
}

Traffic GpuShares::traffic() const {
  Traffic sum;
  for (const Share& share : share_) sum = sum + share.counts.traffic();
  return sum;
}

void GpuShares::report_host_memory(HostMemoryReport& report) const {
  for (const auto* its : {&targets_, &both_})
    if (*its) report.add((*its)->report());
}

}  // namespace fathom
