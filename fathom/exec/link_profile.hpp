// What was measured of the link between a GPU and host memory, kept as JSON between runs, and the
// answers a choice of residency needs: which way to obtain host memory, how fast a kernel can read
// it, what a copy costs.
//
// The ways are EMOGI's three (Min et al., VLDB 2021, section 3.3). Equal there, they can differ 9x
// in translation reach: how large a region can be before scattered reads become slow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

/// How host memory that kernels read in place is obtained.
enum class ZeroCopyWay {
  Malloc,    // cudaMallocHost
  Register,  // malloc or mmap, then cudaHostRegister; the only way for a mapped file
  Managed,   // cudaMallocManaged, preferred location host, accessed by the device
};
inline constexpr std::array kZeroCopyWays = {ZeroCopyWay::Malloc, ZeroCopyWay::Register,
                                             ZeroCopyWay::Managed};

/// "malloc", "register" or "managed".
FATHOM_API std::string_view name_of(ZeroCopyWay way);

/// The strides, in lines of 128 bytes, of the ascending sweeps that are measured.
inline constexpr std::array<std::uint32_t, 4> kSweepStrides = {2, 8, 64, 512};

/// Every rate is in GB/s of useful bytes (1 GB = 1e9 B); absent: not measured.
struct LinkProfile {
  using Rate = std::optional<double>;

  struct ChunkedCopy {
    std::uint64_t chunk_bytes = 0;
    double gbps = 0;
  };
  /// One large copy each.
  struct Copies {
    double to_device = 0, to_host = 0;          // pinned host memory
    Rate pageable_to_device, pageable_to_host;  // ordinary host memory
    std::vector<ChunkedCopy> chunked;           // to the device, pinned, over 8 streams
  };
  /// Reading in order by a kernel, in place.
  struct InOrder {
    ZeroCopyWay way = ZeroCopyWay::Malloc;
    double aligned = 0;     // a warp reads an aligned line of 128 B
    double misaligned = 0;  // the same, 32 B off
    double strided = 0;     // each thread reads a piece of 1 KiB of its own
  };
  /// Reading lines of 128 B out of a region, in place.
  struct Reach {
    ZeroCopyWay way = ZeroCopyWay::Malloc;
    std::uint64_t region_bytes = 0;
    double random = 0;
    std::array<double, kSweepStrides.size()> ascending{};  // every kSweepStrides[i]-th line
  };
  /// Managed memory that moves to the device when first read.
  struct Unified {
    bool read_mostly = false;
    std::uint64_t region_bytes = 0;
    double sequential = 0;  // every line, in order
    double random = 0;      // one random line per 4 KiB
  };
  struct Disk {
    std::string directory;
    double read = 0;  // sequential, O_DIRECT
  };

  std::string device, uuid;  // "NVIDIA H200", "GPU-..." as nvidia-smi -L prints it
  std::string driver;
  std::string measured;  // UTC, "2026-11-21T14:31:20Z"; empty: assumed, not measured
  bool quick = false;
  Copies copies;
  std::vector<InOrder> in_order;
  std::vector<Reach> reach;
  std::vector<Unified> unified;
  std::optional<Disk> disk;
  std::vector<std::string> left_out;  // what was not measured, and why
};

/// What is assumed of a device nobody has measured: one H200 on PCIe 5.0 x16.
FATHOM_API LinkProfile default_link_profile();

/// The way whose scattered reads of a region are fastest; Malloc when nothing is at least 5 %
/// faster. Only ways that were measured are answered. A region larger than any measured counts as
/// the largest that was.
FATHOM_API ZeroCopyWay best_way(const LinkProfile& profile, std::uint64_t region_bytes = ~0ULL);

/// GB/s at which a kernel reads random whole lines of 128 B in place out of a region: interpolated
/// over the logarithm of the region between those measured, constant outside. A way that was not
/// measured is as fast as the slowest that was. @throws Error(BadInput) for a profile without any.
FATHOM_API double zero_copy_ceiling(const LinkProfile& profile, ZeroCopyWay way,
                                    std::uint64_t region_bytes);

/// The same for an ascending sweep that reads every `stride`-th line; 1: every line.
FATHOM_API double sweep_ceiling(const LinkProfile& profile, ZeroCopyWay way,
                                std::uint64_t region_bytes, std::uint32_t stride);

/// Seconds that one copy of so many bytes to the device takes among others: a fixed cost per copy,
/// taken from the smallest chunk measured, and the bytes at full bandwidth.
FATHOM_API double copy_cost(const LinkProfile& profile, std::uint64_t bytes);

/// 16 bytes as "GPU-01234567-89ab-cdef-0123-456789abcdef".
FATHOM_API std::string gpu_uuid(std::span<const unsigned char, 16> bytes);

/// As JSON (docs/schema/link.schema.json), with a final newline.
FATHOM_API std::string to_json(const LinkProfile& profile);

/// @param name what errors call the text: a file name.
/// @throws Error(BadInput) for anything that to_json does not write; says what was expected where.
FATHOM_API LinkProfile link_profile_from_json(std::string_view text, const std::string& name);

/// Where the profile of a device is kept: ${XDG_CACHE_HOME:-~/.cache}/fathom/link-<uuid>.json.
/// @throws Error(Usage) when neither variable says where, or for a uuid that cannot be in a name.
FATHOM_API std::string link_profile_path(const std::string& uuid);

/// Writes the file, whole or not at all; makes the directories of the default place.
/// @param path empty: link_profile_path(profile.uuid). @return the path. @throws Error(Io).
FATHOM_API std::string save_link_profile(const LinkProfile& profile, std::string path = "");

/// @throws Error(Io), Error(BadInput).
FATHOM_API LinkProfile read_link_profile(const std::string& path);

/// The saved profile of a device; nothing when there is none. @throws Error(Io), Error(BadInput).
FATHOM_API std::optional<LinkProfile> load_link_profile(const std::string& uuid);

}  // namespace fathom
