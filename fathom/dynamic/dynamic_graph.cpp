#include "fathom/dynamic/dynamic_graph.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/batches/batch_changes.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/graph/build.hpp"

namespace fathom {

using dynamic::DynamicLists;

namespace {

void check_memory(const DynamicGraphOptions& options) {
  constexpr std::size_t kMost = std::size_t{kDynamicUnit} << 32;
  if (options.memory > kMost)
    throw Error(ErrorCode::Usage,
                "pages of a graph that changes are numbered by 32 bits: they take " +
                    format_bytes(kMost) + " at most, not " + format_bytes(options.memory));
}

void check_ranks(const Context& ctx) {
  if (ctx.ranks() > 1)
    throw Error(ErrorCode::Usage, "a graph that changes is on one rank, and the context has " +
                                      std::to_string(ctx.ranks()));
}

DynamicLayout layout_of(const DynamicGraphOptions& options) {
  check_memory(options);
  if (options.most_vertices >= kNoPage)
    throw Error(ErrorCode::DoesNotFit,
                "a graph that changes has fewer than 2^32 - 1 vertices, not " +
                    std::to_string(options.most_vertices));
  DynamicLayout layout;
  layout.entry_words = options.edges == EdgeKind::Simple     ? 1
                       : options.edges == EdgeKind::Weighted ? 2
                                                             : dynamic::kSemanticWords;
  layout.structure = options.edges != EdgeKind::Simple && options.structure_of_arrays;
  if (options.sorted_links && options.layout != DynamicLayoutKind::Faim)
    throw Error(ErrorCode::Usage,
                "sorted links are of the faim layout alone: lists of ouro ascend anyway, and those "
                "of aim have gaps that insertions fill in any order");
  layout.sorted = options.sorted_links;
  if (options.layout == DynamicLayoutKind::Ouro) {
    if (!layout.weighted() && options.most_vertices <= kNoTarget) layout.inlined = kInRecord;
    return layout;
  }
  constexpr std::uint32_t kLargest = 1u << 20;
  if (!std::has_single_bit(options.page_bytes) || options.page_bytes < kDynamicUnit ||
      options.page_bytes > kLargest)
    throw Error(ErrorCode::Usage, "linked pages have a power of two of bytes, from 16 to " +
                                      std::to_string(kLargest) + ", not " +
                                      std::to_string(options.page_bytes));
  layout.link_words = options.page_bytes / 4;
  if (layout.link_entries() == 0)
    throw Error(ErrorCode::Usage, "a linked page of " + std::to_string(options.page_bytes) +
                                      " bytes holds no edge of this kind: " +
                                      std::to_string(std::bit_ceil(4 * layout.entry_words + 4)) +
                                      " are the least");
  layout.markers = options.layout == DynamicLayoutKind::Aim;
  return layout;
}

dynamic::ListRoom room_of(const DynamicGraphOptions& options) {
  const bool sane = options.slack >= 0 && options.slack <= 8 && options.shrink_below >= 0 &&
                    options.shrink_below <= 0.5;
  if (!sane)
    throw Error(
        ErrorCode::Usage,
        "a list has a slack of 0 to 8 times its edges, and keeps a page from a share of 0 to "
        "0.5 of it on");
  if (options.layout != DynamicLayoutKind::Ouro &&
      (options.slack != 0 || options.shrink_below != 0.5))
    throw Error(ErrorCode::Usage, "slack and a share to shrink below are of the ouro layout alone");
  const auto percent = [](double share) {
    return static_cast<std::uint32_t>(std::lround(share * 100));
  };
  return {percent(options.slack), percent(options.shrink_below)};
}

/// Indices exist while the batch that makes them is checked and planned; they stay when it says so.
class NewVertices {
 public:
  /// Indices that are used again, and those up to `after`.
  NewVertices(std::vector<bool>& exists, std::vector<VertexId> reused, VertexId after)
      : exists_(exists), reused_(std::move(reused)), before_(exists.size()) {
    exists_.resize(after, true);
    for (const VertexId v : reused_) exists_[v] = true;
  }
  NewVertices(const NewVertices&) = delete;
  NewVertices& operator=(const NewVertices&) = delete;
  ~NewVertices() {
    if (stay_) return;
    for (const VertexId v : reused_) exists_[v] = false;
    exists_.resize(before_);
  }
  const std::vector<VertexId>& reused() const { return reused_; }
  void stay() { stay_ = true; }

 private:
  std::vector<bool>& exists_;
  const std::vector<VertexId> reused_;
  std::size_t before_;
  bool stay_ = false;
};

/// The weights and types of vertices on their way through a batch: what may fail is done first.
class VertexFieldsChange {
 public:
  VertexFieldsChange(DynamicGraph::State& s, const GraphBatch& batch, VertexId after)
      : batch_(batch), fields_(s.vertex_fields), epoch_(s.fields_epoch), next_(s.next_epoch()) {
    const auto says = [](const VertexUpdate& u) { return !(u.fields == VertexFields{}); };
    const bool any = std::any_of(batch.vertex_updates.begin(), batch.vertex_updates.end(), says);
    if (fields_->size() == 0 && !any) return;
    if (batch.vertex_updates.empty() && batch.deleted_vertices.empty()) return;
    // Snapshots keep what they have.
    const bool shared = !s.snapshots.empty() && epoch_ <= s.pinned();
    made_ = shared ? fields_->copy() : fields_;
    made_->prepare(batch, after);
  }
  void commit() noexcept {
    if (!made_) return;
    made_->commit(batch_);
    fields_ = std::move(made_);
    epoch_ = next_;
  }

