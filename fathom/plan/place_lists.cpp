#include "fathom/plan/place_lists.hpp"

#include <algorithm>

#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/rank_plan.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/packed/packed_way.hpp"

namespace fathom::plan {
namespace {

using Kind = ResidencyOptions::Kind;
using Executor = Machine::Executor;

class ListPlacer {
 public:
  ListPlacer(PlanRequest& request, Plan& plan, const PlanSizes& sizes)
      : r_(request), plan_(plan), size_(sizes) {}

  void place() {
    const Workload w = workload_of(r_.algorithm, r_.shape, r_.options ? &*r_.options : nullptr,
                                   reaches_all(r_), r_.scarce);
    const Machine& m = r_.machine;
    const Kind asked = r_.residency;
    const std::uint64_t lists = list_bytes(r_.shape, w) + offset_bytes(r_.shape, w);
    if (m.executor == Executor::EmulatedDevices) {
      if (asked != Kind::Auto && asked != Kind::Stream)
        throw Error(ErrorCode::Usage, "emulated devices stream their edges");
      return choose(Kind::Stream, "emulated devices stream their edges");
    }
    if (m.executor == Executor::Host) {
      if (asked == Kind::ZeroCopy || asked == Kind::Managed)
        throw Error(ErrorCode::Usage, "the zero-copy and managed residencies need a GPU");
      if ((r_.shape.packed() || r_.shape.narrow()) && asked == Kind::Auto)
        return choose_for_decoded();
      plan_.mapped = asked == Kind::Auto;
      if (asked != Kind::Auto) return choose(asked, "asked for");
      const std::uint64_t state = all_vertices(w.state_here + w.lists, r_.shape);
      const std::string sizes =
          format_bytes(lists) + " of lists, " + format_bytes(state) + " of vertex state" +
          (m.physical_memory == kNoLimit ? ""
                                         : ", " + format_bytes(m.physical_memory) + " of memory");
      if (m.physical_memory == kNoLimit || lists + state < m.physical_memory)
        return choose(Kind::Resident, "the file is mapped: " + sizes);
      plan_.mapped = false;
      // A run without --residency maps the file even then, and leaves the paging to the system.
      return choose(Kind::Stream, "run it with --residency stream, for they do not fit: " + sizes);
    }
    if (m.devices > 1) {
      const detail::Resolved resolved = detail::choose_for_gpus(asked, shares());
      return choose(resolved.kind, resolved.reason);
    }
    if (r_.strategy == Strategy::Scalability) {
      if (asked != Kind::Auto && asked != Kind::Stream)
        throw Error(ErrorCode::Usage, "strategy s streams its edges (the stream residency)");
      return choose(Kind::Stream, "edges are streamed past the chunks of vertex state");
    }
    if (r_.shape.slotted && (asked == Kind::ZeroCopy || asked == Kind::Managed))
      throw Error(ErrorCode::Usage, "slotted pages are resident on a GPU, or streamed");
    if (r_.shape.packed()) return choose_packed_way(asked, w.sweeps);
    if (asked != Kind::Auto) return choose(asked, "asked for");
    choose_for_gpu(w.sweeps);
  }

  /// GPUs read narrow lists as they are, but for streams, for which host memory has them widened,
  /// if it has the room. All others stream them narrow, or have them widened.
  void read_narrow() {
    const bool streams = plan_.residency == Kind::Stream;
    if (size_.on_gpu() && !streams) return;
    r_.shape.unpacks = streams && (!size_.on_gpu() || size_.streams_from_file());
    if (r_.shape.unpacks) return;
    r_.shape.narrow_bits = 0;
    r_.shape.widened = true;
  }

  void read_packed() {
    r_.shape.unpacks = plan_.residency == Kind::Stream;
    r_.shape.widened = !r_.shape.unpacks && !r_.shape.in_place;
  }

 private:
  void choose(Kind kind, const std::string& why) {
    plan_.residency = kind;
    plan_.reason = why;
  }
  /// What a run decides of lists of so many bytes, which sees the graph before it knows the
  /// algorithm.
  detail::Resolved choice_for_gpu(std::uint64_t lists, bool sweeps, bool in_place = false) const {
    const GraphShape& shape = r_.shape;
    return detail::choose_for_gpu({lists, shape.vertices, shape.separate_in() ? 2 : 1, sweeps,
                                   r_.machine.device_memory, size_.host_room(),
                                   r_.strategy != Strategy::Performance, in_place});
  }
  /// Of several GPUs.
  detail::SharesOfGpus shares() const {
    const GraphShape& shape = r_.shape;
    if (shape.slotted || shape.packed() || shape.narrow()) return {.plain = false};
    if (size_.streams_from_file() || r_.strategy == Strategy::Scalability) return {};
    return {detail::bytes_of_share(size_.all_lists(), shape.vertices, shape.separate_in() ? 2 : 1,
                                   static_cast<std::uint64_t>(r_.machine.devices)),
            r_.machine.device_memory};
  }
  void choose_for_gpu(bool sweeps) {
    const detail::Resolved resolved = choice_for_gpu(size_.all_lists(), sweeps);
    const bool in_place = r_.shape.slotted && resolved.kind == Kind::ZeroCopy;
    choose(in_place ? Kind::Stream : resolved.kind, resolved.reason);
  }
  void choose_packed_way(Kind asked, bool sweeps) {
    const detail::PackedWay way =
        detail::choose_packed_way(asked, r_.packed, choice_for_gpu(size_.all_lists(), sweeps),
                                  choice_for_gpu(size_.packed_lists(), sweeps, true));
    r_.shape.in_place = way.in_place;
    choose(way.resolved.kind, way.resolved.reason);
  }
  /// What a run on the host decides: decoded in memory, if that has the room.
  void choose_for_decoded() {
    const std::uint64_t offsets =
        (r_.shape.vertices + 1) * sizeof(EdgeId) * (r_.shape.separate_in() ? 2 : 1);
    const bool packed = r_.shape.packed();
    const detail::Resolved resolved = detail::choose_for_decoded(
        {packed ? "unpacked" : "widened", size_.decoded_lists() + (packed ? offsets : 0),
         size_.host_room(),
         detail::least_stream(r_.shape.vertices, r_.shape.separate_in() ? 2 : 1, r_.page_bytes)});
    choose(resolved.kind, resolved.reason);
  }

  PlanRequest& r_;
  Plan& plan_;
  const PlanSizes& size_;
};

}  // namespace

void place_lists(PlanRequest& request, Plan& plan, const PlanSizes& sizes) {
  ListPlacer placer(request, plan, sizes);
  placer.place();
  if (request.shape.narrow()) placer.read_narrow();
  // Streams are of lists as they are.
  if (request.shape.narrowed && plan.residency == ResidencyOptions::Kind::Stream)
    request.shape.narrow_bits = 0;
  if (request.shape.packed()) placer.read_packed();
}

}  // namespace fathom::plan
