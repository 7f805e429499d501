#include "fathom/graph/range_build.hpp"

#include <array>
#include <bit>

#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/parallel_each.hpp"
#include "fathom/graph/lists/edge_shares.hpp"
#include "fathom/graph/pages.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/graph/symmetry.hpp"

namespace fathom::graph {
namespace {

// Edges a worker produces at a time: 256 KiB, which stay in its cache until they are placed.
constexpr std::size_t kBlock = (std::size_t{1} << 18) / sizeof(Edge);
// Buckets get up to 2^20 records, but there are never so few that workers wait for each other.
constexpr int kFewestBucketBits = 10, kMostBucketBits = 16, kBucketRecordBits = 20;
// Buckets of more records than this, and than four of average size, are sorted by all workers.
constexpr EdgeId kLeastOversize = EdgeId{1} << 17;

enum Side { kOut, kIn };

// Buckets [first, last), produced in one pass.
struct Range {
  std::size_t first = 0, last = 0;
  EdgeId records = 0;
  EdgeId ordinary = 0, oversize = 0;  // records of the largest bucket below and above the limit
  std::size_t buckets() const { return last - first; }
};

}  // namespace

class RangeBuilder::Impl {
 public:
  Impl(VertexId vertices, EdgeId edges, Fill fill, const BuildOptions& options, BuilderShare share)
      : vertices_(vertices),
        edges_(edges),
        fill_(std::move(fill)),
        options_(options),
        share_(std::move(share)),
        mirror_(options.undirected || options.half_stored),
        target_bits_(vertices > 1 ? static_cast<int>(std::bit_width(vertices - 1)) : 1),
        workers_(static_cast<std::size_t>(worker_count(options.threads))) {
    const auto wanted =
        static_cast<int>(std::bit_width((mirror_ ? 2 * edges : edges) >> kBucketRecordBits));
    shift_ = std::max(0, target_bits_ - std::clamp(wanted, kFewestBucketBits, kMostBucketBits));
    shift_ = std::min(shift_, 63 - target_bits_);  // a key has both
    buckets_ = vertices > 0 ? (std::size_t{vertices - 1} >> shift_) + 1 : 0;
    count();
    oversize_ = std::max(kLeastOversize, 4 * records() / std::max<std::size_t>(1, buckets_));
    const BucketRange all = all_buckets();
    passes_ = plan(kOut, all).size() + (want_in() ? plan(kIn, all).size() : 0);
  }

  bool want_in() const { return !options_.undirected && options_.in_edges; }
  std::size_t passes() const { return fits_ ? passes_ : 0; }
  EdgeId records() const { return edges_ - report_.loops_dropped + report_.reverse_edges_added; }
  BucketRange all_buckets() const { return {0, buckets_, 0, false}; }
  std::span<const EdgeId> records_of(Side side) const { return count_[side]; }

  BuildReport report() const {
    std::uint64_t sums[] = {kept_, symmetry_.sums()[0], symmetry_.sums()[1]};
    if (share_.add) share_.add(sums);
    BuildReport report = report_;
    report.duplicates_merged = records() - sums[0];
    report.happens_symmetric = mirror_ || (sums[1] == 0 && sums[2] == 0);
    return report;
  }

  void deliver(Side side, const BucketRange& buckets, Receiver receive) {
    if (side == kOut) {
      kept_ = 0;
      symmetry_ = {};
    }
    fresh_ = buckets.first + (buckets.first_counted ? 1 : 0);
    EdgeId before = buckets.before;
    for (const Range& range : plan(side, buckets)) {
      SortedRange sorted = place(range, side);
      sort(range, side, sorted);
      number(range, sorted, before);
      before += sorted.edges();
      if (side == kOut && range.last > fresh_)
        kept_ += sorted.edges() - sorted.base_[std::max(fresh_, range.first) - range.first];
      receive(sorted);
    }
    for (Worker& w : workers_) w = {};
    keys_ = {};
    ends_ = {};
  }

 private:
  struct Worker {
    std::vector<Edge> block;
    std::array<std::vector<EdgeId>, 2> count;  // by side: per bucket
    EdgeId loops = 0;
    std::vector<std::uint32_t> placed;  // per bucket of a range
    std::vector<std::uint64_t*> place;  // the same
    Pages<std::uint64_t> scratch;
    SymmetryCheck symmetry;
  };