 private:
  const GraphBatch& batch_;
  std::shared_ptr<dynamic::VertexTable>& fields_;
  std::uint32_t& epoch_;
  const std::uint32_t next_;
  std::shared_ptr<dynamic::VertexTable> made_;  // null: nothing changes
};

void check_edges(const std::vector<bool>& exists, std::span<const EdgeUpdate> edges, int threads) {
  const auto there = [&](VertexId v) { return v < exists.size() && exists[v]; };
  const auto first_bad = [&](std::size_t first, std::size_t last) {
    const auto fine = [&](const EdgeUpdate& e) { return there(e.source) && there(e.target); };
    while (first < last && fine(edges[first])) ++first;
    return first < last ? first : edges.size();
  };
  const auto least = [](std::size_t a, std::size_t b) { return std::min(a, b); };
  const std::size_t bad =
      parallel_reduce(threads, edges.size(), std::size_t{1} << 14, edges.size(), first_bad, least);
  if (bad == edges.size()) return;
  const VertexId source = edges[bad].source;
  dynamic::refuse_vertex("update " + std::to_string(bad) + " of the batch",
                         there(source) ? edges[bad].target : source);
}

void check_fields(const CsrView& out, const GraphFields& fields) {
  const auto check = [](std::size_t found, std::size_t of, const char* what) {
    if (found != 0 && found != of)
      throw Error(ErrorCode::Usage, "a graph of " + std::to_string(of) + " " + what +
                                        " has fields of " + std::to_string(found));
  };
  check(fields.edges.size(), out.edges, "edges");
  check(fields.vertices.size(), out.vertices, "vertices");
}

/// Leaves edges to a GPU that has the lists.
void check_vertices(const DynamicGraph::State& s, const GraphBatch& batch) {
  if (batch.edges_on_device && !s.gpu)
    throw Error(ErrorCode::Usage,
                "updates in the memory of a GPU are for graphs that change in it, and this one is "
                "in host memory");
  if (!batch.fields.empty() && batch.fields.size() != batch.edges.size())
    throw Error(ErrorCode::Usage, "a batch of " + std::to_string(batch.edges.size()) +
                                      " edges has fields of " +
                                      std::to_string(batch.fields.size()));
  for (const VertexUpdate& u : batch.vertex_updates)
    if (u.vertex >= s.exists.size() || !s.exists[u.vertex])
      dynamic::refuse_vertex("an update of a vertex in the batch", u.vertex);
  if (!s.gpu) check_edges(s.exists, batch.edges, s.threads());
  for (const VertexId v : batch.deleted_vertices) {
    if (v < s.exists.size() && s.exists[v]) continue;
    if (!batch.edges_on_device)
      check_edges(s.exists, batch.edges, s.threads());  // which are named first
    dynamic::refuse_vertex("a deletion of the batch", v);
  }
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> graphs{0};
  return graphs.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

DynamicGraph::State::State(const Context& context, const DynamicGraphOptions& wanted)
    : number(next_number()),
      ctx(&context),
      options(wanted),
      gpu(dynamic::make_gpu_lists(context, wanted, layout_of(wanted), room_of(wanted))),
      pages(dynamic::make_host_pages(
          gpu ? PageAllocator::Pool : wanted.allocator,
          gpu ? 0 : std::min(wanted.memory, context.host_memory()->limit()),
          context.host_memory())),
      out(*pages, layout_of(wanted), room_of(wanted), gpu ? 0 : wanted.most_vertices,
          context.host_memory()),
      vertex_fields(vertex_table({})) {
  if (gpu) return;
  if (options.directed && options.in_edges)
    in.emplace(*pages, layout_of(wanted), room_of(wanted), wanted.most_vertices,
               context.host_memory());
}

DynamicGraph::DynamicGraph(const Context& ctx, const DynamicGraphOptions& options) {
  check_ranks(ctx);
  state_ = std::make_shared<State>(ctx, options);
}

DynamicGraph::DynamicGraph(const Context& ctx, const CsrView& out, const CsrView* in,
                           const DynamicGraphOptions& options, const GraphFields& fields)
    : DynamicGraph(ctx, options) {
  check_fields(out, fields);
  if (!fields.vertices.empty()) state_->vertex_fields = state_->vertex_table(fields.vertices);
  const bool fielded = semantic() && !fields.edges.empty();
  const auto out_fields = fielded ? fields.edges : std::span<const EdgeFields>();
  Csr made;
  CsrView reverse;
  Array<EdgeFields> in_fields;
  if (state_->both_directions()) {
    if (!in) made = graph::transpose(out, ctx.threads());
    reverse = in ? *in : made.view();
    if (fielded)
      in_fields =
          dynamic::reverse_fields(out, reverse, fields.edges, ctx.threads(), ctx.host_memory());
  }
  const std::span<const EdgeFields> reverse_fields(in_fields.data(), in_fields.size());
  const auto take = [&](DynamicLists& lists, const CsrView& csr,
                        std::span<const EdgeFields> edge_fields) {
    lists.reserve_vertices(csr.vertices);
    lists.fill(csr, edge_fields, state_->epoch, ctx.threads());
    lists.set_vertices(csr.vertices);
  };
  if (state_->gpu) {
    state_->gpu->fill(out, out_fields, state_->both_directions() ? &reverse : nullptr,
                      reverse_fields, state_->epoch);
  } else {
    take(state_->out, out, out_fields);
    if (state_->in) take(*state_->in, reverse, reverse_fields);
  }
  state_->exists.assign(out.vertices, true);
}

DynamicGraph::DynamicGraph(DynamicGraph&&) noexcept = default;
DynamicGraph& DynamicGraph::operator=(DynamicGraph&&) noexcept = default;
DynamicGraph::~DynamicGraph() = default;

VertexId DynamicGraph::vertices() const {
  return state_->vertices();
}
VertexId DynamicGraph::existing_vertices() const {
  return vertices() - static_cast<VertexId>(state_->free.size());
}
bool DynamicGraph::exists(VertexId v) const {
  return v < vertices() && state_->exists[v];
}
EdgeId DynamicGraph::edges() const {
  return state_->edges();
}
bool DynamicGraph::directed() const {
  return state_->options.directed;
}
bool DynamicGraph::weighted() const {
  return state_->options.edges != EdgeKind::Simple;
}
bool DynamicGraph::semantic() const {
  return state_->options.edges == EdgeKind::Semantic;
}
std::uint64_t DynamicGraph::batches() const {
  return state_->version.load();
}

DynamicMemory DynamicGraph::memory() const {
  const std::lock_guard lock(state_->changing);
  const std::size_t of_fields = state_->vertex_fields->bytes();
  if (state_->gpu) {
    DynamicMemory memory = state_->gpu->memory();
    memory.record_bytes += of_fields;
    return memory;
  }
  const dynamic::PageStatistics pages = state_->pages->statistics();
  DynamicMemory memory{pages.used_bytes, pages.reserved_bytes,
                       state_->out.record_bytes() + state_->out.written_bytes() + of_fields, 0,
                       pages.pages};
  if (state_->in) memory.record_bytes += state_->in->record_bytes() + state_->in->written_bytes();
  for (const dynamic::RetiredPage& r : state_->retired) memory.snapshot_bytes += r.page.bytes;
  return memory;
}

std::vector<VertexId> DynamicGraph::next_vertices(VertexId count) const {
  return state_->next_vertices(count);
}

void DynamicGraph::State::check_new_vertices(VertexId count) const {
  const std::uint64_t most = options.most_vertices, room = most - exists.size();
  if (count > most || count > room + free.size())
    throw Error(ErrorCode::DoesNotFit, "a graph that changes has at most " + format_count(most) +
                                           " vertices, and " + format_count(count) +
                                           " would come to " +
                                           format_count(exists.size() - free.size()) + " of them");
}

std::vector<VertexId> DynamicGraph::State::next_vertices(VertexId count) const {
  std::vector<VertexId> next;
  next.reserve(count);
  const auto reused = std::min<std::size_t>(count, free.size());
  next.assign(free.rbegin(), free.rbegin() + static_cast<std::ptrdiff_t>(reused));
  for (VertexId v = vertices(); next.size() < count; ++v) next.push_back(v);
  return next;
}

BatchReport DynamicGraph::apply(const GraphBatch& batch) {
  const auto start = std::chrono::steady_clock::now();
  State& s = *state_;
  const std::lock_guard lock(s.changing);
  s.check_at_rest();
  const VertexId before = vertices();
  dynamic::check_changes(batch.edges.size());
  s.check_new_vertices(batch.new_vertices);
  const auto reused = std::min<VertexId>(batch.new_vertices, static_cast<VertexId>(s.free.size()));
  const VertexId after = before + (batch.new_vertices - reused);
  NewVertices added(s.exists, s.next_vertices(reused), after);
  check_vertices(s, batch);
  VertexFieldsChange fields(s, batch, after);
  dynamic::reserve_more(s.free, batch.deleted_vertices.size());
  const dynamic::ListBatch lists{
      batch.edges, batch.deleted_vertices, added.reused(), batch.edges_on_device,
      after,       s.next_epoch(),         s.pinned(),     batch.fields};
  BatchReport report = s.gpu ? s.gpu->apply(lists) : dynamic::apply_on_host(s, batch, lists);
  s.epoch = lists.epoch;
  added.stay();
  fields.commit();
  s.free.resize(s.free.size() - reused);
  for (const VertexId v : batch.deleted_vertices) {
    if (!s.exists[v]) continue;  // named twice
    s.exists[v] = false;
    s.free.push_back(v);
  }
  report.number = s.version.fetch_add(1, std::memory_order_release) + 1;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace fathom
