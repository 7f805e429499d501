// The certificate of communities by modularity.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fathom/algorithms/louvain/levels.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

void check_names(const char* name, const Graph& graph, const LouvainOptions& options,
                 std::uint32_t passes, const LouvainResult& result) {
  const VertexId n = graph.vertices();
  if (result.community.size() != n) refute(name, "not one community per vertex");
  VertexId communities = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const VertexId its = result.community[v];
    if (its > v || result.community[its] != its)
      refute_vertex(name, v, "has a community that is not called by its first vertex");
    communities += its == v ? 1 : 0;
  }
  if (communities != result.communities)
    refute(name, "there are " + std::to_string(communities) + " communities, not " +
                     std::to_string(result.communities));
  const double most = static_cast<double>(options.levels) * passes;
  if (result.levels > most || result.rounds > options.rounds * (result.levels + 1. * passes))
    refute(name, std::to_string(result.levels) + " levels and " + std::to_string(result.rounds) +
                     " rounds are more than were asked for");
}

/// The vertices of each community, one community after the other.
class Members {
 public:
  Members(const Context& ctx, const Array<VertexId>& community)
      : end_(community.size(), 0, ctx.host_memory()), vertex_(community.size(), ctx.host_memory()) {
    for (const VertexId c : community) ++end_[c];
    VertexId before = 0;
    for (VertexId& its : end_) {
      const VertexId size = its;
      its = before;
      before += size;
    }
    for (std::size_t v = 0; v < community.size(); ++v)
      vertex_[end_[community[v]]++] = static_cast<VertexId>(v);
  }
  std::span<const VertexId> of(VertexId c) const {
    const std::size_t first = c == 0 ? 0 : end_[c - 1];
    return vertex_.span().subspan(first, end_[c] - first);
  }

 private:
  Array<VertexId> end_, vertex_;
};

class Recount {
 public:
  Recount(const Context& ctx, const Graph& graph, const LouvainResult& result)
      : task_(ctx.task()),
        community_(result.community),
        members_(ctx, result.community),
        lists_(graph.out().read_lists()),
        strength_(community_.size(), 0, ctx.host_memory()),
        between_(community_.size(), 0, ctx.host_memory()) {
    for (std::size_t c = 0; c < community_.size(); ++c) {
      strength_[c] = sum_up(static_cast<VertexId>(c), [&](VertexId other, double weight) {
        if (other == c) inside_ += weight;
      });
      all_ += strength_[c];
    }
  }

  double modularity(double resolution) const {
    if (all_ == 0) return 0;
    double sum = inside_ / all_;
    for (const double its : strength_) sum -= resolution * (its / all_) * (its / all_);
    return sum;
  }

  /// That no community gains by joining another.
  void check_pairs(const char* name, double resolution) {
    for (std::size_t c = 0; c < community_.size(); ++c)
      sum_up(static_cast<VertexId>(c), [&](VertexId other, double weight) {
        if (other == c) return;
        const double gain =
            weight / all_ - resolution * (strength_[c] / all_) * (strength_[other] / all_);
        if (gain > 1e-6 * weight / all_ + 1e-12)
          refute(name, "the communities of vertices " + std::to_string(c) + " and " +
                           std::to_string(other) +
                           " have more edges between them than is to be expected, and would gain "
                           "by joining");
      });
  }

 private:
  /// Calls visit(other, weight) for each community that vertices of c have edges to.
  /// @returns the weight of all of them; loops count twice.
  template <class Visit>
  double sum_up(VertexId c, const Visit& visit) {
    if (community_[c] != c) return 0;
    task_.check();
    double strength = 0;
    for (const VertexId u : members_.of(c))
      lists_->read(u, [&](const PlainSpan& span) {
        for (std::uint32_t i = 0; i < span.size; ++i) {
          const VertexId v = span.target(i);
          const double weight = (u == v ? 2 : 1) * static_cast<double>(span.weight(i));
          strength += weight;
          if (between_[community_[v]] == 0) met_.push_back(community_[v]);
          between_[community_[v]] += weight;
        }
      });
    for (const VertexId other : met_) {
      if (between_[other] != 0) visit(other, between_[other]);
      between_[other] = 0;
    }
    met_.clear();
    return strength;
  }

  const Task& task_;
  const Array<VertexId>& community_;
  const Members members_;
  const std::unique_ptr<ListReader> lists_;
  Array<double> strength_, between_;  // by community
  std::vector<VertexId> met_;
  double all_ = 0, inside_ = 0;
};

}  // namespace

void detail::verify_communities(const Context& ctx, const Graph& graph,
                                const LouvainOptions& options, const LouvainResult& result,
                                const char* name, std::uint32_t passes) {
  check_names(name, graph, options, passes, result);
  Recount recount(ctx, graph, result);
  const double modularity = recount.modularity(options.resolution);
  if (!(std::abs(result.modularity - modularity) <= 1e-9 * (1 + options.resolution)))
    refute(name, "the modularity is " + std::to_string(modularity) + ", but " +
                     std::to_string(result.modularity) + " is reported");
  if (result.converged) recount.check_pairs(name, options.resolution);
}

void verify_louvain(const Context& ctx, const Graph& graph, const LouvainOptions& options,
                    const LouvainResult& result) {
  detail::verify_communities(ctx, graph, options, result, "louvain");
}

}  // namespace fathom
