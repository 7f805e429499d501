#include "fathom/dynamic/lists/cuda/dealt_lists.hpp"

#include <algorithm>
#include <exception>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/batches/batch_changes.hpp"
#include "fathom/dynamic/batches/cuda/gpu_applying.hpp"
#include "fathom/dynamic/views/cuda/dealt_source.hpp"

namespace fathom::dynamic::gpu {
namespace {

constexpr std::size_t kListGrain = 4096;

/// A CSR of as many lists, of which those that owns(v) are as in `csr`, and the others empty.
template <class Owns>
Csr owned(const Context& ctx, const CsrView& csr, std::span<const EdgeFields> fields,
          Array<EdgeFields>& its_fields, const Owns& owns) {
  const auto& pool = ctx.host_memory();
  Csr its;
  its.offset = Array<EdgeId>(csr.vertices + std::size_t{1}, pool);
  its.offset[0] = 0;
  for (VertexId v = 0; v < csr.vertices; ++v)
    its.offset[v + std::size_t{1}] = its.offset[v] + (owns(v) ? csr.degree(v) : 0);
  const EdgeId edges = its.offset[csr.vertices];
  its.target = Array<VertexId>(edges, pool);
  if (csr.weight) its.weight = Array<Weight>(edges, pool);
  its_fields = Array<EdgeFields>(fields.empty() ? 0 : edges, pool);
  parallel_for(ctx.threads(), csr.vertices, kListGrain,
               [&](std::size_t first, std::size_t last, int) {
                 for (std::size_t v = first; v < last; ++v) {
                   const EdgeId from = csr.offset[v], n = its.offset[v + 1] - its.offset[v];
                   std::copy_n(csr.target + from, n, its.target.data() + its.offset[v]);
                   if (csr.weight)
                     std::copy_n(csr.weight + from, n, its.weight.data() + its.offset[v]);
                   if (!fields.empty())
                     std::copy_n(fields.data() + from, n, its_fields.data() + its.offset[v]);
                 }
               });
  return its;
}

/// The lists that one of several of `csr`, and no other, has.
Csr join(const Context& ctx, const std::vector<Csr>& csr,
         const std::vector<Array<EdgeFields>>& parts, VertexId lists, Array<EdgeFields>* fields) {
  const auto& pool = ctx.host_memory();
  Csr all;
  all.offset = Array<EdgeId>(lists + std::size_t{1}, pool);
  for (std::size_t v = 0; v <= lists; ++v) {
    all.offset[v] = 0;
    for (const Csr& its : csr) all.offset[v] += its.offset[v];
  }
  const EdgeId edges = all.offset[lists];
  all.target = Array<VertexId>(edges, pool);
  const bool weighted =
      std::any_of(csr.begin(), csr.end(), [](const Csr& c) { return !c.weight.empty(); });
  const bool fielded =
      fields && std::any_of(parts.begin(), parts.end(), [](const auto& f) { return !f.empty(); });
  if (weighted) all.weight = Array<Weight>(edges, pool);
  if (fields) *fields = Array<EdgeFields>(fielded ? edges : 0, pool);
  parallel_for(ctx.threads(), lists, kListGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t v = first; v < last; ++v)
      for (std::size_t k = 0; k < csr.size(); ++k) {
        const EdgeId from = csr[k].offset[v], n = csr[k].offset[v + 1] - from;
        if (n == 0) continue;
        std::copy_n(csr[k].target.data() + from, n, all.target.data() + all.offset[v]);
        if (weighted)
          std::copy_n(csr[k].weight.data() + from, n, all.weight.data() + all.offset[v]);
        if (fielded) std::copy_n(parts[k].data() + from, n, fields->data() + all.offset[v]);
      }
  });
  return all;
}

/// Lists of one device as a part of apply_to_all().
struct PartOfBatch {
  Lists::Applying* its;

