// Algorithms on graphs that change beside the same on CSR: ours, and PageRank and triangles in the
// papers' naive and balanced forms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/papers/benchmarks.hpp"
#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/error.hpp"
#include "fathom/dynamic/papers/paper_forms.hpp"
#include "fathom/dynamic/papers/paper_functors.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr double kAlpha = .85;
constexpr double kMostPairs = 4e9;   // that the papers' triangles may test
constexpr double kMostAlone = 4e6;   // of them one thread of a GPU, which takes about 1 us for each
constexpr double kRankError = 1e-4;  // in all: rounding, and ranks that converged before
constexpr std::size_t kSources = 5;

/// The same graph in one layout, and what is expected of algorithms on it.
struct Case {
  const Part& p;
  const Subject& s;
  std::string layout;
  const std::vector<VertexId>& sources;
};

struct Answers {
  std::vector<Array<std::uint32_t>> depth;
  std::vector<double> rank;
  std::uint64_t triangles = 0;
};

void add_row(const Case& at, const char* algorithm, const char* form,
             const std::vector<double>& seconds, const std::vector<double>& balance = {}) {
  Json row{{"graph", at.s.name}, {"layout", at.layout}, {"algorithm", algorithm}, {"form", form}};
  row["seconds"] = spread_json(seconds);
  row["balance_seconds"] = balance.empty() ? Json(nullptr) : Json(median_of(balance));
  row["ratio"] = nullptr;  // to the same on CSR
  for (const Json& other : at.p.report["algorithms"])
    if (other["graph"] == at.s.name && other["layout"] == "csr" &&
        other["algorithm"] == algorithm && other["form"] == form)
      row["ratio"] = median_of(seconds) / other["seconds"]["median"].get<double>();
  at.p.report["algorithms"].push_back(row);
}

void require_ranks(const Case& at, std::span<const double> found, const Answers& answers) {
  const double off = difference(found, answers.rank);
  if (off > kRankError)
    throw Error(ErrorCode::VerificationFailed,
                fmt::format("{}, {}: ranks differ by {}", at.s.name, at.layout, off));
}

/// Fills what the answers lack, and holds the rest against them.
template <class Make>
void run_ours(const Case& at, const Make& make, Answers& answers) {
  const Context& ctx = at.p.context;
  const std::string what = fmt::format("{}, {}", at.s.name, at.layout);
  std::vector<double> seconds;
  {
    const Graph graph = make();
    for (std::size_t i = 0; i < at.sources.size(); ++i) {
      BfsResult result;
      const std::span<const VertexId> from(&at.sources[i], 1);
      if (i == 0) result = bfs(ctx, graph, from);  // warm
      seconds.push_back(seconds_of([&] { result = bfs(ctx, graph, from); }));
      if (answers.depth.size() <= i)
        answers.depth.push_back(std::move(result.depth));
      else if (!std::ranges::equal(result.depth, answers.depth[i]))
        throw Error(ErrorCode::VerificationFailed, what + ": depths differ from those on CSR");
    }
    add_row(at, "bfs", "ours", seconds);
    seconds.clear();
    PagerankOptions options;
    options.alpha = kAlpha;
    options.max_iterations = static_cast<std::uint32_t>(at.p.c.iterations);
    options.in_place = false;
    options.compat = PagerankCompat::Gap;
    for (int trial = 0; trial < at.p.c.trials; ++trial) {
      PagerankResult result;
      seconds.push_back(seconds_of([&] { result = pagerank(ctx, graph, options); }));
      if (answers.rank.empty()) answers.rank.assign(result.rank.begin(), result.rank.end());
      if (trial == 0) require_ranks(at, {result.rank.data(), result.rank.size()}, answers);
    }
    add_row(at, "pagerank", "ours", seconds);
  }
  seconds.clear();
  for (int trial = 0; trial < at.p.c.trials; ++trial) {
    const Graph graph = make();  // the lists by degree are made anew
    TrianglesResult result;
    seconds.push_back(seconds_of([&] { result = count_triangles(ctx, graph); }));
    if (at.layout == "csr" && trial == 0) answers.triangles = result.total;
    require_equal(result.total, answers.triangles, what + ": triangles");
  }
  add_row(at, "triangles", "ours", seconds);
}

/// Pairs that the papers' triangles test: in all, and one worker of each form at most.
struct PairsToTest {
  double all = 0, naive = 0, balanced = 0;
};

