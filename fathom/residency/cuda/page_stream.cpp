#include "fathom/residency/cuda/page_stream.hpp"

#include <algorithm>

#include "fathom/residency/cuda/hints.hpp"
#include "fathom/residency/paged/page_choice.hpp"
#include "fathom/residency/raised.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom::cuda {

HostPages StreamedLists::host(bool weights) const {
  return {target ? static_cast<const VertexId*>(target->data()) : nullptr,
          weights ? static_cast<const Weight*>(weight->data()) : nullptr, csr.edges, page_shift};
}

bool StreamedLists::in_reach(std::size_t page, bool weights) const {
  const EdgeId first = first_edge(page), last = std::min(first_edge(page + 1), csr.edges);
  const auto has = [&](const HostBlock& block, std::size_t each) {
    return block.pinned(first * each, (last - first) * each);
  };
  return has(*target, sizeof(VertexId)) && (!weights || has(*weight, sizeof(Weight)));
}

VertexId StreamedLists::vertex_at(EdgeId at) const {
  const EdgeId* const end = csr.offset + csr.vertices + 1;
  return static_cast<VertexId>(std::upper_bound(csr.offset, end, at) - csr.offset - 1);
}

namespace {

/// Pages of a sweep that was interrupted may not have arrived: none counts as being there.
class WholeSweep {
 public:
  explicit WholeSweep(PageFrames& frames) : frames_(frames) {}
  ~WholeSweep() {
    if (!complete_) frames_.forget_all();
  }
  WholeSweep(const WholeSweep&) = delete;
  WholeSweep& operator=(const WholeSweep&) = delete;
  void complete() { complete_ = true; }

 private:
  PageFrames& frames_;
  bool complete_ = false;
};

}  // namespace

PageStream::PageStream(const Context& ctx, const Device& device, const StreamedLists& lists)
    : ctx_(ctx), device_(device), lists_(lists), copies_(ctx, *device.gpu()) {
  offset_ = Array<EdgeId>(lists.csr.vertices + std::size_t{1}, memory());
  gpu().copy(offset_.data(), lists.csr.offset, offset_.size() * sizeof(EdgeId));
  lines_ = Array<std::uint32_t>(lists.pages, memory());
  page_target_ = Array<const VertexId*>(lists.pages, memory());
  link_count_ = Array<unsigned long long>(2, memory());
  const unsigned long long none = 0;
  ctx.fill(device, link_count_.data(), link_count_.size(), &none, sizeof(none));
  // A page enters and leaves the table at most once a sweep.
  updates_ = std::make_unique<PageUpdates>(gpu(), 2 * lists.pages);
  cache_handle_ = spare().enlist({[this] {
                                    if (!sweeping_) frames_.reset();
                                  },
                                  [this] { return sweeping_ ? 0 : frame_bytes(); }, nullptr});
  hint_handle_ = spare().enlist(
      {[this] { hint_ = {}; }, [this] { return hint_.size() * sizeof(VertexId); }, nullptr});
}

PageStream::~PageStream() {
  spare().leave(cache_handle_);
  spare().leave(hint_handle_);
}

SpareMemory& PageStream::spare() const {
  return SpareMemory::of(*memory());
}

void PageStream::place(bool weights) {
  spare().use(cache_handle_);
  if (weights && page_weight_.empty()) page_weight_ = Array<const Weight*>(lists_.pages, memory());
  if (frames_ && weights && !frames_->weights()) frames_.reset();
  if (frames_) return;
  const std::size_t frame_bytes = (weights ? 8 : 4) * (std::size_t{1} << lists_.page_shift);
  std::size_t count =
      room_for_frames(memory()->available(), lists_.csr.edges, lists_.paging.sources) / frame_bytes;
  if (lists_.paging.frames > 0) count = lists_.paging.frames;
  const std::size_t mine = lists_.deal.count(turn(), lists_.pages);
  frames_ = std::make_unique<PageFrames>(
      device_, copies_, lists_.host(weights),
      std::clamp<std::size_t>(count, 1, std::max<std::size_t>(mine, 1)), lists_.paging.cache);
}

bool PageStream::room_for_hints() const {
  return !hint_.empty() || spare().room() >= lists_.csr.vertices * sizeof(VertexId);
}