  void plan() const { its->changes().plan(); }
  void attempt() const { its->changes().attempt(); }
  BatchFinding found() const { return its->changes().found(); }
  void make_room() const { its->changes().make_room(); }
  void refuse() const { its->changes().refuse(); }
  void commit() const noexcept { its->changes().commit(); }
  void give_up() const noexcept { its->changes().give_up(); }
};

[[noreturn]] void refuse_one_memory() {
  throw Error(ErrorCode::Internal, "lists of several GPUs have no memory of their own");
}
[[noreturn]] void refuse_kernels() {
  throw Error(ErrorCode::Usage, "kernels change graphs on one GPU alone");
}

}  // namespace

DealtLists::DealtLists(const Context& ctx, const DynamicGraphOptions& options,
                       const DynamicLayout& layout, const ListRoom& room)
    : ctx_(ctx), directed_(options.directed) {
  const int sides = options.directed && options.in_edges ? 2 : 1;
  for (const Device& device : ctx.devices()) {
    Share& share = share_.emplace_back();
    share.device = &device;
    share.scratch = std::make_unique<cuda::ArrayScratch>(device.memory());
    for (int k = 0; k < sides; ++k)
      share.side.push_back(
          std::make_unique<Lists>(ctx, device, options, layout, room, ListsPart::Some));
  }
}

EdgeId DealtLists::edges() const {
  EdgeId sum = 0;
  for (const Share& share : share_) sum += share.side[0]->edges();
  return sum;
}

DynamicMemory DealtLists::memory() const {
  DynamicMemory sum;
  for (const Share& share : share_)
    for (const auto& side : share.side) {
      const DynamicMemory its = side->memory();
      sum.page_bytes += its.page_bytes;
      sum.reserved_bytes += its.reserved_bytes;
      sum.record_bytes += its.record_bytes;
      sum.snapshot_bytes += its.snapshot_bytes;
      sum.pages += its.pages;
      sum.host_bytes += its.host_bytes;
    }
  return sum;
}

void DealtLists::fill(const CsrView& out, std::span<const EdgeFields> out_fields, const CsrView* in,
                      std::span<const EdgeFields> in_fields, std::uint32_t epoch) {
  fill_side(0, out, out_fields, epoch);
  if (share_[0].side.size() == 2) fill_side(1, *in, in_fields, epoch);
}

void DealtLists::fill_side(std::size_t side, const CsrView& csr, std::span<const EdgeFields> fields,
                           std::uint32_t epoch) {
  for (Share& share : share_) {
    Array<EdgeFields> its_fields;
    const Csr its =
        owned(ctx_, csr, fields, its_fields, [&](VertexId v) { return owns(share, v); });
    share.device->gpu()->activate();
    share.side[side]->fill(its.view(), its_fields.span(), nullptr, {}, epoch);
  }
}

void DealtLists::set_missing(std::span<const VertexId> vertices) {
  for (Share& share : share_)
    for (const auto& side : share.side) side->set_missing(vertices);
}

void DealtLists::bring(Share& share, const ListBatch& batch) const {
  cuda::Gpu& gpu = *share.device->gpu();
  const auto copy = [&](auto& kept, const auto& from) {
    auto* const to = kept.at_least(gpu, from.size());
    if (batch.on_device)
      ctx_.copy(to, from.data(), from.size_bytes());
    else
      gpu.send(to, from.data(), from.size_bytes(), ctx_.host_memory());
  };
  gpu.activate();
  copy(share.whole, batch.edges);
  if (!batch.fields.empty()) copy(share.fields, batch.fields);
}

/// What the lists of a side are to apply.
void DealtLists::split(Share& share, const ListBatch& batch, std::size_t side) const {
  cuda::Gpu& gpu = *share.device->gpu();
  const std::size_t n = batch.edges.size();
  const Dealing dealing{static_cast<std::uint32_t>(share_.size()),
                        static_cast<std::uint32_t>(share.device->index()), !directed_, side == 1};
  const std::size_t room = n * dealing.each() + 1;
  const EdgeUpdate* const whole = share.whole.at_least(gpu, n);
  std::uint64_t* const flag = share.flag.at_least(gpu, room);
  std::uint64_t* const place = share.place.at_least(gpu, room);
  const auto count =
      static_cast<std::size_t>(count_dealt(gpu, *share.scratch, whole, n, dealing, flag, place));
  EdgeUpdate* const update = share.update[side].at_least(gpu, count);
  EdgeFields* const fields =
      batch.fields.empty() ? nullptr : share.update_fields[side].at_least(gpu, count);
  take_dealt(gpu, {whole, batch.fields.empty() ? nullptr : share.fields.at_least(gpu, n)}, n,
             dealing, flag, place, update, fields);
  share.batch[side].edges = {update, count};
  if (fields) share.batch[side].fields = {fields, count};
}

