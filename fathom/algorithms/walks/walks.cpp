#include "fathom/algorithms/walks/walks.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/walks/batches.hpp"
#include "fathom/algorithms/walks/walkers.hpp"
#include "fathom/exec/ranks/by_turns.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/paged/split_needs.hpp"
#include "fathom/residency/run_lists.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

constexpr std::uint32_t kMostSteps = (std::uint32_t{1} << 20) - 1;
constexpr double kLeastBias = .001, kMostBias = 1000;  // p and q
constexpr std::size_t kRoundedUp = 1024;               // bytes

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::Usage, "walks: " + why);
}

void check_bias(const char* name, double bias) {
  if (!(bias >= kLeastBias && bias <= kMostBias))
    refuse("expected " + std::string(name) + " from 0.001 to 1000, not " + std::to_string(bias));
}

/// @returns how many walks there are in all.
std::uint64_t check(const Graph& graph, const WalkSources& sources, const WalkOptions& options) {
  if (options.length > kMostSteps)
    refuse("expected a length of at most " + std::to_string(kMostSteps) + ", not " +
           std::to_string(options.length));
  check_bias("p", options.p);
  check_bias("q", options.q);
  if (!(options.restart >= 0 && options.restart < 1))
    refuse("expected a probability of restart from 0 to below 1, not " +
           std::to_string(options.restart));
  if (options.weighted && !graph.weighted()) refuse("the graph has no weights to walk by");
  if (options.batch != 0 && !std::has_single_bit(options.batch))
    refuse("expected batches of a power of 2, not of " + std::to_string(options.batch));
  if (sources) check_sources(graph, *sources);
  const std::uint64_t from = sources ? sources->size() : graph.vertices();
  if (from > 0 && options.per_source > (~std::uint64_t{0} >> 1) / from)
    refuse("expected fewer than 2^63 walks");
  const std::uint64_t all = from * options.per_source;
  if (options.first > all)
    refuse("expected to begin at one of the " + std::to_string(all) + " walks, not at " +
           std::to_string(options.first));
  return all;
}

/// Whether the host reads lists entry by entry, on all ranks.
bool reaches(const Context& ctx, EdgeSource& source) {
  const bool here = source.host_lists() ||
                    (!ctx.separate() && source.comes_whole() && source.whole({}).has_value());
  return least_among_ranks(ctx, here ? 1 : 0) == 1;
}

/// What sweeps need of the memory that state is in, at least: offsets and tables of pages, whether
/// or not they are there yet, what is read through, and who is active.
std::size_t sweep_memory(const Context& ctx, EdgeSource& source, bool weights) {
  constexpr std::size_t kEdgesPerTableByte = 64;  // of pages of 4 KiB
  std::size_t bytes = (std::size_t{source.vertices()} + 1) * sizeof(EdgeId) +
                      source.edges() / kEdgesPerTableByte + source.vertices() / 8 + kRoundedUp;
  if (ctx.on_gpu()) bytes += detail::operator_bytes(source.edges());
  if (!ctx.separate()) return bytes + source.least_sweep_memory() * (weights ? 2 : 1);
  if (const SplitEdges* const paged = source.split_edges()) bytes += paged->frame_bytes(weights);
  return bytes;
}

/// As many walks at a time as the least of all memories has room for.
std::uint64_t walks_at_a_time(const Context& ctx, EdgeSource& source, const WalkOptions& options,
                              bool in_reach) {
  const std::size_t devices = ctx.separate() ? ctx.devices().size() : 0;
  const std::size_t sweeps = in_reach ? 0 : sweep_memory(ctx, source, options.weighted);
  const std::uint64_t least = fewest_walks(options);
  std::uint64_t most = most_walks(options, in_reach);
  const auto limit_by = [&](MemoryPool& pool, std::size_t other, const auto& bytes) {
    const std::size_t room = obtainable(pool);
    most = walks_within(room - std::min(room, other), least, most, [&](std::uint64_t batch) {
      return bytes(walk_memory(options, batch, in_reach, devices));
    });
  };
  if (devices == 0) {
    limit_by(*ctx.host_memory(), sweeps, [](const WalkMemory& m) { return m.host + m.device; });
    return least_among_ranks(ctx, most);
  }
  limit_by(*ctx.host_memory(), 0, [](const WalkMemory& m) { return m.host; });
  for (const Device& device : ctx.devices())
    limit_by(*device.memory(), sweeps, [](const WalkMemory& m) { return m.device; });
  return least_among_ranks(ctx, most);
}

