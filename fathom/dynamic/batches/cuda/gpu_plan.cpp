// What is planned of a batch on a GPU: its updates are brought there, and become changes of lists,
// by chains or by sorting. Nothing here waits, unless vertices are deleted or loops are counted.
#include <algorithm>
#include <utility>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/batches/batch_changes.hpp"
#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/exec/cuda/staging.hpp"

namespace fathom::dynamic::gpu {
namespace {

template <class T>
void clear(const cuda::Gpu& gpu, T* at, std::size_t n) {
  cuda::check(cudaMemsetAsync(at, 0, n * sizeof(T), gpu.stream()), "clearing memory");
}

/// Whether a copy may read host memory while the caller goes on; of what is small it is not asked.
bool is_pinned(const void* from, std::size_t bytes) {
  constexpr std::size_t kWorthAsking = std::size_t{1} << 16;
  if (bytes < kWorthAsking) return false;
  cudaPointerAttributes memory{};
  if (cudaPointerGetAttributes(&memory, from) == cudaSuccess)
    return memory.type == cudaMemoryTypeHost;
  cudaGetLastError();
  return false;
}

}  // namespace

void Work::add(const cuda::Gpu& gpu, const DynamicListsRef& lists, std::size_t changes,
               std::size_t touched, SideTotals* totals) {
  const auto k = static_cast<std::size_t>(sides++);
  Arrays& a = array[k];
  Side& s = side[k];
  s.lists = lists;
  s.changes = static_cast<std::uint32_t>(touched);
  s.change = a.change.at_least(gpu, changes);
  s.touched = a.touched.at_least(gpu, touched);
  s.number = a.number.at_least(gpu, touched);
  s.vertex = a.vertex.at_least(gpu, touched);
  s.totals = totals;
  s.asked = false;
  make_room(gpu, k, touched, changes);  // lists that are filled leave no pages
}

void Work::make_room(const cuda::Gpu& gpu, std::size_t k, std::uint64_t fresh, std::uint64_t old) {
  Arrays& a = array[k];
  side[k].fresh = a.fresh.at_least(gpu, fresh);
  side[k].old = a.old.at_least(gpu, old);
  side[k].fresh_room = a.fresh.size();
  side[k].old_room = a.old.size();
}

std::size_t Work::bytes() const {
  std::size_t sum = update.size() * sizeof(EdgeUpdate) + fields.size() * sizeof(EdgeFields) +
                    sort.size() * sizeof(std::uint64_t);
  for (const Arrays& a : array)
    sum += a.change.size() * sizeof(Change) + a.touched.size() * sizeof(TouchedList) +
           a.number.size() * sizeof(PageNumbers) + a.vertex.size() * sizeof(VertexId) +
           a.head.size() * sizeof(std::uint32_t) + a.node.size() * sizeof(UpdateNode) +
           (a.fresh.size() + a.old.size()) * sizeof(PageRequest);
  return sum;
}

void Lists::clear_totals() {
  turn_ = 1 - turn_;
  if (!std::exchange(next_is_clear_, false)) clear(gpu_, totals(), 1);
}

void Lists::wait_for_totals() const {
  cuda::check(cudaMemcpyAsync(found_.get(), totals(), sizeof(Totals), cudaMemcpyDeviceToHost,
                              gpu_.stream()),
              "reading what a batch needs");
  wait();
}

void Lists::check(const ListBatch& batch, const EdgeUpdate* update) const {
  if (found_->check.bad == 0) return;
  const std::size_t i = ~found_->check.bad;
  EdgeUpdate e;
  gpu_.copy(&e, update + i, sizeof(e));
  std::uint32_t word = 0;
  if (e.source < batch.vertices) gpu_.copy(&word, exists() + e.source / 32, sizeof(word));
  const bool source = (word >> e.source % 32 & 1) != 0;
  refuse_vertex("update " + std::to_string(i) + " of the batch", source ? e.target : e.source);
}

void Lists::check_sent(const ListBatch& batch, const EdgeUpdate* update) {
  clear_totals();
  check_updates(gpu_, update, batch.edges.size(), exists(), batch.vertices, false,
                &totals()->check);
  wait_for_totals();
  check(batch, update);
}

void Lists::send_bytes(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  if (!is_pinned(from, bytes))
    return gpu_.send(to, from, bytes, ctx_.host_memory(), ctx_.threads());
  cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, gpu_.stream()),
              "copying from pinned memory");
}

