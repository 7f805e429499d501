#include "cli/commands/stream/following.hpp"

#include <chrono>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

std::string key_of(const StreamedAlgorithm& a) {
  return a.name + ":" + a.source;
}

void begin(std::optional<IncrementalBfs>& levels, const DynamicGraph& graph, VertexId source) {
  levels.emplace(graph, std::span(&source, 1));
}
void begin(std::optional<IncrementalSssp>& distances, const DynamicGraph& graph, VertexId source) {
  distances.emplace(graph, source);
}

}  // namespace

FollowedResults::FollowedResults(const std::vector<StreamedAlgorithm>& algorithms,
                                 const DynamicGraph& graph, const dynamic::VertexLabels& labels,
                                 bool on_gpu)
    : graph_(graph), labels_(labels) {
  for (const StreamedAlgorithm& a : algorithms) {
    if (a.name == "cc") components_.emplace(graph);
    if (a.name == "pagerank") ranks_.emplace(graph);
    if (a.name == "bfs") follow_source(a.source, levels_[a.source], nullptr);
    if (a.name == "sssp" && !on_gpu) follow_source(a.source, distances_[a.source], nullptr);
    if (a.name == "tc" && !on_gpu) triangles_.emplace(graph);
    if (a.name == "kcore" && !on_gpu) cores_.emplace(graph);
    seconds_[key_of(a)] = 0;
  }
}

template <class Result>
void FollowedResults::follow_source(const std::string& label, Search<Result>& search,
                                    const AppliedBatch* batch) {
  const auto source = labels_.find(label);
  if (!source) {
    search.result.reset();
    return;
  }
  try {
    if (search.result && batch && search.source == *source) {
      search.result->update(*batch);
    } else {
      search.source = *source;
      begin(search.result, graph_, *source);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::BadInput) throw;
    search.result.reset();
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
  if (triangles_) timed("tc:", [&] { triangles_->update(batch); });
  if (cores_) timed("kcore:", [&] { cores_->update(batch); });
  for (auto& [label, search] : levels_)
    timed("bfs:" + label,
          [&, &source = label, &its = search] { follow_source(source, its, &batch); });
  for (auto& [label, search] : distances_)
    timed("sssp:" + label,
          [&, &source = label, &its = search] { follow_source(source, its, &batch); });
}

std::optional<Json> FollowedResults::run(const StreamedAlgorithm& a) {
  Json json;
  if (a.name == "cc")
    json = components();
  else if (a.name == "pagerank")
    json = ranks();
  else if (a.name == "bfs")
    json = levels(a.source);
  else if (a.name == "sssp" && distances_.contains(a.source) &&
           (distances_.at(a.source).result || !labels_.find(a.source)))
    json = distances(a.source);
  else if (a.name == "tc" && triangles_)
    json = {{"triangles", triangles_->total()}};
  else if (a.name == "kcore" && cores_)
    json = {{"degeneracy", cores_->degeneracy()}};
  else
    return std::nullopt;
  Json result{{"algorithm", a.name}};
  if (!a.source.empty()) result["source"] = a.source;
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
  Json json{{"pushes", ranks_->pushes()}, {"first", nullptr}, {"rank", nullptr}};
  if (most < 0) return json;
  json["first"] = labels_.label(first);
  json["rank"] = most / sum;
  return json;
}

Json FollowedResults::levels(const std::string& label) const {
  const auto& levels = levels_.at(label).result;
  if (!levels) return {{"reached", 0}, {"depth", nullptr}};
  return {{"reached", levels->reached()}, {"depth", levels->max_depth()}};
}

Json FollowedResults::distances(const std::string& label) const {
  const auto& distances = distances_.at(label).result;
  if (!distances) return {{"reached", 0}, {"farthest", nullptr}};
  return {{"reached", distances->reached()}, {"farthest", distances->max_distance()}};
}

}  // namespace fathom::cli
