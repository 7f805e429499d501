// Algorithms on graphs that change beside the same on CSR: ours, and PageRank and triangles in the
// papers' naive and balanced forms.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "bench.hpp"
#include "bench_dynamic.hpp"
#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/pagerank.hpp"
#include "fathom/algorithms/triangles.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr double kAlpha = .85;
constexpr std::uint32_t kPieceEdges = 128;  // of contiguous lists: as a linked page of 512 bytes
constexpr double kMostPairs = 4e9;          // that the papers' triangles may test
constexpr double kRankError = 1e-4;         // in all: rounding, and ranks that converged before
constexpr std::size_t kSources = 5;

/// Entries [first, last) of the span that comes next at a cursor.
template <EdgeView E>
struct Piece {
  VertexId vertex;
  typename E::Cursor cursor;
  std::uint32_t first, last;
};

template <EdgeView E, class Take>
void each_piece(const E& edges, VertexId v, const Take& take) {
  auto cursor = edges.begin(v);
  typename E::Span span;
  for (auto before = cursor; edges.next(cursor, span); before = cursor)
    for (std::uint32_t first = 0; first < span.size; first += kPieceEdges)
      take(Piece<E>{v, before, first, std::min(first + kPieceEdges, span.size)});
}

/// "Calculates an offset scheme to locate individual pages in memory" (section 4.4.1).
template <EdgeView E>
std::vector<Piece<E>> find_pieces(const E& edges, VertexId vertices, int threads) {
  constexpr std::size_t kGrain = 1024;
  std::vector<std::uint64_t> first(std::size_t{vertices} + 1, 0);
  parallel_for(threads, vertices, kGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t v = a; v < b; ++v)
      each_piece(edges, static_cast<VertexId>(v), [&](const auto&) { ++first[v + 1]; });
  });
  for (std::size_t v = 0; v < vertices; ++v) first[v + 1] += first[v];
  std::vector<Piece<E>> pieces(first.back());
  parallel_for(threads, vertices, kGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t v = a; v < b; ++v) {
      std::uint64_t at = first[v];
      each_piece(edges, static_cast<VertexId>(v), [&](const auto& piece) { pieces[at++] = piece; });
    }
  });
  return pieces;
}

/// Calls body(i) for [0, n), each worker a run of the same length.
template <class Body>
void in_order(int threads, std::size_t n, const Body& body) {
  const auto workers = static_cast<std::size_t>(threads);
  parallel_run(threads, [&](int worker) {
    const auto w = static_cast<std::size_t>(worker);
    for (std::size_t i = n * w / workers; i < n * (w + 1) / workers; ++i) body(i);
  });
}

/// Entries [first, last) of a span of the list of a vertex, which goes on at a cursor.
template <EdgeView E>
struct Share {
  VertexId vertex;
  typename E::Span span;
  std::uint32_t first, last;
  typename E::Cursor rest;
};

/// Calls work(share) for all entries of all lists, naively or, given pieces, balanced.
template <EdgeView E, class Work>
void on_shares(const E& edges, VertexId vertices, const std::vector<Piece<E>>* pieces, int threads,
               const Work& work) {
  if (pieces)
    return in_order(threads, pieces->size(), [&](std::size_t i) {
      const Piece<E>& piece = (*pieces)[i];
      Share<E> share{piece.vertex, {}, piece.first, piece.last, piece.cursor};
      edges.next(share.rest, share.span);
      work(share);
    });
  in_order(threads, vertices, [&](std::size_t v) {
    Share<E> share{static_cast<VertexId>(v), {}, 0, 0, edges.begin(static_cast<VertexId>(v))};
    while (edges.next(share.rest, share.span)) {
      share.last = share.span.size;
      work(share);
    }
  });
}

template <EdgeView E>
PaperRanks push_ranks(const E& edges, const std::vector<EdgeId>& degree, int iterations,
                      bool balanced, int threads) {
  PaperRanks run;
  const auto n = static_cast<VertexId>(degree.size());
  const auto start = Clock::now();
  std::vector<Piece<E>> pieces;
  if (balanced) {
    pieces = find_pieces(edges, n, threads);
    run.balance_seconds = seconds_since(start);
  }
  const double each = 1 / static_cast<double>(n);
  run.rank.assign(n, each);
  std::vector<double> next(n);
  for (int i = 0; i < iterations; ++i) {
    std::ranges::fill(next, (1 - kAlpha) * each);
    on_shares(edges, n, balanced ? &pieces : nullptr, threads, [&](const Share<E>& share) {
      const double rank =
          kAlpha * run.rank[share.vertex] / static_cast<double>(degree[share.vertex]);
      for (std::uint32_t k = share.first; k < share.last; ++k)
        std::atomic_ref(next[share.span.target(k)]).fetch_add(rank, std::memory_order_relaxed);
    });
    run.rank.swap(next);
  }
  run.seconds = seconds_since(start);
  return run;
}

/// Whether v is in the ascending list of u.
template <EdgeView E>
bool tied(const E& edges, VertexId u, VertexId v) {
  auto cursor = edges.begin(u);
  typename E::Span span;
  while (edges.next(cursor, span)) {
    if (span.target(span.size - 1) < v) continue;
    std::uint32_t low = 0, high = span.size;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (span.target(middle) < v)
        low = middle + 1;
      else
        high = middle;
    }
    return low < span.size && span.target(low) == v;
  }
  return false;
}

