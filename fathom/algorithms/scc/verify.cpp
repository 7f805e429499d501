// The certificate of strongly connected components.
#include <algorithm>
#include <string>
#include <utility>

#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
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

using Labels = VertexArray<VertexId>;
using Marks = VertexArray<std::uint32_t, MergeOr>;
using Counts = VertexArray<EdgeId, MergeSum>;

/// Within classes, from vertex to vertex.
struct ReachWithin {
  const VertexId* label;
  std::uint32_t* reached;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (label[u] != label[v]) return false;
    const AtomicRef its(reached[v]);
    return its.load() == 0 && its.fetch_or(1) == 0;
  }
};

/// The same without in-edges: u looks for a target that reaches the root.
struct ReachByTarget {
  const VertexId* label;
  std::uint32_t* reached;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return label[u] == label[v] ? AtomicRef(reached[v]).load() : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool open(VertexId u) const { return AtomicRef(reached[u]).load() == 0; }
  FATHOM_HD bool commit(VertexId u, Value found) const {
    return found != 0 && AtomicRef(reached[u]).fetch_or(1) == 0;
  }
};

/// That the vertex a class is called by reaches all of it, and is reached by all of it.
class Reach {
 public:
  Reach(const Context& ctx, const Graph& graph, Labels& label)
      : ctx_(ctx),
        graph_(graph),
        label_(label),
        reached_(ctx, graph.vertices(), 0),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()) {}

  void check() {
    along(graph_.out());
    if (!graph_.directed()) return refute_missing("is not connected with");
    refute_missing("is not reached from");
    if (graph_.has_in())
      along(graph_.in());
    else
      by_targets();
    refute_missing("does not reach");
  }

 private:
  /// Starts at all roots.
  void start() {
    reached_.fill(0);
    Frontier all(ctx_, graph_.vertices());
    all.fill();
    filter(ctx_, all, now_, [&](const Device& d) {
      return [label = label_.on(d)](VertexId v) { return label[v] == v; };
    });
    compute(ctx_, now_, [&](const Device& d) {
      return [reached = reached_.on(d)](VertexId v) { reached[v] = 1; };
    });
  }

  void along(EdgeSource& edges) {
    for (start(); !now_.empty(); std::swap(now_, next_)) {
      advance(ctx_, edges, now_, &next_, [&](const Device& d) {
        return ReachWithin{label_.on(d), reached_.on(d)};
      });
      merge(reached_);
      ctx_.task().check();
    }
  }

  void by_targets() {
    start();
    Frontier missing(ctx_, graph_.vertices());
    missing.fill();
    do {
      missing.subtract(now_);
      gather(ctx_, graph_.out(), missing, &now_, [&](const Device& d) {
        return ReachByTarget{label_.on(d), reached_.on(d)};
      });
      merge(reached_);
      ctx_.task().check();
    } while (!now_.empty());
  }

  void refute_missing(const char* what) {
    const VertexId missing = reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) {
          return [reached = reached_.on(d)](VertexId v) { return reached[v] == 0 ? v : kNoVertex; };
        },
        MergeMin{});
    if (missing != kNoVertex)
      refute_vertex(
          "scc", missing,
          std::string(what) + " " + std::to_string(label_.get(missing)) + " within its class");
  }

  const Context& ctx_;
  const Graph& graph_;
  Labels& label_;
  Marks reached_;
  Frontier now_, next_;
};

struct CountEntries {
  const VertexId* label;
  EdgeId* entries;  // of a class: edges from others

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (label[u] != label[v]) AtomicRef(entries[label[v]]).fetch_add(1);
    return false;
  }
};

/// A vertex whose class no edge enters any more goes, with the rest of its class and the edges that
/// leave it. The last edge that enters a class makes its target go.
struct Depart {
  const VertexId* label;
  EdgeId* entries;
  std::uint32_t* went;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (label[u] != label[v] && AtomicRef(entries[label[v]]).fetch_add(~EdgeId{0}) != 1)
      return false;
    const AtomicRef its(went[v]);
    return its.load() == 0 && its.fetch_or(1) == 0;
  }
};

/// That no circle of edges goes through several classes: those that no edge enters go, one after
/// the other, until none is left. Classes are connected (Reach).
class Circles {
 public:
  Circles(const Context& ctx, const Graph& graph, Labels& label)
      : ctx_(ctx),
        graph_(graph),
        label_(label),
        entries_(ctx, graph.vertices(), 0),
        went_(ctx, graph.vertices(), 0),
        left_(ctx, graph.vertices()),
        now_(ctx, graph.vertices()) {
    left_.fill();
  }

  void check() {
    advance(ctx_, graph_.out(), left_, nullptr, [&](const Device& d) {
      return CountEntries{label_.on(d), entries_.on(d)};
    });
    merge(entries_);
    if (ctx_.replicas() == 1)
      depart();
    else
      depart_in_rounds();
    const VertexId first = reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) {
          return [went = went_.on(d)](VertexId v) { return went[v] == 0 ? v : kNoVertex; };
        },
        MergeMin{});
    if (first != kNoVertex)
      refute_vertex("scc", first, "has a class on a circle of several, or behind one");
  }

 private:
  /// now_: those left whose classes are entered by `so_many` edges.
  template <class SoMany>
  void find_entered_by(const SoMany& so_many) {
    filter(ctx_, left_, now_, [&](const Device& d) {
      return [label = label_.on(d), entries = entries_.on(d), many = so_many(d)](VertexId v) {
        return entries[label[v]] == many(label[v]);
      };
    });
    compute(ctx_, now_,
            [&](const Device& d) { return [went = went_.on(d)](VertexId v) { went[v] = 1; }; });
  }

  void depart() {
    find_entered_by([](const Device&) { return [](VertexId) { return EdgeId{0}; }; });
    for (Frontier next(ctx_, graph_.vertices()); !now_.empty(); std::swap(now_, next)) {
      advance(ctx_, graph_.out(), now_, &next, [&](const Device& d) {
        return Depart{label_.on(d), entries_.on(d), went_.on(d)};
      });
      ctx_.task().check();
    }
  }

  /// Where no device sees all edges that enter a class.
  void depart_in_rounds() {
    // Edges from classes that went before this round, and in it.
    Counts gone(ctx_, graph_.vertices(), 0), more(ctx_, graph_.vertices(), 0);
    for (;;) {
      find_entered_by([&](const Device& d) {
        return [gone = gone.on(d)](VertexId label) { return gone[label]; };
      });
      if (now_.empty()) return;
      left_.subtract(now_);
      more.fill(0);
      advance(ctx_, graph_.out(), now_, nullptr, [&](const Device& d) {
        return CountEntries{label_.on(d), more.on(d)};
      });
      merge(more);
      compute(ctx_, graph_.vertices(), [&](const Device& d) {
        return [gone = gone.on(d), more = more.on(d)](VertexId v) { gone[v] += more[v]; };
      });
      ctx_.task().check();
    }
  }

  const Context& ctx_;
  const Graph& graph_;
  Labels& label_;
  Counts entries_;  // of classes: edges from others
  Marks went_;
  Frontier left_, now_;
};

}  // namespace

void verify_scc(const Context& ctx, const Graph& graph, const SccResult& result) {
  if (result.label.size() != graph.vertices()) refute("scc", "not one label per vertex");
  check_class_labels(ctx, result);
  Labels label(ctx, graph.vertices());
  label.assign(result.label);
  Reach(ctx, graph, label).check();
  Circles(ctx, graph, label).check();
}

}  // namespace fathom