/// Whether all ranks have room for a batch of another rank beside their own.
bool has_room_for_two(const Context& ctx, const WalkOptions& options, std::uint64_t batch) {
  const std::size_t devices = ctx.separate() ? ctx.devices().size() : 0;
  const WalkMemory own = walk_memory(options, batch, true, devices);
  const std::size_t told = batch * (std::size_t{options.length} + 1) * sizeof(VertexId);
  const std::size_t needs = own.host + (devices == 0 ? own.device : 0) + told;
  return least_among_ranks(ctx, obtainable(*ctx.host_memory()) >= needs ? 1 : 0) == 1;
}

/// Steps, and walks that ended early.
struct WalkCounts {
  std::uint64_t steps = 0, ended = 0;
  WalkCounts operator+(const WalkCounts& o) const { return {steps + o.steps, ended + o.ended}; }
};

/// Measures what is not the algorithm's time.
class Aside {
 public:
  template <class Work>
  void run(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 0;
};

}  // namespace

WalksResult random_walks(const Context& ctx, const Graph& graph, const WalkSources& sources,
                         const WalkOptions& options, const WalkConsumer& consume) {
  const std::uint64_t all = check(graph, sources, options);
  EdgeSource& source = graph.out();
  const bool in_reach = reaches(ctx, source);
  WalksResult result;
  result.walks = std::min(options.walks, all - options.first);
  const std::uint64_t most = walks_at_a_time(ctx, source, options, in_reach);
  const auto batch_of = [&](std::uint64_t ranks) {
    const std::uint64_t share = std::max<std::uint64_t>((result.walks + ranks - 1) / ranks, 1);
    return std::min(most, std::bit_ceil(share));
  };
  // Where lists are in reach each rank draws batches of its own; elsewhere all draw each together,
  // and where there is no room to tell them each draws all.
  std::uint64_t turns = in_reach ? static_cast<std::uint64_t>(ctx.ranks()) : 1;
  if (turns > 1 && consume && !has_room_for_two(ctx, options, batch_of(turns))) turns = 1;
  ReplicaGroup& group = turns > 1 ? ctx.group() : *ReplicaGroup::alone();
  const std::uint64_t batch = batch_of(turns);
  SweepOptions reads;
  reads.weights = options.weighted;
  const std::size_t devices = ctx.separate() ? ctx.devices().size() : 0;
  const RunLists run(
      ctx, walks_state(walk_memory(options, batch, in_reach, devices), in_reach, ctx.separate()),
      {{source, reads}});
  Recorder record(ctx, graph.traffic());
  Aside aside;
  if (result.walks > 0) {
    Walkers walkers(ctx, source, options, batch, in_reach, !graph.directed());
    const std::size_t width = std::size_t{options.length} + 1;
    Array<VertexId> told(turns > 1 && consume ? batch * width : 0, ctx.host_memory());
    WalkCounts counts;
    std::span<const VertexId> mine;
    const auto walks_of = [&](std::uint64_t piece) {
      return static_cast<std::size_t>(std::min(batch, result.walks - piece * batch));
    };
    const auto draw = [&](std::uint64_t piece) {
      const std::uint64_t first = options.first + piece * batch;
      mine = walkers.walk(first, walks_of(piece), [&](std::size_t i) {
        const std::uint64_t s = (first + i) / options.per_source;
        return sources ? (*sources)[s] : static_cast<VertexId>(s);
      });
      counts = counts + WalkCounts{walkers.steps(), walkers.ended()};
    };
    const auto show = [&](std::uint64_t piece, int rank) {
      if (!consume) return;
      std::span<const VertexId> rows = mine;
      if (turns > 1) {
        const std::span<VertexId> its = told.span().first(walks_of(piece) * width);
        if (rank == group.rank()) std::copy(mine.begin(), mine.end(), its.begin());
        group.broadcast(its.data(), its.size_bytes(), rank);
        rows = its;
      }
      aside.run([&] { consume(options.first + piece * batch, rows); });
    };
    by_turns(group, (result.walks + batch - 1) / batch, draw, show);
    if (turns > 1) counts = sum_among_ranks(ctx, counts);
    result.steps = counts.steps;
    result.ended = counts.ended;
  }
  result.report = record.finish();
  result.report.seconds = std::max(0., result.report.seconds - aside.seconds());
  return result;
}

}  // namespace fathom
