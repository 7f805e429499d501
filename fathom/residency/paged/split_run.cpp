#include "fathom/residency/paged/split_run.hpp"

#include <algorithm>
#include <string>

#include "fathom/core/units.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/paged/split_needs.hpp"
#include "fathom/store/writer.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/gpu.hpp"
#endif

namespace fathom {
namespace {

/// What a source takes beside vertex state: page tables, and frames of a page.
std::uint64_t beside_state(EdgeSource& edges, bool weights) {
  const SplitEdges* const source = edges.split_edges();
  if (!source) return 0;
  return source->table_bytes() + (source->pages() > 0 ? source->frame_bytes(weights) : 0);
}

/// Of a directed graph, whose in-edges are lists of their own.
bool separate_in(const Graph& graph) {
  return graph.directed() && graph.has_in();
}

/// What an algorithm may take on each device, whose rooms may differ: chunks and replicas are as
/// large on one as on the other, so that the smallest decides.
struct Room {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t others = 0;  // the most that others hold of a device's limit
};

/// What the sources that it reads hold there already is part of its needs; others give way to it,
/// all but their tables.
Room room_for(const Context& ctx, const Graph& graph, bool reads_in) {
  Room all;
  for (const Device& device : ctx.devices()) {
    const std::uint64_t limit = device.memory()->limit();
    std::uint64_t room = device.memory()->available();
    // Sources may say somewhat more than they hold, and a memory may have no limit.
    const auto add = [&](std::uint64_t bytes) { room += std::min(bytes, limit - room); };
#if FATHOM_WITH_CUDA
    if (device.gpu()) add(device.gpu()->scratch_bytes());
#endif
    graph.for_each_open([&](EdgeSource& edges, store::Lists lists) {
      const SplitEdges* const source = edges.split_edges();
      if (!source) return;
      const bool reads = lists == store::Lists::Out || (lists == store::Lists::In && reads_in);
      add(reads ? source->held_on(device) : source->spare_on(device));
    });
    all.least = std::min(all.least, room);
    all.others = std::max(all.others, limit - room);
  }
  return all;
}

/// Bytes that each device needs, at least.
class Needs : public detail::SplitNeeds {
 public:
  Needs(const Context& ctx, const Graph& graph, const StateSize& state)
      : detail::SplitNeeds{graph.vertices(), state.chunk, state.source, state.always},
        ctx_(ctx),
        graph_(graph),
        state_(state),
        weights_(state.weights && graph.weighted()),
        operators_(ctx.on_gpu() ? detail::operator_bytes(graph.edges()) : 0) {
    beside = beside_state(graph.out(), weights_) + operators_;
  }

  /// Before split() and fewest_chunks(). Opens in-lists, which take memory that unsplit state may
  /// need.
  void count_in_lists() {
    if (!state_.split_in_lists || !separate_in(graph_)) return;
    directions = 2;
    beside += beside_state(graph_.in(), weights_);
  }

  /// If nothing is split, this is enough. In-lists that nobody has opened are taken to have as many
  /// pages as the out-lists: opened, they take memory that split state may need.
  std::uint64_t whole() const {
    const bool one_host = !ctx_.on_gpu() && ctx_.devices().size() == 1;
    return least_whole() + (one_host ? of_vertices(state_.lists) : 0) + beside_in();
  }
  /// Less than this does not do, whichever lists the algorithm comes to read.
  std::uint64_t least_whole() const {
    return of_vertices(state_.whole) + (reads_in() ? 2 : 1) * (vertices + 1) * sizeof(EdgeId) +
           beside_state(graph_.out(), weights_) + operators_;
  }

 private:
  bool reads_in() const { return state_.in_lists && separate_in(graph_); }
  std::uint64_t of_vertices(double each) const {
    return static_cast<std::uint64_t>(each * static_cast<double>(vertices));
  }
  std::uint64_t beside_in() const {
    if (!reads_in()) return 0;
    EdgeSource* in = &graph_.out();
    graph_.for_each_open([&](EdgeSource& edges, store::Lists lists) {
      if (lists == store::Lists::In) in = &edges;
    });
    return beside_state(*in, weights_);
  }

