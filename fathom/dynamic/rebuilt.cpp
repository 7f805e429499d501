// A graph that changes, made anew with other room, another layout, or on another device.
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/dynamic_state.hpp"

namespace fathom {

DynamicGraph DynamicGraph::rebuilt(const Context& ctx, const DynamicGraphOptions& options) const {
  const State& old = *state_;
  if (options.directed != old.options.directed)
    throw Error(ErrorCode::Usage, std::string("a graph that is ") +
                                      (directed() ? "directed" : "undirected") +
                                      " is not rebuilt as one that is not");
  const std::lock_guard lock(state_->changing);
  old.check_at_rest();
  if (vertices() > options.most_vertices)
    throw Error(ErrorCode::DoesNotFit,
                "the graph has " + std::to_string(vertices()) + " vertices, and room for " +
                    std::to_string(options.most_vertices) + " was asked for");
  Array<EdgeFields> fields;
  const Csr out = old.to_csr(false, &fields);
  Csr in;
  CsrView reverse;
  const bool has_in = old.both_directions();
  if (has_in) {
    in = old.to_csr(true);
    reverse = in.view();
  }
  DynamicGraph made(ctx, out.view(), has_in ? &reverse : nullptr, options,
                    {{fields.data(), fields.size()}, {}});
  if (old.vertex_fields)
    made.state_->vertex_fields = std::make_shared<std::vector<VertexFields>>(*old.vertex_fields);
  made.state_->exists = old.exists;
  made.state_->free = old.free;
  made.state_->version = old.version.load();
  return made;
}

}  // namespace fathom
