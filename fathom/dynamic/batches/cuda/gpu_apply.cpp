// How a batch is applied to the lists on a GPU, from the side of the host: what is queued, and the
// one wait. Its states are those of batch_state.hpp.
#include <algorithm>
#include <span>

#include "fathom/dynamic/batches/batch_changes.hpp"
#include "fathom/dynamic/batches/cuda/gpu_applying.hpp"
#include "fathom/dynamic/batches/finding.hpp"
#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/dynamic/lists/dynamic_lists.hpp"

namespace fathom::dynamic::gpu {

BatchReport Lists::apply(const ListBatch& batch) {
  if (batch.vertices == 0 && !batch.edges.empty()) {
    EdgeUpdate first;
    gpu_.copy(&first, batch.edges.data(), sizeof(first));
    refuse_vertex("update 0 of the batch", first.source);
  }
  Applying applying(*this, batch, true);
  apply_to_all(std::span(&applying.changes(), 1));
  return applying.done();
}

/// Lists that are filled, until all have their pages.
class Lists::Filling {
 public:
  Filling(Lists& lists, Work& work, const EdgeId* offset, VertexId first)
      : lists_(lists), work_(work), offset_(offset), first_(first) {}

  void plan() { plan_fill(lists_.gpu_, work_.side[0], offset_, first_, lists_.totals()); }
  void attempt() { lists_.assign_pages(work_); }
  BatchFinding found() { return lists_.wait_for_finding(work_); }
  void make_room() { lists_.make_room(work_); }
  void refuse() const { lists_.check_lengths(); }
  void commit() noexcept {}  // who fills writes what there is a place for now
  void give_up() noexcept { lists_.give_up(work_); }

 private:
  Lists& lists_;
  Work& work_;
  const EdgeId* offset_;
  VertexId first_;
};

void Lists::plan_to_fill(Work& work, const EdgeId* offset, VertexId first) {
  Filling part(*this, work, offset, first);
  apply_to_all(std::span(&part, 1));
}

/// The device commits what is planned if all is there.
void Lists::queue_commit() {
  for (int d = 0; d < work_.sides; ++d)
    pages_->commit(work_.side[static_cast<std::size_t>(d)],
                   {retired_.data(), retired_count_.data()}, d == 0, totals());
}

void Lists::assign_pages(Work& work) {
  pages_->assign(work.side.data(), rooms(work), totals(), found_.get());
}

Rooms Lists::rooms(const Work& work) const {
  Rooms rooms;
  rooms.sides = work.sides;
  for (int k = 0; k < work.sides; ++k) {
    const Side& side = work.side[static_cast<std::size_t>(k)];
    const std::ptrdiff_t d = side.totals - totals()->side;
    rooms.fresh[d] = side.fresh_room;
    rooms.old[d] = side.old_room;
  }
  rooms.retired = retired_.size() - most_retired_;
  pages_->rooms(rooms.free);
  return rooms;
}

const SideTotals& Lists::found_of(const Side& side) const {
  return found_->side[side.totals - totals()->side];
}

/// What came of assign_pages(). Sides that have asked for pages keep those that they got.
BatchFinding Lists::wait_for_finding(Work& work) {
  wait();
  for (int k = 0; k < work.sides; ++k) {
    Side& side = work.side[static_cast<std::size_t>(k)];
    side.asked = found_->acceptable() && found_of(side).fresh <= side.fresh_room;
  }
  return finding_of(*found_);
}

/// After a wait that found that something is missing. @throws Error(DoesNotFit)
void Lists::make_room(Work& work) {
  for (int k = 0; k < work.sides; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const SideTotals& side = found_of(work.side[at]);
    work.make_room(gpu_, at, side.fresh, side.old);
  }
  make_room_for_retired(retiring());
  pages_->grow(*found_);
}

/// After a wait that found that a batch is refused.
void Lists::check_lengths() const {
  if (found_->side[0].too_long != 0 || found_->side[1].too_long != 0) throw_too_long(layout_);
}

void Lists::give_up(const Work& work) noexcept {
  pages_->give_up(work.side.data(), work.sides);
}

/// The device has committed the batch.
BatchReport Lists::take_in() noexcept {
  BatchReport report = report_of(found_->counts);
  longest_ = 0;
  for (int d = 0; d < directions(); ++d) {
    const SideTotals& side = found_->side[d];
    direction_[static_cast<std::size_t>(d)].edges += side.growth;
    report.lists += side.touched;
    report.moved += side.moved;
    longest_ = std::max(longest_, side.longest);
  }
  pages_->take_in(*found_);
  most_retired_ += retiring();
  return report;
}

/// Pages that lists leave and that do not come back at once.
std::uint64_t Lists::retiring() const {
  std::uint64_t pages = found_->side[0].old + found_->side[1].old;
  for (const std::uint32_t returned : found_->returned) pages -= returned;
  return pages;
}

void Lists::make_room_for_retired(std::uint64_t more) {
  if (most_retired_ + more > retired_.size()) {
    Array<RetiredPage> wider = device_array<RetiredPage>(2 * (most_retired_ + more) + 64);
    if (most_retired_ != 0)
      cuda::check(
          cudaMemcpyAsync(wider.data(), retired_.data(), most_retired_ * sizeof(RetiredPage),
                          cudaMemcpyDeviceToDevice, gpu_.stream()),
          "moving a list of pages");
    retired_ = std::move(wider);
  }
}

void Lists::wait() const {
  gpu_.wait();
  ++waits_;
}

Array<VertexId> Lists::on_device(std::span<const VertexId> vertices) const {
  Array<VertexId> its = device_array<VertexId>(vertices.size());
  send(its.data(), vertices.data(), vertices.size());
  return its;
}

void Lists::mark(const Array<VertexId>& vertices, bool value) const {
  if (!vertices.empty()) mark_vertices(gpu_, vertices.data(), vertices.size(), exists(), value);
}

}  // namespace fathom::dynamic::gpu