  int team() const { return static_cast<int>(workers_.size()); }
  std::size_t first_source(std::size_t bucket) const {
    return std::min<std::size_t>(vertices_, bucket << shift_);
  }
  std::size_t sources(const Range& range) const {
    return first_source(range.last) - first_source(range.first);
  }

  // Calls visit(edges, worker) for blocks that cover [begin, end) of the input, concurrently.
  template <class Visit>
  void produce(std::string_view phase, EdgeId begin, EdgeId end, const Visit& visit) {
    // Many blocks between two reports of progress, since workers wait for the last of them.
    const std::size_t round = kBlock * 64 * workers_.size();
    options_.task.begin(phase, end - begin, "edges");
    for (EdgeId at = begin; at < end; at += round) {
      const std::size_t n = std::min<EdgeId>(round, end - at);
      parallel_pieces(team(), n, kBlock, [&](std::size_t first, std::size_t last, int worker) {
        Worker& w = workers_[static_cast<std::size_t>(worker)];
        w.block.resize(kBlock);
        const std::span<Edge> block = std::span(w.block).first(last - first);
        fill_(at + first, block);
        visit(std::span<const Edge>(block), w);
      });
      options_.task.at(at + n - begin);
    }
    options_.task.end();
  }

  // Calls record(source, target) for each edge the policies on loops and direction leave and add.
  template <class F>
  void each_record(std::span<const Edge> block, Side side, const F& record) const {
    const bool drop_loops = options_.loops == Loops::Drop;
    for (const auto [u, v] : block) {
      if (u == v && drop_loops) continue;
      if (side == kOut || mirror_) record(u, v);
      if (mirror_ ? u != v : side == kIn) record(v, u);
    }
  }

  void count() {
    for (Worker& w : workers_)
      for (std::vector<EdgeId>& c : w.count) c.resize(buckets_);
    const EdgeId begin = share_begins(edges_, share_.count, share_.index);
    const EdgeId end = share_begins(edges_, share_.count, share_.index + 1);
    produce("counting edges", begin, end, [&](std::span<const Edge> block, Worker& w) {
      for (const Side side : {kOut, kIn}) {
        if (side == kIn && !want_in()) continue;
        EdgeId* const count = w.count[side].data();
        each_record(block, side, [&](VertexId u, VertexId) { ++count[u >> shift_]; });
      }
      for (const auto [u, v] : block) w.loops += u == v;
    });
    for (const Side side : {kOut, kIn}) {
      count_[side].resize(buckets_);
      for (Worker& w : workers_) {
        for (std::size_t b = 0; b < buckets_; ++b) count_[side][b] += w.count[side][b];
        w.count[side] = {};
      }
      if (share_.add) share_.add(count_[side]);
    }
    for (const Worker& w : workers_) report_.loops_seen += w.loops;
    if (share_.add) share_.add(std::span(&report_.loops_seen, 1));
    report_.input_edges = edges_;
    report_.loops_dropped = options_.loops == Loops::Drop ? report_.loops_seen : 0;
    report_.reverse_edges_added = mirror_ ? edges_ - report_.loops_seen : 0;
  }

  // What a range needs beside the vectors per bucket of the whole graph.
  std::uint64_t bytes_for(const Range& r) const {
    const std::uint64_t team = workers_.size();
    return 8 * (r.records + std::max(r.oversize, team * r.ordinary) + sources(r)) +
           r.buckets() * (12 * team + 24) + team * kBlock * sizeof(Edge);
  }

  // Ranges as large as the memory allows.
  std::vector<Range> plan(Side side, const BucketRange& buckets) {
    const std::uint64_t memory =
        options_.memory - std::min<std::uint64_t>(options_.memory, 16 * buckets_);
    std::vector<Range> planned;
    Range range{buckets.first, buckets.first, 0, 0, 0};
    for (std::size_t b = buckets.first; b < buckets.last; ++b) {
      const EdgeId records = count_[side][b];
      auto with_bucket = [&](Range r) {
        r.last = b + 1;
        r.records += records;
        EdgeId& largest = records > oversize_ ? r.oversize : r.ordinary;
        largest = std::max(largest, records);
        return r;
      };
      Range extended = with_bucket(range);
      if (bytes_for(extended) > memory) {
        if (range.buckets() > 0) planned.push_back(range);
        extended = with_bucket({b, b, 0, 0, 0});
        fits_ = fits_ && bytes_for(extended) <= memory;
      }
      range = extended;
    }
    if (range.buckets() > 0 || buckets_ == 0) planned.push_back(range);
    return planned;
  }

