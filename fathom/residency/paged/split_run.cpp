#include "fathom/residency/paged/split_run.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/units.hpp"
#include "fathom/residency/paged/split_needs.hpp"
#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/store/writer.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/gpu.hpp"
#endif

namespace fathom {
namespace {

StreamSource* streamed(EdgeSource& source) {
  return dynamic_cast<StreamSource*>(&source);
}

/// What a source takes beside vertex state: page tables, and frames of a page.
std::uint64_t beside_state(EdgeSource& edges, bool weights) {
  const StreamSource* const source = streamed(edges);
  if (!source) return 0;
  return source->table_bytes() + (source->pages() > 0 ? source->frame_bytes(weights) : 0);
}

/// What an algorithm may take on each device, whose rooms may differ: chunks and replicas are as
/// large on one as on the other, so that the smallest decides. What the sources that it reads hold
/// there already is part of its needs; the frames of others give way to it.
std::uint64_t least_room(const Context& ctx, const Graph& graph, const StateSize& state) {
  const bool reads_in = state.in_lists || state.split_in_lists;
  std::uint64_t least = ~std::uint64_t{0};
  for (const Device& device : ctx.devices()) {
    std::uint64_t room = device.memory()->available();
#if FATHOM_WITH_CUDA
    if (device.gpu()) room += device.gpu()->scratch_bytes();
#endif
    graph.for_each_open([&](EdgeSource& edges, store::Lists lists) {
      const StreamSource* const source = streamed(edges);
      if (!source) return;
      const bool read = lists == store::Lists::Out || (lists == store::Lists::In && reads_in);
      room += read ? source->held_on(device) : source->frames_on(device);
    });
    least = std::min(least, room);
  }
  return least;
}

/// Bytes that each device needs, at least.
class Needs : public detail::SplitNeeds {
 public:
  Needs(const Context& ctx, const Graph& graph, const StateSize& state)
      : detail::SplitNeeds{graph.vertices(), state.chunk, state.source, state.always} {
    const bool weights = state.weights && graph.weighted();
    const bool separate_in = graph.directed() && graph.has_in();
    beside = beside_state(graph.out(), weights) +
             (ctx.on_gpu() ? detail::operator_bytes(graph.edges()) : 0);
    whole_ = static_cast<std::uint64_t>(state.whole * static_cast<double>(vertices)) +
             (state.in_lists && separate_in ? 2 : 1) * (vertices + 1) * sizeof(EdgeId) + beside;
    if (!state.split_in_lists || !separate_in) return;
    directions = 2;
    beside += beside_state(graph.in(), weights);
  }

  std::uint64_t whole() const { return whole_; }

 private:
  std::uint64_t whole_ = 0;
};

std::string quantity(std::uint64_t bytes) {
  return format_bytes(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

std::uint32_t chunks_for(const Context& ctx, const Graph& graph, const StateSize& state) {
  if (!ctx.separate() || graph.vertices() == 0) return 0;
  const StreamSource* const source = streamed(graph.out());
  if (!source) return 0;
  const auto devices = static_cast<std::uint32_t>(ctx.devices().size());
  const Needs needs(ctx, graph, state);
  const std::uint64_t memory = least_room(ctx, graph, state);
  if (source->strategy() == Strategy::Performance) {
    if (needs.whole() <= memory) return 0;
    const std::uint32_t chunks = needs.fewest_chunks(devices, memory);
    throw Error(ErrorCode::DoesNotFit,
                std::string(state.algorithm) + ": strategy p needs " + quantity(needs.whole()) +
                    " of each device, and there are " + quantity(memory) + "; strategy s needs " +
                    quantity(needs.split(chunks)) + " with the vertex state in " +
                    std::to_string(chunks) + " chunks");
  }
  if (source->strategy() == Strategy::Auto && needs.whole() <= memory) return 0;
  if (source->chunks_asked() > 0) return source->chunks_asked() * devices;
  const std::uint32_t chunks = needs.fewest_chunks(devices, memory);
  if (needs.split(chunks) <= memory) return chunks;
  throw Error(ErrorCode::DoesNotFit,
              std::string(state.algorithm) + " needs at least " + quantity(needs.split(chunks)) +
                  " of each device even with its vertex state in " + std::to_string(chunks) +
                  " chunks, and there are " + quantity(memory));
}

}  // namespace

template <class Visit>
void SplitRun::for_each_source(const Visit& visit) const {
  if (StreamSource* source = streamed(graph_.out())) visit(*source);
  if (in_lists_ && graph_.directed() && graph_.has_in())
    if (StreamSource* source = streamed(graph_.in())) visit(*source);
}

SplitRun::SplitRun(const Context& ctx, const Graph& graph, const StateSize& state)
    : graph_(graph),
      in_lists_(state.split_in_lists),
      split_(ctx, graph.vertices(), chunks_for(ctx, graph, state)) {
  if (split_.on())
    for_each_source([](StreamSource& source) { source.begin_split(true); });
  else if (StreamSource* source = streamed(graph.out()))
    source->begin_split(false);
}

void SplitRun::refuse(const std::string& what) const {
  const StreamSource* const source = streamed(graph_.out());
  const bool asked = source && source->strategy() == Strategy::Scalability;
  throw Error(asked ? ErrorCode::Usage : ErrorCode::DoesNotFit,
              what + (asked ? " (strategy s)" : ", and it does not fit the devices otherwise"));
}

SplitRun::~SplitRun() {
  if (split_.on()) for_each_source([](StreamSource& source) { source.end_split(); });
}

}  // namespace fathom
