// Graphs of all kinds that change by random lines, and what a process does that logs them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fathom/dynamic/log/update_log.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::dynamic {

struct LoggedGraph {
  bool directed, strings;
  EdgeKind edges;
  DuplicatePolicy duplicates;
};
inline constexpr LoggedGraph kLoggedGraphs[] = {
    {true, true, EdgeKind::Semantic, DuplicatePolicy::Overwrite},
    {true, false, EdgeKind::Weighted, DuplicatePolicy::Keep},
    {false, true, EdgeKind::Simple, DuplicatePolicy::Ignore},
    {false, false, EdgeKind::Semantic, DuplicatePolicy::Keep}};

inline const Context& logged_context() {
  static const Context ctx = Context::cpu({});
  return ctx;
}

inline DynamicGraphOptions logged_options(const LoggedGraph& kind) {
  DynamicGraphOptions options;
  options.directed = kind.directed;
  options.edges = kind.edges;
  options.duplicates = kind.duplicates;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 12;
  return options;
}

/// A line of every sort there is, about few vertices.
inline std::string some_line(zoo::Dice& dice, const LoggedGraph& kind) {
  const auto vertex = [&] {
    return (kind.strings ? "name" : "") + std::to_string(dice.roll(40) * 1000000007ull);
  };
  switch (dice.roll(12)) {
    case 0:
      return "-v " + vertex();
    case 1:
      return "+v " + vertex();
    case 2:
      return "+v " + vertex() + " 2.5 " + std::to_string(dice.roll(9));
    case 3:
    case 4:
      return "- " + vertex() + " " + vertex();
    case 5:
      return "# " + vertex();
    default: {
      std::string line = "+ " + vertex() + " " + vertex();
      if (kind.edges == EdgeKind::Simple || dice.roll(4) == 0) return line;
      line += " " + std::to_string(dice.roll(9)) + ".25";
      if (kind.edges == EdgeKind::Semantic && dice.roll(2) == 0)
        line += " " + std::to_string(dice.roll(9)) + " 5 18446744073709551615";
      return line;
    }
  }
}

/// All there is to know of a graph, by labels.
inline std::vector<std::string> described(const ChangingGraph& its) {
  const ListsByLabel lists = by_label(its.graph, its.labels);
  const std::vector<VertexFields> fields = its.graph.vertex_fields(lists.vertex);
  const auto label = [&](VertexId v) { return its.labels.label(lists.vertex[v]); };
  std::vector<std::string> all;
  for (std::size_t v = 0; v < lists.vertex.size(); ++v) {
    all.push_back(label(static_cast<VertexId>(v)) + " " + std::to_string(fields[v].weight) + " " +
                  std::to_string(fields[v].type));
    for (EdgeId e = lists.out.offset[v]; e < lists.out.offset[v + 1]; ++e) {
      std::string edge = "-> " + label(lists.out.target[e]);
      if (!lists.out.weight.empty()) edge += " " + std::to_string(lists.out.weight[e]);
      if (!lists.fields.empty())
        edge += " " + std::to_string(lists.fields[e].type) + " " +
                std::to_string(lists.fields[e].t1) + " " + std::to_string(lists.fields[e].t2);
      all.push_back(edge);
    }
  }
  return all;
}

/// A store of the kind, with a few vertices.
inline std::shared_ptr<store::Store> origin_of(const LoggedGraph& kind, const std::string& path) {
  ChangingGraph its{DynamicGraph(logged_context(), logged_options(kind)),
                    VertexLabels(kind.strings)};
  UpdateBatch batch(its.graph, its.labels);
  zoo::Dice dice(77);
  for (int i = 0; i < 60; ++i) batch.add(some_line(dice, kind));
  batch.apply();
  save(its.graph, its.labels, path, "a test", {});
  return store::Store::open(path);
}

/// What a process has: a log and the graph that it gives.
class LoggedProcess {
 public:
  LoggedProcess(const std::string& directory, const LoggedGraph& kind, store::Store* origin,
                const UpdateLogOptions& options = {})
      : log_(directory, options),
        its_(log_.recover(logged_context(), origin, logged_options(kind))),
        at_(log_.position()) {}

  /// A batch of these lines counts.
  void apply(const std::vector<std::string>& lines) {
    UpdateBatch batch(its_.graph, its_.labels);
    for (const std::string& line : lines) {
      at_.add(line);
      batch.add(line);
    }
    log_.record(batch.named(), its_.labels, at_);
    batch.apply();
    log_.append();
  }
  void compact() { log_.compact(its_.graph, its_.labels, "a test"); }
  UpdateLog& log() { return log_; }
  std::vector<std::string> graph() const { return described(its_); }

 private:
  UpdateLog log_;
  ChangingGraph its_;
  UpdatePosition at_;
};

inline std::vector<std::vector<std::string>> some_batches(const LoggedGraph& kind,
                                                          std::size_t count) {
  std::vector<std::vector<std::string>> batches(count);
  zoo::Dice dice(5);
  for (auto& lines : batches)
    for (std::uint32_t left = 1 + dice.roll(40); left > 0; --left)
      lines.push_back(some_line(dice, kind));
  return batches;
}

/// [batches]: the graph after so many, without a log.
inline std::vector<std::vector<std::string>> without_log(
    const LoggedGraph& kind, store::Store* origin,
    const std::vector<std::vector<std::string>>& batches) {
  ChangingGraph its = origin ? load(logged_context(), *origin, logged_options(kind), false)
                             : ChangingGraph{DynamicGraph(logged_context(), logged_options(kind)),
                                             VertexLabels(true)};
  std::vector<std::vector<std::string>> graphs{described(its)};
  for (const auto& lines : batches) {
    UpdateBatch batch(its.graph, its.labels);
    for (const std::string& line : lines) batch.add(line);
    batch.apply();
    graphs.push_back(described(its));
  }
  return graphs;
}

}  // namespace fathom::dynamic
