#include "fathom/algorithms/components/rank_forests.hpp"

#include <algorithm>
#include <vector>

#include "fathom/algorithms/bfs/rank_steps.hpp"
#include "fathom/algorithms/components/functors.hpp"
#include "fathom/algorithms/components/giant.hpp"
#include "fathom/algorithms/components/parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/random.hpp"
#include "fathom/exec/bitmap.hpp"
#include "fathom/exec/ranks/tell_each.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

// Random links that join so many trees into one of nearly all: each is in twice as many links, on
// average, and one in 3,000 in none.
constexpr double kLinksPerTree = 4;
constexpr std::size_t kLabelGrain = std::size_t{1} << 16;

/// A vertex of another rank's, and the root of the tree that a rank has linked it into.
struct VertexAndRoot {
  VertexId vertex, root;
};

VertexId root_of(const VertexId* tree, VertexId v) {
  while (tree[v] != v) v = tree[v];
  return v;
}

/// A bit for each of two roots that are linked.
struct MarkRoots {
  std::uint64_t* bits;
  void operator()(VertexId high, VertexId low) const {
    bitmap::mark(bits, high);
    bitmap::mark(bits, low);
  }
};

/// Hooks u below its first neighbour, and remembers the last that is shown and was not that one.
struct HookAndRemember {
  VertexId* component;
  VertexId* other;
  bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    if (i == 0 && v < u)
      AtomicRef(component[u]).store(v);
    else
      other[u] = v;
    return false;
  }
};

/// Roots, and as many of the others as the stride leaves.
struct RootOrEveryNth {
  const VertexId* component;
  std::uint64_t stride;
  bool operator()(VertexId v) const { return component[v] == v || v % stride == 0; }
};

/// Joins v with the neighbour that was remembered.
struct LinkOther {
  VertexId* component;
  const VertexId* other;
  std::uint64_t* linked;
  void operator()(VertexId v) const {
    if (other[v] != kNoVertex) link(component, v, other[v], MarkRoots{linked});
  }
};

struct LinkMarked {
  VertexId* component;
  std::uint64_t* linked;
  bool visit(VertexId u, VertexId v, Weight) const {
    link(component, u, v, MarkRoots{linked});
    return false;
  }
};

/// Of vertices below roots that have their last label, and of those roots.
struct LabelOfLabel {
  VertexId* label;
  void operator()(VertexId v) const {
    AtomicRef(label[v]).store(AtomicRef(label[AtomicRef(label[v]).load()]).load());
  }
};

