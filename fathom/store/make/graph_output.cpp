#include "fathom/store/make/graph_output.hpp"

#include <unistd.h>

#include <cstdio>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/make/repack.hpp"

namespace fathom::store {

void check_together(const RepackOptions& options) {
  if (int{options.slotted.has_value()} + int{options.packed} + int{options.narrow} > 1)
    throw Error(ErrorCode::Usage, "lists are in slotted pages, packed or narrow: one of these");
  if (!options.interleave_weights) return;
  if (options.slotted)
    throw Error(ErrorCode::Usage, "slotted pages always hold targets and weights side by side");
  if (options.narrow)
    throw Error(ErrorCode::Usage, "narrow lists always hold targets and weights side by side");
  if (options.packed)
    throw Error(ErrorCode::Usage, "packed lists always hold targets and weights apart");
}

Header make_repacked(const std::string& output, const ConvertOptions& options,
                     FunctionRef<void(AtomicFile lists)> make) {
  if (options.slotted) check_slotted_options(*options.slotted);
  RepackOptions together;
  together.slotted = options.slotted;
  together.packed = options.packed;
  together.narrow = options.narrow;
  together.interleave_weights = options.interleave_weights;
  check_together(together);
  AtomicFile file(output);
  TempFile lists(file.directory());
  make(AtomicFile(lists, output));
  RepackOptions repacking;
  repacking.slotted = options.slotted;
  repacking.packed = options.packed;
  repacking.narrow = options.narrow;
  repacking.memory = options.build.memory;
  repacking.threads = options.build.threads;
  repacking.provenance = options.provenance;
  repacking.task = options.build.task;
  return repack(StoreFile(lists, output), std::move(file), repacking);
}

std::size_t data_memory(std::size_t bound) {
  constexpr std::size_t kLeast = std::size_t{32} << 20, kBuffers = std::size_t{9} << 20;
  constexpr std::size_t kMostProgram = std::size_t{15} << 20;
  if (bound < kLeast)
    throw Error(ErrorCode::DoesNotFit, "a memory bound of " + format_bytes(bound) +
                                           " is too small; at least " + format_bytes(kLeast) +
                                           " are needed");
  std::size_t pages = 0, resident = 0;
  if (std::FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu %zu", &pages, &resident) != 2) resident = 0;
    std::fclose(statm);
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bound - kBuffers - std::min(resident * page, kMostProgram);
}

int workers_within(int threads, std::size_t memory) {
  const std::size_t most = std::max<std::size_t>(1, memory >> 21);
  return static_cast<int>(
      std::min<std::size_t>(most, static_cast<std::size_t>(worker_count(threads))));
}

}  // namespace fathom::store