/// What a batch has needed does not stay if it is much, nor where the batch has failed.
struct DealtLists::Trimming {
  DealtLists& lists;
  int failing = std::uncaught_exceptions();

  ~Trimming() {
    for (Share& share : lists.share_)
      if (std::uncaught_exceptions() != failing ||
          share.batch_bytes() > share.device->memory()->limit() / 8)
        share.forget_batch();
  }
};

std::size_t DealtLists::Share::batch_bytes() const {
  std::size_t sum = whole.size() * sizeof(EdgeUpdate) + fields.size() * sizeof(EdgeFields) +
                    (flag.size() + place.size()) * sizeof(std::uint64_t);
  for (std::size_t k = 0; k < update.size(); ++k)
    sum += update[k].size() * sizeof(EdgeUpdate) + update_fields[k].size() * sizeof(EdgeFields);
  return sum;
}

void DealtLists::Share::forget_batch() {
  whole = {};
  fields = {};
  update = {};
  update_fields = {};
  flag = {};
  place = {};
}

BatchReport DealtLists::apply(const ListBatch& batch) {
  const std::size_t n = batch.edges.size();
  check_changes(directed_ ? n : 2 * n);
  const Trimming trimming{*this};
  std::vector<std::unique_ptr<Lists::Applying>> applying;
  for (Share& share : share_)
    for (std::size_t k = 0; k < share.side.size(); ++k) {
      share.batch[k] = {
          {}, batch.deleted_vertices, batch.reused, true, batch.vertices, batch.epoch, batch.pinned,
          {}};
      applying.push_back(std::make_unique<Lists::Applying>(*share.side[k], share.batch[k], false));
    }
  if (n != 0) {
    ctx_.on_each([&](const Device& device) {
      Share& share = on(device);
      bring(share, batch);
      if (device.index() == 0)
        share.side[0]->check_sent(batch, share.whole.at_least(share.side[0]->gpu(), n));
    });
    ctx_.on_each([&](const Device& device) {
      Share& share = on(device);
      for (std::size_t k = 0; k < share.side.size(); ++k) split(share, batch, k);
    });
  }
  std::vector<PartOfBatch> parts;
  for (const auto& its : applying) parts.push_back({its.get()});
  apply_to_all(std::span(parts));
  BatchReport report;
  for (std::size_t i = 0; i < applying.size(); ++i) {
    BatchReport its = applying[i]->done();
    if (i % share_[0].side.size() != 0) {  // in-lists change as out-lists do
      const BatchReport of_in = its;
      its = {};
      its.lists = of_in.lists;
      its.moved = of_in.moved;
      its.waits = of_in.waits;
    }
    report += its;
  }
  return report;
}

OpenChanges DealtLists::open_changes(const LiveRequest&) {
  refuse_kernels();
}
void DealtLists::reserve_for_changes(std::size_t) {
  refuse_kernels();
}
LiveCounts DealtLists::close_changes() {
  refuse_kernels();
}

void DealtLists::sort_keys(const std::uint64_t*, std::uint64_t*, std::size_t, int) const {
  refuse_one_memory();
}
void DealtLists::sum_up(const std::uint64_t*, std::uint64_t*, std::size_t) const {
  refuse_one_memory();
}

void DealtLists::release(const std::multiset<std::uint32_t>& snapshots) noexcept {
  for (Share& share : share_)
    for (const auto& side : share.side) side->release(snapshots);
}

