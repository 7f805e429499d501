#include "fathom/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/place_lists.hpp"
#include "fathom/plan/plan_once.hpp"
#include "fathom/plan/plan_sizes.hpp"
#include "fathom/plan/rank_plan.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/orient_needs.hpp"
#include "fathom/residency/paged/frame_table.hpp"
#include "fathom/residency/paged/split_needs.hpp"

namespace fathom::plan {
namespace {

using Kind = ResidencyOptions::Kind;
using Executor = Machine::Executor;

class Planner {
 public:
  explicit Planner(const PlanRequest& r) : r_(beside_order(r)), asked_(r.machine) {}

  Plan run() {
    place_lists(r_, plan_, size_);
    plan_.work = workload_of(r_.algorithm, r_.shape, options(),
                             reaches_all(r_) && plan_.residency != Kind::Stream, r_.scarce);
    set_moved();
    plan_.in_place = r_.shape.in_place && !plan_.work.oriented_lists;
    if (r_.machine.executor == Executor::Host)
      plan_host();
    else if (r_.strategy == Strategy::Scalability)
      plan_split();
    else
      plan_devices();
    plan_reverse();
    plan_filter();
    hold_more("merges with other ranks, at most", size_.merging());
    if (r_.strategy == Strategy::Auto && can_split() &&
        !detail::fits_whole(whole_device(), r_.machine.device_memory))
      plan_split();
    if (!on_host()) {  // where they are among the lists
      plan_.least_host += size_.widened();
      plan_.peak_host += size_.widened();
    }
    hold_more("order of results", r_.shape.order_bytes());
    plan_.peak_host = std::max(plan_.least_host, std::min(plan_.peak_host, asked_.host_memory));
    refuse_if_too_large();
    return std::move(plan_);
  }

 private:
  /// With the host memory that the order of results leaves.
  static PlanRequest beside_order(PlanRequest r) {
    std::uint64_t& memory = r.machine.host_memory;
    if (memory != kNoLimit) memory -= std::min(memory, r.shape.order_bytes());
    return r;
  }
  const OptionValues* options() const { return r_.options ? &*r_.options : nullptr; }
  void set_moved() {
    GraphShape moved = r_.shape;
    if (moved.filtered() && plan_.residency == Kind::Stream && !plan_.work.oriented_lists)
      moved.edges = moved.filtered_of;  // pages come with all edges
    plan_.moved_bytes = list_bytes(moved, plan_.work);
    const std::uint64_t page = size_.page();
    plan_.pages = r_.shape.unpacks && !plan_.work.oriented_lists
                      ? size_.pages_each() * static_cast<std::uint64_t>(directions(plan_.work))
                      : (plan_.moved_bytes + page - 1) / page;
  }
  /// What a run reckons that unsplit vertex state takes: a frame of every source that it opens.
  std::uint64_t whole_device() const {
    const std::uint64_t frame = size_.page() * (plan_.work.weights ? 2 : 1);
    return plan_.least_device - kSlack +
           frame * (size_.opened() - static_cast<std::uint64_t>(directions(plan_.work)));
  }
  bool on_host() const { return r_.machine.executor == Executor::Host; }

  void hold(Tier tier, const std::string& what, std::uint64_t bytes) {
    if (bytes > 0) plan_.holdings.push_back({tier, what, bytes});
  }
  /// In host memory, beside all else.
  void hold_more(const std::string& what, std::uint64_t bytes) {
    hold(Tier::Host, what, bytes);
    plan_.least_host += bytes;
    plan_.peak_host += bytes;
  }