/// Calls take(a, b) for each a of a share and each b behind it in the list, both below the vertex.
template <EdgeView E, class Take>
void pairs_of(const E& edges, const Share<E>& share, const Take& take) {
  const VertexId v = share.vertex;
  for (std::uint32_t i = share.first; i < share.last && share.span.target(i) < v; ++i) {
    const VertexId a = share.span.target(i);
    auto cursor = share.rest;
    auto others = share.span;
    std::uint32_t j = i + 1;
    do {
      for (; j < others.size && others.target(j) < v; ++j) take(a, others.target(j));
      if (j < others.size) break;
      j = 0;
    } while (edges.next(cursor, others));
  }
}

template <EdgeView E>
PaperTriangles test_pairs(const E& edges, VertexId vertices, bool balanced, int threads) {
  PaperTriangles run;
  const auto start = Clock::now();
  std::vector<Piece<E>> pieces;
  if (balanced) {
    pieces = find_pieces(edges, vertices, threads);
    run.balance_seconds = seconds_since(start);
  }
  std::vector<std::uint64_t> count(vertices, 0);
  const auto add = [&](VertexId v) {
    std::atomic_ref(count[v]).fetch_add(1, std::memory_order_relaxed);
  };
  on_shares(edges, vertices, balanced ? &pieces : nullptr, threads, [&](const Share<E>& share) {
    pairs_of(edges, share, [&](VertexId a, VertexId b) {
      if (!tied(edges, a, b)) return;
      add(share.vertex);
      add(a);
      add(b);
    });
  });
  for (const std::uint64_t c : count) run.total += c;
  run.total /= 3;
  run.seconds = seconds_since(start);
  return run;
}

/// Calls body(view) for those that the benchmark makes.
template <class Body>
auto on_view(const AnyEdges& edges, const Body& body) {
  if (const auto* dynamic = std::get_if<DynamicEdges>(&edges)) return body(*dynamic);
  return body(std::get<FlatEdges>(edges));
}

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

double difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
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

double pairs_below(const CsrView& lists) {
  double pairs = 0;
  for (VertexId v = 0; v < lists.vertices; ++v) {
    const VertexId* const list = lists.target + lists.offset[v];
    const auto below = std::lower_bound(list, list + lists.degree(v), v) - list;
    pairs += static_cast<double>(below) * static_cast<double>(below) / 2;
  }
  return pairs;
}

void run_papers(const Case& at, const AnyEdges& edges, const Answers& answers, bool triangles) {
  const CsrView lists = at.s.view();
  std::vector<EdgeId> degree(lists.vertices);
  for (VertexId v = 0; v < lists.vertices; ++v) degree[v] = lists.degree(v);
  const int threads = at.p.context.threads();
  for (const bool balanced : {false, true}) {
    const char* const form = balanced ? "balanced" : "naive";
    std::vector<double> seconds, balance;
    for (int trial = 0; trial < at.p.c.trials; ++trial) {
      const PaperRanks run = paper_pagerank(edges, degree, at.p.c.iterations, balanced, threads);
      seconds.push_back(run.seconds);
      if (balanced) balance.push_back(run.balance_seconds);
      if (trial == 0) require_ranks(at, run.rank, answers);
    }
    add_row(at, "pagerank", form, seconds, balance);
    if (!triangles) continue;
    seconds.clear();
    balance.clear();
    for (int trial = 0; trial < at.p.c.trials; ++trial) {
      const PaperTriangles run = paper_triangles(edges, lists.vertices, balanced, threads);
      seconds.push_back(run.seconds);
      if (balanced) balance.push_back(run.balance_seconds);
      require_equal(run.total, answers.triangles,
                    fmt::format("{}, {}: triangles, {}", at.s.name, at.layout, form));
    }
    add_row(at, "triangles", form, seconds, balance);
  }
}

}  // namespace

PaperRanks paper_pagerank(const AnyEdges& edges, const std::vector<EdgeId>& degree, int iterations,
                          bool balanced, int threads) {
  return on_view(edges, [&](const auto& view) {
    return push_ranks(view, degree, iterations, balanced, threads);
  });
}

PaperTriangles paper_triangles(const AnyEdges& edges, VertexId vertices, bool balanced,
                               int threads) {
  return on_view(edges,
                 [&](const auto& view) { return test_pairs(view, vertices, balanced, threads); });
}

void algorithms_part(const Part& p, const Subject& s) {
  const std::vector<VertexId> sources = pick_sources(s.view(), kSources, p.c.seed);
  const bool on_host = !p.context.on_gpu();
  const bool triangles = pairs_below(s.view()) <= kMostPairs;
  if (!on_host)
    p.leave_out(s.name + ": the papers' naive and balanced forms, which run on the host");
  else if (!triangles)
    p.leave_out(fmt::format("{}: triangles as the papers do: more than {:.0e} pairs to test",
                            s.name, kMostPairs));
  Answers answers;
  const auto run = [&](const std::string& layout, const auto& make) {
    const Case at{p, s, layout, sources};
    run_ours(at, make, answers);
    if (!on_host) return;
    const Graph graph = make();
    if (const auto view = graph.out().whole({})) run_papers(at, *view, answers, triangles);
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
