// How weights that an algorithm has no use for are refused: by the first edge that has one.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// @throws Error(BadInput), a VertexError "WHAT; that of the edge from vertex U to vertex V is W",
/// of the first such edge by ids, where the host reads lists.
template <class IsBad>
[[noreturn]] void refuse_weights(const Graph& graph, const std::string& what, const IsBad& is_bad) {
  std::vector<VertexId> edge;
  Weight its = 0;
  try {
    const auto lists = graph.out().read_lists();
    for (VertexId u = 0; u < graph.vertices() && edge.empty(); ++u)
      lists->read(u, [&](const PlainSpan& span) {
        for (std::uint32_t i = 0; i < span.size && edge.empty(); ++i)
          if (is_bad(span.weight(i))) {
            edge = {u, span.target(i)};
            its = span.weight(i);
          }
      });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Usage) throw;  // lists that the host does not reach
  }
  if (edge.empty()) throw Error(ErrorCode::BadInput, what);
  throw VertexError(
      ErrorCode::BadInput,
      what + fmt::format("; that of the edge from vertex {{}} to vertex {{}} is {}", its), edge);
}

}  // namespace fathom
