// Short measurements of the machine: a fraction of a second each, probe_peers() some seconds.
#pragma once

#include <string>

#include "cli/shared/report_json.hpp"
#include "fathom/core/task.hpp"
#include "fathom/core/version.hpp"

namespace fathom::cli {

/// {model, threads}
Json probe_cpu();

/// {total_bytes, available_bytes, limit_bytes|null, read_bytes_per_second, random_reads_per_second}
/// measured with all threads on 256 MiB, or an eighth of what is available.
Json probe_memory(const Task& task);

/// Bytes of host memory that programs can have, within the control group.
std::uint64_t available_memory();

/// Bytes of host memory that work may take unless it is told how many: half of what is available,
/// within the control group.
std::uint64_t spare_memory();

/// What the kernel says of transparent huge pages: "always", "madvise", "never" or "unknown".
std::string probe_huge_pages();

/// {available, why|null}: whether a ring can be set up. Containers often refuse it.
Json probe_io_uring();

/// {directory, free_bytes|null, read_bytes_per_second|null, direct, why|null}: writes `bytes`, a
/// multiple of 8 MiB, to an unlinked file in `directory` (empty: $TMPDIR or /tmp) and reads it back
/// with O_DIRECT, for `seconds` at most.
Json probe_disk(const std::string& directory, const Task& task,
                std::uint64_t bytes = std::uint64_t{64} << 20, double seconds = .5);

/// {built, driver, driver_version|null, cuda_version|null, why|null, devices: [{name, uuid,
/// memory_bytes, free_bytes|null, pcie: {generation, width}|null, managed_memory,
/// concurrent_managed_access, pageable_memory_access}]}, through libcuda.so.1 and libnvidia-ml.so.1
/// loaded at run time. `built`: whether this program can use them.
Json probe_cuda();

/// Null for fewer than two devices, else {links: [{from, to, bytes_per_second}], merges: [{way:
/// "kernels" or "nccl", bytes_per_second|null, why|null}], why|null}: copies between each two GPUs,
/// and merges of a replica on each, by its bytes. Takes 256 MiB of each.
Json probe_peers(std::size_t devices, const Task& task);

}  // namespace fathom::cli