  // Produces the range's records and puts each into its bucket, in no order.
  SortedRange place(const Range& range, Side side) {
    SortedRange sorted;
    sorted.first_bucket_ = range.first;
    sorted.shift_ = shift_;
    sorted.target_bits_ = target_bits_;
    sorted.start_.assign(range.buckets() + 1, 0);
    for (std::size_t b = 0; b < range.buckets(); ++b)
      sorted.start_[b + 1] = sorted.start_[b] + count_[side][range.first + b];
    grow(keys_, range.records);
    constexpr std::size_t kTouched = (std::size_t{16} << 20) / sizeof(std::uint64_t);
    parallel_pieces(team(), range.records, kTouched, [&](std::size_t first, std::size_t last, int) {
      keys_.populate(first, last - first);
    });
    sorted.keys_ = keys_.data();
    std::vector<EdgeId> filled(sorted.start_.begin(), sorted.start_.end() - 1);
    const VertexId low = static_cast<VertexId>((std::uint64_t{1} << shift_) - 1);
    produce("placing edges", 0, edges_, [&](std::span<const Edge> block, Worker& w) {
      w.placed.assign(range.buckets(), 0);
      w.place.resize(range.buckets());
      // Sources of other ranges wrap around or lie beyond.
      auto bucket_of = [&](VertexId u) { return std::size_t{u >> shift_} - range.first; };
      each_record(block, side, [&](VertexId u, VertexId) {
        if (const std::size_t b = bucket_of(u); b < range.buckets()) ++w.placed[b];
      });
      for (std::size_t b = 0; b < range.buckets(); ++b)
        if (w.placed[b] > 0)
          w.place[b] = keys_.data() + AtomicRef(filled[b]).fetch_add(w.placed[b]);
      each_record(block, side, [&](VertexId u, VertexId v) {
        if (const std::size_t b = bucket_of(u); b < range.buckets())
          *w.place[b]++ = std::uint64_t{u & low} << target_bits_ | v;
      });
    });
    return sorted;
  }

  // Sorts each bucket, deals with its duplicates and counts its sources' edges in ends_.
  void sort(const Range& range, Side side, SortedRange& sorted) {
    grow(ends_, sources(range));
    options_.task.begin("sorting edges", 0, "edges");
    sorted.base_.assign(range.buckets() + 1, 0);
    auto size = [&](std::size_t b) { return sorted.start_[b + 1] - sorted.start_[b]; };
    auto finish = [&](std::size_t b, const std::uint64_t* from, Worker& w) {
      sorted.base_[b + 1] =
          finish_bucket(range.first + b, from, keys_.data() + sorted.start_[b], size(b),
                        ends_.data() + (first_source(range.first + b) - first_source(range.first)),
                        side == kOut && !mirror_ ? &w.symmetry : nullptr);
    };
    const std::uint64_t all = (std::uint64_t{1} << (target_bits_ + shift_)) - 1;
    auto key = [](std::uint64_t k) { return k; };
    parallel_each(team(), range.buckets(), [&](std::size_t b, int worker) {
      if (size(b) > oversize_ || options_.task.stop_requested()) return;
      Worker& w = workers_[static_cast<std::size_t>(worker)];
      grow(w.scratch, range.ordinary);
      finish(b, radix_sort(keys_.data() + sorted.start_[b], w.scratch.data(), size(b), all, key),
             w);
    });
    for (Worker& w : workers_) {
      w.scratch = {};
      symmetry_.add(w.symmetry);
      w.symmetry = {};
    }
    options_.task.check();
    Pages<std::uint64_t> scratch(range.oversize);
    for (std::size_t b = 0; b < range.buckets(); ++b) {
      if (size(b) <= oversize_) continue;
      options_.task.check();
      std::uint64_t* const keys = keys_.data() + sorted.start_[b];
      parallel_radix_sort(keys, scratch.data(), size(b), team(), key, [](auto*, auto*) {});
      finish(b, keys, workers_[0]);
    }
    symmetry_.add(workers_[0].symmetry);
    workers_[0].symmetry = {};
    options_.task.end();
  }