  const Context& ctx_;
  const Graph& graph_;
  const StateSize& state_;
  bool weights_;
  std::uint64_t operators_;
};

std::string quantity(std::uint64_t bytes) {
  return format_bytes(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

/// Whether Auto leaves vertex state whole. What cannot be split anyway does not need room for sure.
bool stays_whole(const Context& ctx, const Graph& graph, const StateSize& state,
                 const Needs& needs) {
  const auto fits = [&] {
    const std::uint64_t memory = room_for(ctx, graph, state.in_lists).least;
    return state.chunk > 0 ? detail::fits_whole(needs.whole(), memory)
                           : needs.least_whole() <= memory;
  };
  if (!fits()) return false;
  if (!state.in_lists || !separate_in(graph)) return true;
  graph.in();  // slotted in-lists may have more pages
  return fits();
}

std::uint32_t chunks_for(const Context& ctx, const Graph& graph, const StateSize& state) {
  // Ranks have replicas of all state.
  if (!ctx.separate() || ctx.ranks() > 1 || graph.vertices() == 0) return 0;
  const SplitEdges* const source = graph.out().split_edges();
  if (!source) return 0;
  const auto devices = static_cast<std::uint32_t>(ctx.devices().size());
  Needs needs(ctx, graph, state);
  const bool p = source->strategy() == Strategy::Performance;
  if (p && needs.least_whole() <= room_for(ctx, graph, state.in_lists).least) return 0;
  const bool may_stay = source->strategy() == Strategy::Auto;
  if (may_stay && stays_whole(ctx, graph, state, needs)) return 0;
  needs.count_in_lists();
  if (!p && source->chunks_asked() > 0) return source->chunks_asked() * devices;
  const Room room = room_for(ctx, graph, state.split_in_lists);
  const std::uint32_t chunks = needs.fewest_chunks(devices, room.least);
  const std::uint64_t split = needs.split(chunks) + room.others, there = room.least + room.others;
  const Room unsplit = room_for(ctx, graph, state.in_lists);
  const std::uint64_t whole = needs.whole() + detail::kSplitSlack + unsplit.others;
  if (p)
    throw Error(ErrorCode::DoesNotFit, std::string(state.algorithm) + ": strategy p needs " +
                                           quantity(whole) + " of each device, and there are " +
                                           quantity(there) + "; strategy s needs " +
                                           quantity(split) + " with the vertex state in " +
                                           std::to_string(chunks) + " chunks");
  if (needs.split(chunks) <= room.least) return chunks;
  if (may_stay && whole <= split)
    throw Error(ErrorCode::DoesNotFit, std::string(state.algorithm) + " needs at least " +
                                           quantity(whole) + " of each device, and there are " +
                                           quantity(there));
  throw Error(ErrorCode::DoesNotFit,
              std::string(state.algorithm) + " needs at least " + quantity(split) +
                  " of each device even with its vertex state in " + std::to_string(chunks) +
                  " chunks, and there are " + quantity(there));
}

}  // namespace

template <class Visit>
void SplitRun::for_each_source(const Visit& visit) const {
  // In-lists are open if they are read; if they are open and not read, they keep no offsets either.
  graph_.for_each_open([&](EdgeSource& edges, store::Lists lists) {
    if (lists == store::Lists::Oriented) return;
    if (SplitEdges* const source = edges.split_edges()) visit(*source);
  });
}

SplitRun::SplitRun(const Context& ctx, const Graph& graph, const StateSize& state)
    : graph_(graph), split_(ctx, graph.vertices(), chunks_for(ctx, graph, state)) {
  if (split_.on())
    for_each_source([](SplitEdges& source) { source.begin_split(true); });
  else if (SplitEdges* const source = graph.out().split_edges())
    source->begin_split(false);
}

void SplitRun::refuse(const std::string& what) const {
  const SplitEdges* const source = graph_.out().split_edges();
  const bool asked = source && source->strategy() == Strategy::Scalability;
  throw Error(asked ? ErrorCode::Usage : ErrorCode::DoesNotFit,
              what + (asked ? " (strategy s)" : ", and it does not fit the devices otherwise"));
}

SplitRun::~SplitRun() {
  if (split_.on()) for_each_source([](SplitEdges& source) { source.end_split(); });
}

}  // namespace fathom
