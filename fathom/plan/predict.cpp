#include "fathom/plan/predict.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::plan {
namespace {

using Kind = ResidencyOptions::Kind;

constexpr double kGiga = 1e9;
constexpr double kMostSpan = 6;  // of bounds of supersteps that are told for want of others
constexpr std::uint64_t kCopy = std::uint64_t{1} << 20;  // bytes of a page copy, for its fixed cost

StreamRates rates_of(const PlanRequest& r, const Plan& plan, const MachineRates& measured,
                     const LinkProfile* link) {
  StreamRates rates;
  if (r.machine.executor == Machine::Executor::Gpu && link) {
    rates.chunk_copy = link->copies.to_device * kGiga;
    rates.stream_copy =
        plan.residency == Kind::ZeroCopy
            ? zero_copy_ceiling(*link, best_way(*link, plan.moved_bytes), plan.moved_bytes) * kGiga
            : static_cast<double>(kCopy) / copy_cost(*link, kCopy);
  }
  const bool on_host = r.machine.executor == Machine::Executor::Host;
  const bool from_disk =
      (plan.from_disk || (on_host && plan.residency == Kind::Stream)) && measured.disk > 0;
  if (from_disk) rates.disk = measured.disk;
  return rates;
}

class Predictor {
 public:
  Predictor(const PlanRequest& r, const Plan& plan, const StreamRates& rates, const Range& per_edge,
            const Range& supersteps)
      : r_(r), plan_(plan), rates_(rates), per_edge_(per_edge) {
    out_.supersteps = supersteps;
    on_gpu_ = r.machine.executor == Machine::Executor::Gpu;
    // Where vertex state is split every device sees every page, once for each of its chunks, and
    // the values at their sources come along; chunks that take turns go and come back.
    const int devices = std::max(1, r.machine.devices);
    const double vertices = static_cast<double>(r.shape.vertices);
    if (plan.chunks > 0) {
      times_ = static_cast<double>(plan.chunks) / devices;
      along_ = (plan.work.split_source + double{sizeof(EdgeId)}) * vertices * times_;
      if (times_ > 1) along_ += 2 * plan.work.split_chunk * vertices / devices;
    } else if (on_gpu_) {
      sharing_.devices = r.machine.devices;
    }
    moves_ = plan.residency == Kind::Stream || plan.residency == Kind::ZeroCopy;
    const auto moved = static_cast<double>(plan.moved_bytes);
    const double near = static_cast<double>(plan.near_bytes) * sharing_.devices;
    far_ = moves_ ? std::max(0., moved - near) : 0;
    if (on_gpu_ && plan.chunks == 0) stay_ = plan.work.state * vertices;
    if (plan.from_disk) disk_share_ = far_ > 0 ? std::max(0., 1 - buffered(plan) / far_) : 0;
    // Every device reads its share of the other replicas and writes it back (exec/replicas.hpp).
    // Links between devices were not measured: they are taken to be as fast as those to the host.
    const double merged = plan.work.merged * vertices;
    if (sharing_.devices > 1) rates_.sync = 2 * merged / sharing_.devices / rates.chunk_copy;
    out_.ceiling = !moves_ ? 0 : on_gpu_ ? std::min(rates.stream_copy, rates.disk) : rates.disk;
    if (out_.ceiling == kAtOnce) out_.ceiling = 0;
  }

  Prediction sweeps() {
    out_.step = {sweep(per_edge_.low, far_, disk_share_), sweep(per_edge_.high, far_, disk_share_)};
    out_.fetched = {times_ * (first_bytes() + far_ * (out_.supersteps.low - 1)),
                    times_ * (first_bytes() + far_ * (out_.supersteps.high - 1))};
    out_.kernels = {kernels(per_edge_.low) * out_.supersteps.low,
                    kernels(per_edge_.high) * out_.supersteps.high};
    out_.seconds = {all_sweeps(per_edge_.low, out_.supersteps.low),
                    all_sweeps(per_edge_.high, out_.supersteps.high)};
    return out_;
  }

