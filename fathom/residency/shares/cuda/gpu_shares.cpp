#include "fathom/residency/shares/cuda/gpu_shares.hpp"

#include <algorithm>

#include "fathom/exec/replicas.hpp"
#include "fathom/residency/cuda/hints.hpp"
#include "fathom/residency/cuda/list_cache.hpp"
#include "fathom/residency/list_choice.hpp"
#include "fathom/residency/rank_share.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

using Pair = InterleavedEdges::Pair;

}  // namespace

/// What is in a device's memory of its lists: all, or copies of some, or nothing.
struct GpuShares::Lists {
  Form form;
  std::size_t entry_bytes;
  bool whole = false;     // all of them, which may be none
  Array<std::byte> data;  // then
  std::unique_ptr<ListCache> cache;
  int handle = 0;  // among what the device has to spare

  std::size_t bytes() const { return data.size() + (cache ? cache->bytes() : 0); }
  void give_way() {
    whole = false;
    data = {};
    cache.reset();
  }
};

GpuShares::GpuShares(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                     const Pair* pairs, const GpuEdgeOptions& options)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      ctx_(&ctx),
      csr_(csr),
      owner_(std::move(owner)),
      pairs_(pairs),
      options_(options) {
  if (options.id_bytes != GpuEdgeOptions::kPlainIdBytes || options.id_bits)
    throw Error(ErrorCode::Usage, "several GPUs read plain ids of " +
                                      std::to_string(GpuEdgeOptions::kPlainIdBytes) +
                                      " bytes over their links");
  const auto shares = static_cast<int>(ctx.replicas());
  for (const Device& device : ctx.devices()) {
    const int its = static_cast<int>(ctx.first_replica()) + device.index();
    Share& share =
        share_.emplace_back(Share{&device,
                                  share_of_rank(its, shares, csr.offset, csr.vertices),
                                  Array<EdgeId>(csr.vertices + std::size_t{1}, device.memory()),
                                  LinkCounts(ctx),
                                  std::make_unique<KeptHints>(device, csr.vertices),
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
  l->handle = SpareMemory::of(*share.device->memory())
                  .enlist({[l] { l->give_way(); }, [l] { return l->bytes(); },
                           [this, &share, l](std::size_t bytes) { fill(share, *l, bytes); }});
  share.lists.push_back(std::move(made));
  return *l;
}

/// All lists where `bytes` have room for them, otherwise copies of some.
void GpuShares::fill(Share& share, Lists& l, std::size_t bytes) {
  const std::size_t whole = bytes_of(share, l.form);
  if (bytes < whole) return fill_cache(share, l, bytes);
  if (l.whole) return;
  l.cache.reset();
  const std::size_t from = csr_.offset[share.shown.first] * l.entry_bytes;
  try {
    l.data = entries(l.form).on_device(*ctx_, *share.device, from, from + whole);
    l.whole = true;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
}

void GpuShares::fill_cache(const Share& share, Lists& l, std::size_t bytes) {
  const VertexRange shown = share.shown;
  const std::size_t index = shown.size() * sizeof(std::uint32_t);
  const double enough = kEnoughOfCache * static_cast<double>(bytes);
  if (l.cache && l.cache->bytes() <= bytes && static_cast<double>(l.cache->made_for()) >= enough)
    return;
  l.give_way();
  if (bytes < index + index / 4) return;  // the index alone would take most of it
  std::vector<std::uint32_t> reads;
  if (options_.cache == CachePolicy::Reuse) {
    reads = count_reads(csr_, ctx_->threads());
    reads = {reads.begin() + shown.first, reads.begin() + shown.last};
  }
  // Its vertices are numbered from the first one that is shown.
  const CsrView mine{static_cast<VertexId>(shown.size()),
                     csr_.offset[shown.last] - csr_.offset[shown.first], csr_.offset + shown.first,
                     nullptr, nullptr};
  const AnyEdges far = view(share.offset.data() + shown.first, l.form,
                            static_cast<const std::byte*>(block(l.form).data()), 0, kWholeList);
  try {
    l.cache =
        std::make_unique<ListCache>(*ctx_, *share.device, mine, options_.cache, bytes,
                                    static_cast<std::uint32_t>(l.entry_bytes) * 8, far, reads);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
  }
}

std::size_t GpuShares::bytes_of(const Share& share, Form form) const {
  return (csr_.offset[share.shown.last] - csr_.offset[share.shown.first]) * entries(form).unit();
}

void GpuShares::prepare(const Context&, const SweepOptions& options) {
  const Form form = form_of(options);
  const bool all_near = std::all_of(share_.begin(), share_.end(), [&](const Share& share) {
    const std::size_t whole = bytes_of(share, form);
    return useful_of(share, form) == whole &&
           whole <= SpareMemory::of(*share.device->memory()).room();
  });
  for (Share& share : share_)
    SpareMemory::of(*share.device->memory()).use(lists(share, form).handle);
  // Hints go first: copies take what is left.
  if (form == Form::Target &&
      (options.hints == Hints::Always ||
       (options.hints == Hints::Far &&
        least_among_ranks(*ctx_, all_near && hints(*share_[0].device) == nullptr) == 0)))
    prepare_hints(all_near);
  for (Share& share : share_)
    if (const std::size_t useful = useful_of(share, form); useful > 0)
      SpareMemory::of(*share.device->memory()).want(lists(share, form).handle, useful);
  if (!all_near) block(form);  // otherwise it may not be needed
}

bool GpuShares::is_near(const Share& share, const Lists& lists) const {
  return lists.whole || bytes_of(share, lists.form) == 0;
}

std::size_t GpuShares::useful_of(const Share& share, Form form) const {
  const std::size_t whole = bytes_of(share, form);
  if (options_.cache == CachePolicy::None) return 0;
  return options_.cache_bytes > 0 ? std::min(whole, options_.cache_bytes) : whole;
}

const VertexId* GpuShares::hints(const Device& device) {
  const bool all = std::all_of(share_.begin(), share_.end(),
                               [](const Share& share) { return !share.hints->empty(); });
  return all ? on(device).hints->data() : nullptr;
}

void GpuShares::prepare_hints(bool all_near) {
  const bool there =
      fits_on_all(*ctx_, [&](const Device& device) { return !on(device).hints->empty(); });
  if (!there && !find_hints(all_near)) return;
  for (Share& share : share_) share.hints->hold();
}

/// Each device finds those of its own vertices, and is told the others'.
bool GpuShares::find_hints(bool all_near) {
  bool made = true;
  try {
    for (Share& share : share_) {
      const std::size_t beside = all_near ? bytes_of(share, Form::Target) : 0;
      made = made && (!share.hints->empty() || share.hints->have_room(beside));
      if (!made) continue;
      share.hints->make();
      share.hints->hold();  // what is allocated until they are written does not take them back
    }
  } catch (const Error& e) {
    drop_hints();
    if (e.code() != ErrorCode::DoesNotFit) throw;  // a run does without
    made = false;
  }
  if (least_among_ranks(*ctx_, made ? 1 : 0) == 0) {
    drop_hints();
    return false;
  }
  try {
    write_hints(all_near);
  } catch (...) {
    drop_hints();  // they were not all written
    throw;
  }
  return true;
}

void GpuShares::drop_hints() {
  for (Share& share : share_) share.hints->drop();
}

void GpuShares::write_hints(bool all_near) {
  const bool near = all_near && std::all_of(share_.begin(), share_.end(), [&](Share& share) {
                      Lists& l = lists(share, Form::Target);
                      fill(share, l, bytes_of(share, Form::Target));
                      return is_near(share, l);
                    });
  const HostBlock* const far = near ? nullptr : &block(Form::Target);
  ctx_->on_each([&](const Device& device) {
    Share& share = on(device);
    const Lists& l = lists(share, Form::Target);
    const auto held = SpareMemory::of(*device.memory()).hold(l.handle);
    const std::byte* const at = near ? l.data.data() : static_cast<const std::byte*>(far->data());
    const EdgeId base = near ? csr_.offset[share.shown.first] : 0;
    cuda::find_hints(*device.gpu(), view(share.offset.data(), Form::Target, at, base, kWholeList),
                     share.shown, share.hints->data());
  });
  for (const Share& from : share_)
    for (const Share& to : share_)
      if (&to != &from)
        ctx_->copy(to.hints->data() + from.shown.first, from.hints->data() + from.shown.first,
                   from.shown.size() * sizeof(VertexId));
  if (ctx_->ranks() > 1) tell_hints();
}

/// To other ranks, and from them.
void GpuShares::tell_hints() {
  const std::size_t first = share_.front().shown.first, last = share_.back().shown.last;
  VertexId* const mine = share_[0].hints->data();
  if (share_ranks_on_gpus(*ctx_, mine, vertices(), sizeof(VertexId), first, last)) return;
  Array<VertexId> all(vertices(), ctx_->host_memory());
  ctx_->copy(all.data() + first, mine + first, (last - first) * sizeof(VertexId));
  share_among_ranks(*ctx_, all.data(), vertices(), sizeof(VertexId), first, last);
  for (const Share& share : share_)
    ctx_->copy(share.hints->data(), all.data(), vertices() * sizeof(VertexId));
}

AnyEdges GpuShares::view(const EdgeId* offset, Form form, const std::byte* at, EdgeId base,
                         EdgeId limit) const {
  if (form == Form::Pair)  // which have no base: position p is pair[p]
    return InterleavedEdges{offset, reinterpret_cast<const Pair*>(at) - base, limit};
  return FlatEdges{offset, reinterpret_cast<const VertexId*>(at), nullptr, base, limit};
}

AnyEdges GpuShares::far_view(const Share& share, const Lists& l, EdgeId limit) {
  const auto* const at = static_cast<const std::byte*>(block(l.form).data());
  const AnyEdges far = view(share.offset.data(), l.form, at, 0, limit);
  if (!l.cache) return far;
  const std::uint32_t* const index = l.cache->index() - share.shown.first;
  const AnyEdges near = view(nullptr, l.form, l.cache->data(), 0, limit);
  if (l.form == Form::Pair)
    return CachedEdges<InterleavedEdges>{std::get<InterleavedEdges>(far),
                                         std::get<InterleavedEdges>(near), index,
                                         l.cache->unit_shift()};
  return CachedEdges<FlatEdges>{std::get<FlatEdges>(far), std::get<FlatEdges>(near), index,
                                l.cache->unit_shift()};
}

void GpuShares::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                      FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty; bitmaps are not counted for this
  const Form form = form_of(options);
  bool all_near = true;  // before threads look for theirs
  for (Share& share : share_) all_near = is_near(share, lists(share, form)) && all_near;
  const HostBlock* const far = all_near ? nullptr : &block(form);
  ctx.on_each([&](const Device& device) {
    Share& share = on(device);
    const Lists& l = lists(share, form);
    const auto held = SpareMemory::of(*device.memory()).hold(l.handle);  // operators may allocate
    if (bytes_of(share, form) == 0) return;
    const VertexRange shown = share.shown;
    if (l.whole)
      return pass(
          {device,
           view(share.offset.data(), form, l.data.data(), csr_.offset[shown.first], options.first),
           shown.first, shown.last});
    Pass rest{device, far_view(share, l, options.first), shown.first, shown.last};
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
    const AnyEdges its = view(share.offset.data(), Form::Target, all, 0, kWholeList);
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
        if (its->form == form && its->whole)
          edges += csr_.offset[share.shown.last] - csr_.offset[share.shown.first];
        else if (its->form == form && its->cache)
          edges += its->cache->edges();
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
