#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "fathom/algorithms/neighbor_sampling/hop_reads.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

constexpr std::int64_t kMostFanOut = std::numeric_limits<std::int32_t>::max();
// While what was drawn gets its local indices, look-ups of so many entries are under way.
constexpr std::size_t kEntriesAhead = 2;
// And of each of them so many at most.
constexpr EdgeId kMostAhead = 32;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::Usage, "neighbor sampling: " + why);
}

void check_options(const Graph& graph, const NeighborSamplingOptions& options) {
  for (const std::int64_t k : options.fan_out)
    if (k < kAllNeighbors || k > kMostFanOut)
      refuse("expected fan-outs from 0 to " + std::to_string(kMostFanOut) +
             ", or -1 for all neighbors, not " + std::to_string(k));
  if (options.along == SampleAlong::InEdges && !graph.has_in())
    refuse("in-edges are needed, and the graph was stored without them");
  if (options.weighted && !graph.weighted()) refuse("the graph has no weights to draw by");
  if (options.threads < 0)
    refuse("expected a number of threads, not " + std::to_string(options.threads));
  if (!options.edge_times) return;
  if (options.edge_times->size() != graph.edges())
    refuse("expected a time for each of the " + std::to_string(graph.edges()) + " edges, not " +
           std::to_string(options.edge_times->size()));
  if (!options.disjoint)
    refuse("times of edges need disjoint trees: each seed has a time of its own");
  if (options.temporal == TemporalChoice::Last && (options.replace || options.weighted))
    refuse("the last edges are taken, not drawn with replacement or by weight");
}

}  // namespace

struct NeighborSampler::State {
  State(const Context& context, Graph of, NeighborSamplingOptions wanted)
      : ctx(context),
        graph(std::move(of)),
        options(std::move(wanted)),
        ids(ctx.host_memory()),
        nodes(ctx.host_memory()),
        tree(ctx.host_memory()),
        near(ctx.host_memory()),
        far(ctx.host_memory()),
        edge(ctx.host_memory()),
        target(ctx.host_memory()),
        first(ctx.host_memory()),
        degree(ctx.host_memory()),
        place(ctx.host_memory()),
        count(ctx.host_memory()) {
    const int threads = options.threads > 0 ? options.threads : ctx.threads();
    for (int t = 0; t < threads; ++t)
      choosers.push_back(std::make_unique<ListChooser>(ctx.host_memory()));
  }

  EdgeSource& source() const {
    return options.along == SampleAlong::InEdges ? graph.in() : graph.out();
  }
  bool on_host() const {
    EdgeSource& lists = source();
    return lists.host_lists() || (!ctx.separate() && lists.comes_whole() && lists.whole({}));
  }
  bool timed() const { return options.edge_times.has_value(); }
  ListRule rule(std::int64_t fan_out) const {
    return {fan_out,          options.replace,
            options.weighted, timed() ? options.edge_times->data() : nullptr,
            options.temporal, &options};
  }

  void check(std::span<const VertexId> seeds, std::span<const std::int64_t> times) const;
  void begin(std::span<const VertexId> seeds);
  void sample_hop(HopReads& lists, std::size_t hop, std::size_t from, const RandomStream& random,
                  std::span<const std::int64_t> times);
  void make_room(const ListRule& rule, std::size_t entries);
  void add_edges(std::size_t from, std::size_t entries, EdgeId base);
  NeighborSample result() const;

  const Context& ctx;
  Graph graph;
  NeighborSamplingOptions options;
  ListChoosers choosers;
  std::unique_ptr<HopReads> operators;  // keep a frontier

  LocalIds ids;
  GrowingArray<VertexId> nodes;
  GrowingArray<std::uint32_t> tree;       // of nodes; empty unless disjoint
  GrowingArray<std::uint32_t> near, far;  // ends of edges: the vertex of the list, the neighbour
  GrowingArray<EdgeId> edge;
  GrowingArray<VertexId> target;  // of this hop's edges
  // Of this hop's entries.
  GrowingArray<EdgeId> first, degree, place, count;
  std::vector<std::uint32_t> nodes_per_hop;
  std::vector<EdgeId> edges_per_hop;
};

void NeighborSampler::State::check(std::span<const VertexId> seeds,
                                   std::span<const std::int64_t> times) const {
  for (const VertexId s : seeds)
    if (s >= graph.vertices())
      refuse("seed " + std::to_string(s) + " is out of range: the graph has " +
             std::to_string(graph.vertices()) + " vertices");
  if (seeds.size() >= kNoPlace) refuse("expected fewer than 2^32 - 1 seeds");
  if (times.size() != (timed() ? seeds.size() : 0))
    refuse(timed() ? "expected a time for each of the " + std::to_string(seeds.size()) +
                         " seeds, not " + std::to_string(times.size())
                   : "seeds have times, and edges have none");
}

void NeighborSampler::State::begin(std::span<const VertexId> seeds) {
  ids.clear();
  for (auto* its : {&near, &far, &tree}) its->clear();
  edge.clear();
  nodes.resize(seeds.size());
  if (options.disjoint) tree.resize(seeds.size());
  for (std::uint32_t s = 0; s < seeds.size(); ++s) {
    nodes[s] = seeds[s];
    if (options.disjoint) tree[s] = s;
    const std::uint32_t in = options.disjoint ? s : 0;
    ids.find_or_add(LocalIds::hash(seeds[s], in), seeds[s], in, s, nodes.data(),
                    options.disjoint ? tree.data() : nullptr);
  }
  nodes_per_hop.assign(1, static_cast<std::uint32_t>(seeds.size()));
  edges_per_hop.clear();
}

