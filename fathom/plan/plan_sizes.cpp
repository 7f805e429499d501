#include "fathom/plan/plan_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/plan/rank_plan.hpp"
#include "fathom/residency/encoded/decoding_supply.hpp"
#include "fathom/residency/filtered/kept_edges.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/orient_needs.hpp"
#include "fathom/residency/packed/packed_places.hpp"
#include "fathom/residency/paged/split_needs.hpp"
#include "fathom/residency/paged/table_sizes.hpp"
#include "fathom/store/packed/packed_format.hpp"

namespace fathom::plan {

using Kind = ResidencyOptions::Kind;
using Executor = Machine::Executor;

static_assert(kSlack == detail::kSplitSlack);

std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::ceil(bytes));
}

std::uint64_t all_vertices(double bytes_each, const GraphShape& shape) {
  return whole(bytes_each * static_cast<double>(shape.vertices));
}

int directions(const Workload& w) {
  return (w.out_lists ? 1 : 0) + (w.in_lists ? 1 : 0);
}

/// Of the lists that are read, all directions together.
std::uint64_t list_bytes(const GraphShape& shape, const Workload& w) {
  if (w.oriented_lists) return w.places() * shape.oriented * shape.vertex_bytes();
  if (shape.slotted)
    return shape.pages_of_slotted() * shape.page_bytes * static_cast<std::uint64_t>(directions(w));
  return whole(shape.list_bytes(w.weights) * directions(w));
}

std::uint64_t offset_bytes(const GraphShape& shape, const Workload& w) {
  const int tables = w.oriented_lists ? 1 : (w.out_offsets ? 1 : 0) + (w.in_offsets ? 1 : 0);
  return static_cast<std::uint64_t>(tables) * (w.places() * shape.vertices + 1) * sizeof(EdgeId);
}

std::uint64_t PlanSizes::page() const {
  const bool of_file = !plan_.work.oriented_lists || has_oriented();
  return request_.shape.slotted && of_file ? request_.shape.page_bytes : request_.page_bytes;
}

std::uint64_t PlanSizes::weight_planes() const {
  return plan_.work.weights && !request_.shape.slotted ? 2 : 1;
}

bool PlanSizes::slotted_lists() const {
  return request_.shape.slotted && !plan_.work.oriented_lists;
}

std::uint64_t PlanSizes::pages_each() const {
  if (slotted_lists()) return request_.shape.pages_of_slotted();
  const std::uint64_t edges = plan_.work.oriented_lists ? oriented() : request_.shape.edges;
  return (edges * request_.shape.vertex_bytes() + page() - 1) / page();
}

std::uint64_t PlanSizes::opened() const {
  const Workload& w = plan_.work;
  if (w.oriented_lists) return 1;
  return std::max(static_cast<std::uint64_t>(directions(w)),
                  offset_bytes(request_.shape, w) / offsets_each());
}

std::uint64_t PlanSizes::offsets_each() const {
  return (plan_.work.places() * request_.shape.vertices + 1) * sizeof(EdgeId);
}

std::uint64_t PlanSizes::tables() const {
  const std::uint64_t pages = pages_each();
  const bool weights = request_.shape.weighted && !plan_.work.oriented_lists;
  const std::uint64_t table = slotted_lists() ? detail::slotted_table_bytes(pages)
                                              : detail::csr_table_bytes(pages, weights);
  // A GPU counts the lines of every page, to choose which ones it reads in place.
  const std::uint64_t lines = on_gpu() && request_.strategy != Strategy::Scalability
                                  ? pages * sizeof(std::uint32_t) + 16
                                  : 0;
  return opened() * (table + detail::page_bits_bytes(pages) + lines);
}

std::uint64_t PlanSizes::slotted_tables() const {
  return slotted_lists() ? opened() * detail::slotted_table_bytes(pages_each()) : 0;
}

