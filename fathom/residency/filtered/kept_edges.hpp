// Which edges of a file a filter keeps: a bit for each, in the order in which lists lie there.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/filtered/edge_filter.hpp"

namespace fathom {

/// Invariants: bits has ceil(edges / 64) words, bits behind the last edge are 0; `kept` counts
/// those that are 1.
struct KeptEdges {
  Array<std::uint64_t> bits;
  EdgeId kept = 0;

  bool keeps(EdgeId edge) const { return (bits[edge / 64] >> edge % 64 & 1) != 0; }
};

/// Whether a copy of the kept edges, with weights, takes no more memory than the bits of all. One
/// in 64 or so: lists of the host are then copied rather than looked for among all.
constexpr bool copy_is_small(EdgeId kept, EdgeId all) {
  return kept * (sizeof(VertexId) + sizeof(Weight)) <= all / 8;
}

/// The kept ones of edges [first, last).
FATHOM_API EdgeId count_kept(const std::uint64_t* bits, EdgeId first, EdgeId last);

/// Of the out-lists of a file that has types and timestamps, which are read past the mapping, and
/// checked. Cost: a bit of host memory per edge, a read of 4, 16 or 20 bytes per edge, and, until
/// it is done, 1 MiB for each thread, of one at least.
/// @throws Error(DoesNotFit), Error(BadInput) for sections that do not match their checksums,
///         Error(Io), Error(Interrupted).
FATHOM_API KeptEdges kept_edges(const Context& ctx, const std::string& path,
                                const EdgeFilter& filter);

/// The same of edges whose fields are in memory, one after the other.
FATHOM_API KeptEdges kept_of_fields(const Context& ctx, std::span<const EdgeFields> fields,
                                    const EdgeFilter& filter);

/// The same of the in-lists of the file, of which `kept` says so of its out-lists. Cost: a bit of
/// host memory per edge, a read of the targets and, until it is done, 8 bytes per vertex and 1 MiB;
/// by one thread.
/// @throws Error(BadInput) where the in-lists are not the transpose; what kept_edges() does.
FATHOM_API KeptEdges kept_in_edges(const Context& ctx, const std::string& path,
                                   const KeptEdges& kept, std::span<const EdgeId> in_offset);

/// Offsets of lists that have the kept edges alone, from those of all: vertices + 1 entries in the
/// context's host memory. @throws Error(DoesNotFit)
FATHOM_API Array<EdgeId> kept_offsets(const Context& ctx, const KeptEdges& kept,
                                      const EdgeId* offset, VertexId vertices);

/// A copy of the kept edges, in the context's host memory. @throws Error(DoesNotFit)
FATHOM_API Csr kept_lists(const Context& ctx, const KeptEdges& kept, const CsrView& all,
                          bool weights);

}  // namespace fathom
