// What is measured of the link, in which order, and how much memory and time it may take.
#include "fathom/exec/cuda/link_probe.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <fstream>

#include "fathom/core/units.hpp"
#include "fathom/exec/cuda/link_parts.cuh"

namespace fathom {
namespace link {
namespace {

constexpr std::array<std::uint64_t, 5> kRegions = {kGiB / 2, kGiB, 2 * kGiB, 8 * kGiB, 32 * kGiB};
constexpr std::size_t kFirstBlock = 4;    // so many regions are parts of one allocation
constexpr std::size_t kQuickRegions = 3;  // of these alone when in a hurry
constexpr std::array kMeasuringOrder = {ZeroCopyWay::Managed, ZeroCopyWay::Register,
                                        ZeroCopyWay::Malloc};  // slow to allocate: last

class Probe {
 public:
  explicit Probe(const LinkProbeOptions& options)
      : options_(options), timing_(options.task), reader_(timing_, options.device, options.quick) {
    check(cudaDeviceGetAttribute(&pages_on_demand_, cudaDevAttrConcurrentManagedAccess,
                                 options.device),
          "tell the device's features");
  }

  LinkProfile measure() {
    timing_.phase("copies");
    std::uint64_t bytes = options_.quick ? kGiB / 4 : kGiB / 2;
    while (bytes > 32 * kMiB && bytes > std::min(free_memory() / 4, options_.host_bytes))
      bytes /= 2;
    profile_.copies = measure_copies(timing_, bytes, options_.device);
    measure_unified();
    for (const ZeroCopyWay way : kMeasuringOrder) {
      timing_.phase("host memory by " + std::string(name_of(way)));
      try {
        measure_way(way);
      } catch (const Error& e) {
        if (e.code() != ErrorCode::Device) throw;
        check(cudaDeviceSynchronize(), "go on after a failure");  // a lasting error shows again
        leave_out(way, e.what());
      } catch (const std::bad_alloc&) {
        leave_out(way, "the host has not enough memory");
      }
    }
    options_.task.end();
    return std::move(profile_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  void leave_out(ZeroCopyWay way, const std::string& why) {
    profile_.left_out.push_back(std::string(name_of(way)) + ": " + why);
  }

  std::uint64_t free_memory() const {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "tell its free memory");
    return free;
  }
  /// Well below what the device has free: more managed memory than that can hang the machine.
  std::uint64_t managed_limit() const { return std::min(free_memory() / 2, options_.host_bytes); }

  void measure_unified() {
    timing_.phase("unified memory");
    std::uint64_t bytes = options_.quick ? kGiB / 4 : kGiB;
    while (bytes > managed_limit()) bytes /= 2;
    if (!pages_on_demand_ || bytes < 64 * kMiB) {
      profile_.left_out.emplace_back(pages_on_demand_
                                         ? "unified memory: less than 64 MiB may be used"
                                         : "unified memory: the device does not page on demand");
      return;
    }
    const ManagedMemory memory(bytes);
    for (const bool read_mostly : {false, true})
      profile_.unified.push_back(reader_.unified(read_mostly, memory));
  }

  /// Regions in one allocation as far as kFirstBlock, then each in its own, until memory or time
  /// runs out. Each way may use an equal share of the time that is left.
  void measure_way(ZeroCopyWay way) {
    const double limit = options_.quick ? 8 : 52;
    const double until = since(started_) + (limit - since(started_)) / ways_left_--;
    if (way == ZeroCopyWay::Managed && !pages_on_demand_)
      return leave_out(way, "the device cannot share managed memory with the host");
    const std::uint64_t most = way == ZeroCopyWay::Managed ? managed_limit() : options_.host_bytes;
    const std::size_t regions = options_.quick ? kQuickRegions : kRegions.size();
    double per_byte = 0;  // seconds of obtaining and returning memory
    for (std::size_t next = 0; next < regions;) {
      std::size_t last = next;
      while (last + 1 < std::min(regions, kFirstBlock) && kRegions[last + 1] <= most) ++last;
      const std::uint64_t bytes = kRegions[last];
      if (bytes > most)
        return leave_out(way, format_bytes(bytes) + " and more are above the " +
                                  format_bytes(most) + " that may be used");
      const double guess = per_byte * static_cast<double>(bytes);
      if (!options_.full && since(started_) + guess > until)
        return leave_out(
            way, format_bytes(bytes) + " would take some " + format_seconds(guess) + " to obtain");
      const auto began = Clock::now();
      const double measuring = measure_block(way, next, last);
      per_byte = (since(began) - measuring) / static_cast<double>(bytes);
      next = last + 1;
    }
  }

  /// Measures kRegions[first ... last] in one allocation. @return the seconds it took, without
  /// obtaining and returning the memory.
  double measure_block(ZeroCopyWay way, std::size_t first, std::size_t last) {
    const HostRegion memory(way, kRegions[last], options_.device);
    const auto began = Clock::now();
    if (first == 0) profile_.in_order.push_back(reader_.in_order(way, memory));
    for (std::size_t i = first; i <= last; ++i)
      profile_.reach.push_back(reader_.reach(way, memory, kRegions[i]));
    return since(began);
  }

  const LinkProbeOptions& options_;
  const Clock::time_point started_ = Clock::now();
  Timing timing_;
  Reader reader_;
  int pages_on_demand_ = 0;
  int ways_left_ = static_cast<int>(kMeasuringOrder.size());
  LinkProfile profile_;
};

/// The first word of the driver's own text that looks like a version; empty when it has none.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "";
}

std::string driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "tell the driver's version");
  const std::string cuda =
      "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  const std::string module = kernel_module_version();
  return module.empty() ? cuda : module + " (" + cuda + ")";
}

}  // namespace
}  // namespace link

bool link_probe_built() {
  return true;
}

LinkProfile measure_link(const LinkProbeOptions& options) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver)
    throw Error(ErrorCode::Device, "there is no CUDA driver, or it is too old for this build");
  if (status != cudaSuccess)
    throw Error(ErrorCode::Device,
                std::string("there is no usable CUDA device: ") + cudaGetErrorString(status));
  if (options.device < 0 || options.device >= devices)
    throw Error(ErrorCode::Device, "there is no CUDA device " + std::to_string(options.device) +
                                       ": expected 0 to " + std::to_string(devices - 1));
  const link::CurrentDevice current(options.device);
  cudaDeviceProp properties{};
  link::check(cudaGetDeviceProperties(&properties, options.device), "tell the device's properties");
  LinkProfile profile = link::Probe(options).measure();
  std::array<unsigned char, 16> uuid{};
  std::copy_n(properties.uuid.bytes, uuid.size(), uuid.begin());
  profile.device = properties.name;
  profile.uuid = gpu_uuid(uuid);
  profile.driver = link::driver_version();
  profile.measured = utc_time();
  profile.quick = options.quick;
  return profile;
}

}  // namespace fathom
