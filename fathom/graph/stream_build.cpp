#include "fathom/graph/stream_build.hpp"

#include <cmath>
#include <type_traits>

#include "fathom/core/units.hpp"
#include "fathom/graph/edge_record.hpp"
#include "fathom/graph/external_sort.hpp"
#include "fathom/graph/list_writer.hpp"
#include "fathom/graph/symmetry.hpp"
#include "fathom/graph/weight_fold.hpp"

namespace fathom::graph {

class StreamBuilder::Impl {
 public:
  virtual ~Impl() = default;
  virtual void push(std::span<const Edge> edge, std::span<const Weight> weight) = 0;
  virtual std::uint64_t records() const = 0;
  virtual BuildReport finish(VertexId vertices, ListSink& out, ListSink* in,
                             const Relabel* relabel) = 0;
};

namespace {

template <class Record>
class Streaming final : public StreamBuilder::Impl {
  static constexpr bool kWeighted = !std::is_same_v<Record, PlainRecord>;
  using Sorter = ExternalSorter<Record, EdgeOrder>;

 public:
  explicit Streaming(const BuildOptions& options)
      : options_(options), mirror_(options.undirected || options.half_stored) {
    out_.emplace(EdgeOrder{options.duplicates == Duplicates::First}, sort_options(options.memory));
  }

  void push(std::span<const Edge> edge, std::span<const Weight> weight) override {
    options_.task.check();
    if (kWeighted && weight.empty()) report_.missing_weights += edge.size();
    for (std::size_t i = 0; i < edge.size(); ++i) {
      const auto [u, v] = edge[i];
      Weight w = 1;
      if (kWeighted && !weight.empty()) {
        w = weight[i] + 0.0f;  // -0 becomes 0: equal weights have equal bytes
        if (std::isnan(w)) [[unlikely]]
          throw Error(ErrorCode::BadInput, "edge " + format_count(report_.input_edges + i) +
                                               ": its weight is not a number");
      }
      if (u == v) {
        ++report_.loops_seen;
        if (options_.loops == Loops::Drop) {
          ++report_.loops_dropped;
          continue;
        }
      }
      out_->push(make_record<Record>(u, v, w));
      if (mirror_ && u != v) out_->push(make_record<Record>(v, u, w));
    }
    report_.input_edges += edge.size();
  }

  std::uint64_t records() const override { return out_->size(); }

  BuildReport finish(VertexId vertices, ListSink& out, ListSink* in,
                     const Relabel* relabel) override {
    vertices_ = vertices;
    const std::uint64_t pushed = out_->size();
    if (mirror_)
      report_.reverse_edges_added = pushed - (report_.input_edges - report_.loops_dropped);
    options_.task.begin("sorting out-edges", pushed, "edges");
    out_->finish();
    std::optional<Sorter> reverse;
    if (in) {
      const std::size_t held = std::min(out_->held_bytes(), options_.memory / 2);
      // Sources arrive in order, so ties keep the order of weights.
      reverse.emplace(EdgeOrder{true}, sort_options(options_.memory - held));
    }
    ListWriter lists(out, kWeighted);
    SymmetryCheck symmetry;
    fold(relabel, [&](VertexId u, VertexId v, Weight w) {
      lists.add(u, v, w);
      if (!mirror_) symmetry.add(u, v, w);
      if (reverse) reverse->push(make_record<Record>(v, u, w));
    });
    out_.reset();
    lists.finish(vertices, options_.task);
    options_.task.end();
    report_.duplicates_merged = pushed - lists.edges();
    report_.happens_symmetric = symmetry.symmetric();
    if (reverse) write_in_lists(*reverse, *in);
    return report_;
  }

 private:
  SortOptions sort_options(std::size_t memory) const {
    return {memory, options_.temp_directory, options_.threads, options_.task};
  }

  // Calls keep(source, target, weight) for each sorted edge the duplicate policy leaves.
  template <class Keep>
  void fold(const Relabel* relabel, const Keep& keep) {
    std::vector<VertexId> source, target;
    WeightFold weight(options_.duplicates, options_.input);
    bool open = false;  // `last` and `weight` have a group of duplicates
    Edge last;
    std::uint64_t done = 0;
    out_->for_each([&](std::span<const Record> piece) {
      source.resize(piece.size());
      target.resize(piece.size());
      for (std::size_t i = 0; i < piece.size(); ++i) {
        source[i] = piece[i].source;
        target[i] = piece[i].target;
      }
      if (relabel) {
        (*relabel)(source);
        (*relabel)(target);
      }
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const Edge edge{source[i], target[i]};
        if (std::max(edge.source, edge.target) >= vertices_) [[unlikely]]
          refuse(edge);
        if (open && edge == last && options_.duplicates != Duplicates::Keep) {
          weight.add(piece[i].get_weight());
          continue;
        }
        if (open) keep(last.source, last.target, kWeighted ? weight.get() : 1);
        open = true;
        last = edge;
        weight.start(piece[i].get_weight());
      }
      options_.task.at(done += piece.size());
    });
    if (open) keep(last.source, last.target, kWeighted ? weight.get() : 1);
  }

  void write_in_lists(Sorter& reverse, ListSink& sink) {
    options_.task.begin("sorting in-edges", reverse.size(), "edges");
    reverse.finish();
    ListWriter lists(sink, kWeighted);
    std::uint64_t done = 0;
    reverse.for_each([&](std::span<const Record> piece) {
      for (const Record& r : piece) lists.add(r.source, r.target, r.get_weight());
      options_.task.at(done += piece.size());
    });
    lists.finish(vertices_, options_.task);
    options_.task.end();
  }

  [[noreturn]] void refuse(Edge e) const {
    throw Error(ErrorCode::BadInput, "expected vertices below " + std::to_string(vertices_) +
                                         ", found '" + std::to_string(e.source) + " " +
                                         std::to_string(e.target) + "'");
  }

  BuildOptions options_;
  bool mirror_;
  VertexId vertices_ = 0;
  BuildReport report_;
  std::optional<Sorter> out_;
};

}  // namespace

StreamBuilder::StreamBuilder(const BuildOptions& options) {
  if (options.weighted)
    impl_ = std::make_unique<Streaming<WeightedRecord>>(options);
  else
    impl_ = std::make_unique<Streaming<PlainRecord>>(options);
}
StreamBuilder::~StreamBuilder() = default;

void StreamBuilder::push(std::span<const Edge> edge, std::span<const Weight> weight) {
  impl_->push(edge, weight);
}
EdgeId StreamBuilder::records() const {
  return impl_->records();
}
BuildReport StreamBuilder::finish(VertexId vertices, ListSink& out, ListSink* in) {
  return impl_->finish(vertices, out, in, nullptr);
}
BuildReport StreamBuilder::finish(VertexId vertices, ListSink& out, ListSink* in, Relabel relabel) {
  return impl_->finish(vertices, out, in, &relabel);
}

}  // namespace fathom::graph
