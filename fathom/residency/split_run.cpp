#include "fathom/residency/split_run.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/units.hpp"
#include "fathom/residency/stream_source.hpp"

namespace fathom {
namespace {

StreamSource* streamed(EdgeSource& source) {
  return dynamic_cast<StreamSource*>(&source);
}

/// Bytes that each device needs, at least.
class Needs {
 public:
  Needs(const Graph& graph, const StreamSource& source, const StateSize& state)
      : state_(state),
        n_(graph.vertices()),
        tables_(source.table_bytes()),
        frame_(source.pages() > 0 ? source.frame_bytes(state.weights && graph.weighted()) : 0),
        directions_(state.in_lists && graph.directed() && graph.has_in() ? 2 : 1) {}

  std::uint64_t whole() const {
    return bytes(state_.whole, n_) + directions_ * (std::uint64_t{n_} + 1) * sizeof(EdgeId) +
           tables_ + frame_;
  }
  /// What rounds sizes up, and a few values that are not of vertices.
  static constexpr std::uint64_t kSlack = 1024;
  std::uint64_t split(std::uint32_t chunks) const {
    const VertexId chunk = Split::chunk_size(n_, chunks), pass = Split::pass_size(chunk);
    return bytes(state_.always, n_) + bytes(state_.chunk, chunk) +
           bytes(state_.source + sizeof(EdgeId), pass) + tables_ + frame_ + kSlack;
  }
  /// More than these are of no use.
  std::uint32_t most_chunks() const { return n_ / 64 + 1; }

 private:
  static std::uint64_t bytes(double each, VertexId vertices) {
    return static_cast<std::uint64_t>(each * static_cast<double>(vertices));
  }
  const StateSize& state_;
  VertexId n_;
  std::uint64_t tables_, frame_, directions_;
};

std::string quantity(std::uint64_t bytes) {
  return format_bytes(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

/// About the fewest chunks that fit, a multiple of the devices.
std::uint32_t fewest_chunks(const Needs& needs, std::uint32_t devices, std::uint64_t memory) {
  std::uint32_t rounds = 1;
  while (needs.split(rounds * devices) > memory && rounds * devices < needs.most_chunks())
    rounds += 1 + rounds / 8;
  return rounds * devices;
}

std::uint32_t chunks_for(const Context& ctx, const Graph& graph, const StateSize& state) {
  if (!ctx.separate() || graph.vertices() == 0) return 0;
  const StreamSource* const source = streamed(graph.out());
  if (!source) return 0;
  const auto devices = static_cast<std::uint32_t>(ctx.devices().size());
  const std::size_t memory = ctx.devices()[0].memory()->limit();
  const Needs needs(graph, *source, state);
  if (source->strategy() == Strategy::Performance) {
    if (needs.whole() <= memory) return 0;
    const std::uint32_t chunks = fewest_chunks(needs, devices, memory);
    throw Error(ErrorCode::DoesNotFit,
                std::string(state.algorithm) + ": strategy p needs " + quantity(needs.whole()) +
                    " of each device, and there are " + quantity(memory) + "; strategy s needs " +
                    quantity(needs.split(chunks)) + " with the vertex state in " +
                    std::to_string(chunks) + " chunks");
  }
  if (source->strategy() == Strategy::Auto && needs.whole() <= memory) return 0;
  if (source->chunks_asked() > 0) return source->chunks_asked() * devices;
  const std::uint32_t chunks = fewest_chunks(needs, devices, memory);
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
