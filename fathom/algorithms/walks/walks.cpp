#include "fathom/algorithms/walks/walks.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/neighbor_sampling/hop_reads.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

constexpr std::uint32_t kMostSteps = (std::uint32_t{1} << 20) - 1;
// Vertices in the rows of a batch, and walks of short ones.
constexpr std::uint64_t kMostInRows = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostWalks = std::uint64_t{1} << 16;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::Usage, "walks: " + why);
}

void check(const Graph& graph, const WalkSources& sources, const WalkOptions& options) {
  if (options.length > kMostSteps)
    refuse("expected a length of at most " + std::to_string(kMostSteps) + ", not " +
           std::to_string(options.length));
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
}

/// A power of 2, so that the upper half of a batch's numbers is the same for all its walks.
std::uint64_t walks_at_a_time(const WalkOptions& options) {
  if (options.batch != 0) return options.batch;
  return std::bit_floor(std::min(kMostWalks, kMostInRows / (std::uint64_t{options.length} + 1)));
}

/// The walks of a batch, all at the same step.
class Walkers {
 public:
  Walkers(const Context& ctx, const WalkOptions& options, HopReads& lists, std::uint64_t most)
      : ctx_(ctx),
        options_(options),
        width_(std::size_t{options.length} + 1),
        lists_(lists),
        rows_(most * width_, ctx.host_memory()),
        at_(most, ctx.host_memory()),
        target_(most, ctx.host_memory()),
        number_(most, ctx.host_memory()),
        row_(most, ctx.host_memory()),
        first_(most, ctx.host_memory()),
        degree_(most, ctx.host_memory()),
        place_(most, ctx.host_memory()),
        count_(most, ctx.host_memory()),
        edge_(most, ctx.host_memory()) {}

  /// source(i) is where walk first + i begins.
  template <class Source>
  std::span<const VertexId> walk(std::uint64_t first, std::size_t walks, const Source& source,
                                 WalksResult& result) {
    std::fill_n(rows_.data(), walks * width_, kNoVertex);
    for (std::size_t i = 0; i < walks; ++i) rows_[i * width_] = source(i);
    for (std::uint32_t step = 0; step < options_.length; ++step) {
      ctx_.task().check();
      take_step(first, walks, step);
    }
    for (std::size_t i = 0; i < walks; ++i) {
      const VertexId* const row = rows_.data() + i * width_;
      const auto steps = static_cast<std::uint64_t>(std::find(row, row + width_, kNoVertex) - row);
      result.steps += steps - 1;
      result.ended += steps < width_ ? 1 : 0;
    }
    return {rows_.data(), walks * width_};
  }

 private:
  void take_step(std::uint64_t first, std::size_t walks, std::uint32_t step) {
    const std::uint64_t upper = first >> 32;
    const std::uint64_t back = RandomStream(options_.seed, 1).at(step, upper);
    std::size_t entries = 0;
    for (std::size_t i = 0; i < walks; ++i) {
      VertexId* const now = rows_.data() + i * width_ + step;
      if (*now == kNoVertex) continue;
      const auto number = static_cast<std::uint32_t>(first + i);
      if (options_.restart > 0 &&
          unit_interval(RandomStream(back, number).at(0)) < options_.restart) {
        now[1] = rows_[i * width_];
        continue;
      }
      at_[entries] = *now;
      number_[entries] = number;
      place_[entries] = entries;
      row_[entries++] = i;
    }
    if (entries == 0) return;
    Hop hop{{1, true, options_.weighted},
            RandomStream(RandomStream(options_.seed, 0).at(step, upper), 0),
            {at_.data(), entries},
            {number_.data(), entries},
            {}};
    lists_.locate(hop.vertex, first_.data(), degree_.data());
    hop.first = first_.data();
    hop.degree = degree_.data();
    hop.place = place_.data();
    hop.count = count_.data();
    hop.edge = edge_.data();
    hop.target = target_.data();
    lists_.draw(hop);
    for (std::size_t e = 0; e < entries; ++e)
      if (count_[e] > 0) rows_[row_[e] * width_ + step + 1] = target_[e];
  }

  const Context& ctx_;
  const WalkOptions& options_;
  const std::size_t width_;
  HopReads& lists_;
  Array<VertexId> rows_;  // [walks, width]
  // Of those that draw an edge at this step.
  Array<VertexId> at_, target_;
  Array<std::uint32_t> number_;  // of the walk, its lower half: each draws on its own
  Array<std::size_t> row_;
  Array<EdgeId> first_, degree_, place_, count_, edge_;
};

}  // namespace

WalksResult random_walks(const Context& ctx, const Graph& graph, const WalkSources& sources,
                         const WalkOptions& options, const WalkConsumer& consume) {
  check(graph, sources, options);
  SweepOptions reads;
  reads.weights = options.weighted;
  StateSize state = neighbor_sampling_state();
  state.algorithm = "walks";
  const RunLists run(ctx, state, {{graph.out(), reads}});
  Recorder record(ctx, graph.traffic());
  ListChoosers choosers;
  for (int t = 0; t < ctx.threads(); ++t)
    choosers.push_back(std::make_unique<ListChooser>(ctx.host_memory()));
  auto lists = read_on_host(ctx, graph.out(), choosers);
  if (!lists) lists = read_by_operators(ctx, graph.out(), choosers);

  WalksResult result;
  result.walks = (sources ? sources->size() : graph.vertices()) * options.per_source;
  const std::uint64_t most = std::min(walks_at_a_time(options), result.walks);
  Walkers walkers(ctx, options, *lists, most);
  for (std::uint64_t first = 0; first < result.walks; first += most) {
    const auto walks = static_cast<std::size_t>(std::min(most, result.walks - first));
    const auto source = [&](std::size_t i) {
      const std::uint64_t s = (first + i) / options.per_source;
      return sources ? (*sources)[s] : static_cast<VertexId>(s);
    };
    const std::span<const VertexId> rows = walkers.walk(first, walks, source, result);
    if (consume) consume(first, rows);
  }
  result.report = record.finish();
  return result;
}

}  // namespace fathom