/// Places for as many edges as each entry may give, behind those of the hops before.
void NeighborSampler::State::make_room(const ListRule& rule, std::size_t entries) {
  EdgeId sum = 0;
  for (std::size_t e = 0; e < entries; ++e) {
    place[e] = sum;
    sum += rule.most(degree[e]);
  }
  target.resize(sum);
  edge.resize(edge.size() + sum);
}

/// Gives what was drawn local indices, and closes the gaps where it was less than there was room
/// for.
void NeighborSampler::State::add_edges(std::size_t from, std::size_t entries, EdgeId base) {
  const bool disjoint = options.disjoint;
  EdgeId drawn = 0;
  for (std::size_t e = 0; e < entries; ++e) drawn += count[e];
  near.resize(base + drawn);
  far.resize(base + drawn);
  EdgeId at = base;
  for (std::size_t e = 0; e < entries; ++e) {
    const std::uint32_t in = disjoint ? tree[from + e] : 0;
    const VertexId* const its = target.data() + place[e];
    if (const std::size_t ahead = e + kEntriesAhead; ahead < entries)
      for (EdgeId i = 0; i < std::min(count[ahead], kMostAhead); ++i)
        ids.prefetch(LocalIds::hash(target[place[ahead] + i], disjoint ? tree[from + ahead] : 0));
    for (EdgeId i = 0; i < count[e]; ++i, ++at) {
      if (nodes.size() == kNoPlace)
        throw Error(ErrorCode::DoesNotFit,
                    "neighbor sampling: a batch reaches more than 2^32 - 2 vertices");
      const auto next = static_cast<std::uint32_t>(nodes.size());
      const std::uint32_t local = ids.find_or_add(LocalIds::hash(its[i], in), its[i], in, next,
                                                  nodes.data(), disjoint ? tree.data() : nullptr);
      if (local == next) {
        nodes.push(its[i]);
        if (disjoint) tree.push(in);
      }
      near[at] = static_cast<std::uint32_t>(from + e);
      far[at] = local;
      edge[at] = edge[base + place[e] + i];
    }
  }
  edge.resize(at);
}

void NeighborSampler::State::sample_hop(HopReads& lists, std::size_t hop, std::size_t from,
                                        const RandomStream& random,
                                        std::span<const std::int64_t> times) {
  const std::size_t entries = nodes.size() - from;
  for (auto* its : {&first, &degree, &place, &count}) its->resize(entries);
  const EdgeId base = edge.size();
  const ListRule its_rule = rule(options.fan_out[hop]);
  Hop its{its_rule, RandomStream(random.at(hop), 0), nodes.span().subspan(from), {}, times};
  if (options.disjoint) its.tree = tree.span().subspan(from);
  lists.locate(its.vertex, first.data(), degree.data());
  make_room(its_rule, entries);
  its.first = first.data();
  its.degree = degree.data();
  its.place = place.data();
  its.count = count.data();
  its.edge = edge.data() + base;
  its.target = target.data();
  lists.draw(its);
  add_edges(from, entries, base);
}

NeighborSample NeighborSampler::State::result() const {
  NeighborSample sample;
  sample.nodes = nodes.span();
  sample.tree = tree.span();
  const bool in = options.along == SampleAlong::InEdges;
  sample.row = (in ? far : near).span();
  sample.col = (in ? near : far).span();
  sample.edge = edge.span();
  sample.nodes_per_hop = nodes_per_hop;
  sample.edges_per_hop = edges_per_hop;
  return sample;
}

NeighborSampler::NeighborSampler(const Context& ctx, const Graph& graph,
                                 NeighborSamplingOptions options) {
  check_options(graph, options);
  state_ = std::make_unique<State>(ctx, graph, std::move(options));
  State& s = *state_;
  const bool reachable = least_among_ranks(ctx, s.on_host() ? 1 : 0) == 1;
  if (s.options.reads == SampleReads::Host && !reachable)
    refuse("the host cannot read these lists entry by entry: they are streamed, or on a device");
  if (s.options.reads == SampleReads::Operators || !reachable)
    s.operators = read_by_operators(ctx, s.source(), s.choosers);
}

NeighborSampler::~NeighborSampler() = default;
NeighborSampler::NeighborSampler(NeighborSampler&&) noexcept = default;
NeighborSampler& NeighborSampler::operator=(NeighborSampler&&) noexcept = default;

const NeighborSamplingOptions& NeighborSampler::options() const {
  return state_->options;
}

bool NeighborSampler::reads_on_host() const {
  return !state_->operators;
}

NeighborSample NeighborSampler::sample(std::span<const VertexId> seeds, std::uint64_t batch,
                                       std::span<const std::int64_t> times) {
  State& s = *state_;
  s.check(seeds, times);
  EdgeSource& source = s.source();
  // Where lists never move there is nothing to make ready.
  std::optional<RunLists> run;
  if (s.operators || !source.host_lists()) {
    SweepOptions reads;
    reads.weights = s.options.weighted;
    run.emplace(s.ctx, neighbor_sampling_state(), std::vector<RunLists::Lists>{{source, reads}});
  }
  const auto on_host = s.operators ? nullptr : read_on_host(s.ctx, source, s.choosers);
  HopReads& lists = s.operators ? *s.operators : *on_host;
  const RandomStream random(s.options.seed, batch);
  s.begin(seeds);
  std::size_t from = 0;
  for (std::size_t hop = 0; hop < s.options.fan_out.size(); ++hop) {
    s.ctx.task().check();
    const std::size_t found = s.nodes.size();
    const EdgeId before = s.edge.size();
    if (found > from) s.sample_hop(lists, hop, from, random, times);
    from = found;
    s.nodes_per_hop.push_back(static_cast<std::uint32_t>(s.nodes.size() - found));
    s.edges_per_hop.push_back(s.edge.size() - before);
  }
  return s.result();
}

}  // namespace fathom
