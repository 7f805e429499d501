#include "cli/commands/stream/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/shared/console.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/labels/by_label.hpp"

namespace fathom::cli {
namespace {

constexpr std::array kPlain{"cc", "pagerank", "tc", "kcore"};
constexpr std::array kSearches{"bfs", "sssp"};

/// The graph without the indices of deleted vertices, where there are any.
Graph without_gaps(const Context& ctx, const DynamicGraph& graph,
                   const dynamic::VertexLabels& labels, std::vector<VertexId>& vertex) {
  if (graph.existing_vertices() == graph.vertices()) return graph.graph();
  dynamic::ListsByLabel lists = dynamic::by_label(graph, labels);
  vertex = std::move(lists.vertex);
  graph::BuiltGraph built;
  if (graph.directed()) built.in = graph::transpose(lists.out.view(), ctx.threads());
  built.out = std::move(lists.out);
  return make_graph(ctx, std::move(built), graph.directed());
}

}  // namespace

StreamedAlgorithm streamed_algorithm(const std::string& text) {
  const std::size_t colon = text.find(':');
  StreamedAlgorithm a{text.substr(0, colon),
                      colon == std::string::npos ? "" : text.substr(colon + 1)};
  const bool plain = std::find(kPlain.begin(), kPlain.end(), a.name) != kPlain.end();
  const bool search = std::find(kSearches.begin(), kSearches.end(), a.name) != kSearches.end();
  if (plain ? colon == std::string::npos : search && !a.source.empty()) return a;
  throw Error(
      ErrorCode::Usage,
      "--every takes cc, pagerank, tc, kcore, bfs:LABEL and sssp:LABEL, not '" + text + "'");
}

StreamedResult::StreamedResult(const Context& ctx, const DynamicGraph& graph,
                               const dynamic::VertexLabels& labels)
    : ctx_(ctx), labels_(labels), graph_(without_gaps(ctx, graph, labels, vertex_)) {}

std::string StreamedResult::label(VertexId v) const {
  return labels_.label(vertex_.empty() ? v : vertex_[v]);
}

Json StreamedResult::search(const StreamedAlgorithm& a) const {
  Json json{{"algorithm", a.name}, {"source", a.source}, {"seconds", 0}, {"reached", 0}};
  json[a.name == "bfs" ? "depth" : "farthest"] = nullptr;
  auto source = labels_.find(a.source);
  if (!source) return json;  // not there yet, or not any more
  if (!vertex_.empty())
    source =
        static_cast<VertexId>(std::find(vertex_.begin(), vertex_.end(), *source) - vertex_.begin());
  if (a.name == "bfs") {
    const BfsResult r = bfs(ctx_, graph_, {{*source}});
    json["seconds"] = r.report.seconds;
    json["reached"] = r.reached;
    json["depth"] = r.max_depth;
  } else {
    const SsspResult r = sssp(ctx_, graph_, *source);
    Weight farthest = 0;
    for (const Weight d : r.distance)
      if (d != kInfinity) farthest = std::max(farthest, d);
    json["seconds"] = r.report.seconds;
    json["reached"] = r.reached;
    json["farthest"] = farthest;
  }
  return json;
}

Json StreamedResult::run(const StreamedAlgorithm& a) const {
  return with_labels_in_errors([this](VertexId v) { return label(v); },
                               [&] { return a.source.empty() ? whole(a) : search(a); });
}

Json StreamedResult::whole(const StreamedAlgorithm& a) const {
  Json json{{"algorithm", a.name}};
  if (a.name == "cc") {
    const ComponentsResult r = connected_components(ctx_, graph_);
    json["seconds"] = r.report.seconds;
    json["components"] = r.components;
    json["largest"] = r.largest;
  } else if (a.name == "pagerank") {
    const PagerankResult r = pagerank(ctx_, graph_);
    json["seconds"] = r.report.seconds;
    json["iterations"] = r.iterations;
    const auto first = std::max_element(r.rank.begin(), r.rank.end());
    const bool any = first != r.rank.end();
    json["first"] = any ? Json(label(static_cast<VertexId>(first - r.rank.begin()))) : Json();
    json["rank"] = any ? Json(*first) : Json();
  } else if (a.name == "tc") {
    const TrianglesResult r = count_triangles(ctx_, graph_);
    json["seconds"] = r.report.seconds;
    json["triangles"] = r.total;
  } else {
    const KcoreResult r = kcore(ctx_, graph_);
    json["seconds"] = r.report.seconds;
    json["degeneracy"] = r.degeneracy;
  }
  return json;
}

std::string line_of(const Json& result) {
  std::string line = result.at("algorithm").get<std::string>() + ":";
  for (const auto& [key, value] : result.items()) {
    if (key == "algorithm" || key == "seconds" || value.is_null()) continue;
    line += fmt::format(" {} {}", key,
                        value.is_string() ? printable(value.get<std::string>()) : value.dump());
  }
  return line + fmt::format(", {}", format_seconds(result.at("seconds").get<double>()));
}

}  // namespace fathom::cli