const EdgeUpdate* Lists::sent(const ListBatch& batch) {
  const std::size_t n = batch.edges.size();
  if (batch.on_device) return batch.edges.data();
  EdgeUpdate* const update = work_.update.at_least(gpu_, n);
  send(update, batch.edges.data(), n);
  return update;
}

const EdgeUpdate* Lists::bring(const ListBatch& batch, std::size_t& loops) {
  const std::size_t n = batch.edges.size();
  loops = 0;
  if (n == 0) return nullptr;
  const EdgeUpdate* const update = sent(batch);
  const bool count = mirrors_ && batch.on_device;
  check_updates(gpu_, update, n, exists(), batch.vertices, count, &totals()->check);
  if (count) {
    wait_for_totals();
    check(batch, update);
    loops = found_->check.loops;
  } else if (mirrors_) {
    const EdgeUpdate* const from = batch.edges.data();
    loops = parallel_reduce(
        ctx_.threads(), n, std::size_t{1} << 14, std::size_t{0},
        [&](std::size_t a, std::size_t b) {
          return static_cast<std::size_t>(std::count_if(
              from + a, from + b, [](const EdgeUpdate& e) { return e.source == e.target; }));
        },
        [](std::size_t a, std::size_t b) { return a + b; });
  }
  return update;
}

UpdateData Lists::data_of(const ListBatch& batch, const EdgeUpdate* updates) {
  if (!has_fields(layout_)) return {};
  if (batch.on_device || batch.fields.empty())
    return {updates, batch.fields.empty() ? nullptr : batch.fields.data()};
  EdgeFields* const fields = work_.fields.at_least(gpu_, batch.fields.size());
  send(fields, batch.fields.data(), batch.fields.size());
  return {updates, fields};
}

Lists::Implied Lists::implied_by(const ListBatch& batch, const EdgeUpdate* updates,
                                 Array<VertexId>& vertex) const {
  const std::size_t n = vertex.size();
  if (n == 0) return {};
  const std::size_t words = batch.vertices / 32 + std::size_t{1};
  Array<std::uint32_t> goes = device_array<std::uint32_t>(words);
  Array<unsigned long long> counts = device_array<unsigned long long>(2);
  clear(gpu_, goes.data(), words);
  mark_once(gpu_, vertex.data(), n, goes.data());
  ImpliedEdges to{goes.data(), counts.data(), nullptr};
  const auto collect = [&] {
    clear(gpu_, counts.data(), 2);
    imply_from_lists(gpu_, edges_of(0), vertex.data(), n, false, to);
    if (directions() == 2)
      imply_from_lists(gpu_, edges_of(1), vertex.data(), n, true, to);
    else if (!mirrors_)
      imply_by_search(gpu_, edges_of(0), vertices_, to);
    if (!batch.edges.empty())
      imply_from_updates(gpu_, updates, batch.edges.size(), batch.vertices, to);
    cuda::check(cudaGetLastError(), "looking for the edges of vertices");
  };
  collect();
  unsigned long long found[2];
  gpu_.copy(found, counts.data(), sizeof(found));
  ++waits_;
  Implied implied{device_array<Edge>(found[0]), found[1]};
  if (found[0] != 0) {
    to.edge = implied.edge.data();
    collect();
  }
  return implied;
}

bool Lists::suits_chains(const ListBatch& batch) const {
  const bool wanted = strategy_ == UpdateStrategy::Vertex ||
                      (strategy_ == UpdateStrategy::Auto && longest_ <= kMostChained);
  return wanted && layout_.link_words == 0 && batch.deleted_vertices.empty();
}

Work::Arrays& Lists::add_side(int d, const ListBatch& batch, const UpdateData& data,
                              std::size_t changes, std::size_t touched) {
  work_.add(gpu_, lists(d, batch.epoch, batch.pinned), changes, touched, &totals()->side[d]);
  work_.side[static_cast<std::size_t>(d)].data = data;
  return work_.array[static_cast<std::size_t>(d)];
}

/// What updates in host memory are packed into, for kernels that read them over the link; null:
/// they are sent as they are.
cuda::Staging* Lists::ring_for(const ListBatch& batch) const {
  const std::size_t n = batch.edges.size();
  if (batch.on_device || has_fields(layout_) || batch.vertices > PackedUpdates::kMostVertices ||
      is_pinned(batch.edges.data(), n * sizeof(EdgeUpdate)))
    return nullptr;
  // As wide as for the updates as they are: it takes many threads to read those.
  return gpu_.staging(n * sizeof(EdgeUpdate), ctx_.host_memory(), ctx_.threads());
}