  void plan_host() {
    const std::uint64_t lists = plan_.moved_bytes;
    const std::uint64_t offsets = offset_bytes(r_.shape, plan_.work);
    const bool stream = plan_.residency == Kind::Stream;
    const std::uint64_t state = size_.state_with_lists(stream) + size_.beside() + size_.workers();
    hold(Tier::Host, "vertex state and frontiers", state);
    plan_.near_bytes = lists;
    if (!stream) {
      plan_.least_host = host_lists(state, offsets + lists) + kSlack;
      const std::uint64_t bins =
          all_vertices(plan_.work.bins, r_.shape) +
          plan_.work.worker_blocks * static_cast<std::uint64_t>(r_.machine.threads);
      hold(Tier::Host, "pending vertices, as far as memory is left", bins);
      plan_.peak_host =
          std::max(plan_.least_host, std::min(plan_.least_host + bins, r_.machine.host_memory));
      return;
    }
    if (size_.built() > 0) {
      // Nothing is streamed then: the lists are in memory once they are built.
      hold_built("degrees and lists they are built from");
      hold(Tier::Host, "offsets and page tables", offsets + size_.tables());
      hold(Tier::Host, "frames of pages", size_.pair_frames());
      plan_.peak_host = plan_.least_host = size_.built() + offsets + size_.tables() +
                                           std::max(size_.build(), state + size_.pair_frames()) +
                                           kSlack;
      return;
    }
    const std::uint64_t tables = offsets + size_.tables() + size_.rvt() + size_.slot();
    const std::uint64_t unit = std::max(size_.page(), kDiskUnit) * size_.units_of_page();
    const std::uint64_t limit = r_.machine.host_memory;
    const std::uint64_t pairs = plan_.work.oriented_lists ? size_.pair_frames() : 0;
    const std::uint64_t others = state + tables + kAlignment + kSlack + pairs;
    // Beside frames of pairs one unit is used while another is read.
    plan_.least_host = others + (pairs > 0 ? 2 * unit : unit);
    const std::uint64_t all_units = (lists + unit - 1) / unit * unit;
    const std::uint64_t room = limit > others ? limit - others : 0;
    // As the buffer of pages does: an eighth stays for state yet to come, but one unit is there.
    plan_.near_bytes =
        std::min(all_units, std::max(std::min(unit, room), (room - room / 8) / unit * unit));
    hold(Tier::Host, "offsets and page tables", tables);
    hold(Tier::Host, "frames of pages", pairs);
    hold(Tier::Host, "buffer of pages", plan_.near_bytes);
    hold(Tier::Disk, "lists", lists);
    const std::uint64_t more = size_.more_slots(room);
    plan_.peak_host = std::max(plan_.least_host, std::min(others + plan_.near_bytes + more, limit));
  }

  /// In-lists that a run builds are in host memory beside all else.
  void plan_reverse() {
    if (!plan_.work.reverse_lists) return;
    hold_more("in-lists, built", size_.reverse());
    hold_more("lists they are built from", size_.reverse_build());
  }

  /// What says which edges are kept is there from when the file is opened.
  void plan_filter() {
    const std::uint64_t bits = size_.kept_bits();
    const std::uint64_t opening = std::max(size_.finding_kept(), bits + size_.filtering());
    hold_more("which edges are kept", bits);
    hold_more(plan_.residency == Kind::Stream ? "kept edges by page" : "offsets of kept edges",
              size_.kept_tables());
    hold_more("kept edges, copied", size_.kept_copies());
    if (!on_host())
      hold_more(r_.shape.filtered() ? "a page of kept edges" : "a page, decoded", size_.slot());
    plan_.least_host = std::max(plan_.least_host, opening);
    plan_.peak_host = std::max(plan_.peak_host, plan_.least_host);
  }

  void hold_built(const std::string& from) {
    hold(Tier::Host, "oriented lists, built", size_.built());
    hold(Tier::Host, from, size_.build());
  }

