#include "fathom/residency/split_run.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/units.hpp"
#include "fathom/residency/split_needs.hpp"
#include "fathom/residency/stream_source.hpp"

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
  const std::size_t memory = ctx.devices()[0].memory()->limit();
  const Needs needs(ctx, graph, state);
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

SplitRun::~SplitRun() {
  if (split_.on()) for_each_source([](StreamSource& source) { source.end_split(); });
}

}  // namespace fathom
