// RMAT32 on paper: what would be where, and how long it would take by equations 1 and 2 of GTS, on
// the paper's machine and on one of today, beside the times that the paper calculates.
#include <array>
#include <optional>

#include "bench/papers/gts/gts.hpp"
#include "cli/shared/plan/plan_text.hpp"
#include "fathom/core/error.hpp"
#include "fathom/exec/link_profile.hpp"
#include "fathom/plan/cost_model.hpp"
#include "fathom/plan/plan.hpp"

namespace fathom::cli::gts {
namespace {

constexpr double kGiga = 1e9;
constexpr double kGib = 1024. * 1024 * 1024;

struct Card {
  std::string name;
  std::uint64_t memory;
  plan::StreamRates rates;  // but for the disk
};

std::array<Card, 2> cards() {
  const LinkProfile link = default_link_profile();  // of one H200
  constexpr std::uint64_t kCopy = std::uint64_t{1} << 20;
  plan::StreamRates here, paper;
  here.chunk_copy = link.copies.to_device * kGiga;
  here.stream_copy = static_cast<double>(kCopy) / copy_cost(link, kCopy);
  paper.chunk_copy = 16 * kGiga;  // section 5.1
  paper.stream_copy = 6 * kGiga;
  return {Card{"TITAN X", std::uint64_t{12} << 30, paper},
          Card{"H200", std::uint64_t{139} << 30, here}};
}

/// A plan as `fathom plan` prints it; or why there is none.
Json plan_json(const std::string& app, const Card& card, int devices) {
  generate::Spec spec;
  spec.scale = 32;
  plan::PlanRequest request;
  request.shape = plan::shape_of(spec, true);
  request.shape.has_in = false;
  request.algorithm = app;
  request.machine.executor = plan::Machine::Executor::Gpu;
  request.machine.devices = devices;
  request.machine.device_memory = card.memory;
  request.residency = ResidencyOptions::Kind::Stream;
  try {
    const plan::Plan planned = make_plan(request);
    return json_of(request, planned, std::nullopt, {"times: see the equations", {}});
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return {{"does_not_fit", e.what()}};
  }
}

struct PaperTime {
  const char* storage;
  double disk;  // bytes per second; 0: host memory
  double calculated, measured;
};
// Section 7.5: ten iterations on RMAT30, 114 GB.
constexpr std::array kPaperTimes{PaperTime{"memory", 0, 190, 153},
                                 PaperTime{"two SSDs", 5 * kGiga, 228, 196},
                                 PaperTime{"two hard disks", .33 * kGiga, 3454, 2843}};

/// Seconds of ten sweeps over pages of so many bytes, with 4 bytes per vertex of WA and of RA.
double sweeps(plan::StreamRates rates, double disk, int devices, double vertices, double bytes) {
  if (disk > 0) rates.disk = disk;
  plan::StreamedStep step;
  step.page_bytes = bytes;
  step.state_bytes = 4 * vertices;
  step.pages = bytes / (64 * 1024 * 1024.);
  step.disk_bytes = disk > 0 ? bytes : 0;
  return sweep_seconds(rates, {devices, 1, 0}, 4 * vertices, step, 10);
}

/// The least that a search takes: every page once, 2 bytes per vertex of WA.
double search(plan::StreamRates rates, double disk, int devices, double vertices, double bytes) {
  if (disk > 0) rates.disk = disk;
  plan::StreamedStep level;
  level.page_bytes = bytes;
  level.disk_bytes = disk > 0 ? bytes : 0;
  return traversal_seconds(rates, {devices, 1, 0}, 2 * vertices, {&level, 1});
}

}  // namespace

Json trillion_part(double disk) {
  Json report;
  const std::array<Card, 2> all = cards();
  report["checked"] = Json::array();
  for (const PaperTime& paper : kPaperTimes)
    report["checked"].push_back(
        {{"scale", 30},
         {"storage", paper.storage},
         {"seconds", sweeps(all[0].rates, paper.disk, 1, 1 << 30, 114 * kGiga)},
         {"paper_calculated", paper.calculated},
         {"paper_measured", paper.measured}});
  const double vertices = 4. * kGib, edges = 16 * vertices;
  // Records of ADJLIST_SZ and ids of 3 + 3 bytes, slots of VID and OFF; pages filled to the brim.
  const double bytes = vertices * (4 + 10) + edges * 6;
  report["slotted_bytes"] = static_cast<std::uint64_t>(bytes);
  report["predicted"] = Json::array();
  report["plans"] = Json::array();
  for (const Card& card : all)
    for (const int devices : {1, 4}) {
      for (const std::string app : {"bfs", "pagerank"}) {
        const auto seconds = app == "bfs" ? search : sweeps;
        const double wa = (app == "bfs" ? 2 : 4) * vertices;
        report["predicted"].push_back(
            {{"device", card.name},
             {"devices", devices},
             {"app", app},
             {"state_bytes", static_cast<std::uint64_t>(wa)},
             {"fits_one_device", wa < static_cast<double>(card.memory)},
             {"from_memory", seconds(card.rates, 0, devices, vertices, bytes)},
             {"from_disk",
              disk > 0 ? Json(seconds(card.rates, disk, devices, vertices, bytes)) : Json(nullptr)},
             {"disk_bytes_per_second", disk > 0 ? Json(disk) : Json(nullptr)}});
        report["plans"].push_back({{"device", card.name},
                                   {"devices", devices},
                                   {"app", app},
                                   {"plan", plan_json(app, card, devices)}});
      }
    }
  return report;
}

}  // namespace fathom::cli::gts