  /// Holds lists that are all in reach at once on the host. @returns what they need with `state`.
  std::uint64_t host_lists(std::uint64_t state, std::uint64_t lists) {
    // A mapped file is the system's to keep or drop: no budget counts it. A copy has all of each
    // source that is opened, weights too.
    if (plan_.work.oriented_lists) {
      const bool mapped = plan_.mapped || r_.shape.widened;
      hold_built("degrees and lists they are built from");
      const std::uint64_t copy = mapped ? 0 : lists;
      if (mapped ? size_.has_oriented() : true)
        hold(Tier::Host, mapped ? "offsets and lists, mapped" : "offsets and lists", lists);
      return std::max(size_.build() + size_.built() + copy,
                      state + (mapped ? size_.built() : copy));
    }
    const std::uint64_t offsets = size_.opened() * size_.offsets_each();
    const std::uint64_t copies =
        size_.opened() * (r_.shape.slotted ? r_.shape.pages_of_slotted() * r_.shape.page_bytes
                                           : whole(r_.shape.list_bytes(r_.shape.weighted)));
    if (r_.shape.slotted) {
      const std::uint64_t tables = offsets + size_.slotted_tables();
      hold(Tier::Host, "offsets and page tables", tables);
      hold(Tier::Host, plan_.mapped ? "slotted pages, mapped" : "slotted pages", copies);
      return state + tables + (plan_.mapped ? 0 : copies);
    }
    if (r_.shape.widened) {
      hold(Tier::Host, "offsets, mapped", offsets);
      hold(Tier::Host, r_.shape.packed() ? "lists, unpacked" : "lists, widened", size_.widened());
      return state + size_.widened();
    }
    if (plan_.mapped)
      hold(Tier::Host, "offsets and lists, mapped", lists);
    else
      hold(Tier::Host, "offsets and lists", offsets + copies);
    return state + (plan_.mapped ? 0 : offsets + copies);
  }

  /// Degree-oriented lists are made beside those of the graph, which then give way to vertex state.
  void plan_oriented_on_device() {
    const detail::OrientNeeds needs(r_.shape.vertices, r_.shape.edges);
    const std::uint64_t source = detail::orient_source(plan_.residency, r_.shape.edges);
    const std::uint64_t state = size_.state_here() + size_.operators();
    hold(Tier::Device, "vertex state and operators", state);
    hold(Tier::Device, "oriented offsets and lists", needs.lists);
    hold(Tier::Device, "offsets and lists they are made from", size_.offsets_each() + source);
    hold(Tier::Device, "degrees and marks, until they are made", needs.scratch);
    plan_.near_bytes = plan_.moved_bytes;
    plan_.peak_device = plan_.least_device = size_.offsets_each() + needs.peak(source, state);
    if (source == 0) {
      hold(Tier::Host, "offsets and lists", r_.shape.csr_bytes(r_.shape.edges));
      plan_.moved_bytes = 0;
      plan_.made_from_bytes =
          detail::OrientNeeds::kReads * r_.shape.edges * r_.shape.vertex_bytes();
    }
    hold(Tier::Host, "result", size_.result());
    plan_.peak_host = plan_.least_host = size_.result() + kSlack;
  }

