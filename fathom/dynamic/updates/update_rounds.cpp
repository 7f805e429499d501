#include "fathom/dynamic/updates/update_rounds.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kMostThere = 4;  // rounds of the random test

}  // namespace

RoundKind round_kind(std::string_view name) {
  if (name == "uniform") return RoundKind::Uniform;
  if (name == "random") return RoundKind::Random;
  if (name == "sweep") return RoundKind::Sweep;
  throw Error(ErrorCode::Usage,
              "rounds of updates are uniform, random or sweep, not '" + std::string(name) + "'");
}

std::vector<EdgeUpdate> UpdateRounds::next(const DynamicGraph& graph) {
  const RandomStream dice(seed_, 1);
  const bool coin = (dice.at(rounds_++) & 1) != 0;
  const bool grows = kind_ == RoundKind::Random
                         ? there_.empty() || (coin && there_.size() < kMostThere)
                         : there_.empty();
  if (!grows) {
    std::vector<EdgeUpdate> deletions = std::move(there_.front());
    there_.erase(there_.begin());
    return deletions;
  }
  std::vector<EdgeUpdate> updates = insertions(graph);
  there_.push_back(updates);
  for (EdgeUpdate& e : there_.back()) e.deletion = true;
  return updates;
}

std::vector<EdgeUpdate> UpdateRounds::insertions(const DynamicGraph& graph) {
  const VertexId n = graph.vertices();
  const RandomStream dice(seed_, 2);
  const VertexId from = static_cast<VertexId>(swept_ % n);
  if (kind_ == RoundKind::Sweep) swept_ += kSweptVertices;
  std::vector<Edge> pairs;
  pairs.reserve(updates_);
  for (std::uint64_t i = 0; i < updates_; ++i) {
    auto u = static_cast<VertexId>(bounded(dice.at(drawn_++), n));
    const auto v = static_cast<VertexId>(bounded(dice.at(drawn_++), n));
    if (kind_ == RoundKind::Sweep)
      u = static_cast<VertexId>((from + u % std::min(n, kSweptVertices)) % n);
    if (u == v) continue;
    pairs.push_back(graph.directed() || u < v ? Edge{u, v} : Edge{v, u});
  }
  std::sort(pairs.begin(), pairs.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  });
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const std::vector<std::uint8_t> known = graph.has_edges(pairs);
  std::vector<EdgeUpdate> updates;
  updates.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (known[i] == 0) updates.push_back(EdgeUpdate::insert(pairs[i].source, pairs[i].target));
  return updates;
}

}  // namespace fathom::dynamic
