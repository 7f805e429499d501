// The certificate: a replay of the hops from the lists, which takes the draws for granted.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/error.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

[[noreturn]] void refute(const std::string& what) {
  throw Error(ErrorCode::VerificationFailed, "neighbor sample: " + what);
}
void require(bool holds, const char* what) {
  if (!holds) refute(what);
}

/// Of lists: where each begins, in an order of the caller's.
std::vector<EdgeId> positions_of(const Context& ctx, EdgeSource& source,
                                 std::span<const VertexId> vertex) {
  const RunLists run(ctx, neighbor_sampling_state(), {{source}});
  const Device& device = ctx.devices()[0];
  const std::vector<std::size_t> at(vertex.begin(), vertex.end());
  std::vector<EdgeId> first(at.size());
  if (!at.empty()) ctx.gather(device, source.offsets(device), sizeof(EdgeId), at, first.data());
  return first;
}

/// The first place of each (vertex, tree).
class FirstPlaces {
 public:
  explicit FirstPlaces(const NeighborSample& sample) {
    for (std::uint32_t i = 0; i < sample.nodes.size(); ++i)
      known_.emplace_back(sample.nodes[i], sample.tree.empty() ? 0 : sample.tree[i], i);
    std::sort(known_.begin(), known_.end());
  }
  std::uint32_t of(VertexId v, std::uint32_t tree) const {
    const auto at = std::lower_bound(known_.begin(), known_.end(), Known{v, tree, 0});
    if (at == known_.end() || std::get<0>(*at) != v || std::get<1>(*at) != tree)
      refute("vertex " + std::to_string(v) + " is a neighbor and not among the nodes");
    return std::get<2>(*at);
  }

 private:
  using Known = std::tuple<VertexId, std::uint32_t, std::uint32_t>;
  std::vector<Known> known_;
};

class Certificate {
 public:
  Certificate(const NeighborSamplingOptions& options, std::span<const VertexId> seeds,
              std::span<const std::int64_t> times, const NeighborSample& sample)
      : options_(options),
        times_(times),
        sample_(sample),
        places_(sample),
        near_(options.along == SampleAlong::InEdges ? sample.col : sample.row),
        far_(options.along == SampleAlong::InEdges ? sample.row : sample.col),
        found_(seeds.size()) {}

  void check_shape(std::span<const VertexId> seeds) const {
    const std::size_t hops = options_.fan_out.size();
    require(sample_.nodes_per_hop.size() == hops + 1 && sample_.edges_per_hop.size() == hops,
            "not a number of nodes and edges for each hop");
    require(sample_.row.size() == sample_.edge.size() && sample_.col.size() == sample_.edge.size(),
            "row, col and edge differ in length");
    require(sample_.tree.size() == (options_.disjoint ? sample_.nodes.size() : 0),
            "not a tree for each node, or trees that are not disjoint");
    require(sample_.nodes.size() >= seeds.size() &&
                std::equal(seeds.begin(), seeds.end(), sample_.nodes.begin()),
            "the nodes do not begin with the seeds");
    require(sample_.nodes_per_hop[0] == seeds.size(), "the first nodes are not the seeds alone");
    for (std::uint32_t s = 0; options_.disjoint && s < seeds.size(); ++s)
      require(sample_.tree[s] == s, "a seed is in the tree of another one");
    for (std::size_t i = seeds.size(); i < sample_.nodes.size(); ++i)
      if (places_.of(sample_.nodes[i], tree(i)) != i)
        refute("vertex " + std::to_string(sample_.nodes[i]) + " was found twice");
  }

  std::size_t found() const { return found_; }

  /// Takes the edges of one node's list. `first`: its position.
  void check_list(std::int64_t fan_out, std::size_t node, ListReader& reader, EdgeId first) {
    read(reader, sample_.nodes[node]);
    const EdgeId begin = at_;
    while (at_ < near_.size() && near_[at_] == node) ++at_;
    const auto refuse = [&](const char* what) {
      refute(std::string(what) + " of vertex " + label(sample_.nodes[node]));
    };
    std::vector<bool> drawn(target_.size());
    for (EdgeId e = begin; e < at_; ++e) {
      const EdgeId i = sample_.edge[e] - first;
      if (sample_.edge[e] < first || i >= target_.size()) refuse("an edge is not in the list");
      if (e > begin && sample_.edge[e] < sample_.edge[e - 1]) refuse("edges are not in order");
      if (drawn[i] && !options_.replace) refuse("an edge was drawn twice");
      if (!may_be_drawn(fan_out, node, first, i))
        refuse("an edge of weight 0 or too late is drawn");
      if (far_[e] != places_.of(target_[i], tree(node))) refuse("an edge leads elsewhere");
      if (far_[e] == found_)
        ++found_;
      else if (far_[e] > found_)
        refuse("nodes are not in order behind an edge");
      drawn[i] = true;
    }
    EdgeId among = 0;
    for (EdgeId i = 0; i < target_.size(); ++i) among += may_be_drawn(fan_out, node, first, i);
    EdgeId due = among;
    if (fan_out >= 0) {
      const auto k = static_cast<EdgeId>(fan_out);
      due = options_.replace && among > 0 ? k : std::min(among, k);
    }
    if (at_ - begin != due) refuse("not as many edges as there should be");
    if (options_.temporal == TemporalChoice::Last && options_.edge_times)
      check_last(node, first, drawn);
  }

