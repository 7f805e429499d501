#include "cli/commands/stream/following.hpp"

#include <chrono>
#include <utility>

namespace fathom::cli {
namespace {

std::string key_of(const StreamedAlgorithm& a) {
  return a.name + ":" + a.source;
}

}  // namespace

FollowedResults::FollowedResults(const std::vector<StreamedAlgorithm>& algorithms,
                                 const DynamicGraph& graph, const dynamic::VertexLabels& labels)
    : graph_(graph), labels_(labels) {
  for (const StreamedAlgorithm& a : algorithms) {
    if (a.name == "cc") components_.emplace(graph);
    if (a.name == "pagerank") ranks_.emplace(graph);
    if (a.name == "bfs") follow_source(a.source, searches_[a.source], nullptr);
    seconds_[key_of(a)] = 0;
  }
}

void FollowedResults::follow_source(const std::string& label, Search& search,
                                    const AppliedBatch* batch) {
  const auto source = labels_.find(label);
  if (!source) {
    search.levels.reset();
  } else if (search.levels && batch && search.source == *source) {
    search.levels->update(*batch);
  } else {
    search.source = *source;
    search.levels.emplace(graph_, std::span(&search.source, 1));
  }
}

void FollowedResults::update(const AppliedBatch& batch) {
  const auto timed = [&](const std::string& key, const auto& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    seconds_[key] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (components_) timed("cc:", [&] { components_->update(batch); });
  if (ranks_) timed("pagerank:", [&] { ranks_->update(batch); });
  for (auto& [label, search] : searches_)
    timed("bfs:" + label,
          [&, &source = label, &its = search] { follow_source(source, its, &batch); });
}

std::optional<Json> FollowedResults::run(const StreamedAlgorithm& a) {
  Json json;
  if (a.name == "cc")
    json = components();
  else if (a.name == "pagerank")
    json = ranks();
  else if (a.name == "bfs")
    json = search(a.source);
  else
    return std::nullopt;
  Json result{{"algorithm", a.name}};
  if (a.name == "bfs") result["source"] = a.source;
  result["seconds"] = std::exchange(seconds_[key_of(a)], 0);
  result.update(json);
  return result;
}

Json FollowedResults::components() const {
  // Each deleted vertex is a component by itself.
  const VertexId gone = graph_.vertices() - graph_.existing_vertices();
  return {{"components", components_->components() - gone},
          {"largest", graph_.existing_vertices() == 0 ? 0 : components_->largest()}};
}

Json FollowedResults::ranks() const {
  const std::vector<double> rank = ranks_->ranks();
  double sum = 0, most = -1;
  VertexId first = 0;
  for (VertexId v = 0; v < rank.size(); ++v) {
    if (!graph_.exists(v)) continue;
    sum += rank[v];
    if (rank[v] > most) first = v, most = rank[v];
  }
  Json json{{"pushes", ranks_->pushes()}};
  if (most < 0) return json;
  json["first"] = labels_.label(first);
  json["rank"] = most / sum;
  return json;
}

Json FollowedResults::search(const std::string& label) const {
  const auto& levels = searches_.at(label).levels;
  if (!levels) return {{"reached", 0}};
  return {{"reached", levels->reached()}, {"depth", levels->max_depth()}};
}

}  // namespace fathom::cli
