#include "fathom/residency/cuda/stream_source.hpp"

#include <algorithm>
#include <string>

#include "fathom/residency/cuda/hints.hpp"
#include "fathom/residency/page_choice.hpp"
#include "fathom/residency/page_supply.hpp"
#include "fathom/residency/raised.hpp"
#include "fathom/residency/whole_lists.hpp"

namespace fathom {
namespace {

// Of what is free, frames leave so much to state yet to come and to operators' temporary data.
constexpr std::size_t kReserve = std::size_t{64} << 20;
constexpr std::size_t kShareOfFree = 8;  // leave one part in so many
// A page copied into an empty frame is likely to be read again.
constexpr double kUsesOfKept = 2;
// Lines that a pull with early exit is expected to read of a list.
constexpr std::uint32_t kEarlyLines = 2;

}  // namespace

GpuStreamSource::GpuStreamSource(const Context& ctx, const CsrView& csr,
                                 std::shared_ptr<const void> owner, const PagingOptions& paging,
                                 const GpuEdgeOptions& options)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      ctx_(&ctx),
      csr_(csr),
      owner_(std::move(owner)),
      paging_(paging),
      options_(options),
      way_(options.host_memory.value_or(ZeroCopyWay::Malloc)) {
  if (options.id_bytes != 4)
    throw Error(ErrorCode::Usage,
                "streamed edges have ids of 4 bytes, not " + std::to_string(options.id_bytes));
  page_shift_ = page_shift_of(paging.page_bytes);
  pages_ = cuda::HostPages{csr.target, nullptr, csr.edges, page_shift_}.count();
  offset_ = Array<EdgeId>(csr.vertices + std::size_t{1}, memory());
  ctx.copy(offset_.data(), csr.offset, offset_.size() * sizeof(EdgeId));
  lines_ = Array<std::uint32_t>(pages_, memory());
  page_target_ = Array<const VertexId*>(pages_, memory());
  link_count_ = Array<unsigned long long>(2, memory());
  const unsigned long long none = 0;
  ctx.fill(ctx.devices()[0], link_count_.data(), link_count_.size(), &none, sizeof(none));
  // A page enters and leaves the table at most once a sweep.
  updates_ = std::make_unique<cuda::PageUpdates>(gpu(), 2 * pages_);
  cache_handle_ = memory()->register_cache([this](std::size_t) {
    if (!sweeping_) frames_.reset();
  });
}

GpuStreamSource::~GpuStreamSource() {
  memory()->forget_cache(cache_handle_);
}

double GpuStreamSource::link_ceiling() const {
  return gpu().link().copies.to_device;
}

void GpuStreamSource::place(bool weights) {
  cuda::Gpu& gpu = *ctx_->devices()[0].gpu();
  auto put = [&](std::unique_ptr<HostBlock>& block, const void* data, std::size_t bytes) {
    if (!block) block = HostBlock::holding(*ctx_, gpu, way_, data, bytes);
  };
  put(target_, csr_.target, edges() * sizeof(VertexId));
  if (weights) {
    put(weight_, csr_.weight, edges() * sizeof(Weight));
    if (page_weight_.empty()) page_weight_ = Array<const Weight*>(pages_, memory());
  }
  if (frames_ && weights && !frames_->weights()) frames_.reset();
  if (frames_) return;
  const cuda::HostPages host{static_cast<const VertexId*>(target_->data()),
                             weights ? static_cast<const Weight*>(weight_->data()) : nullptr,
                             edges(), page_shift_};
  const std::size_t frame_bytes = (weights ? 8 : 4) * (std::size_t{1} << page_shift_);
  const std::size_t available = memory()->available();
  const std::size_t reserve = std::max(kReserve, available / kShareOfFree);
  const std::size_t room = available > reserve ? available - reserve : available / 2;
  std::size_t count = room / static_cast<std::size_t>(std::max(options_.streams, 1)) / frame_bytes;
  if (paging_.frames > 0) count = paging_.frames;
  frames_ = std::make_unique<cuda::PageFrames>(
      *ctx_, host, std::clamp<std::size_t>(count, 1, std::max<std::size_t>(pages_, 1)),
      options_.page_cache);
}

void GpuStreamSource::prepare(const Context&, const SweepOptions& options) {
  place(options.weights && weighted());
  if (!options.hints || !hint_.empty()) return;
  hint_ = Array<VertexId>(vertices(), memory());
  cuda::find_hints(gpu(), FlatEdges{offset_.data(), static_cast<const VertexId*>(target_->data())},
                   vertices(), hint_.data());
}

std::vector<std::uint32_t> GpuStreamSource::lines_wanted(const Frontier& active,
                                                         const SweepOptions& options,
                                                         std::uint32_t lines_of_page) {
  std::vector<std::uint32_t> lines(pages_, lines_of_page);
  if (active.form() == Frontier::Form::All && options.first == kWholeList && !options.stops_early)
    return lines;
  cuda::check(cudaMemsetAsync(lines_.data(), 0, pages_ * sizeof(std::uint32_t), gpu().stream()),
              "clearing counters");
  cuda::count_lines(gpu(), active.on(ctx_->devices()[0]), offset_.data(), options.first,
                    options.stops_early ? kEarlyLines : ~std::uint32_t{0}, page_shift_,
                    lines_.data());
  ctx_->copy(lines.data(), lines_.data(), pages_ * sizeof(std::uint32_t));
  return lines;
}

void GpuStreamSource::sweep(const Context&, Frontier& active, const SweepOptions& options,
                            Show pass) {
  if (active.form() == Frontier::Form::List || pages_ == 0) return;  // a list on a GPU is empty
  SweepOptions adjusted = options;
  adjusted.weights = options.weights && weighted();
  place(adjusted.weights);
  // The whole cost of a page is in its targets: weights double both sides of the comparison.
  const PageChoice choice(gpu().link(), way_, edges() * sizeof(VertexId),
                          sizeof(VertexId) << page_shift_);
  const std::vector<std::uint32_t> lines = lines_wanted(active, adjusted, choice.lines());

  const Raised sweeping(sweeping_);
  updates_->begin();
  shown_.clear();
  cuda::check(cudaMemsetAsync(page_target_.data(), 0, pages_ * sizeof(void*), gpu().stream()),
              "clearing the page table");

  frames_->begin_sweep(lines);
  std::size_t empty = frames_->empty();
  std::vector<std::size_t> here, in_place, to_copy;
  for (std::size_t p = 0; p < pages_; ++p) {
    if (lines[p] == 0) continue;
    if (frames_->has(p)) {
      here.push_back(p);
      continue;
    }
    const bool copies = options_.page_move == PageMove::Copy ||
                        (options_.page_move == PageMove::Auto &&
                         choice.copy(lines[p], empty > 0 ? kUsesOfKept : 1));
    (copies ? to_copy : in_place).push_back(p);
    if (copies && empty > 0) --empty;
  }
  copied_.cache_hits += here.size();
  copied_.cache_misses += to_copy.size();
  // Batches, so that the first frames are free while the others are still being read.
  for (std::size_t at = 0; at < here.size(); at += frames_->batch()) {
    const auto first = here.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last =
        first + static_cast<std::ptrdiff_t>(std::min(frames_->batch(), here.size() - at));
    show({first, last}, false, adjusted, pass);
    frames_->end_pass({first, last});
  }
  if (!in_place.empty()) show(in_place, true, adjusted, pass);
  copy_and_show(to_copy, adjusted, pass);
  frames_->end_sweep();
}

void GpuStreamSource::copy_and_show(const std::vector<std::size_t>& pages,
                                    const SweepOptions& options, Show pass) {
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t at = 0; at < pages.size(); at += frames_->batch()) {
    const auto first = pages.begin() + static_cast<std::ptrdiff_t>(at);
    batches.emplace_back(
        first, first + static_cast<std::ptrdiff_t>(std::min(frames_->batch(), pages.size() - at)));
  }
  const std::size_t edge_bytes = sizeof(VertexId) + (frames_->weights() ? sizeof(Weight) : 0);
  std::size_t copied = 0;
  auto copy_next = [&] {
    const std::vector<std::size_t>& batch = batches[copied++];
    copied_.requests += frames_->copy(batch);
    for (const std::size_t p : batch)
      copied_.bytes += edge_bytes * std::min(EdgeId{1} << page_shift_,
                                             edges() - (static_cast<EdgeId>(p) << page_shift_));
  };
  for (std::size_t k = 0; k < batches.size(); ++k) {
    ctx_->task().check();
    if (copied == k) copy_next();
    frames_->wait_for_copies();
    // The next batch goes ahead while this one is shown, unless only its frames are left.
    if (copied < batches.size() && frames_->can_copy(batches[copied].size())) copy_next();
    show(batches[k], false, options, pass);
    frames_->end_pass(batches[k]);
  }
}