void PageStream::prepare_hints(const PageStream* found) {
  if (hint_.empty()) {
    const VertexId n = lists_.csr.vertices;
    Array<VertexId> hint(n, memory());
    if (found)
      ctx_.copy(hint.data(), found->hints(), n * sizeof(VertexId));
    else
      find_hints(gpu(), FlatEdges{offset_.data(), lists_.host(false).target}, n, hint.data());
    hint_ = std::move(hint);
  }
  spare().hold_for_run(hint_handle_);
}

std::vector<std::uint32_t> PageStream::lines_wanted(const Frontier& active,
                                                    const SweepOptions& options,
                                                    std::uint32_t lines_of_page) {
  std::vector<std::uint32_t> lines(lists_.pages, lines_of_page);
  if (active.form() == Frontier::Form::All && options.first == kWholeList && !options.stops_early)
    return lines;
  check(cudaMemsetAsync(lines_.data(), 0, lists_.pages * sizeof(std::uint32_t), gpu().stream()),
        "clearing counters");
  count_lines(gpu(), active.on(device_), offset_.data(), options.first,
              options.stops_early ? PageChoice::kEarlyLines : ~std::uint32_t{0}, lists_.page_shift,
              lists_.deal, turn(), lines_.data());
  gpu().copy(lines.data(), lines_.data(), lists_.pages * sizeof(std::uint32_t));
  return lines;
}

void PageStream::sweep(const Frontier& active, const SweepOptions& options, Show pass) {
  place(options.weights);
  // The whole cost of a page is in its targets: weights double both sides of the comparison.
  const PageChoice choice(gpu().link(), lists_.way, lists_.csr.edges * sizeof(VertexId),
                          sizeof(VertexId) << lists_.page_shift);
  const std::vector<std::uint32_t> lines = lines_wanted(active, options, choice.lines());

  const Raised sweeping(sweeping_);
  const std::uint64_t staged_before = copies_.staged_bytes();
  updates_->begin();
  shown_.clear();
  check(cudaMemsetAsync(page_target_.data(), 0, lists_.pages * sizeof(void*), gpu().stream()),
        "clearing the page table");

  frames_->begin_sweep(lines);
  WholeSweep whole(*frames_);
  std::size_t empty = frames_->empty();
  std::vector<std::size_t> here, in_place, to_copy;
  const PageMove move = lists_.paging.page_move;
  for (std::size_t p = 0; p < lists_.pages; ++p) {
    if (lines[p] == 0 || lists_.deal.device_of(p) != turn()) continue;
    if (frames_->has(p)) {
      here.push_back(p);
      continue;
    }
    // What is still to be pinned can be staged, not read in place.
    const bool copies =
        move == PageMove::Copy || !lists_.in_reach(p, options.weights) ||
        (move == PageMove::Auto && choice.copy(lines[p], empty > 0 ? PageChoice::kUsesOfKept : 1));
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
    show({first, last}, false, options, pass);
    frames_->end_pass({first, last});
  }
  if (!in_place.empty()) show(in_place, true, options, pass);
  copy_and_show(to_copy, options, pass);
  frames_->end_sweep();
  whole.complete();
  if (copies_.staged_bytes() == staged_before) copies_.drop_ring();
}

void PageStream::copy_and_show(const std::vector<std::size_t>& pages, const SweepOptions& options,
                               Show pass) {
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
      copied_.bytes += edge_bytes * std::min(EdgeId{1} << lists_.page_shift,
                                             lists_.csr.edges - lists_.first_edge(p));
  };
  for (std::size_t k = 0; k < batches.size(); ++k) {
    ctx_.task().check();
    if (copied == k) copy_next();
    frames_->wait_for_copies();
    // The next batch goes ahead while this one is shown, unless only its frames are left.
    if (copied < batches.size() && frames_->can_copy(batches[copied].size())) copy_next();
    show(batches[k], false, options, pass);
    frames_->end_pass(batches[k]);
  }
}

void PageStream::show(const std::vector<std::size_t>& pages, bool in_place,
                      const SweepOptions& options, Show pass) {
  const Technique asked = lists_.paging.technique;
  if (asked != Technique::Hybrid) return show_as(asked, pages, in_place, options, pass);
  std::vector<std::size_t> sparse, dense;
  for (const std::size_t p : pages) {
    const EdgeId first = lists_.first_edge(p);
    const EdgeId last = std::min(lists_.first_edge(p + 1), lists_.csr.edges) - 1;
    const std::uint64_t vertices = lists_.vertex_at(last) - lists_.vertex_at(first) + 1;
    (last - first < kSparseDegree * vertices ? sparse : dense).push_back(p);
  }
  if (!sparse.empty()) show_as(Technique::VertexCentric, sparse, in_place, options, pass);
  if (!dense.empty()) show_as(Technique::EdgeCentric, dense, in_place, options, pass);
}