  // Puts the edges to keep of the n sorted ones to `keys`, counts them by source; how many.
  std::size_t finish_bucket(std::size_t bucket, const std::uint64_t* from, std::uint64_t* keys,
                            std::size_t n, EdgeId* degree, SymmetryCheck* symmetry) const {
    std::uint64_t* end = keys + n;
    if (options_.duplicates != Duplicates::Keep)
      end = std::unique_copy(from, from + n, keys);
    else if (from != keys)
      std::copy_n(from, n, keys);
    std::fill_n(degree, first_source(bucket + 1) - first_source(bucket), EdgeId{0});
    for (const std::uint64_t* k = keys; k != end; ++k) ++degree[*k >> target_bits_];
    if (symmetry && bucket >= fresh_) {
      const std::uint64_t targets = (std::uint64_t{1} << target_bits_) - 1;
      for (const std::uint64_t* k = keys; k != end; ++k)
        symmetry->add(static_cast<VertexId>(first_source(bucket) + (*k >> target_bits_)),
                      static_cast<VertexId>(*k & targets), 1);
    }
    return static_cast<std::size_t>(end - keys);
  }

  // Turns sizes of buckets into their first edges, and degrees into ends of lists.
  void number(const Range& range, SortedRange& sorted, EdgeId before) {
    for (std::size_t b = 0; b < range.buckets(); ++b) sorted.base_[b + 1] += sorted.base_[b];
    EdgeId* const ends = ends_.data();
    parallel_for(team(), range.buckets(), 1, [&](std::size_t b, std::size_t, int) {
      EdgeId at = before + sorted.base_[b];
      const std::size_t begin = first_source(range.first);
      for (std::size_t v = first_source(range.first + b); v < first_source(range.first + b + 1);
           ++v)
        ends[v - begin] = at += ends[v - begin];
    });
    sorted.ends_ = std::span<const EdgeId>(ends, sources(range));
  }

  template <class T>
  static void grow(Pages<T>& pages, std::size_t capacity) {
    if (pages.capacity() >= capacity) return;
    pages = {};
    pages = Pages<T>(capacity);
    pages.prefer_huge();
  }

  VertexId vertices_;
  EdgeId edges_;
  Fill fill_;
  BuildOptions options_;
  BuilderShare share_;
  bool mirror_;
  int target_bits_, shift_ = 0;  // of keys; of a source's bucket
  std::size_t buckets_ = 0;
  EdgeId oversize_ = 0;
  std::array<std::vector<EdgeId>, 2> count_;  // by side: records per bucket
  std::size_t passes_ = 0;
  bool fits_ = true;
  BuildReport report_;
  // Of out-lists of the buckets from this one on.
  std::size_t fresh_ = 0;
  EdgeId kept_ = 0;
  SymmetryCheck symmetry_;
  std::vector<Worker> workers_;
  Pages<std::uint64_t> keys_;
  Pages<EdgeId> ends_;
};

RangeBuilder::RangeBuilder(VertexId vertices, EdgeId edges, Fill fill, const BuildOptions& options,
                           const BuilderShare& share)
    : impl_(std::make_unique<Impl>(vertices, edges, std::move(fill), options, share)) {}
RangeBuilder::~RangeBuilder() = default;

std::size_t RangeBuilder::passes() const {
  return impl_->passes();
}
EdgeId RangeBuilder::records() const {
  return impl_->records();
}
void RangeBuilder::out_lists(Receiver receive) {
  impl_->deliver(kOut, impl_->all_buckets(), receive);
}
void RangeBuilder::in_lists(Receiver receive) {
  impl_->deliver(kIn, impl_->all_buckets(), receive);
}
std::span<const EdgeId> RangeBuilder::out_records() const {
  return impl_->records_of(kOut);
}
std::span<const EdgeId> RangeBuilder::in_records() const {
  return impl_->records_of(kIn);
}
void RangeBuilder::out_lists(const BucketRange& buckets, Receiver receive) {
  impl_->deliver(kOut, buckets, receive);
}
void RangeBuilder::in_lists(const BucketRange& buckets, Receiver receive) {
  impl_->deliver(kIn, buckets, receive);
}
BuildReport RangeBuilder::report() const {
  return impl_->report();
}

}  // namespace fathom::graph
