// Initialisation, batches of edges and vertices, and queries (Winter's thesis, sections 3.4, 4.3
// and 6.3.1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr std::uint64_t kMostQueries = 1000000;

std::string named(const Subject& s, const std::string& layout, const std::string& what) {
  return fmt::format("{}, {}, {}", s.name, layout, what);
}

Json row_for(const Subject& s, const std::string& layout) {
  return {{"graph", s.name}, {"layout", layout}};
}

double rate_of(std::uint64_t items, double seconds) {
  return seconds > 0 ? static_cast<double>(items) / seconds : 0;
}

/// Deletes vertices of a fresh graph, and holds it against the lists without them.
double delete_vertices(const Part& p, const Subject& s, DynamicGraph& graph,
                       const std::vector<VertexId>& gone, bool compare, const std::string& what) {
  const double seconds = apply_seconds(p, graph, {0, {}, gone});
  require_equal(graph.existing_vertices(), s.csr.vertices() - gone.size(),
                what + ": vertices left");
  if (!compare) return seconds;
  std::vector<bool> dead(s.csr.vertices(), false);
  for (const VertexId v : gone) dead[v] = true;
  std::vector<Pair> removed;
  const CsrView lists = s.view();
  for (VertexId v = 0; v < lists.vertices; ++v)
    for (EdgeId e = lists.offset[v]; e < lists.offset[v + 1]; ++e)
      if (dead[v] || dead[lists.target[e]]) removed.emplace_back(v, lists.target[e]);
  Expected(s, {}, std::move(removed)).check(graph, what);
  return seconds;
}

std::vector<VertexId> random_vertices(const Subject& s, std::uint64_t count, std::uint64_t seed) {
  const RandomStream random(seed, 2);
  std::vector<VertexId> all(s.csr.vertices());
  for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<VertexId>(v);
  for (std::uint64_t i = 0; i < count; ++i)
    std::swap(all[i], all[i + bounded(random.at(i), all.size() - i)]);
  all.resize(count);
  return all;
}

/// The edges of batches where they are to be: in host memory, or in that of the context's GPU.
class Placed {
 public:
  Placed(const Part& p, const std::vector<EdgeUpdate>& updates, bool on_device)
      : host_(updates), copy_(on_device ? updates.size() : 0, memory_of(p)) {
    if (on_device)
      p.context.copy(copy_.data(), updates.data(), updates.size() * sizeof(EdgeUpdate));
  }
  GraphBatch batch() const {
    if (copy_.empty()) return {0, host_, {}};
    return {0, copy_.span(), {}, true};
  }

 private:
  static std::shared_ptr<MemoryPool> memory_of(const Part& p) {
    return p.context.devices()[0].memory();
  }
  std::span<const EdgeUpdate> host_;
  Array<EdgeUpdate> copy_;
};

}  // namespace

double apply_seconds(const Part& p, DynamicGraph& graph, const GraphBatch& batch,
                     BatchReport* report) {
  p.check();
  const auto start = Clock::now();
  const BatchReport found = graph.apply(batch);
  p.context.wait();
  const double seconds = seconds_since(start);
  if (report) *report = found;
  return seconds;
}

Turns insert_and_remove(const Part& p, const Subject& s, DynamicGraph& graph, std::uint64_t batch,
                        bool focused, bool on_device, const std::string& what) {
  Turns turns;
  for (int round = 0; round < p.c.trials; ++round) {
    p.check();
    const std::vector<Pair> pairs =
        random_pairs(s, batch, focused, p.c.seed + 1000 + static_cast<std::uint64_t>(round));
    const Expected after_insert(s, pairs, {});
    const std::vector<Pair>& known = after_insert.known();
    const auto insertions = updates_of(pairs, false), deletions = updates_of(pairs, true);
    const Placed in(p, insertions, on_device), out(p, deletions, on_device);
    BatchReport report;
    turns.insert.push_back(apply_seconds(p, graph, in.batch(), &report));
    require_equal(report.inserted, after_insert.fresh(), what + ": inserted");
    turns.inserted = report.inserted;
    turns.moved = report.moved;
    if (round == 0) after_insert.check(graph, what + ", after insertion");
    turns.remove.push_back(apply_seconds(p, graph, out.batch(), &report));
    require_equal(report.removed, after_insert.fresh() + known.size(), what + ": removed");
    if (round == 0) Expected(s, {}, known).check(graph, what + ", after deletion");
    if (!known.empty()) graph.apply({0, updates_of(known, false), {}});
    require_equal(graph.edges(), s.csr.edges(), what + ": edges in the end");
  }
  return turns;
}

