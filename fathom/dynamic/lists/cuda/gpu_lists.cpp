#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"

#include <algorithm>
#include <mutex>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/lists/cuda/dealt_lists.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/dynamic/lists/cuda/gpu_vertex_table.hpp"

namespace fathom::dynamic::gpu {
namespace {

HostShare host_share(const Context& ctx, const DynamicGraphOptions& options) {
  if (!options.host_pages) return {};
  return {ctx.host_memory(), 0};
}

/// Of a device's budget, what batches and algorithms on so many vertices need beside pages: a
/// quarter, or more where vertices are many, up to half.
std::size_t kept_for(std::size_t limit, VertexId vertices) {
  constexpr std::size_t kStateOfVertex = 48;
  return std::clamp(vertices * kStateOfVertex, limit / 4, limit / 2);
}

std::size_t most_page_bytes(const Context& ctx, const Device& on,
                            const DynamicGraphOptions& options) {
  const std::size_t device = on.memory()->limit();
  const std::size_t host = options.host_pages ? ctx.host_memory()->limit() : 0;
  return std::min(options.memory, host > ~device ? options.memory : device + host);
}

}  // namespace

Lists::Lists(const Context& ctx, const Device& device, const DynamicGraphOptions& options,
             const DynamicLayout& layout, const ListRoom& room, ListsPart part)
    : ctx_(ctx),
      gpu_(*device.gpu()),
      layout_(layout),
      room_(room),
      most_vertices_(options.most_vertices),
      directed_(options.directed),
      mirrors_(!options.directed && part == ListsPart::Whole),
      duplicates_(options.duplicates),
      strategy_(options.strategy),
      pages_(make_gpu_pages(options.allocator, gpu_, most_page_bytes(ctx, device, options),
                            host_share(ctx, options))),
      exists_(gpu_, (std::size_t{options.most_vertices} / 32 + 1) * sizeof(std::uint32_t)),
      totals_(2, gpu_.memory()),
      scratch_(gpu_.memory()),
      retired_count_(1, gpu_.memory()) {
  const bool both = options.directed && options.in_edges && part == ListsPart::Whole;
  for (std::size_t d = 0; d < (both ? 2u : 1u); ++d)
    direction_[d].records = std::make_unique<MappedMemory>(
        gpu_, options.most_vertices * layout.record_bytes(), 0, HostShare{}, layout.empty_byte());
  cuda::check(cudaMemsetAsync(retired_count_.data(), 0, sizeof(std::uint32_t), gpu_.stream()),
              "clearing memory");
}

Lists::~Lists() {
  cudaSetDevice(gpu_.ordinal());
  release({});
  for (int d = 0; d < directions(); ++d)
    pages_->forget(lists(d, 0, 0), direction_[static_cast<std::size_t>(d)].records->usable() /
                                       layout_.record_bytes());
  cudaStreamSynchronize(gpu_.stream());
}

void Lists::release(const std::multiset<std::uint32_t>& snapshots) noexcept {
  try {
    if (snapshots.empty()) forget_epochs();
    if (most_retired_ == 0) return;
    std::uint32_t count = 0;
    gpu_.copy(&count, retired_count_.data(), sizeof(count));
    std::vector<RetiredPage> all(count), kept;
    gpu_.copy(all.data(), retired_.data(), count * sizeof(RetiredPage));
    std::vector<PageRequest> gone;
    std::array<std::uint32_t, kPageSizes> more{};
    for (const RetiredPage& r : all) {
      const auto next = snapshots.lower_bound(r.written);
      if (next != snapshots.end() && *next < r.left) {
        kept.push_back(r);
        continue;
      }
      gone.push_back(r.page);
      ++more[static_cast<std::size_t>(page_size_class(r.page.bytes))];
    }
    Array<PageRequest> page = device_array<PageRequest>(gone.size());
    gpu_.copy(page.data(), gone.data(), gone.size() * sizeof(PageRequest));
    pages_->expect_more(more.data());
    gpu_.copy(retired_.data(), kept.data(), kept.size() * sizeof(RetiredPage));
    count = static_cast<std::uint32_t>(kept.size());
    gpu_.copy(retired_count_.data(), &count, sizeof(count));
    most_retired_ = count;
    pages_->free(page.data(), gone.size(), more.data());
  } catch (...) {
    // Without memory for the lists of pages these stay where they are, until the next snapshot
    // goes.
  }
}

void Lists::grow_records(std::size_t d, VertexId vertices, std::uint32_t pinned) {
  Direction& its = direction_[d];
  its.records->grow_to(vertices * layout_.record_bytes());
  if (pinned == 0) return;
  if (!its.written)
    its.written =
        std::make_unique<MappedMemory>(gpu_, std::size_t{most_vertices_} * sizeof(std::uint32_t));
  its.written->grow_to(vertices * sizeof(std::uint32_t));
}

/// There are no snapshots.
void Lists::forget_epochs() {
  for (Direction& d : direction_) {
    if (!d.written) continue;
    gpu_.wait();
    d.written.reset();
  }
}

DynamicMemory Lists::memory() const {
  gpu_.wait();
  const PageStatistics pages = pages_->statistics();
  DynamicMemory memory{pages.used_bytes, pages.reserved_bytes, 0, 0,
                       pages.pages,      pages_->host_bytes()};
  for (const Direction& d : direction_)
    for (const MappedMemory* its : {d.records.get(), d.written.get()})
      if (its) memory.record_bytes += its->device_bytes();
  std::uint32_t count = 0;
  if (most_retired_ != 0) gpu_.copy(&count, retired_count_.data(), sizeof(count));
  std::vector<RetiredPage> retired(count);
  gpu_.copy(retired.data(), retired_.data(), count * sizeof(RetiredPage));
  for (const RetiredPage& r : retired) memory.snapshot_bytes += r.page.bytes;
  return memory;
}

void Lists::keep_for(VertexId vertices) {
  pages_->keep(kept_for(gpu_.memory()->limit(), vertices));
}

std::size_t Lists::at_once(std::size_t bytes_each, std::size_t most) const {
  constexpr std::size_t kLeast = 1024;
  return std::clamp(gpu_.memory()->limit() / 16 / bytes_each, kLeast, most);
}

VertexId Lists::lists_at_once() const {
  constexpr std::size_t kBytesOfList = 128, kMost = std::size_t{1} << 22;
  return static_cast<VertexId>(at_once(kBytesOfList, kMost));
}

EdgeId Lists::edges_at_once() const {
  constexpr std::size_t kMost = std::size_t{1} << 26;
  return at_once(layout_.entry_words * sizeof(std::uint32_t), kMost);
}

/// What pages of each size will come to: lists that are filled have no slack.
void Lists::expect_pages(const CsrView& csr, std::uint64_t* bytes) const {
  const DynamicListsRef its = lists(0, 0, 0);
  std::mutex adding;
  parallel_for(ctx_.threads(), csr.vertices, std::size_t{1} << 16,
               [&](std::size_t first, std::size_t last, int) {
                 std::uint64_t mine[kPageSizes] = {};
                 for (std::size_t v = first; v < last; ++v) {
                   const auto size = static_cast<std::uint32_t>(csr.offset[v + 1] - csr.offset[v]);
                   const std::uint64_t each = its.bytes_for(size);
                   if (each != 0) mine[page_size_class(each)] += each * its.pages_for(size);
                 }
                 const std::lock_guard lock(adding);
                 for (int k = 0; k < kPageSizes; ++k) bytes[k] += mine[k];
               });
}

void Lists::fill(const CsrView& out, std::span<const EdgeFields> out_fields, const CsrView* in,
                 std::span<const EdgeFields> in_fields, std::uint32_t epoch) {
  const bool both = directions() == 2 && in;
  grow_records(0, out.vertices, 0);
  if (both) grow_records(1, in->vertices, 0);
  keep_for(out.vertices);
  std::uint64_t bytes[kPageSizes] = {};
  expect_pages(out, bytes);
  if (both) expect_pages(*in, bytes);
  pages_->expect(bytes);
  fill_direction(0, out, out_fields, epoch);
  if (both) fill_direction(1, *in, in_fields, epoch);
  set_vertices(out.vertices);
}

/// All of them exist.
void Lists::set_vertices(VertexId vertices) {
  vertices_ = vertices;
  exists_.grow_to((std::size_t{vertices_} / 32 + 1) * sizeof(std::uint32_t));
  mark_range(gpu_, 0, vertices_, exists(), true);
  gpu_.wait();
}

void Lists::fill_direction(int d, const CsrView& csr, std::span<const EdgeFields> fields,
                           std::uint32_t epoch) {
  for (VertexId first = 0; first < csr.vertices;) {
    const VertexId most = std::min<VertexId>(csr.vertices - first, lists_at_once());
    const EdgeId* const end = std::upper_bound(
        csr.offset + first + 1, csr.offset + first + most + 1, csr.offset[first] + edges_at_once());
    const auto last = std::max(first + 1, static_cast<VertexId>(end - csr.offset - 1));
    fill_piece(d, csr, fields, first, last, epoch);
    first = last;
  }
  direction_[static_cast<std::size_t>(d)].edges = csr.edges;
}

void Lists::fill_piece(int d, const CsrView& csr, std::span<const EdgeFields> fields,
                       VertexId first, VertexId last, std::uint32_t epoch) {
  const EdgeId base = csr.offset[first], edges = csr.offset[last] - base;
  Array<EdgeId> offset = device_array<EdgeId>(last - first + std::size_t{1});
  Array<VertexId> target = device_array<VertexId>(edges);
  const bool weights = layout_.weighted() && csr.weight;
  Array<Weight> weight = device_array<Weight>(weights ? edges : 0);
  send(offset.data(), csr.offset + first, offset.size());
  send(target.data(), csr.target + base, edges);
  if (weights) send(weight.data(), csr.weight + base, edges);
  Array<EdgeFields> its = device_array<EdgeFields>(fields.empty() ? 0 : edges);
  if (!fields.empty()) send(its.data(), fields.data() + base, edges);
  fill_with(d,
            {first, last, offset.data(), base, target.data(), weights ? weight.data() : nullptr,
             fields.empty() ? nullptr : its.data()},
            epoch);
}

void Lists::fill_with(int d, const Piece& piece, std::uint32_t epoch) {
  clear_totals();
  Work work;
  work.add(gpu_, lists(d, epoch, 0), 0, piece.last - piece.first, &totals()->side[d]);
  plan_to_fill(work, piece.offset, piece.first);
  pages_->settle(totals());
  fill_lists(gpu_, work.side[0],
             FillList{work.side[0].lists, work.side[0].touched, work.side[0].fresh, piece.offset,
                      piece.target, piece.weight, piece.base, piece.fields});
  pages_->take_in(*found_);
}

void Lists::set_missing(std::span<const VertexId> vertices) {
  mark(on_device(vertices), false);
  gpu_.wait();
}

std::shared_ptr<VertexTable> Lists::vertex_table(std::span<const VertexFields> all) const {
  return std::make_shared<GpuVertexTable>(ctx_, most_vertices_, all);
}

DynamicEdges Lists::view(bool in) const {
  gpu_.wait();
  return edges_of(in ? 1 : 0);
}

std::vector<Array<DynamicRecord>> Lists::copy_records(bool in) const {
  const std::size_t d = in ? 1 : 0;
  if (!direction_[d].records) return {};
  const std::size_t records = std::size_t{vertices_} * layout_.records();
  std::vector<Array<DynamicRecord>> copy(1);
  copy[0] = device_array<DynamicRecord>(records);
  gpu_.copy(copy[0].data(), direction_[d].record(), records * sizeof(DynamicRecord));
  return copy;
}

}  // namespace fathom::dynamic::gpu

namespace fathom::dynamic {

std::unique_ptr<GpuLists> make_gpu_lists(const Context& ctx, const DynamicGraphOptions& options,
                                         const DynamicLayout& layout, const ListRoom& room) {
  if (!ctx.on_gpu()) return nullptr;
  if (ctx.devices().size() == 1)
    return std::make_unique<gpu::Lists>(ctx, ctx.devices()[0], options, layout, room);
  if (!options.deal_vertices) return nullptr;
  return std::make_unique<gpu::DealtLists>(ctx, options, layout, room);
}

}  // namespace fathom::dynamic