  Prediction traversal(const Pilot* pilot) {
    out_.supersteps = {};
    Range share = plan_.work.share;
    // Where pages go to host memory they are read whole: a search of the largest component wants
    // something of nearly all of them.
    if (!on_gpu_) share.low = std::max(share.low, std::min(1., share.high));
    if (pilot && !pilot->levels.empty()) {
      out_.supersteps.low = out_.supersteps.high = static_cast<double>(pilot->levels.size());
      double bytes = 0;
      for (const Pilot::Level& level : pilot->levels) bytes += level.bytes;
      // A search is the least of a traversal; what comes back to lists reads them again.
      bytes = std::max(plan_.work.share.low, bytes);
      const double more = pilot->times ? 1 : std::max(1., share.high);
      share = {bytes, bytes * more};
    }
    out_.kernels = {kernels(per_edge_.low), kernels(per_edge_.high)};
    const double moved = moves_ ? static_cast<double>(plan_.moved_bytes) : 0;
    // What stays is fetched once, however often it is read.
    const auto fetched = [&](double times) {
      return moved * std::min(times, 1.) + far_ * std::max(0., times - 1);
    };
    // What lists are made from comes first.
    const auto made = static_cast<double>(plan_.made_from_bytes);
    const double making = made / rates_.stream_copy;
    out_.fetched = {times_ * fetched(share.low) + made, times_ * fetched(share.high) + made};
    out_.seconds = {levels(pilot, out_.kernels.low, fetched(share.low)) + making,
                    levels(pilot, out_.kernels.high, fetched(share.high)) + making};
    return out_;
  }

 private:
  double kernels(double per_edge) const { return per_edge * static_cast<double>(r_.shape.edges); }
  double first_bytes() const { return moves_ ? static_cast<double>(plan_.moved_bytes) : 0; }

  static double buffered(const Plan& plan) { return static_cast<double>(plan.buffer_bytes); }

  /// `from_disk`: the part of the bytes that is not in host memory.
  StreamedStep step_of(double kernel_seconds, double bytes, double from_disk) const {
    StreamedStep step;
    if (on_gpu_) {
      step.page_bytes = bytes * times_;
      step.state_bytes = along_;
      step.disk_bytes = plan_.from_disk ? bytes * from_disk * times_ : 0;
    } else {
      step.disk_bytes = bytes;
    }
    step.pages = static_cast<double>(plan_.pages);
    step.kernels = kernel_seconds * times_;
    return step;
  }

  double sweep(double per_edge, double bytes, double from_disk) const {
    return step_seconds(rates_, sharing_, step_of(kernels(per_edge), bytes, from_disk));
  }

  /// Equation 1, but for the first superstep, which fetches what stays along with the rest.
  double all_sweeps(double per_edge, double supersteps) const {
    return sweep_seconds(rates_, sharing_, stay_, step_of(kernels(per_edge), far_, disk_share_),
                         supersteps - 1) +
           sweep(per_edge, first_bytes(), 1);
  }

  /// Equation 2 over the pilot's levels, or over all of them as one.
  double levels(const Pilot* pilot, double kernel_seconds, double bytes) const {
    std::vector<StreamedStep> steps;
    double edges = 0, fetched = 0;
    const auto pilot_levels = pilot ? pilot->levels : std::vector<Pilot::Level>{};
    for (const Pilot::Level& level : pilot_levels) {
      edges += level.edges;
      fetched += level.bytes;
    }
    if (!pilot_levels.empty())
      for (const Pilot::Level& level : pilot_levels)
        steps.push_back(step_of(edges > 0 ? kernel_seconds * level.edges / edges : 0,
                                fetched > 0 ? bytes * level.bytes / fetched : 0, 1));
    else
      steps.push_back(step_of(kernel_seconds, bytes, 1));
    return traversal_seconds(rates_, sharing_, stay_, steps);
  }