void init_part(const Part& p, const Subject& s) {
  for (const std::string& layout : p.c.layouts) {
    std::vector<double> seconds;
    Json row = row_for(s, layout);
    for (int round = 0; round < p.c.trials; ++round) {
      p.check();
      const auto start = Clock::now();
      const DynamicGraph graph(p.context, s.view(), nullptr, one_way(layout));
      p.context.wait();
      seconds.push_back(seconds_since(start));
      if (round > 0) continue;
      Expected(s, {}, {}).check(graph, named(s, layout, "initialised"));
      const DynamicMemory memory = graph.memory();
      row["page_bytes"] = memory.page_bytes;
      row["record_bytes"] = memory.record_bytes;
      row["pages"] = memory.pages;
    }
    row["seconds"] = spread_json(seconds);
    row["csr_bytes"] = s.csr_bytes();
    row["rounded_bytes"] = s.rounded_bytes();
    const auto bytes = row["page_bytes"].get<double>() + row["record_bytes"].get<double>();
    row["to_csr"] = bytes / static_cast<double>(s.csr_bytes());
    row["to_rounded"] = bytes / static_cast<double>(s.rounded_bytes());
    p.report["init"].push_back(row);
  }
}

void updates_part(const Part& p, const Subject& s) {
  for (const std::string& layout : p.c.layouts)
    for (const std::string& strategy : p.c.strategies) {
      DynamicGraphOptions options = one_way(layout);
      options.strategy = update_strategy_named(strategy);
      DynamicGraph graph(p.context, s.view(), nullptr, options);
      const auto measure = [&](const std::string& sources, std::uint64_t batch, bool on_device) {
        const bool focused = sources == "focused";
        if (!too_large(s, batch, focused).empty()) return;  // named once, by the command
        const Turns turns =
            insert_and_remove(p, s, graph, batch, focused, on_device,
                              named(s, layout, fmt::format("{} {} updates", batch, sources)));
        Json row = row_for(s, layout);
        row["strategy"] = strategy;
        row["sources"] = sources;
        row["from"] = on_device ? "device" : "host";
        row["batch"] = batch;
        row["insert_seconds"] = spread_json(turns.insert);
        row["delete_seconds"] = spread_json(turns.remove);
        row["insert_rate"] = rate_of(batch, median_of(turns.insert));
        row["delete_rate"] = rate_of(batch, median_of(turns.remove));
        row["inserted"] = turns.inserted;
        row["moved"] = turns.moved;
        p.report["updates"].push_back(row);
      };
      for (const std::string& sources : p.c.sources)
        for (const std::uint64_t batch : p.c.batches) {
          measure(sources, batch, false);
          if (p.context.on_gpu()) measure(sources, batch, true);
        }
    }
}

void mixed_part(const Part& p, const Subject& s) {
  const std::uint64_t batch = p.c.usual_batch();
  if (!too_large(s, batch, false).empty()) return;
  for (const std::string& layout : p.c.layouts) {
    const std::string what = named(s, layout, "insertions and deletions in one batch");
    DynamicGraph graph(p.context, s.view(), nullptr, one_way(layout));
    std::vector<double> together, insert, remove;
    for (int round = 0; round < p.c.trials; ++round) {
      p.check();
      const std::uint64_t seed = p.c.seed + 2000 + static_cast<std::uint64_t>(round);
      std::vector<Pair> gone = random_edges(s, batch / 2, seed), come;
      for (const Pair& pair : random_pairs(s, batch - batch / 2, false, seed))
        if (!std::ranges::binary_search(gone, pair)) come.push_back(pair);
      const Expected expected(s, come, gone);
      std::vector<EdgeUpdate> all = updates_of(come, false);
      const std::vector<EdgeUpdate> first = all, second = updates_of(gone, true);
      all.insert(all.end(), second.begin(), second.end());
      // Back to the subject: what was fresh goes, what went comes.
      std::vector<EdgeUpdate> back = updates_of(gone, false);
      std::vector<Pair> fresh;
      for (const Pair& pair : come)
        if (!std::ranges::binary_search(expected.known(), pair)) fresh.push_back(pair);
      for (const EdgeUpdate& e : updates_of(fresh, true)) back.push_back(e);
      together.push_back(apply_seconds(p, graph, {0, all, {}}));
      if (round == 0) expected.check(graph, what);
      graph.apply({0, back, {}});
      insert.push_back(apply_seconds(p, graph, {0, first, {}}));
      remove.push_back(apply_seconds(p, graph, {0, second, {}}));
      require_equal(graph.edges(), expected.edges(), what + ": edges after two batches");
      graph.apply({0, back, {}});
      require_equal(graph.edges(), s.csr.edges(), what + ": edges in the end");
    }
    Json row = row_for(s, layout);
    row["batch"] = batch;
    row["together_seconds"] = spread_json(together);
    row["insert_seconds"] = spread_json(insert);
    row["delete_seconds"] = spread_json(remove);
    row["speedup"] = (median_of(insert) + median_of(remove)) / median_of(together);
    p.report["mixed"].push_back(row);
  }
}