std::uint64_t PlanSizes::units_of_page() const {
  const GraphShape& shape = request_.shape;
  if (!shape.unpacks || plan_.work.oriented_lists) return weight_planes();
  const std::uint64_t unit = std::max(page(), kDiskUnit);
  if (shape.narrow()) {
    const std::uint64_t bits = page() / shape.vertex_bytes() * shape.narrow_bits;
    if (whole(shape.list_bytes(true)) <= unit || (bits % 64 == 0 && unit * 8 % bits == 0)) return 1;
    return bits % (unit * 8) == 0 ? bits / (unit * 8) : (bits - 1) / (unit * 8) + 2;
  }
  // A group crosses no border, and what is smaller than a unit has none.
  const bool one_group = page() <= store::packed::kGroup * shape.vertex_bytes();
  const double all = static_cast<double>(shape.edges) * shape.packed_bits / 8;
  const bool in_one = one_group || all <= static_cast<double>(unit);
  return (in_one ? 1 : 2) + (plan_.work.weights ? 1 : 0);
}

std::uint64_t PlanSizes::more_slots(std::uint64_t room) const {
  if (slot() == 0) return 0;
  const std::uint64_t most = std::min<std::uint64_t>(pages_each(), DecodingSupply::kMostSlots);
  return (std::clamp<std::uint64_t>(room / 8 / slot(), 1, std::max<std::uint64_t>(most, 1)) - 1) *
         slot() * opened();
}

std::uint64_t PlanSizes::slot() const {
  const bool made = request_.shape.unpacks ||
                    (request_.shape.filtered() && plan_.residency == Kind::Stream && !on_gpu());
  if (!made || plan_.work.oriented_lists) return 0;
  if (on_gpu() && !request_.shape.narrow()) return 0;
  return page() * weight_planes();
}

std::uint64_t PlanSizes::rvt() const {
  const GraphShape& shape = request_.shape;
  if (shape.unpacks && !plan_.work.oriented_lists && (!on_gpu() || streams_from_file()))
    return opened() * (shape.weight_values * sizeof(Weight) +
                       (shape.packed() ? store::packed::groups_of(shape.edges) + 1 : 0) *
                           sizeof(std::uint64_t));
  return slotted_lists() ? opened() * pages_each() * sizeof(store::RvtEntry) : 0;
}

std::uint64_t PlanSizes::state() const {
  return all_vertices(plan_.work.state, request_.shape) + plan_.work.fixed;
}

std::uint64_t PlanSizes::state_here() const {
  return all_vertices(plan_.work.state_here, request_.shape) + plan_.work.fixed;
}

std::uint64_t PlanSizes::result() const {
  return all_vertices(plan_.work.result, request_.shape);
}

std::uint64_t PlanSizes::beside() const {
  return all_vertices(plan_.work.beside, request_.shape);
}

std::uint64_t PlanSizes::state_with_lists(bool streamed) const {
  const Workload& work = plan_.work;
  const double each = (streamed ? work.state : work.state_here) +
                      (request_.machine.ranks == 1 ? work.lists : work.rank_lists);
  return all_vertices(each, request_.shape) + work.fixed;
}

std::uint64_t PlanSizes::merging() const {
  const auto ranks = static_cast<std::uint64_t>(request_.machine.ranks);
  if (ranks == 1 || (plan_.work.sweeps && !on_gpu())) return 0;
  const std::uint64_t bits = request_.shape.vertices / 8 + sizeof(std::uint64_t);
  const std::uint64_t told =
      2 * bits + ranks * sizeof(std::uint64_t);  // ids; more are told by bits
  return std::max(all_vertices(plan_.work.merged, request_.shape), told) +
         all_vertices(told_hooks(plan_.work, request_), request_.shape);
}

std::uint64_t PlanSizes::workers() const {
  if (plan_.work.per_worker == 0) return 0;
  return (all_vertices(plan_.work.per_worker, request_.shape) + sizeof(std::uint64_t)) *
         static_cast<std::uint64_t>(request_.machine.threads);
}

std::uint64_t PlanSizes::operators() const {
  return on_gpu() ? detail::operator_bytes(request_.shape.edges) : 0;
}

bool PlanSizes::oriented_on_device() const {
  const GraphShape& shape = request_.shape;
  if (!on_gpu() || request_.machine.devices > 1 || !plan_.work.oriented_lists ||
      shape.has_oriented || shape.directed || shape.slotted || shape.narrow_bits > 0 ||
      shape.widened || shape.packed() || !detail::orients_on_device(plan_.residency, {}))
    return false;
  const detail::OrientNeeds needs(shape.vertices, shape.edges);
  return offsets_each() + needs.peak(detail::orient_source(plan_.residency, shape.edges),
                                     detail::orient_state(shape.vertices, shape.edges)) <=
         request_.machine.device_memory;
}

