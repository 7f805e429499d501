#include "fathom/residency/cuda/device_lists.hpp"

#include <utility>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/orient_needs.hpp"
#include "fathom/residency/run_lists.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {

DeviceLists::DeviceLists(VertexId vertices, cuda::OrientedArrays lists)
    : EdgeSource(vertices, lists.target.size(), false), lists_(std::move(lists)) {}

FlatEdges DeviceLists::view(EdgeId first) const {
  return {lists_.offset.data(), lists_.target.data(), nullptr, 0, first};
}

void DeviceLists::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                        FunctionRef<void(const Pass&)> pass) {
  if (active.form() == Frontier::Form::List) return;  // empty
  pass({ctx.devices()[0], view(options.first), 0, vertices()});
}

void DeviceLists::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const AnyEdges all = view(kWholeList);
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

std::optional<AnyEdges> DeviceLists::whole(const SweepOptions& options) const {
  return view(options.first);
}

namespace detail {
namespace {

using Kind = ResidencyOptions::Kind;

/// Whether lists that stay for a run fit beside those that they are made from.
bool has_room(const Context& ctx, const Graph::State& state) {
  const OrientNeeds needs(state.vertices, state.edges);
  const std::uint64_t offsets =
      state.out ? 0 : (state.vertices + std::uint64_t{1}) * sizeof(EdgeId);
  return offsets + needs.peak(orient_source(state.kind, state.edges),
                              orient_state(state.vertices, state.edges)) <=
         obtainable(*ctx.devices()[0].memory());
}

/// While it lives no cache is made of lists that are placed, nor of those that are read once.
RunLists without_caches(const Context& ctx, const Graph::State& state) {
  StateSize size{"orient"};
  const OrientNeeds needs(state.vertices, state.edges);
  size.fixed = needs.lists + needs.scratch;
  return RunLists(ctx, size, {});
}

/// What `work` returns; where it does not fit nothing.
template <class Work>
auto if_it_fits(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    return {};
  }
}

EdgeSource& source_of(Graph::State& state) {
  if (!state.out) state.out = state.open_out();
  return *state.out;
}

OrientedLists::Near orient(const Context& ctx, Graph::State& state) {
  const RunLists run = without_caches(ctx, state);
  const AnyEdges edges = *source_of(state).whole({});
  const auto* const cached = std::get_if<CachedEdges<FlatEdges>>(&edges);
  auto lists = std::make_unique<DeviceLists>(
      state.vertices, cuda::orient_by_degree(*ctx.devices()[0].gpu(),
                                             cached ? cached->far : std::get<FlatEdges>(edges),
                                             state.vertices, state.edges));
  const std::size_t bytes = lists->bytes();
  return {std::move(lists), bytes};
}

}  // namespace

void orient_on_device(const Context& ctx, Graph::State& state, const ResidencyOptions& options) {
  if (!ctx.on_gpu() || ctx.replicas() > 1 || state.directed ||
      !orients_on_device(state.kind, options.gpu))
    return;
  Graph::State* const its = &state;  // which owns what keeps this
  state.oriented->prefer(
      ctx.devices()[0].memory(),
      [&ctx, its] {
        return if_it_fits(
            [&] { return has_room(ctx, *its) ? orient(ctx, *its) : OrientedLists::Near{}; });
      },
      [&ctx, its] {
        if_it_fits([&] {
          const RunLists run = without_caches(ctx, *its);
          if (has_room(ctx, *its)) source_of(*its).prepare(ctx, {});
          return 0;
        });
      });
}

}  // namespace detail
}  // namespace fathom