ListViews DealtLists::views(bool in) const {
  ListViews all;
  for (const Share& share : share_) all.push_back(share.side[in ? 1 : 0]->view(false));
  return all;
}

std::vector<Array<DynamicRecord>> DealtLists::copy_records(bool in) const {
  std::vector<Array<DynamicRecord>> all;
  if (in && share_[0].side.size() == 1) return all;
  for (const Share& share : share_)
    all.push_back(std::move(share.side[in ? 1 : 0]->copy_records(false)[0]));
  return all;
}

std::shared_ptr<VertexTable> DealtLists::vertex_table(std::span<const VertexFields> all) const {
  return make_host_vertex_table(all);
}

// Share after share, in the caller's thread: snapshots are read while batches, which each device is
// served for by a thread, are applied.

std::size_t DealtLists::find(std::span<const Edge> edges, const EdgeAnswers& to, bool) const {
  const std::size_t n = edges.size();
  std::size_t answered = n;
  std::vector<std::uint8_t> has(to.has ? n : 0);
  std::vector<Weight> weight(to.weight ? n : 0);
  std::vector<EdgeFields> fields(to.fields ? n : 0);
  const EdgeAnswers its{to.has ? has.data() : nullptr, to.weight ? weight.data() : nullptr,
                        to.fields ? fields.data() : nullptr};
  for (const Share& share : share_) {
    const std::size_t its_answered = share.side[0]->find(edges, its, false);
    for (std::size_t i = 0; i < its_answered; ++i) {
      if (!owns(share, edges[i].source)) continue;
      if (to.has) to.has[i] = has[i];
      if (to.weight) to.weight[i] = weight[i];
      if (to.fields) to.fields[i] = fields[i];
    }
    answered = std::min(answered, its_answered);
  }
  return answered;
}

std::size_t DealtLists::degrees(std::span<const VertexId> vertices, EdgeId* to, bool) const {
  std::size_t answered = vertices.size();
  std::vector<EdgeId> degree(vertices.size());
  for (const Share& share : share_) {
    const std::size_t its_answered = share.side[0]->degrees(vertices, degree.data(), false);
    for (std::size_t i = 0; i < its_answered; ++i)
      if (owns(share, vertices[i])) to[i] = degree[i];
    answered = std::min(answered, its_answered);
  }
  return answered;
}

/// extract(a share, where the fields of its lists go) of all shares.
template <class Extract>
Csr DealtLists::joined(VertexId lists, Array<EdgeFields>* fields, const Extract& extract) const {
  std::vector<Csr> csr;
  std::vector<Array<EdgeFields>> its_fields(share_.size());
  for (const Share& share : share_) {
    Array<EdgeFields>* const its = fields ? &its_fields[csr.size()] : nullptr;
    csr.push_back(extract(share, its));
  }
  return join(ctx_, csr, its_fields, lists, fields);
}

Csr DealtLists::neighbors(std::span<const VertexId> vertices, bool in,
                          Array<EdgeFields>* fields) const {
  return joined(static_cast<VertexId>(vertices.size()), fields,
                [&](const Share& share, Array<EdgeFields>* its) {
                  return share.side[in ? 1 : 0]->neighbors(vertices, false, its);
                });
}

Csr DealtLists::to_csr(std::span<const DynamicEdges> lists, VertexId vertices,
                       Array<EdgeFields>* fields) const {
  return joined(vertices, fields, [&](const Share& share, Array<EdgeFields>* its) {
    const auto d = static_cast<std::size_t>(share.device->index());
    return share.side[0]->to_csr(lists.subspan(d, 1), vertices, its);
  });
}

std::unique_ptr<EdgeSource> DealtLists::open(const ListViews& lists, VertexId vertices,
                                             EdgeId edges, Unchanged unchanged,
                                             std::shared_ptr<const void> owner) const {
  return std::make_unique<DealtSource>(ctx_, *this, lists, vertices, edges, unchanged,
                                       std::move(owner));
}

}  // namespace fathom::dynamic::gpu
