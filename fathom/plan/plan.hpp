// What would go where: the tiers of a run, their peak bytes, and the smallest budgets with which
// it works. Nothing is run. (Times: predict.hpp.)
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fathom/plan/graph_shape.hpp"
#include "fathom/plan/workload.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::plan {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

struct Machine {
  enum class Executor { Host, EmulatedDevices, Gpu };
  Executor executor = Executor::Host;
  int devices = 1;
  int ranks = 1;  // each with as many devices, and the memory below
  int threads = 1;
  std::uint64_t device_memory = kNoLimit;    // of each device
  std::uint64_t host_memory = kNoLimit;      // the budget, --host-memory
  std::uint64_t physical_memory = kNoLimit;  // what the host has available
};

struct PlanRequest {
  GraphShape shape;
  std::string algorithm;
  std::optional<OptionValues> options;  // the algorithm's; without: its defaults
  Machine machine;
  ResidencyOptions::Kind residency = ResidencyOptions::Kind::Auto;
  PackedReads packed = PackedReads::Auto;  // of packed lists that are not streamed
  std::uint64_t page_bytes = std::uint64_t{1} << 20;
  Strategy strategy = Strategy::Auto;
  std::uint32_t chunks = 0;  // of vertex state that each device takes in turn; 0: as few as fit
  bool scarce = false;       // the algorithm's smallest state, if it has a choice
};

enum class Tier { Device, Host, Disk };

struct Holding {
  Tier tier = Tier::Host;
  std::string what;
  std::uint64_t bytes = 0;  // of one device, or of the host or the disk
};

struct Plan {
  ResidencyOptions::Kind residency = ResidencyOptions::Kind::Auto;  // never Auto
  bool mapped = false;    // Resident on the host: the file's pages as the system keeps them
  bool in_place = false;  // a GPU's warps unpack the packed lists that they walk
  std::string reason;
  Workload work;
  std::vector<Holding> holdings;
  std::uint64_t moved_bytes = 0;      // of lists that a sweep over all edges reads
  std::uint64_t near_bytes = 0;       // what of them stays where kernels run (of a device: on each)
  std::uint64_t made_from_bytes = 0;  // read over the link for lists that a GPU makes in its memory
  std::uint64_t pages = 0;            // they have
  bool from_disk = false;          // GPUs get them from the file, through a buffer in host memory
  std::uint64_t buffer_bytes = 0;  // its size then
  std::uint32_t chunks = 0;        // of vertex state, on all devices together; 0: it is not split
  // Budgeted bytes: what a run reaches, and what it cannot do without.
  std::uint64_t peak_device = 0, least_device = 0;  // per device; 0 without
  std::uint64_t peak_host = 0, least_host = 0;
};

/// @throws Error(Usage) for an unknown algorithm, or a residency the machine does not have;
///         Error(DoesNotFit) naming the smallest budget that would work.
/// Cost: constant.
FATHOM_API Plan make_plan(const PlanRequest& request);

}  // namespace fathom::plan
