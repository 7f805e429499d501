#include "fathom/graph/stream_build.hpp"

#include <cmath>
#include <vector>

#include "fathom/core/parallel_each.hpp"
#include "fathom/core/units.hpp"
#include "fathom/graph/edge_record.hpp"
#include "fathom/graph/external_sort.hpp"
#include "fathom/graph/list_windows.hpp"
#include "fathom/graph/symmetry.hpp"

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

// Edges that a worker takes at a time on their way in.
constexpr std::size_t kPiece = std::size_t{1} << 14;

template <class Record>
class Streaming final : public StreamBuilder::Impl {
  static constexpr bool kWeighted = Record::kWeighted;
  using Sorter = ExternalSorter<Record, EdgeOrder>;
  using Windows = ListWindows<Record>;

 public:
  explicit Streaming(const BuildOptions& options)
      : options_(options),
        workers_(worker_count(options.threads)),
        mirror_(options.undirected || options.half_stored),
        window_(Windows::window_for(options.memory, workers_)) {
    out_.emplace(EdgeOrder{options.duplicates == Duplicates::First}, sort_options(0));
  }

  void push(std::span<const Edge> edge, std::span<const Weight> weight) override {
    options_.task.check();
    if (kWeighted && weight.empty()) report_.missing_weights += edge.size();
    const std::vector<std::size_t> records = count(edge, weight);
    for (std::size_t p = 0; p < records.size();) {
      const std::size_t first = p * kPiece;
      if (!out_->make_room(records[p])) {
        each_record(edge, weight, first, [&](const Record& r) { out_->push(r); });
        ++p;
        continue;
      }
      std::vector<std::size_t> place{0};
      for (; p < records.size() && place.back() + records[p] <= out_->room(); ++p)
        place.push_back(place.back() + records[p]);
      Record* const into = out_->extend(place.back()).data();
      parallel_each(workers_, place.size() - 1, [&](std::size_t i, int) {
        Record* at = into + place[i];
        each_record(edge, weight, first + i * kPiece, [&](const Record& r) { *at++ = r; });
      });
    }
    report_.input_edges += edge.size();
  }

  std::uint64_t records() const override { return out_->size(); }

  BuildReport finish(VertexId vertices, ListSink& out, ListSink* in,
                     const Relabel* relabel) override {
    const std::uint64_t pushed = out_->size();
    if (mirror_)
      report_.reverse_edges_added = pushed - (report_.input_edges - report_.loops_dropped);
    options_.task.begin("sorting out-edges", pushed, "edges");
    out_->finish();
    Pages<Record> scratch = out_->take_scratch();
    std::optional<Sorter> reverse;
    if (in)  // sources arrive in order, so ties keep the order of weights
      reverse.emplace(EdgeOrder{true},
                      sort_options(out_->held_bytes(),
                                   2 * sizeof(Record) * window_),  // a window comes at once
                      std::move(scratch));
    scratch = {};
    const EdgeId kept = write_out_lists(vertices, out, relabel, reverse ? &*reverse : nullptr);
    if (reverse) reverse->sort_with(out_->take_buffer());
    out_.reset();
    options_.task.end();
    report_.duplicates_merged = pushed - kept;
    if (reverse) write_in_lists(vertices, *reverse, *in);
    return report_;
  }

 private:
  // Beside the windows and what else is held.
  SortOptions sort_options(std::size_t held, std::size_t least = 0) const {
    held = std::min(options_.memory, held + Windows::bytes_of(window_));
    return {std::max(options_.memory - held, least), options_.temp_directory, options_.threads,
            options_.task};
  }