std::uint64_t PlanSizes::oriented() const {
  return plan_.work.places() * request_.shape.oriented;
}

bool PlanSizes::has_oriented() const {
  return request_.shape.has_oriented && plan_.work.places() == 1;
}

std::uint64_t PlanSizes::built() const {
  if (!plan_.work.oriented_lists || has_oriented() || oriented_on_device()) return 0;
  return oriented() * request_.shape.vertex_bytes() + offsets_each();
}

std::uint64_t PlanSizes::build() const {
  if (built() == 0) return 0;
  const std::uint64_t degrees =
      plan_.work.places() * request_.shape.vertices * request_.shape.vertex_bytes();
  const std::uint64_t one = request_.shape.csr_bytes(request_.shape.edges);
  if (request_.shape.filtered())
    return degrees + one * (request_.shape.separate_in() ? 2 : 1) + all_mapped();
  if (request_.shape.slotted) return degrees + one * (request_.shape.separate_in() ? 2 : 1);
  if (request_.shape.narrow() || request_.shape.packed())  // which have no offsets in the file
    return degrees + (widened_targets() + (request_.shape.packed() ? offsets_each() : 0)) *
                         (request_.shape.separate_in() ? 2 : 1);
  const bool reads_file = !on_gpu() || streams_from_file();
  if (plan_.residency != Kind::Stream || !reads_file) return degrees;
  return degrees + one * (request_.shape.directed ? 2 : 1);
}

std::uint64_t PlanSizes::reverse() const {
  return plan_.work.reverse_lists ? request_.shape.csr_bytes(request_.shape.edges) : 0;
}

std::uint64_t PlanSizes::reverse_build() const {
  const std::uint64_t one = reverse();
  if (one > 0 && request_.shape.filtered()) return one + all_mapped();
  if (request_.shape.slotted) return one;
  if (one > 0 && (request_.shape.narrow() || request_.shape.packed())) return widened_targets();
  const bool reads_file = !on_gpu() || streams_from_file();
  return plan_.residency == Kind::Stream && reads_file ? 2 * one : 0;
}

std::uint64_t PlanSizes::all_mapped() const {
  const GraphShape& shape = request_.shape;
  if (plan_.residency != Kind::Stream || on_gpu()) return 0;
  return shape.csr_bytes(shape.filtered_of) * (shape.directed ? 2 : 1);
}

std::uint64_t PlanSizes::kept_bits() const {
  const GraphShape& shape = request_.shape;
  if (!shape.filtered()) return 0;
  return (shape.filtered_of + 63) / 64 * sizeof(std::uint64_t) * (shape.separate_in() ? 2 : 1);
}

std::uint64_t PlanSizes::kept_tables() const {
  const GraphShape& shape = request_.shape;
  if (!shape.filtered() || on_gpu()) return 0;
  // Out-lists are opened by commands even where a run reads in-lists alone.
  const std::uint64_t sources = shape.separate_in() ? 2 : 1;
  if (plan_.residency != Kind::Stream) {
    if (!plan_.mapped) return 0;
    return sources *
           (copy_is_small(shape.edges, shape.filtered_of) ? copy_of_list() : offsets_each());
  }
  if (plan_.work.oriented_lists) return 0;
  const std::uint64_t pages = (shape.filtered_of * shape.vertex_bytes() + page() - 1) / page();
  return sources * (pages + 1) * sizeof(std::uint64_t);
}

std::uint64_t PlanSizes::kept_copies() const {
  const GraphShape& shape = request_.shape;
  if (!shape.filtered() || !on_gpu()) return 0;
  return (shape.csr_bytes(shape.edges) + shape.edges * sizeof(Weight)) *
         (shape.separate_in() ? 2 : 1);
}

std::uint64_t PlanSizes::copy_of_list() const {
  const GraphShape& shape = request_.shape;
  return offsets_each() + whole(shape.list_bytes(shape.weighted));
}