PairsToTest pairs_to_test(const CsrView& lists) {
  PairsToTest pairs;
  for (VertexId v = 0; v < lists.vertices; ++v) {
    const VertexId* const list = lists.target + lists.offset[v];
    const auto below =
        static_cast<double>(std::lower_bound(list, list + lists.degree(v), v) - list);
    pairs.all += below * below / 2;
    pairs.naive = std::max(pairs.naive, below * below / 2);
    pairs.balanced = std::max(pairs.balanced, below * dynamic::paper::kPieceEdges);
  }
  return pairs;
}

/// Which of the papers' triangles are counted: those that end soon.
struct Counted {
  bool naive = false, balanced = false;
};

Counted triangles_counted(const Part& p, const Subject& s) {
  const PairsToTest pairs = pairs_to_test(s.view());
  if (pairs.all > kMostPairs) {
    p.leave_out(fmt::format("{}: triangles as the papers do: more than {:.0e} pairs to test",
                            s.name, kMostPairs));
    return {};
  }
  const auto soon = [&](double alone, const char* form) {
    const bool counted = !p.context.on_gpu() || alone <= kMostAlone;
    if (!counted)
      p.leave_out(
          fmt::format("{}: triangles as the papers do, {}: more than {:.0e} pairs for one "
                      "thread",
                      s.name, form, kMostAlone));
    return counted;
  };
  return {soon(pairs.naive, "naive"), soon(pairs.balanced, "balanced")};
}

void run_papers(const Case& at, const AnyEdges& edges, const Answers& answers, Counted triangles) {
  const Context& ctx = at.p.context;
  const VertexId vertices = at.s.csr.vertices();
  const auto iterations = static_cast<std::uint32_t>(at.p.c.iterations);
  for (const bool balanced : {false, true}) {
    const auto form = balanced ? dynamic::PaperForm::Balanced : dynamic::PaperForm::Naive;
    const char* const name = balanced ? "balanced" : "naive";
    std::vector<double> seconds, balance;
    for (int trial = 0; trial < at.p.c.trials; ++trial) {
      dynamic::PaperRanks run;
      seconds.push_back(seconds_of(
          [&] { run = dynamic::paper_pagerank(ctx, edges, vertices, form, iterations, kAlpha); }));
      if (balanced) balance.push_back(run.balance_seconds);
      if (trial == 0) require_ranks(at, run.rank.span(), answers);
    }
    add_row(at, "pagerank", name, seconds, balance);
    if (!(balanced ? triangles.balanced : triangles.naive)) continue;
    seconds.clear();
    balance.clear();
    for (int trial = 0; trial < at.p.c.trials; ++trial) {
      dynamic::PaperTriangles run;
      seconds.push_back(
          seconds_of([&] { run = dynamic::paper_triangles(ctx, edges, vertices, form); }));
      if (balanced) balance.push_back(run.balance_seconds);
      require_equal(run.total, answers.triangles,
                    fmt::format("{}, {}: triangles, {}", at.s.name, at.layout, name));
    }
    add_row(at, "triangles", name, seconds, balance);
  }
}

/// The lists as the papers' forms take them; none: they cannot.
std::optional<AnyEdges> paper_lists(const Graph& graph) {
  std::optional<AnyEdges> lists = graph.out().whole({});
  const bool plain = lists && (std::holds_alternative<FlatEdges>(*lists) ||
                               std::holds_alternative<DynamicEdges>(*lists));
  return plain ? lists : std::nullopt;
}

}  // namespace

double difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

void algorithms_part(const Part& p, const Subject& s) {
  const std::vector<VertexId> sources = pick_sources(s.view(), kSources, p.c.seed);
  const Counted triangles = triangles_counted(p, s);
  Answers answers;
  const auto run = [&](const std::string& layout, const auto& make) {
    const Case at{p, s, layout, sources};
    run_ours(at, make, answers);
    const Graph graph = make();
    if (const auto lists = paper_lists(graph))
      run_papers(at, *lists, answers, triangles);
    else
      p.leave_out(fmt::format("{}, {}: the papers' naive and balanced forms: lists are {}", s.name,
                              layout, graph.residency()));
  };
  run("csr", [&] { return make_graph(p.context, s.view(), nullptr, false); });
  for (const std::string& layout : p.c.layouts) {
    DynamicGraphOptions options = one_way(layout);
    options.directed = false;
    const DynamicGraph graph(p.context, s.view(), nullptr, options);
    run(layout, [&] { return graph.graph(); });
  }
}

}  // namespace fathom::cli::dynamic_bench