/// While a piece is packed the one before becomes chains. Pieces are as large as a slot is: a
/// kernel takes ten microseconds over the link for the smallest.
void Lists::chain_in_pieces(cuda::Staging& ring, const ListBatch& batch, ChainedUpdates updates) {
  const std::size_t n = batch.edges.size();
  const std::size_t piece = ring.slot_bytes() / PackedUpdates::bytes(layout_.weighted());
  for (std::size_t first = 0; first < n; first += piece) {
    const std::size_t count = std::min(piece, n - first);
    updates.packed = pack_updates(batch.edges.data() + first, count, layout_.weighted(),
                                  ring.take_slot(), ring.threads());
    updates.first = static_cast<std::uint32_t>(first);
    updates.updates = static_cast<std::uint32_t>(count);
    chain_updates(gpu_, updates, work_.side.data(), &totals()->check, next_totals());
    ring.leave_slot(gpu_.stream());
  }
}

std::size_t Lists::plan_by_chains(const ListBatch& batch) {
  work_.sides = 0;
  clear_totals();
  const std::size_t n = batch.edges.size(), changes = mirrors_ ? 2 * n : n;
  check_changes(changes);
  if (n == 0) return 0;
  cuda::Staging* const ring = ring_for(batch);
  const EdgeUpdate* const update = ring ? nullptr : sent(batch);
  const UpdateData data = data_of(batch, update);
  ChainedUpdates updates{
      update,         static_cast<std::uint32_t>(n), mirrors_, directions(), exists(),
      batch.vertices, has_fields(layout_),           {}};
  for (int d = 0; d < directions(); ++d) {
    Work::Arrays& its = add_side(d, batch, data, 2 * changes, changes);
    // Chains are empty between batches.
    if (its.head.size() < batch.vertices) {
      std::uint32_t* const head = its.head.at_least(gpu_, batch.vertices);
      clear(gpu_, head, its.head.size());
    }
    updates.chains[d] = {its.head.at_least(gpu_, batch.vertices), its.node.at_least(gpu_, changes)};
  }
  if (ring)
    chain_in_pieces(*ring, batch, updates);
  else
    chain_updates(gpu_, updates, work_.side.data(), &totals()->check, next_totals());
  for (int d = 0; d < directions(); ++d)
    plan_chained(gpu_, work_.side[static_cast<std::size_t>(d)], updates.chains[d], duplicates_,
                 directed_, d == 0, totals());
  next_is_clear_ = true;  // all kernels have been started
  return changes;
}

std::size_t Lists::plan_by_sorting(const ListBatch& batch, Array<VertexId>& deleted) {
  work_.sides = 0;
  clear_totals();
  std::size_t loops = 0;
  const EdgeUpdate* const update = bring(batch, loops);
  const UpdateData data = data_of(batch, update);
  const Implied implied = implied_by(batch, update, deleted);
  const std::size_t n = batch.edges.size();
  check_changes(n + implied.edge.size());
  Updates updates{update,
                  static_cast<std::uint32_t>(n),
                  implied.edge.data(),
                  static_cast<std::uint32_t>(implied.edge.size()),
                  mirrors_,
                  false,
                  batch.vertices,
                  has_fields(layout_)};
  const std::size_t keys = updates.keys();
  const std::size_t changes = keys - (mirrors_ ? loops + implied.loops : 0);
  if (changes == 0) return 0;
  std::uint64_t* const at = work_.sort.at_least(gpu_, 6 * keys);
  const SortSpace sort{at, at + keys, at + 2 * keys, at + 3 * keys, at + 4 * keys, at + 5 * keys};
  for (int d = 0; d < directions(); ++d) {
    add_side(d, batch, data, changes, changes);
    const Side& side = work_.side[static_cast<std::size_t>(d)];
    updates.swapped = d == 1;
    sort_changes(gpu_, scratch_, updates, sort, side);
    plan_side(gpu_, side, duplicates_, strategy_, totals());
  }
  count_changes(gpu_, work_.side[0], directed_, totals());
  return changes;
}

}  // namespace fathom::dynamic::gpu