  // The records that each piece of the edges becomes.
  std::vector<std::size_t> count(std::span<const Edge> edge, std::span<const Weight> weight) {
    const std::size_t pieces = (edge.size() + kPiece - 1) / kPiece;
    std::vector<std::size_t> loops(pieces), bad(pieces, edge.size());
    parallel_pieces(workers_, edge.size(), kPiece, [&](std::size_t first, std::size_t last, int) {
      std::size_t n = 0, numbers = 0;
      for (std::size_t i = first; i < last; ++i) n += edge[i].source == edge[i].target;
      loops[first / kPiece] = n;
      if (!kWeighted || weight.empty()) return;
      for (std::size_t i = first; i < last; ++i) numbers += !std::isnan(weight[i]);
      if (numbers == last - first) return;
      while (!std::isnan(weight[first])) ++first;
      bad[first / kPiece] = first;
    });
    std::vector<std::size_t> records(pieces);
    for (std::size_t p = 0; p < pieces; ++p) {
      if (bad[p] < edge.size())
        throw Error(ErrorCode::BadInput, "edge " + format_count(report_.input_edges + bad[p]) +
                                             ": its weight is not a number");
      const std::size_t edges = std::min(kPiece, edge.size() - p * kPiece);
      const bool drop = options_.loops == Loops::Drop;
      report_.loops_seen += loops[p];
      report_.loops_dropped += drop ? loops[p] : 0;
      records[p] = (mirror_ ? 2 : 1) * (edges - loops[p]) + (drop ? 0 : loops[p]);
    }
    return records;
  }

  // Calls record(r) for what the policies make of the piece of edges that begins at `first`.
  template <class F>
  void each_record(std::span<const Edge> edge, std::span<const Weight> weight, std::size_t first,
                   const F& record) const {
    const std::size_t last = std::min(edge.size(), first + kPiece);
    const bool drop = options_.loops == Loops::Drop;
    for (std::size_t i = first; i < last; ++i) {
      const auto [u, v] = edge[i];
      if (u == v && drop) continue;
      Weight w = 1;
      if (kWeighted && !weight.empty())
        w = weight[i] + 0.0f;  // -0 becomes 0: equal weights have equal bytes
      record(make_record<Record>(u, v, w));
      if (mirror_ && u != v) record(make_record<Record>(v, u, w));
    }
  }

  EdgeId write_out_lists(VertexId vertices, ListSink& sink, const Relabel* relabel,
                         Sorter* reverse) {
    Windows lists(sink, vertices, options_.duplicates, options_.input, window_, workers_);
    std::vector<SymmetryCheck> symmetry(static_cast<std::size_t>(workers_));
    Record* reversed = nullptr;
    const auto prepare = [&](std::size_t n) {
      if (reverse && reverse->make_room(n)) reversed = reverse->extend(n).data();
    };
    const auto each = [&](const KeptEdges& edges, int worker) {
      const auto weight = [&](std::size_t i) { return kWeighted ? edges.weight[i] : Weight{1}; };
      if (!mirror_) {
        SymmetryCheck seen;
        for (std::size_t i = 0; i < edges.source.size(); ++i)
          seen.add(edges.source[i], edges.target[i], weight(i));
        symmetry[static_cast<std::size_t>(worker)].add(seen);
      }
      if (!reverse) return;
      for (std::size_t i = 0; i < edges.source.size(); ++i)
        reversed[edges.first + i] =
            make_record<Record>(edges.target[i], edges.source[i], weight(i));
    };
    std::uint64_t done = 0;
    out_->for_each(
        [&](std::span<const Record> window) {
          lists.take(window, relabel, prepare, each);
          options_.task.at(done += window.size());
        },
        window_);
    lists.finish(options_.task, prepare, each);
    for (std::size_t w = 1; w < symmetry.size(); ++w) symmetry[0].add(symmetry[w]);
    report_.happens_symmetric = symmetry[0].symmetric();
    return lists.edges();
  }

  void write_in_lists(VertexId vertices, Sorter& reverse, ListSink& sink) {
    options_.task.begin("sorting in-edges", reverse.size(), "edges");
    reverse.finish();
    Windows lists(sink, vertices, Duplicates::Keep, options_.input, window_, workers_);
    const auto prepare = [](std::size_t) {};
    const auto each = [](const KeptEdges&, int) {};
    std::uint64_t done = 0;
    reverse.for_each(
        [&](std::span<const Record> window) {
          lists.take(window, nullptr, prepare, each);
          options_.task.at(done += window.size());
        },
        window_);
    lists.finish(options_.task, prepare, each);
    options_.task.end();
  }

  BuildOptions options_;
  int workers_;
  bool mirror_;
  std::size_t window_;  // edges that are made into lists at a time
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
