// Packed pages on their way to a GPU's frames: kernels read their words in host memory, over the
// link, and write what they stand for.
#pragma once

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/packed/packed_page.hpp"

namespace fathom::cuda {

/// A run of groups, where the device reaches it.
struct UnpackRun {
  const std::uint32_t* words;  // of the first group
  const std::uint64_t* index;  // [groups + 1], in words of the section
  std::uint64_t first_word;    // index[0]
  VertexId* to;
  std::uint64_t entries;      // of all groups
  std::uint64_t first_group;  // of the section
};
/// As many as a kernel takes as arguments.
struct UnpackRuns {
  static constexpr std::size_t kMost = 48;
  UnpackRun run[kMost];
  std::uint32_t first_tile[kMost + 1];  // of each run, among all threads' blocks
  std::uint32_t count;
};

/// Appends a run. There must be room.
void add_run(UnpackRuns& runs, const UnpackRun& run);

/// Unpacks all runs, in the stream's order. `fault`: where 1 + the number of a group is written
/// that cannot be unpacked, in memory that the device reaches; nothing is written elsewhere for it.
void unpack_runs(cudaStream_t stream, const UnpackRuns& runs, std::uint32_t id_bits,
                 VertexId vertices, unsigned long long* fault);

/// to[i] = values[codes[i]], codes of 1 or 2 bytes. `fault` gets ~0 where a code has no value.
void unpack_codes(cudaStream_t stream, const std::byte* codes, std::uint32_t code_bytes,
                  const Weight* values, std::uint32_t value_count, std::size_t count, Weight* to,
                  unsigned long long* fault);

}  // namespace fathom::cuda