void GpuStreamSource::show(const std::vector<std::size_t>& pages, bool in_place,
                           const SweepOptions& options, Show pass) {
  for (const std::size_t p : shown_) updates_->add({p, nullptr, nullptr});
  for (const std::size_t p : pages) {
    const EdgeId first = static_cast<EdgeId>(p) << page_shift_;
    if (in_place)
      updates_->add(
          {p, static_cast<const VertexId*>(target_->data()) + first,
           options.weights ? static_cast<const Weight*>(weight_->data()) + first : nullptr});
    else
      updates_->add({p, frames_->target(p), frames_->weight(p)});
  }
  updates_->apply(page_target_.data(), options.weights ? page_weight_.data() : nullptr);
  shown_ = pages;

  const EdgeId last_edge =
      std::min((static_cast<EdgeId>(pages.back()) + 1) << page_shift_, edges()) - 1;
  Pass shown{
      ctx_->devices()[0],
      PagedEdges{offset_.data(), page_target_.data(),
                 options.weights ? page_weight_.data() : nullptr, page_shift_, options.first},
      vertex_at(static_cast<EdgeId>(pages.front()) << page_shift_), vertex_at(last_edge) + 1};
  if (in_place) {
    shown.remote = true;
    shown.access = options_.access;
    shown.link = {~std::uintptr_t{0}, 0, link_count_.data()};
    for (const HostBlock* block : {target_.get(), weight_.get()}) {
      if (!block) continue;
      const auto first = reinterpret_cast<std::uintptr_t>(block->data());
      shown.link.first = std::min(shown.link.first, first);
      shown.link.last = std::max(shown.link.last, first + block->size());
    }
  }
  pass(shown);
}

void GpuStreamSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  if (edges() == 0) return;
  place(false);
  const Raised sweeping(sweeping_);
  // A third holds the lists of u; those of v take turns in the others.
  VertexId* const block = frames_->block();
  const std::size_t third = frames_->block_edges() / 3;
  const std::vector<VertexId> cut =
      cut_into_whole_lists(vertices(), third, 3, [&](VertexId v) { return csr_.offset[v]; });
  auto load = [&](std::size_t piece, std::size_t into) {
    const EdgeId base = csr_.offset[cut[piece]];
    const std::size_t count = csr_.offset[cut[piece + 1]] - base;
    VertexId* const to = block + into * third;
    cuda::check(cudaMemcpyAsync(to, static_cast<const VertexId*>(target_->data()) + base,
                                count * sizeof(VertexId), cudaMemcpyHostToDevice, gpu().stream()),
                "copying lists");
    ++copied_.requests;
    copied_.bytes += count * sizeof(VertexId);
    return FlatEdges{offset_.data(), to, nullptr, base, kWholeList};
  };
  for (std::size_t a = 0; a + 1 < cut.size(); ++a) {
    const FlatEdges lists = load(a, 0);
    for (std::size_t b = 0; b + 1 < cut.size(); ++b) {
      ctx.task().check();
      const FlatEdges others = b == a ? lists : load(b, 1 + b % 2);
      pass({ctx.devices()[0], lists, cut[a], cut[a + 1], others, cut[b], cut[b + 1]});
    }
  }
}

VertexId GpuStreamSource::vertex_at(EdgeId position) const {
  const EdgeId* const end = csr_.offset + csr_.vertices + 1;
  return static_cast<VertexId>(std::upper_bound(csr_.offset, end, position) - csr_.offset - 1);
}

Traffic GpuStreamSource::traffic() const {
  unsigned long long in_place[2];
  ctx_->copy(in_place, link_count_.data(), sizeof(in_place));
  Traffic sum = copied_;
  sum.requests += in_place[0];
  sum.bytes += in_place[1];
  return sum;
}

}  // namespace fathom