namespace {

/// A block of the fields of so many edges.
std::uint64_t block_of_fields(std::uint64_t edges) {
  const std::uint64_t times = edges * sizeof(store::EdgeTimes);
  return std::min<std::uint64_t>(kDiskUnit, (times + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

std::uint64_t PlanSizes::finding_kept() const {
  const std::uint64_t edges = request_.shape.looked_at;
  return edges > 0 ? (edges + 63) / 64 * sizeof(std::uint64_t) + block_of_fields(edges) : 0;
}

std::uint64_t PlanSizes::filtering() const {
  const GraphShape& shape = request_.shape;
  if (!shape.filtered()) return 0;
  const std::uint64_t block = block_of_fields(shape.filtered_of);
  if (!shape.separate_in()) return block;
  const std::uint64_t open = plan_.residency == Kind::Stream
                                 ? offsets_each() * opened() + tables()
                                 : (plan_.mapped ? 0 : opened() * copy_of_list());
  return block + offsets_each() + open + kept_tables();
}

std::uint64_t PlanSizes::widened_targets() const {
  return request_.shape.edges * request_.shape.vertex_bytes();
}

std::uint64_t PlanSizes::widened() const {
  if (!request_.shape.widened || built() > 0) return 0;
  const std::uint64_t weights = request_.shape.weighted ? sizeof(Weight) : 0;
  return opened() * (widened_targets() + request_.shape.edges * weights);
}

namespace {

std::uint64_t block_table(std::uint64_t edges) {
  return bytes_of_places(edges) - (store::packed::groups_of(edges) + 1) * sizeof(std::uint64_t);
}

}  // namespace

std::uint64_t PlanSizes::block_tables() const {
  if (!request_.shape.in_place || plan_.work.oriented_lists) return 0;
  return opened() * block_table(request_.shape.edges);
}

std::uint64_t PlanSizes::packed_lists() const {
  GraphShape packed = request_.shape;
  packed.in_place = true;
  return (whole(packed.list_bytes(packed.weighted)) + block_table(packed.edges)) *
         (packed.separate_in() ? 2 : 1);
}

std::uint64_t PlanSizes::pair_frames() const {
  const std::uint64_t each = page();
  const std::uint64_t longest =
      std::min(oriented(), whole(std::sqrt(2 * static_cast<double>(oriented()))));
  const std::uint64_t pages = (2 * longest * request_.shape.vertex_bytes() + each - 1) / each;
  return pages > 1 ? pages * each / 7 * 8 + kSlack : each;
}

std::uint64_t PlanSizes::all_lists() const {
  return whole(request_.shape.list_bytes(request_.shape.weighted) *
               (request_.shape.separate_in() ? 2 : 1));
}

std::uint64_t PlanSizes::decoded_lists() const {
  GraphShape decoded = request_.shape;
  decoded.narrow_bits = 0;
  decoded.unpacks = decoded.in_place = false;
  return whole(decoded.list_bytes(decoded.weighted) * (decoded.separate_in() ? 2 : 1));
}

std::uint64_t PlanSizes::host_room() const {
  const Machine& m = request_.machine;
  if (m.host_memory == kNoLimit && m.physical_memory == kNoLimit) return kNoLimit;
  const std::uint64_t room = std::min(m.host_memory, m.physical_memory / 2);
  const std::uint64_t beside = request_.shape.vertices * detail::kHostStatePerVertex;
  return room > beside ? room - beside : 0;
}

bool PlanSizes::on_gpu() const {
  return request_.machine.executor == Executor::Gpu;
}

bool PlanSizes::streams_from_file() const {
  if (!on_gpu() || plan_.residency != Kind::Stream) return false;
  if (request_.shape.widened || request_.shape.filtered()) return false;
  return request_.shape.slotted || request_.strategy == Strategy::Scalability ||
         decoded_lists() > host_room();
}

std::uint64_t PlanSizes::read_buffer() const {
  if (request_.machine.executor != Executor::EmulatedDevices && !plan_.from_disk) return 0;
  const std::uint64_t planes = request_.shape.unpacks && !plan_.work.oriented_lists
                                   ? units_of_page()
                                   : (request_.shape.weighted ? 2 : 1);
  return std::max(page(), kDiskUnit) * planes + kAlignment + kSlack;
}

}  // namespace fathom::plan