  void end_hop(std::size_t hop, std::size_t nodes_before, EdgeId edges_before) const {
    require(sample_.nodes_per_hop[hop + 1] == found_ - nodes_before, "nodes per hop are wrong");
    require(sample_.edges_per_hop[hop] == at_ - edges_before, "edges per hop are wrong");
  }
  EdgeId edges() const { return at_; }

  void check_end() const {
    require(at_ == sample_.edge.size(), "there are edges of no node in the hop before");
    require(found_ == sample_.nodes.size(), "there are nodes that no edge leads to");
  }

 private:
  std::string label(VertexId v) const {
    return options_.label_of ? options_.label_of(v) : std::to_string(v);
  }
  std::uint32_t tree(std::size_t node) const {
    return sample_.tree.empty() ? 0 : sample_.tree[node];
  }
  void read(ListReader& reader, VertexId v) {
    target_.clear();
    weight_.clear();
    reader.read(v, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) {
        target_.push_back(span.target(i));
        weight_.push_back(span.weight(i));
      }
    });
  }
  bool may_be_drawn(std::int64_t fan_out, std::size_t node, EdgeId first, EdgeId i) const {
    if (options_.weighted && fan_out > 0 && !(weight_[i] > 0)) return false;
    return !options_.edge_times || (*options_.edge_times)[first + i] <= times_[tree(node)];
  }
  void check_last(std::size_t node, EdgeId first, const std::vector<bool>& drawn) const {
    using Age = std::pair<std::int64_t, EdgeId>;
    std::vector<Age> taken, left;
    for (EdgeId i = 0; i < drawn.size(); ++i)
      if ((*options_.edge_times)[first + i] <= times_[tree(node)])
        (drawn[i] ? taken : left).emplace_back((*options_.edge_times)[first + i], i);
    if (!taken.empty() && !left.empty() && std::ranges::min(taken) < std::ranges::max(left))
      refute("a later edge of vertex " + std::to_string(sample_.nodes[node]) + " was left out");
  }

  const NeighborSamplingOptions& options_;
  std::span<const std::int64_t> times_;
  const NeighborSample& sample_;
  FirstPlaces places_;
  std::span<const std::uint32_t> near_, far_;
  std::size_t found_;
  EdgeId at_ = 0;
  std::vector<VertexId> target_;  // of the list that was read
  std::vector<Weight> weight_;
};

}  // namespace

void verify_neighbor_sample(const Context& ctx, const Graph& graph,
                            const NeighborSamplingOptions& options, std::span<const VertexId> seeds,
                            std::span<const std::int64_t> times, const NeighborSample& sample) {
  for (const VertexId v : sample.nodes)
    if (v >= graph.vertices()) refute(std::to_string(v) + " is not a vertex");
  for (const auto* ends : {&sample.row, &sample.col})
    for (const std::uint32_t end : *ends)
      if (end >= sample.nodes.size()) refute("an edge ends at no node");
  Certificate certificate(options, seeds, times, sample);
  certificate.check_shape(seeds);
  EdgeSource& source = options.along == SampleAlong::InEdges ? graph.in() : graph.out();
  const std::vector<EdgeId> first = positions_of(ctx, source, sample.nodes);
  const std::unique_ptr<ListReader> reader = source.read_lists();
  std::size_t node = 0;
  for (std::size_t hop = 0; hop < options.fan_out.size(); ++hop) {
    ctx.task().check();
    const std::size_t found = certificate.found();
    const EdgeId edges = certificate.edges();
    for (; node < found; ++node)
      certificate.check_list(options.fan_out[hop], node, *reader, first[node]);
    certificate.end_hop(hop, found, edges);
  }
  certificate.check_end();
}

}  // namespace fathom
