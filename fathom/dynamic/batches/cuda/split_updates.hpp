// What a GPU takes of a batch of a graph whose vertices are dealt out.
#pragma once

#include "fathom/dynamic/update.hpp"
#include "fathom/exec/cuda/array_ops.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

/// Which lists a device has, and what a batch is to them.
struct Dealing {
  std::uint32_t devices, mine;  // the lists of v where v % devices == mine
  bool mirrored = false;        // an update changes the lists of both its ends
  bool swapped = false;         // they are in-lists: those of targets

  /// What becomes of the updates of a batch: of each as many, one after the other.
  FATHOM_HD std::uint32_t each() const { return mirrored ? 2 : 1; }
};

/// Updates in device memory, and their fields; none: null.
struct UpdateArrays {
  const EdgeUpdate* update;
  const EdgeFields* fields;
};

/// The updates of the lists that a device has, in their order, as updates of the lists of their
/// sources. `flag`, `place`: scratch of dealing.each() * n + 1. Returns how many there are, once it
/// has waited for them; n is below 2^31.
std::uint64_t count_dealt(const cuda::Gpu& gpu, cuda::ArrayScratch& scratch,
                          const EdgeUpdate* update, std::size_t n, const Dealing& dealing,
                          std::uint64_t* flag, std::uint64_t* place);
/// Writes them; `fields` may be null, and is where those of `from` are.
void take_dealt(const cuda::Gpu& gpu, const UpdateArrays& from, std::size_t n,
                const Dealing& dealing, const std::uint64_t* flag, const std::uint64_t* place,
                EdgeUpdate* update, EdgeFields* fields);

}  // namespace fathom::dynamic::gpu