  void plan_devices() {
    if (size_.oriented_on_device()) return plan_oriented_on_device();
    const Machine& m = r_.machine;
    const bool stream = plan_.residency == Kind::Stream;
    const bool lists_here = m.executor == Executor::EmulatedDevices && m.devices == 1;
    const std::uint64_t state = (lists_here                ? size_.state_with_lists(stream)
                                 : stream || m.devices > 1 ? size_.state()
                                                           : size_.state_here()) +
                                size_.workers();
    const std::uint64_t offsets = offset_bytes(r_.shape, plan_.work);
    const std::uint64_t lists = plan_.moved_bytes;
    hold(Tier::Device, "vertex state and frontiers", state);
    const bool in_place = plan_.in_place;
    hold(Tier::Device, "where blocks of packed lists begin", size_.block_tables());
    std::uint64_t fixed = state + offsets + size_.block_tables() + kSlack;
    if (plan_.residency == Kind::Resident || plan_.residency == Kind::Managed) {
      fixed += size_.slotted_tables();
      hold(Tier::Device, size_.slotted_lists() ? "offsets and page tables" : "offsets",
           offsets + size_.slotted_tables());
      hold(Tier::Device, in_place ? "lists, packed in place" : "lists", lists);
      plan_.near_bytes = lists;
      const bool migrates = plan_.residency == Kind::Managed;
      plan_.peak_device = fixed + (migrates ? 0 : lists);
      plan_.least_device = plan_.peak_device;
    } else {
      plan_.from_disk = size_.streams_from_file();
      const std::uint64_t frame = !stream ? 0
                                  : plan_.work.oriented_lists
                                      ? size_.pair_frames()
                                      : size_.page() * size_.weight_planes();
      if (stream) fixed += size_.tables();
      hold(Tier::Device, stream ? "offsets and page tables" : "offsets",
           fixed - state - size_.block_tables() - kSlack);
      if (stream) {
        hold(Tier::Device, "operators", size_.operators());
        fixed += size_.operators();
      }
      // Each direction's pages have frames of their own.
      plan_.least_device =
          fixed + frame * static_cast<std::uint64_t>(std::max(1, directions(plan_.work)));
      const std::uint64_t mine = lists / static_cast<std::uint64_t>(std::max(1, m.devices));
      const std::uint64_t room = m.device_memory > fixed ? m.device_memory - fixed : 0;
      // Frames of a GPU leave room for what operators need now and then.
      const auto sources = static_cast<std::size_t>(std::max(1, directions(plan_.work)));
      const std::uint64_t frames =
          std::max<std::uint64_t>(std::min(room, frame * sources),
                                  room_for_frames(room, r_.shape.edges, sources) * sources);
      plan_.near_bytes = std::min(mine, stream && size_.on_gpu() ? frames : room);
      hold(Tier::Device, stream ? "frames of pages" : "cache of lists", plan_.near_bytes);
      if (!plan_.from_disk)
        hold(Tier::Host, in_place ? "offsets and lists, packed in place" : "offsets and lists",
             offsets + lists);
      plan_.peak_device = std::max(plan_.least_device, fixed + plan_.near_bytes);
    }
    hold(Tier::Host, "result", size_.result());
    if (size_.built() > 0) {
      plan_.from_disk = false;  // what is streamed is what was built
      hold_built("degrees and lists they are built from");
      plan_.peak_host = plan_.least_host =
          size_.built() + std::max(size_.build(), size_.result()) + kSlack;
      return;
    }
    const std::uint64_t others = size_.result() + (stream ? size_.rvt() + decoded_for_gpu() : 0);
    plan_.peak_host = plan_.least_host = others + size_.read_buffer();
    if (plan_.from_disk) hold_buffer(others);
  }

  /// The buffer takes what the budget leaves beside `others`.
  void hold_buffer(std::uint64_t others) {
    const std::uint64_t limit = std::min(r_.machine.host_memory, r_.machine.physical_memory / 2);
    const std::uint64_t room = limit > others ? limit - others : 0;
    plan_.buffer_bytes = std::min(plan_.moved_bytes, room - room / 8);  // for state yet to come
    plan_.peak_host = std::max(plan_.least_host, others + plan_.buffer_bytes);
    hold(Tier::Host, "buffer of pages", plan_.buffer_bytes);
    hold(Tier::Disk, "lists", plan_.moved_bytes);
  }

  /// Slots in which a host decodes what GPUs copy.
  std::uint64_t decoded_for_gpu() const { return size_.on_gpu() ? size_.slot() : 0; }

  bool can_split() const {
    const bool devices = size_.on_gpu() ? plan_.residency == Kind::Stream
                                        : r_.machine.executor == Executor::EmulatedDevices;
    return devices && r_.machine.ranks == 1 && plan_.work.split_chunk > 0 && !lacks_in_edges();
  }
  /// Split, some algorithms follow the edges of a directed graph both ways.
  bool lacks_in_edges() const { return plan_.work.split_in_lists && !r_.shape.has_in; }

