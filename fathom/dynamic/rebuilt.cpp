// A graph that changes, made anew with other room, another layout, or on another device.
#include <optional>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/dynamic_state.hpp"

namespace fathom {
namespace {

/// With the lists of `old`, as a CSR in host memory.
DynamicGraph remade_by_host(const DynamicGraph::State& old, const Context& ctx,
                            const DynamicGraphOptions& options) {
  Array<EdgeFields> fields;
  const Csr out = old.to_csr(false, &fields);
  Csr in;
  CsrView reverse;
  const bool has_in = old.both_directions();
  if (has_in) {
    in = old.to_csr(true);
    reverse = in.view();
  }
  return DynamicGraph(ctx, out.view(), has_in ? &reverse : nullptr, options,
                      {{fields.data(), fields.size()}, {}});
}

/// With the lists of `old` in the memory of a GPU, if the new ones are to be there, too, and that
/// has room for a piece of them at a time.
std::optional<DynamicGraph> remade_on_gpu(const DynamicGraph::State& old, const Context& ctx,
                                          const DynamicGraphOptions& options) {
  if (!old.gpu) return std::nullopt;
  try {
    DynamicGraph made(ctx, options);
    const auto& its = made.state();
    if (its->gpu && its->gpu->fill_from(*old.gpu, its->epoch)) return made;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
  }
  return std::nullopt;
}

}  // namespace

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
  std::optional<DynamicGraph> on_gpu = remade_on_gpu(old, ctx, options);
  DynamicGraph made = on_gpu ? std::move(*on_gpu) : remade_by_host(old, ctx, options);
  made.state_->vertex_fields = made.state_->vertex_table(old.vertex_fields->all());
  made.state_->exists = old.exists;
  made.state_->free = old.free;
  if (made.state_->gpu) made.state_->gpu->set_missing(old.free);
  made.state_->version = old.version.load();
  return made;
}

}  // namespace fathom
