#include "tests/reference/sampling/neighbor_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace reference {
namespace {

using Lists = std::vector<std::vector<Arc>>;

Lists ordered(Lists lists) {
  for (auto& list : lists)
    std::sort(list.begin(), list.end(), [](const Arc& a, const Arc& b) {
      return a.target != b.target ? a.target < b.target : a.weight < b.weight;
    });
  return lists;
}

/// The positions within a list that may be drawn.
std::vector<std::size_t> candidates(const SampleRequest& request, std::int64_t k,
                                    const std::vector<Arc>& list, std::size_t first,
                                    std::int64_t until) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (request.weighted && k > 0 && list[i].weight == 0) continue;
    if (!request.edge_times.empty() && request.edge_times[first + i] > until) continue;
    all.push_back(i);
  }
  if (request.last && k >= 0) {
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
      return request.edge_times[first + a] < request.edge_times[first + b];
    });
    while (all.size() > static_cast<std::size_t>(k)) all.erase(all.begin());
    std::sort(all.begin(), all.end());
  }
  return all;
}

void draw_on(const std::vector<double>& weights, std::size_t k, bool replace, double so_far,
             std::vector<std::uint32_t>& drawn,
             std::map<std::vector<std::uint32_t>, double>& probability) {
  double total = 0;
  std::vector<bool> gone(weights.size());
  if (!replace)
    for (const std::uint32_t i : drawn) gone[i] = true;
  for (std::size_t i = 0; i < weights.size(); ++i) total += gone[i] ? 0 : weights[i];
  if (drawn.size() == k || total == 0) {
    std::vector<std::uint32_t> outcome = drawn;
    std::sort(outcome.begin(), outcome.end());
    probability[outcome] += so_far;
    return;
  }
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    if (gone[i] || weights[i] == 0) continue;
    drawn.push_back(i);
    draw_on(weights, k, replace, so_far * weights[i] / total, drawn, probability);
    drawn.pop_back();
  }
}

}  // namespace

std::string fault(const Graph& g, const SampleRequest& request, const std::vector<Vertex>& seeds,
                  const std::vector<std::int64_t>& times, const Sample& got) {
  const Lists lists = ordered(request.in_edges ? g.in : g.out);
  std::vector<std::size_t> first(lists.size() + 1, 0);
  for (std::size_t v = 0; v < lists.size(); ++v) first[v + 1] = first[v] + lists[v].size();

  Sample want;
  std::map<std::pair<std::uint32_t, Vertex>, std::uint32_t> local;
  std::vector<std::uint32_t> tree;
  const auto add = [&](std::uint32_t in, Vertex v) {
    const auto next = static_cast<std::uint32_t>(want.nodes.size());
    local.try_emplace({in, v}, next);
    want.nodes.push_back(v);
    tree.push_back(in);
  };
  for (std::uint32_t s = 0; s < seeds.size(); ++s) add(request.disjoint ? s : 0, seeds[s]);
  want.nodes_per_hop.push_back(static_cast<std::uint32_t>(seeds.size()));

  std::size_t from = 0, at = 0;
  for (const std::int64_t k : request.fan_out) {
    const std::size_t found = want.nodes.size(), before = at;
    for (; from < found; ++from) {
      const Vertex v = want.nodes[from];
      const std::uint32_t in = tree[from];
      const auto from_these =
          candidates(request, k, lists[v], first[v], request.edge_times.empty() ? 0 : times[in]);
      std::size_t due = from_these.size();
      if (k >= 0) due = std::min(due, static_cast<std::size_t>(k));
      if (k >= 0 && request.replace && !from_these.empty()) due = static_cast<std::size_t>(k);
      std::set<std::size_t> drawn;
      std::size_t previous = 0;
      for (std::size_t n = 0; n < due; ++n, ++at) {
        const std::string of = " of vertex " + std::to_string(v);
        if (at >= got.edge.size()) return "too few edges" + of;
        const std::size_t i = static_cast<std::size_t>(got.edge[at]) - first[v];
        if (!std::binary_search(from_these.begin(), from_these.end(), i))
          return "an edge that is none to draw" + of;
        if (!drawn.insert(i).second && !request.replace) return "an edge twice" + of;
        if (n > 0 && i < previous) return "edges out of order" + of;
        previous = i;
        const Vertex u = lists[v][i].target;
        if (!local.contains({in, u})) add(in, u);
        want.row.push_back(local.at({in, u}));
        want.col.push_back(static_cast<std::uint32_t>(from));
        want.edge.push_back(got.edge[at]);
      }
    }
    want.nodes_per_hop.push_back(static_cast<std::uint32_t>(want.nodes.size() - found));
    want.edges_per_hop.push_back(at - before);
  }
  if (!request.in_edges) std::swap(want.row, want.col);
  if (request.disjoint) want.tree = tree;
  if (want.nodes != got.nodes) return "other nodes";
  if (want.row != got.row || want.col != got.col) return "other ends of edges";
  if (want.edge != got.edge) return "too many edges";
  if (want.tree != got.tree) return "other trees";
  if (want != got) return "other numbers per hop";
  return "";
}

std::map<std::vector<std::uint32_t>, double> draw_probabilities(const std::vector<double>& weights,
                                                                std::size_t k, bool replace) {
  std::map<std::vector<std::uint32_t>, double> probability;
  std::vector<std::uint32_t> drawn;
  draw_on(weights, k, replace, 1, drawn, probability);
  return probability;
}

bool plausible(const std::map<std::vector<std::uint32_t>, std::uint64_t>& seen,
               const std::map<std::vector<std::uint32_t>, double>& probability) {
  std::uint64_t all = 0;
  for (const auto& [outcome, times] : seen) {
    if (!probability.contains(outcome)) return false;
    all += times;
  }
  double statistic = 0;
  for (const auto& [outcome, p] : probability) {
    const auto found = seen.find(outcome);
    const double times = found == seen.end() ? 0 : static_cast<double>(found->second);
    const double expected = p * static_cast<double>(all);
    statistic += (times - expected) * (times - expected) / expected;
  }
  // Wilson and Hilferty's approximation of the quantile; 3.719 is the normal one of 1 - 1e-4.
  const double freedom = static_cast<double>(probability.size()) - 1, part = 2 / (9 * freedom);
  return statistic <= freedom * std::pow(1 - part + 3.719 * std::sqrt(part), 3);
}

}  // namespace reference