/// Trees that all ranks know, those of first neighbours if they are sampled, and below their roots
/// what this rank alone has linked.
class RankForest {
 public:
  RankForest(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        own_(*graph.out().own_lists()),
        label_(ctx, graph.vertices()),
        linked_(bitmap::words(graph.vertices()), 0, ctx.host_memory()),
        same_(graph.vertices(), ctx.host_memory()),
        known_(linked_.size(), 0, ctx.host_memory()),
        mine_(ctx, graph.vertices()),
        rest_(ctx, graph.vertices()),
        range_(static_cast<std::size_t>(ctx.ranks())) {
    ctx.group().all_gather(&own_, sizeof own_, range_.data());
    keep_to(ctx, own_, mine_);
  }

  /// Links own vertices. `sample`: a few edges first, and then those of vertices outside the tree
  /// that most are in: an edge that leaves it is linked from its other end, which has to see it.
  void link_own(bool sample) {
    compute(ctx_, graph_.vertices(), [&](const Device& d) { return StartAlone{label_.on(d)}; });
    if (sample) link_some();
    if (sample && own_.size() > 0) {
      giant_ = probable_giant(label_, own_.first, own_.last);
      filter(ctx_, mine_, rest_, [&](const Device& d) { return Outside{label_.on(d), giant_}; });
    } else {
      keep_to(ctx_, own_, rest_);
    }
    link_lists(rest_);
  }

  /// Tells others where this rank has linked their roots, and is told which trees are one.
  void tell() {
    const std::vector<Array<VertexAndRoot>> pairs = linked_of_others();
    std::vector<std::span<const std::byte>> messages;
    messages.reserve(pairs.size());
    for (const auto& its : pairs) messages.push_back(std::as_bytes(its.span()));
    Array<std::uint64_t> joined(linked_.size(), 0, ctx_.host_memory());
    giants_ = tell_each<std::uint64_t>(
        ctx_.group(), giant_ == kNoVertex ? kNoVertex : root_of(labels(), giant_), messages,
        [&](int, std::span<const std::byte> told) { join(told, joined.data()); });
    share_joined(joined.span());
  }

  /// Who skipped the lists of another tree than the first that skipped some links those, as edges
  /// between the two were seen from neither end. Returns whether anybody had to.
  bool link_skipped() {
    VertexId first = kNoVertex;
    bool any = false;
    for (const VertexId its : giants_) {
      if (its == kNoVertex) continue;
      if (first == kNoVertex) first = last_root(its);
      any = any || last_root(its) != first;
    }
    if (!any) return false;
    if (giant_ != kNoVertex && last_root(root_of(labels(), giant_)) != first) {
      mine_.subtract(rest_);
      link_lists(mine_);
      giant_ = kNoVertex;
    }
    return true;
  }

  /// Labels of all vertices, on all ranks.
  Array<VertexId> take() && {
    VertexId* const label = labels();
    for (const auto& bits : {linked_.span(), known_.span()})
      bitmap::for_each_marked(bits, own_,
                              [&](VertexId v) { label[v] = last_root(root_of(label, v)); });
    label_.share(own_);
    // Others than roots may be below a root of another rank, which knows where that is.
    if (sampled_)
      compute(ctx_, graph_.vertices(), [&](const Device&) { return LabelOfLabel{label}; });
    return std::move(label_).take();
  }

  detail::RankWork work() const { return sum_among_ranks(ctx_, work_); }

 private:
  VertexId* labels() { return label_.on(ctx_.devices()[0]); }
  bool is_here(std::size_t rank) const { return static_cast<int>(rank) == ctx_.group().rank(); }
  /// What a root of this rank's is in the end.
  VertexId last_root(VertexId root) const {
    return bitmap::is_marked(known_.data(), root) ? root_of(same_.data(), root) : root;
  }

  template <class Work>
  void over_own(const Work& work) const {
    parallel_for(ctx_.threads(), own_.size(), kLabelGrain,
                 [&](std::size_t first, std::size_t last, int) {
                   for (std::size_t v = own_.first + first; v < own_.first + last; ++v)
                     work(static_cast<VertexId>(v));
                 });
  }
  /// Hooks every vertex below its first neighbour, for all ranks to know; then links these trees,
  /// until most are one tree here.
  void link_some() {
    sampled_ = true;
    const bool more = graph_.edges() >= kFewEdgesToSample * graph_.vertices();
    if (more) {
      over_own([&](VertexId v) { same_[v] = kNoVertex; });  // a place to remember neighbours
      advance(
          ctx_, graph_.out(), mine_, nullptr,
          [&](const Device& d) {
            return HookAndRemember{label_.on(d), same_.data()};
          },
          Emit::Once, 2);
    } else {
      advance(
          ctx_, graph_.out(), mine_, nullptr,
          [&](const Device& d) { return HookFirst{label_.on(d)}; }, Emit::Once, 1);
    }
    work_.edges += (more ? 2 : 1) * own_.size();
    compress_own();  // first neighbours may form long paths, such as the columns of a grid
    label_.share(own_);
    if (more) link_remembered();
    compress_own();
  }
  /// By other neighbours of own vertices, as many as it takes. (One process links more neighbours
  /// of roots: those have low ids, and other ranks would have none.)
  void link_remembered() {
    const std::uint64_t stride = stride_of_links();
    filter(ctx_, mine_, rest_, [&](const Device& d) {
      return RootOrEveryNth{label_.on(d), stride};
    });
    compute(ctx_, rest_, [&](const Device& d) {
      return LinkOther{label_.on(d), same_.data(), linked_.data()};
    });
  }
  /// Of the own vertices that are below roots every how manieth is linked, for so many trees as
  /// there are: from a sample.
  std::uint64_t stride_of_links() {
    constexpr std::size_t kSamples = 4096;
    const VertexId* const label = labels();
    const EdgeId* const offset = graph_.out().offsets(ctx_.devices()[0]);
    const RandomStream random(2, 0);
    double trees = 0, below = 0;
    for (std::size_t i = 0; i < kSamples && own_.size() > 0; ++i) {
      const std::size_t v =
          own_.first + static_cast<std::size_t>(bounded(random.at(i), own_.size()));
      below += label[v] != v ? 1 : 0;
      trees += label[v] == v && offset[v + 1] > offset[v] ? 1 : 0;
    }
    const double each = static_cast<double>(own_.size()) / kSamples;
    const double wanted = std::max(1., kLinksPerTree * sum_among_ranks(ctx_, each * trees));
    return static_cast<std::uint64_t>(each * below / wanted) + 1;
  }
  void compress_own() {
    compute(ctx_, mine_, [&](const Device& d) { return Compress{label_.on(d)}; });
  }
  void link_lists(Frontier& of) {
    work_.vertices += of.size();
    work_.edges += graph_.out().degree_sum(ctx_, of);
    advance(ctx_, graph_.out(), of, nullptr, [&](const Device& d) {
      return LinkMarked{label_.on(d), linked_.data()};
    });
  }

  /// By rank, its roots that this rank has linked with others, and below which one.
  std::vector<Array<VertexAndRoot>> linked_of_others() {
    VertexId* const label = labels();
    std::vector<Array<VertexAndRoot>> pairs(range_.size());
    for (std::size_t r = 0; r < range_.size(); ++r) {
      if (is_here(r)) continue;
      std::size_t count = 0;
      bitmap::for_each_marked(linked_.span(), range_[r], [&](VertexId) { ++count; });
      pairs[r] = Array<VertexAndRoot>(count, ctx_.host_memory());
      count = 0;
      bitmap::for_each_marked(linked_.span(), range_[r], [&](VertexId v) {
        Compress{label}(v);
        pairs[r][count++] = {v, label[v]};
      });
    }
    return pairs;
  }

  /// An own root is in a tree of this rank, and in one of the rank that tells it. `joined`: gets a
  /// bit for each root that is known to be the same as another one.
  void join(std::span<const std::byte> told, std::uint64_t* joined) {
    VertexId* const label = labels();
    for (const VertexAndRoot& its : pairs_of(told)) {
      const VertexId mine = root_of(label, its.vertex);
      if (mine == its.root) continue;
      same(mine, its.root, [&](VertexId high, VertexId) { bitmap::mark(joined, high); });
    }
  }
  template <class Hooked>
  void same(VertexId a, VertexId b, const Hooked& hooked) {
    for (const VertexId v : {a, b}) {
      if (bitmap::is_marked(known_.data(), v)) continue;
      bitmap::mark(known_.data(), v);
      same_[v] = v;
    }
    link(same_.data(), a, b, hooked);
  }

  /// All ranks know what is the same.
  void share_joined(std::span<const std::uint64_t> joined) {
    std::vector<VertexAndRoot> mine;
    bitmap::for_each_marked(joined, {0, graph_.vertices()}, [&](VertexId v) {
      mine.push_back({v, root_of(same_.data(), v)});
    });
    const Pieces all = ctx_.group().all_gather(std::as_bytes(std::span(mine)), ctx_.host_memory());
    for (int r = 0; r < ctx_.ranks(); ++r)
      if (!is_here(static_cast<std::size_t>(r)))
        for (const VertexAndRoot& its : pairs_of(all.of(r))) same(its.vertex, its.root, NotTold());
  }
  static std::span<const VertexAndRoot> pairs_of(std::span<const std::byte> told) {
    return {reinterpret_cast<const VertexAndRoot*>(told.data()),
            told.size() / sizeof(VertexAndRoot)};
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexRange own_;
  VertexArray<VertexId> label_;  // what this rank knows to be linked
  Array<std::uint64_t> linked_;  // bits of roots that this rank alone knows to be linked
  Array<VertexId> same_;         // trees of roots that are in one component, for ids with a bit:
  Array<std::uint64_t> known_;
  Frontier mine_, rest_;  // own vertices; those of them whose lists are linked whole
  std::vector<VertexRange> range_;
  bool sampled_ = false;
  VertexId giant_ = kNoVertex;    // outside whose tree lists are linked
  std::vector<VertexId> giants_;  // of all ranks, when they last told
  detail::RankWork work_;
};

}  // namespace

bool links_by_rank(const Context& ctx, const Graph& graph) {
  return ctx.ranks() > 1 && !ctx.separate() && ctx.devices().size() == 1 && graph.vertices() > 0 &&
         graph.out().own_lists().has_value();
}

ComponentsResult components_by_rank(const Context& ctx, const Graph& graph,
                                    const ComponentsOptions& options) {
  const RunLists lists(ctx, components_state(options.sample), {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  RankForest forest(ctx, graph);
  // Of a directed graph only the rank of an edge's source sees it.
  forest.link_own(options.sample && !graph.directed());
  forest.tell();
  if (forest.link_skipped()) forest.tell();
  const detail::RankWork work = forest.work();
  ComponentsResult result;
  result.label = std::move(forest).take();
  record.step(static_cast<VertexId>(work.vertices), work.edges, "local", graph.traffic());
  result.report = record.finish();
  count_components(ctx, result.label[0], result);
  return result;
}

}  // namespace fathom
