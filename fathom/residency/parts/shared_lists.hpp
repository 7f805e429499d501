// Lists that ranks make together: each has some of them, and offsets are those of all.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/store/parts/part_layout.hpp"

namespace fathom::detail {

/// Positions of an array whose pieces ranks have.
struct EdgeRange {
  EdgeId begin = 0, end = 0;
};

/// Gives each rank what it wants of an array: rank r has owned[r] of it, `mine` being this rank's,
/// and gets wanted[r], as far as somebody owns it, at into[position - wanted[rank].begin].
/// Both are known to all ranks.
void redistribute(const Context& ctx, std::span<const EdgeRange> owned, const VertexId* mine,
                  std::span<const EdgeRange> wanted, VertexId* into);

/// Lists of a rank that it made, without weights.
struct SharedLists {
  Array<EdgeId> offset;    // [vertices + 1], of all lists
  Array<VertexId> target;  // of this rank's range
  store::PartRange range;
  std::vector<store::PartRange> ranges;  // of each rank

  store::PartLists view() const {
    return {static_cast<VertexId>(offset.size() - 1),
            offset[offset.size() - 1],
            offset.data(),
            target.data(),
            nullptr,
            range};
  }
};

/// The transpose, in ranges of as many edges. Memory: 16 bytes per vertex and the edges of a rank
/// three times. @throws Error(DoesNotFit)
SharedLists transpose(const Context& ctx, const store::PartLists& lists);

/// graph::orient_by_degree(), or orient_mutual(), in ranges of as many edges. `in`: lists of
/// targets of the same graph's reverse; null for symmetric ones. @throws Error(DoesNotFit)
SharedLists orient(const Context& ctx, const store::PartLists& out, const store::PartLists* in,
                   bool mutual);

}  // namespace fathom::detail
