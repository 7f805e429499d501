// The same graph with its vertices in another order, within a memory bound.
#pragma once

#include <span>
#include <string>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/task.hpp"
#include "fathom/store/store.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

struct PermuteOptions {
  std::size_t memory = std::size_t{4} << 30;
  int threads = 0;
  bool packed = false;  // pack the lists, as those of a packed file are in any case
  std::string provenance;
  Task task;
};

/// Fails as permute() would for so many vertices, as far as that can be known without the lists:
/// before an order is looked for that cannot be written.
FATHOM_API void check_permute_memory(VertexId vertices, std::size_t memory);

/// Writes the graph of a .fg file as another .fg file in which vertex v is called position[v].
///
/// Everything that the file has stays: layout, weights, fields, in-edges, interleaved and
/// degree-oriented lists, labels, policies, report. Labels keep their order: the new file says
/// where each vertex was before any reordering, through however many times it was reordered.
///
/// @param position  [vertices], a permutation; counted against the memory bound.
/// @throws Error(Usage) for a position out of range, taken twice, or for another number of them;
///         Error(DoesNotFit) when the bound does not hold 20 bytes per vertex and the longest list;
///         Error(BadInput), Error(Io), Error(Interrupted); nothing is left then.
/// Cost: one read of all lists for each part of the new lists that fits the bound, at best one; one
/// write.
FATHOM_API Header permute(const std::string& input, const std::string& output,
                          std::span<const VertexId> position, const PermuteOptions& options);

/// The same into any file, as CSR whatever the layout was.
Header permute_to_csr(const StoreFile& file, AtomicFile output, std::span<const VertexId> position,
                      const PermuteOptions& options);

}  // namespace fathom::store