void PageStream::show_as(Technique technique, const std::vector<std::size_t>& pages, bool in_place,
                         const SweepOptions& options, Show pass) {
  const HostPages host = lists_.host(options.weights);
  for (const std::size_t p : shown_) updates_->add({p, nullptr, nullptr});
  for (const std::size_t p : pages) {
    const EdgeId first = lists_.first_edge(p);
    if (in_place)
      updates_->add({p, host.target + first, options.weights ? host.weight + first : nullptr});
    else
      updates_->add({p, frames_->target(p), frames_->weight(p)});
  }
  updates_->apply(
      {reinterpret_cast<const void**>(page_target_.data()),
       options.weights ? reinterpret_cast<const void**>(page_weight_.data()) : nullptr});
  shown_ = pages;

  const EdgeId last_edge = std::min(lists_.first_edge(pages.back() + 1), lists_.csr.edges) - 1;
  Pass shown{
      device_,
      PagedEdges{offset_.data(), page_target_.data(),
                 options.weights ? page_weight_.data() : nullptr, lists_.page_shift, options.first},
      lists_.vertex_at(lists_.first_edge(pages.front())), lists_.vertex_at(last_edge) + 1};
  shown.technique = technique;
  if (in_place) {
    shown.remote = true;
    shown.access = lists_.options.access;
    shown.link = {~std::uintptr_t{0}, 0, link_count_.data()};
    for (const HostBlock* block : {lists_.target.get(), lists_.weight.get()}) {
      if (!block) continue;
      const auto first = reinterpret_cast<std::uintptr_t>(block->data());
      shown.link.first = std::min(shown.link.first, first);
      shown.link.last = std::max(shown.link.last, first + block->size());
    }
  }
  pass(shown);
}

void PageStream::sweep_pairs(const std::vector<VertexId>& cut, std::size_t third,
                             FunctionRef<void(const PairPass&)> pass) {
  const Raised sweeping(sweeping_);
  // A third holds the lists of u; those of v take turns in the others.
  VertexId* const block = frames_->block();
  const EdgeId* const offset = lists_.csr.offset;
  auto load = [&](VertexId first, VertexId last, std::size_t into) {
    const EdgeId base = offset[first];
    const std::size_t count = offset[last] - base;
    VertexId* const to = block + into * third;
    copies_.queue(gpu().stream(), to, lists_.host(false).target + base, count * sizeof(VertexId));
    ++copied_.requests;
    copied_.bytes += count * sizeof(VertexId);
    return FlatEdges{offset_.data(), to, nullptr, base, kWholeList};
  };
  // Where the share of device d begins: by edges, as far as whole lists allow.
  auto share = [&](std::size_t run, std::uint32_t d) {
    const EdgeId first = offset[cut[run]], count = offset[cut[run + 1]] - first;
    const EdgeId at = first + count * d / lists_.deal.devices;
    return static_cast<VertexId>(std::lower_bound(offset + cut[run], offset + cut[run + 1], at) -
                                 offset);
  };
  for (std::size_t a = 0; a + 1 < cut.size(); ++a) {
    const VertexId first = share(a, turn());
    const VertexId last = turn() + 1 == lists_.deal.devices ? cut[a + 1] : share(a, turn() + 1);
    if (first == last) continue;
    const FlatEdges lists = load(first, last, 0);
    for (std::size_t b = 0; b + 1 < cut.size(); ++b) {
      ctx_.task().check();
      const bool same = first == cut[b] && last == cut[b + 1];
      const FlatEdges others = same ? lists : load(cut[b], cut[b + 1], 1 + b % 2);
      pass({device_, lists, first, last, others, cut[b], cut[b + 1]});
    }
  }
}

Traffic PageStream::traffic() const {
  unsigned long long in_place[2];
  gpu().copy(in_place, link_count_.data(), sizeof(in_place));
  Traffic sum = copied_;
  sum.requests += in_place[0];
  sum.bytes += in_place[1];
  return sum;
}

}  // namespace fathom::cuda