void vertices_part(const Part& p, const Subject& s) {
  for (const std::string& layout : p.c.layouts)
    for (const char* form : {"undirected", "directed", "one way"})
      for (const std::uint64_t batch : p.c.batches) {
        if (batch > 100000 || batch > s.csr.vertices() / 2) continue;
        DynamicGraphOptions options = one_way(layout);
        options.directed = std::string_view(form) != "undirected";
        options.in_edges = std::string_view(form) == "directed";
        const std::string what = named(s, layout, fmt::format("{} vertices, {}", batch, form));
        std::vector<double> insert, remove;
        for (int round = 0; round < p.c.trials; ++round) {
          p.check();
          DynamicGraph graph(p.context, s.view(), nullptr, options);
          const auto count = static_cast<VertexId>(batch);
          insert.push_back(apply_seconds(p, graph, {count, {}, {}}));
          require_equal(graph.existing_vertices(), s.csr.vertices() + batch, what);
        }
        for (int round = 0; round < p.c.trials; ++round) {
          p.check();
          DynamicGraph graph(p.context, s.view(), nullptr, options);
          remove.push_back(delete_vertices(
              p, s, graph, random_vertices(s, batch, p.c.seed + static_cast<std::uint64_t>(round)),
              round == 0, what + ", deleted"));
        }
        Json row = row_for(s, layout);
        row["form"] = form;
        row["batch"] = batch;
        row["insert_seconds"] = spread_json(insert);
        row["delete_seconds"] = spread_json(remove);
        row["insert_rate"] = rate_of(batch, median_of(insert));
        row["delete_rate"] = rate_of(batch, median_of(remove));
        p.report["vertices"].push_back(row);
      }
}

void queries_part(const Part& p, const Subject& s) {
  const std::uint64_t count = std::min(p.c.batches.back(), kMostQueries);
  std::vector<Pair> pairs = random_edges(s, count / 2, p.c.seed);
  const std::size_t there = pairs.size();
  for (const Pair& pair : random_pairs(s, count - there, false, p.c.seed)) pairs.push_back(pair);
  std::vector<Edge> edges;
  std::vector<VertexId> sources;
  for (const auto& [u, v] : pairs) {
    edges.push_back({u, v});
    sources.push_back(u);
  }
  const Expected known(s, pairs, {});
  const CsrView lists = s.view();
  for (const std::string& layout : p.c.layouts) {
    const DynamicGraph graph(p.context, s.view(), nullptr, one_way(layout));
    const auto measure = [&](const char* what, const char* from, const auto& ask,
                             const auto& wrong) {
      std::vector<double> seconds;
      for (int round = 0; round < p.c.trials; ++round) {
        p.check();
        const auto start = Clock::now();
        const auto found = ask();
        seconds.push_back(seconds_since(start));
        if (round > 0) continue;
        for (std::size_t i = 0; i < edges.size(); ++i)
          if (wrong(found, i))
            throw Error(ErrorCode::VerificationFailed,
                        named(s, layout, fmt::format("{}: answer {} is wrong", what, i)));
      }
      Json row = row_for(s, layout);
      row["what"] = what;
      row["from"] = from;
      row["queries"] = edges.size();
      row["seconds"] = spread_json(seconds);
      row["rate"] = rate_of(edges.size(), median_of(seconds));
      p.report["queries"].push_back(row);
    };
    const auto is_there = [&](std::size_t i) {
      return std::ranges::binary_search(known.known(), pairs[i]);
    };
    measure(
        "edges", "host", [&] { return graph.has_edges(edges); },
        [&](const auto& found, std::size_t i) { return (found[i] != 0) != is_there(i); });
    measure(
        "weights", "host", [&] { return graph.weights(edges); },
        [&](const auto& found, std::size_t i) { return std::isnan(found[i]) == is_there(i); });
    measure(
        "degrees", "host", [&] { return graph.degrees(sources); },
        [&](const auto& found, std::size_t i) { return found[i] != lists.degree(sources[i]); });
    measure(
        "neighbours", "host", [&] { return graph.neighbors(sources); },
        [&](const Csr& found, std::size_t i) {
          const auto row = static_cast<VertexId>(i);
          const VertexId* const list = lists.target + lists.offset[sources[i]];
          return found.view().degree(row) != lists.degree(sources[i]) ||
                 !std::equal(list, list + lists.degree(sources[i]),
                             found.target.data() + found.offset[i]);
        });
    if (!p.context.on_gpu() || p.dealt()) continue;
    const auto& memory = p.context.devices()[0].memory();
    Array<Edge> asked(edges.size(), memory);
    p.context.copy(asked.data(), edges.data(), edges.size() * sizeof(Edge));
    Array<std::uint8_t> has(edges.size(), memory);
    std::vector<std::uint8_t> found(edges.size());
    measure(
        "edges", "device",
        [&] {
          graph.has_edges_on_device(asked.span(), has.span());
          return 0;
        },
        [&](int, std::size_t i) {
          if (i == 0) p.context.copy(found.data(), has.data(), found.size());
          return (found[i] != 0) != is_there(i);
        });
  }
}

}  // namespace fathom::cli::dynamic_bench
