// The certificate of strongly connected components. It runs on host threads: what it counts lies in
// host memory, which emulated devices share.
#include <algorithm>
#include <string>
#include <utility>

#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

void check_class_labels(const Context& ctx, const SccResult& result) {
  Array<VertexId> size(result.label.size(), 0, ctx.host_memory());
  VertexId classes = 0, largest = 0;
  for (std::size_t v = 0; v < result.label.size(); ++v) {
    const VertexId label = result.label[v];
    if (label > v)
      refute_vertex("scc", v, "has the label " + std::to_string(label) + ", which is greater");
    if (result.label[label] != label)
      refute_vertex("scc", v,
                    "has the label " + std::to_string(label) + ", which is not of its own class");
    classes += label == v ? 1 : 0;
    largest = std::max(largest, ++size[label]);
  }
  const auto trivial = std::count(size.begin(), size.end(), VertexId{1});
  if (classes != result.components)
    refute("scc", std::to_string(classes) + " labels, but " + std::to_string(result.components) +
                      " components are reported");
  if (largest != result.largest)
    refute("scc", "the largest has " + std::to_string(largest) + " vertices, not " +
                      std::to_string(result.largest));
  if (static_cast<VertexId>(trivial) != result.trivial)
    refute("scc",
           std::to_string(trivial) + " have one vertex, not " + std::to_string(result.trivial));
}

constexpr std::uint32_t kFromRoot = 1, kToRoot = 2;

/// Within classes, from vertex to vertex.
struct ReachWithin {
  const VertexId* label;
  std::uint32_t* reached;
  std::uint32_t way;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (label[u] != label[v]) return false;
    const AtomicRef its(reached[v]);
    return (its.load() & way) == 0 && (its.fetch_or(way) & way) == 0;
  }
};

/// The same without in-edges: u looks for a target that reaches the root.
struct ReachByTarget {
  const VertexId* label;
  std::uint32_t* reached;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return label[u] == label[v] ? AtomicRef(reached[v]).load() & kToRoot : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool open(VertexId u) const { return (AtomicRef(reached[u]).load() & kToRoot) == 0; }
  FATHOM_HD bool commit(VertexId u, Value found) const {
    return found != 0 && (AtomicRef(reached[u]).fetch_or(kToRoot) & kToRoot) == 0;
  }
};

/// That the vertex a class is called by reaches all of it, and is reached by all of it.
class Reach {
 public:
  Reach(const Context& ctx, const Graph& graph, const Array<VertexId>& label)
      : ctx_(ctx),
        graph_(graph),
        label_(label),
        reached_(label.size(), 0, ctx.host_memory()),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()) {}

  void check() {
    along(graph_.out(), kFromRoot);
    if (!graph_.directed()) return refute_missing(kFromRoot, "is not connected with");
    refute_missing(kFromRoot, "is not reached from");
    if (graph_.has_in())
      along(graph_.in(), kToRoot);
    else
      by_targets();
    refute_missing(kToRoot, "does not reach");
  }

 private:
  /// Starts at all roots.
  void start(std::uint32_t way) {
    Array<VertexId> roots(label_.size(), ctx_.host_memory());
    std::size_t count = 0;
    for (VertexId v = 0; v < label_.size(); ++v) {
      if (label_[v] != v) continue;
      reached_[v] |= way;
      roots[count++] = v;
    }
    now_.assign({roots.data(), count});
  }

  void along(EdgeSource& edges, std::uint32_t way) {
    for (start(way); !now_.empty(); std::swap(now_, next_)) {
      advance(ctx_, edges, now_, &next_, [&](const Device&) {
        return ReachWithin{label_.data(), reached_.data(), way};
      });
      ctx_.task().check();
    }
  }

  void by_targets() {
    start(kToRoot);
    Frontier missing(ctx_, graph_.vertices());
    missing.fill();
    do {
      missing.subtract(now_);
      gather(ctx_, graph_.out(), missing, &now_, [&](const Device&) {
        return ReachByTarget{label_.data(), reached_.data()};
      });
      ctx_.task().check();
    } while (!now_.empty());
  }

  void refute_missing(std::uint32_t way, const char* what) const {
    for (std::size_t v = 0; v < reached_.size(); ++v)
      if ((reached_[v] & way) == 0)
        refute_vertex("scc", v,
                      std::string(what) + " " + std::to_string(label_[v]) + " within its class");
  }

  const Context& ctx_;
  const Graph& graph_;
  const Array<VertexId>& label_;
  Array<std::uint32_t> reached_;
  Frontier now_, next_;
};

struct CountEntries {
  const VertexId* label;
  EdgeId* entries;  // of a class: edges from others that are left

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (label[u] != label[v]) AtomicRef(entries[label[v]]).fetch_add(1);
    return false;
  }
};

/// A class goes, and with the last edge into another one that can go too: v stands for it.
struct TakeEntry {
  const VertexId* label;
  EdgeId* entries;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    return label[u] != label[v] && AtomicRef(entries[label[v]]).fetch_add(~EdgeId{0}) == 1;
  }
};

/// That no circle of edges goes through several classes: those that no edge enters go, round by
/// round, until none is left.
class Circles {
 public:
  Circles(const Context& ctx, const Graph& graph, const Array<VertexId>& label)
      : ctx_(ctx),
        graph_(graph),
        label_(label),
        entries_(label.size(), 0, ctx.host_memory()),
        member_(label.size(), kNoVertex, ctx.host_memory()),
        going_(label.size(), ctx.host_memory()) {
    for (auto v = static_cast<VertexId>(label.size()); v-- > 0;) {
      if (label[v] == v) continue;
      member_[v] = member_[label[v]];
      member_[label[v]] = v;
    }
  }

  void check() {
    Frontier now(ctx_, graph_.vertices()), next(ctx_, graph_.vertices());
    now.fill();
    advance(ctx_, graph_.out(), now, nullptr, [&](const Device&) {
      return CountEntries{label_.data(), entries_.data()};
    });
    for (VertexId v = 0; v < label_.size(); ++v)
      if (label_[v] == v && entries_[v] == 0) add_class(v);
    std::size_t gone = 0;
    while (count_ > 0) {
      now.assign({going_.data(), count_});
      gone += count_;
      count_ = 0;
      advance(ctx_, graph_.out(), now, &next, [&](const Device&) {
        return TakeEntry{label_.data(), entries_.data()};
      });
      next.for_each_on_host([&](std::size_t v) { add_class(label_[v]); });
      ctx_.task().check();
    }
    if (gone == label_.size()) return;
    const auto left =
        std::find_if(entries_.begin(), entries_.end(), [](EdgeId e) { return e > 0; });
    refute_vertex("scc", static_cast<std::size_t>(left - entries_.begin()),
                  "has a class on a circle of several, or behind one");
  }

 private:
  void add_class(VertexId root) {
    for (VertexId v = root; v != kNoVertex; v = member_[v]) going_[count_++] = v;
  }

  const Context& ctx_;
  const Graph& graph_;
  const Array<VertexId>& label_;
  Array<EdgeId> entries_;
  Array<VertexId> member_;  // the next one of the class
  Array<VertexId> going_;   // in this round
  std::size_t count_ = 0;
};

}  // namespace

void verify_scc(const Context& ctx, const Graph& graph, const SccResult& result) {
  if (result.label.size() != graph.vertices()) refute("scc", "not one label per vertex");
  check_class_labels(ctx, result);
  Reach(ctx, graph, result.label).check();
  Circles(ctx, graph, result.label).check();
}

}  // namespace fathom