  const PlanRequest& r_;
  const Plan& plan_;
  StreamRates rates_;
  Sharing sharing_;
  Range per_edge_;
  bool on_gpu_ = false, moves_ = false;
  double far_ = 0;         // bytes that every sweep fetches again
  double disk_share_ = 1;  // of those, what the buffer in host memory does not have
  double times_ = 1;       // that a device sees every page in a superstep
  double along_ = 0;       // bytes of vertex state that come with them
  double stay_ = 0;        // of vertex state that goes to a GPU
  Prediction out_;
};

}  // namespace

Pilot pilot_of(const RunReport& run, std::uint64_t edges, std::uint64_t moved_bytes) {
  Pilot pilot;
  for (const Superstep& step : run.supersteps) {
    const auto bytes = static_cast<double>(step.link.bytes + step.link.disk.bytes);
    pilot.levels.push_back(
        {edges > 0 ? static_cast<double>(step.edges) / static_cast<double>(edges) : 0,
         moved_bytes > 0 ? bytes / static_cast<double>(moved_bytes) : 0,
         static_cast<double>(step.frontier), step.direction == "pull"});
  }
  return pilot;
}

Pilot::Times times_of(std::span<const RunReport> runs) {
  const auto median = [&](const auto& of) {
    std::vector<double> seconds;
    for (const RunReport& run : runs) seconds.push_back(of(run));
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  Pilot::Times times;
  times.supersteps = runs.front().iterations;
  times.run = median([](const RunReport& run) { return run.seconds; });
  times.first = median([](const RunReport& run) {
    return run.supersteps.empty() ? run.seconds : run.supersteps.front().seconds;
  });
  times.step =
      times.supersteps > 1 ? (times.run - times.first) / (times.supersteps - 1) : times.first;
  return times;
}

namespace {

Range about(double seconds) {
  return {seconds / kPilotError, seconds * kPilotError};
}

/// No closer than the model is: as wide as kModelSpan at least. Bounds that are further apart are
/// those of a model too.
Range widened(const Range& range) {
  if (range.low <= 0 || range.high >= range.low * kModelSpan)
    return {range.low / kPilotError, range.high * kPilotError};
  const double middle = std::sqrt(range.low * range.high), half = std::sqrt(kModelSpan);
  return {middle / half, middle * half};
}

/// What was measured stands in for what is modelled.
void put_times(Prediction& p, const Pilot& pilot, Reads::Kind kind) {
  const Pilot::Times& times = *pilot.times;
  if (times.stopped) {
    p.seconds = {std::max(p.seconds.low, times.run), std::max(p.seconds.high, times.run)};
    return;
  }
  if (kind != Reads::Kind::Sweeps) {
    p.seconds = about(times.run + times.loading);
    return;
  }
  if (times.supersteps > 0)
    p.supersteps.low = p.supersteps.high = static_cast<double>(times.supersteps);
  const auto all = [&](double supersteps) {
    return times.loading + times.first + times.step * (supersteps - 1);
  };
  p.step = about(times.step);
  p.seconds = {about(all(p.supersteps.low)).low, about(all(p.supersteps.high)).high};
}

/// Seconds per edge, of all the work there is.
std::optional<Range> work_per_edge(const GraphShape& shape, const Workload& work,
                                   const MachineRates& measured, bool streamed) {
  std::optional<Range> found;
  if (!work.by_two_paths) {
    found = measured.seconds_per_edge(work.rate, streamed, shape);
  } else if (shape.two_paths && shape.edges > 0) {
    found = measured.seconds_per_two_path(work.rate, streamed, shape);
    const double each = shape.two_paths.value_or(0) / static_cast<double>(shape.edges);
    if (found) *found = {found->low * each, found->high * each};
  }
  if (!found) return found;
  return Range{found->low * work.times.low, found->high * work.times.high};
}

/// How many times as long kernels take whose warps unpack what they walk: measured on an H200, with
/// lists in its memory both ways (docs/adr/0034: PageRank; searches, components, shortest paths).
Range unpacking(const GraphShape& shape, Reads::Kind kind) {
  const bool sweeps = kind == Reads::Kind::Sweeps;
  if (!shape.likeness) return sweeps ? Range{1, 3} : Range{1.2, 5};
  switch (*shape.likeness) {
    case Likeness::Rmat:
      return sweeps ? Range{1.5, 1.5} : Range{1.8, 3};
    case Likeness::Uniform:
      return sweeps ? Range{1, 1} : Range{1.2, 5};
    case Likeness::Grid:
      return sweeps ? Range{3, 3} : Range{1.2, 5};
  }
  return {1, 1};
}

/// As many as graphs that are alike took, or what an algorithm says of how many there are. Nothing
/// where neither says enough.
std::optional<Range> supersteps_of(const GraphShape& shape, const Workload& work,
                                   const MachineRates& measured, bool streamed) {
  constexpr double kScatter = 1.2;
  const Range bounds = work.supersteps;
  if (bounds.low == bounds.high) return bounds;
  const auto alike = work.pace > 0 ? measured.supersteps(work.rate, streamed, shape) : std::nullopt;
  if (!alike) return bounds.high <= bounds.low * kMostSpan ? std::optional(bounds) : std::nullopt;
  // The lower bound may be a guess.
  const auto within = [&](double count) {
    return std::clamp(count, 1., std::max(1., bounds.high));
  };
  return Range{within(std::floor(alike->low * work.pace / kScatter)),
               within(std::ceil(alike->high * work.pace * kScatter))};
}

std::optional<Prediction> modelled(const PlanRequest& request, const Plan& plan,
                                   const MachineRates& measured, const LinkProfile* link,
                                   const Pilot* pilot) {
  if (plan.work.kind == Reads::Kind::Unknown) return std::nullopt;
  if (request.machine.executor == Machine::Executor::EmulatedDevices) return std::nullopt;
  const bool gpu = request.machine.executor == Machine::Executor::Gpu;
  const bool streamed = plan.residency == Kind::Stream;
  auto per_edge = work_per_edge(request.shape, plan.work, measured, streamed);
  // What a GPU waits for its link says much of a run, even where its kernels were not measured.
  if (!per_edge && gpu && measured.work.empty()) per_edge = Range{0, 0};
  if (!per_edge) return std::nullopt;
  if (plan.in_place) {
    const Range times = unpacking(request.shape, plan.work.kind);
    *per_edge = {per_edge->low * times.low, per_edge->high * times.high};
  }
  const StreamRates rates = rates_of(request, plan, measured, link);
  const auto supersteps = plan.work.kind == Reads::Kind::Sweeps
                              ? supersteps_of(request.shape, plan.work, measured, streamed)
                              : std::optional(Range());
  if (!supersteps) return std::nullopt;
  Predictor predictor(request, plan, rates, *per_edge, *supersteps);
  Prediction prediction =
      plan.work.kind == Reads::Kind::Sweeps ? predictor.sweeps() : predictor.traversal(pilot);
  if (gpu) {
    const double first = measured.first_run_seconds(plan.work.algorithm, streamed);
    prediction.seconds.low += first;
    prediction.seconds.high += first;
  }
  return prediction;
}

}  // namespace

std::optional<Prediction> predict(const PlanRequest& request, const Plan& plan,
                                  const MachineRates& measured, const LinkProfile* link,
                                  const Pilot* pilot) {
  auto prediction = modelled(request, plan, measured, link, pilot);
  if (!pilot || !pilot->times) {
    // Of a GPU whose kernels were not measured a bound is told: what the link takes.
    if (prediction && prediction->kernels.low > 0)
      prediction->seconds = widened(prediction->seconds);
    return prediction;
  }
  // Nothing bounds from above what was stopped and has no model.
  if (!prediction && pilot->times->stopped) return std::nullopt;
  if (!prediction) {
    prediction.emplace();
    prediction->supersteps = plan.work.supersteps;
  }
  put_times(*prediction, *pilot, plan.work.kind);
  return prediction;
}

}  // namespace fathom::plan
