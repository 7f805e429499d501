// Graphs over opened stores: mapped, or streamed from the disk.
#include <algorithm>

#include "fathom/residency/filtered/filtered_graph.hpp"
#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/parts/part_graph.hpp"

namespace fathom {

using detail::list_bytes;
using detail::orient_mapped;
using detail::oriented_options;
using detail::place;
using detail::reserve;
using detail::resolve;
using detail::Resolved;
using Kind = ResidencyOptions::Kind;

namespace {

#if FATHOM_WITH_CUDA
bool has_oriented(const store::Store& store) {
  const auto& sections = store.sections();
  return std::any_of(sections.begin(), sections.end(), [](const store::SectionInfo& section) {
    return section.name.starts_with("oriented");
  });
}
#endif

/// Of lists in CSR.
Graph make_csr_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                     const ResidencyOptions& wanted) {
  const store::Header& header = store->header();
  ResidencyOptions options = wanted;
  const auto counts = detail::GraphCounts::of(header);
  const detail::ListSize size = detail::stored_lists(
      ctx, detail::bytes_of_lists(header.edges, header.weighted, counts.directions()),
      counts.directions(), header.vertices);
  detail::ListSize placed = size;
  placed.bytes = detail::bytes_as_placed(ctx, counts, wanted.gpu);
  placed.plain = true;
  Resolved resolved = resolve(ctx, wanted, header.vertices, placed);
  options.kind = resolved.kind;
  options.paging.sources = static_cast<std::size_t>(counts.directions());
  auto state = detail::new_state(ctx, counts, options.kind, std::move(resolved.reason));
  state->mapped = true;
  if (options.kind == Kind::Stream &&
      (!ctx.on_gpu() || size.bytes > size.host_room || detail::streams_from_file(options.paging))) {
    state->build_by(ctx, [&ctx, store, options](detail::BuiltLists which) {
      const store::Header& its = store->header();
      const auto mapped =
          reserve(ctx, (its.directed ? 2 : 1) * list_bytes(its.vertices, its.edges));
      return orient_mapped(ctx, which, *store, options);
    });
    detail::stream_from_disk(ctx, store->path(), options.paging, *state);
    return Graph(std::move(state));
  }
  const bool chosen = wanted.kind == Kind::Auto;
  state->open_out = [&ctx, store, options, chosen] {
    static_assert(sizeof(InterleavedEdges::Pair) == sizeof(store::TargetWeight));
    const auto stored = store->interleaved(ctx.threads());
    const auto* pairs = reinterpret_cast<const InterleavedEdges::Pair*>(stored.data());
    if (pairs && options.kind == Kind::Auto && !ctx.on_gpu())
      return std::unique_ptr<EdgeSource>(std::make_unique<FlatSource>(
          ctx, store->header().vertices, store->header().edges,
          store->out_offsets(ctx.threads()).data(), pairs,
          [&ctx, store] { return store->out(ctx.threads()); }, store));
    return place(ctx, store->out(ctx.threads()), store, options, pairs, chosen);
  };
  state->open_in = [&ctx, store, options, chosen] {
    return place(ctx, *store->in(ctx.threads()), store, options, nullptr, chosen);
  };
  state->build_by(ctx, [&ctx, store, options](detail::BuiltLists which) {
    if (which == detail::BuiltLists::Oriented)
      if (const auto lists = store->oriented(ctx.threads()))
        return place(ctx, *lists, store, oriented_options(ctx, options));
    return orient_mapped(ctx, which, *store, options);
  });
#if FATHOM_WITH_CUDA
  if (!has_oriented(*store)) detail::orient_on_device(ctx, *state, options);
#endif
  return Graph(std::move(state));
}

}  // namespace

Graph make_graph(const Context& ctx, const std::shared_ptr<store::Store>& store,
                 const ResidencyOptions& wanted) {
  const store::Header& header = store->header();
  if (const auto part = std::dynamic_pointer_cast<store::PartStore>(store); part && part->part())
    return make_part_graph(ctx, part, wanted);
  if (header.slotted) return make_slotted_graph(ctx, store, wanted);
  if (header.packed) return make_packed_graph(ctx, store, wanted);
  if (header.narrow) return make_narrow_graph(ctx, store, wanted);
  Graph graph = make_csr_graph(ctx, store, wanted);
  if (header.semantic)
    graph.state()->filtered = [&ctx, store, wanted](const EdgeFilter& filter) {
      return detail::filtered_store(ctx, store, wanted, filter);
    };
  return graph;
}

}  // namespace fathom