  /// Strategy S: every device has a chunk of the vertex state at a time, and sees every page.
  void plan_split() {
    if (lacks_in_edges())
      throw Error(ErrorCode::Usage,
                  std::string(plan_.work.algorithm) +
                      " needs the in-edges of a directed graph where vertex state is split "
                      "(strategy s), and " +
                      r_.shape.name + " was stored without them");
    refuse_split_of_ranks(r_.machine);
    if (!can_split())
      throw Error(ErrorCode::Usage,
                  fmt::format("strategy s splits the vertex state of {} over the memories of GPUs "
                              "or emulated devices; everything else is strategy p",
                              fmt::join(splitting_algorithms(), ", ")));
    plan_.holdings.clear();
    plan_.from_disk = size_.streams_from_file();
    plan_.work = when_split(plan_.work, r_.shape);
    set_moved();
    const Workload& w = plan_.work;
    const auto devices = static_cast<std::uint32_t>(r_.machine.devices);
    const std::uint64_t frame = size_.page() * size_.weight_planes();
    const std::uint64_t frames = frame * static_cast<std::uint64_t>(directions(w));
    const detail::SplitNeeds needs{r_.shape.vertices,
                                   w.split_chunk,
                                   w.split_source,
                                   w.split_always,
                                   size_.tables() + frames + size_.operators(),
                                   directions(w)};
    plan_.chunks = r_.chunks > 0 ? r_.chunks * devices
                                 : needs.fewest_chunks(devices, r_.machine.device_memory);
    plan_.least_device = needs.split(plan_.chunks);
    const std::uint64_t fixed = plan_.least_device - frames;
    const std::uint64_t room =
        r_.machine.device_memory > fixed ? r_.machine.device_memory - fixed : 0;
    const std::uint64_t kept = std::max(room / 2, std::min(room, frames));
    plan_.near_bytes = std::min(plan_.moved_bytes, size_.on_gpu() ? kept : room);
    plan_.peak_device = std::max(plan_.least_device, fixed + plan_.near_bytes);
    hold(Tier::Device, "a chunk of vertex state, a pass, frontiers",
         fixed - size_.tables() - size_.operators());
    hold(Tier::Device, "operators", size_.operators());
    hold(Tier::Device, "page tables", size_.tables());
    hold(Tier::Device, "frames of pages", plan_.near_bytes);
    const std::uint64_t state = all_vertices(w.split_chunk, r_.shape);
    hold(Tier::Host, "vertex state", state);
    // The host finds pages by its own offsets.
    const std::uint64_t offsets = static_cast<std::uint64_t>(directions(w)) * size_.offsets_each();
    // Which pages are wanted it tells from a frontier of its own.
    const std::uint64_t others = std::max(state, size_.result()) + offsets + size_.rvt() +
                                 decoded_for_gpu() + all_vertices(1. / 8, r_.shape);
    plan_.peak_host = plan_.least_host = others + size_.read_buffer();
    hold(Tier::Host, plan_.from_disk ? "offsets" : "offsets and lists",
         offsets + (plan_.from_disk ? 0 : plan_.moved_bytes));
    if (plan_.from_disk) hold_buffer(others);
  }

  void refuse(const std::string& whose, std::uint64_t least, std::uint64_t limit,
              const std::string& option) const {
    if (least <= limit) return;
    throw Error(
        ErrorCode::DoesNotFit,
        whose + " needs " + format_bytes(least) + " (" + std::to_string(least) + " bytes), and " +
            format_bytes(limit) + " is what there is; " + option + " of " + std::to_string(least) +
            " would do" +
            (r_.shape.vertex_bytes() > sizeof(VertexId) ? ", in a build with FATHOM_VERTEX_BITS=64"
                                                        : ""));
  }

  void refuse_if_too_large() const {
    const Machine& m = asked_;
    refuse(r_.algorithm + " of " + r_.shape.name + ": each device", plan_.least_device,
           m.device_memory, "a --device-memory");
    refuse(r_.algorithm + " of " + r_.shape.name + ": the host", plan_.least_host,
           std::min(m.host_memory, m.physical_memory), "a --host-memory");
  }

  PlanRequest r_;
  const Machine asked_;
  Plan plan_;
  const PlanSizes size_{r_, plan_};
};

}  // namespace

Plan plan_once(const PlanRequest& request) {
  return Planner(request).run();
}

}  // namespace fathom::plan
