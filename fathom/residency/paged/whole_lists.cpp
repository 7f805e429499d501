#include "fathom/residency/paged/whole_lists.hpp"

#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

std::vector<VertexId> cut_into_whole_lists(VertexId vertices, std::size_t capacity, int parts,
                                           FunctionRef<EdgeId(VertexId)> offset_at) {
  std::vector<VertexId> cut{0};
  while (cut.back() < vertices) {
    const EdgeId begin = offset_at(cut.back());
    // The last vertex whose list begins at most `capacity` edges later.
    VertexId low = cut.back(), high = vertices;
    while (low < high) {
      const VertexId middle = low + (high - low + 1) / 2;
      if (offset_at(middle) <= begin + capacity)
        low = middle;
      else
        high = middle - 1;
    }
    if (low == cut.back()) {
      const EdgeId degree = offset_at(low + 1) - begin;
      throw Error(ErrorCode::DoesNotFit,
                  "the list of one vertex has " + format_count(degree) + " edges, but a " +
                      (parts == 2 ? "half" : "third") + " of the page frames holds " +
                      format_count(capacity) + "; at least " +
                      format_bytes(degree * static_cast<EdgeId>(parts) * sizeof(VertexId)) +
                      " of page frames are needed");
    }
    cut.push_back(low);
  }
  return cut;
}

}  // namespace fathom
