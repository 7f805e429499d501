// Searches of `fathom bench halo`: from each source alone or from several at once, wherever the
// edges are, held against the depths that natural order gives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/papers/halo/halo.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/random.hpp"

namespace fathom::cli::halo {
namespace {

/// A store opened for one place. The graph refers to the context: neither moves.
struct Opened {
  Opened(const Command& c, const std::string& path, const Place& place, const Task& task)
      : store(store::Store::open(path)),
        context(make_context(context_options(c, place), store->header().edges, task)),
        graph(make_graph(context, store, residency(c, place))) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  static ExecutionOptions context_options(const Command& c, const Place& place) {
    ExecutionOptions o = c.execution;
    o.residency = place.residency;
    if (c.on_gpu()) return o;
    // On the host a device is emulated, whose frames pages are copied to as they are to a GPU's.
    const bool stream = place.residency == "stream";
    o.devices = stream ? std::max(1, o.devices) : 0;
    if (!stream) o.device_memory = MemoryPool::kUnlimited;
    return o;
  }

  ResidencyOptions residency(const Command& c, const Place& place) const {
    ResidencyOptions o;
    o.kind = residency_named(place.residency);
    o.gpu.cache = CachePolicy::None;  // of lists: every one that is needed comes over the link
    o.gpu.read_mostly = place.read_mostly;
    o.gpu.prefetch = place.prefetch;
    o.paging.page_bytes = c.page_bytes;
    const double pages = static_cast<double>(store->header().edges * sizeof(VertexId)) /
                         static_cast<double>(c.page_bytes);
    const double devices = std::max(1, context_options(c, place).devices);
    o.paging.frames = std::max<std::size_t>(1, std::llround(c.cache * pages / devices));
    return o;
  }

  std::shared_ptr<store::Store> store;
  Context context;
  Graph graph;
};

/// Compares depths with those of natural order, or makes them the standard; several searches at a
/// time.
class DepthCheck {
 public:
  DepthCheck(Subject& subject, const Ordered& ordered, const Place& place, int threads)
      : subject_(subject),
        ordered_(ordered),
        place_(place),
        at_once_(static_cast<std::size_t>(std::max(1, threads))) {}

  void add(std::size_t source, std::span<const std::uint32_t> depth) {
    waiting_.push_back({source, {depth.begin(), depth.end()}, {}, {}});
    if (waiting_.size() == at_once_) flush();
  }

  /// Of all searches. @throws Error(VerificationFailed)
  reorder::GapCost finish() {
    flush();
    return gaps_;
  }

 private:
  struct Search {
    std::size_t source;
    std::vector<std::uint32_t> depth;  // in the order
    Levels levels;
    reorder::GapCost gaps;
  };

  Levels levels_of(std::span<const std::uint32_t> depth) const {
    Levels levels;
    for (VertexId v = 0; v < subject_.vertices; ++v) {
      const std::uint32_t d = depth[ordered_.order ? (*ordered_.order)[v] : v];
      levels.sum += mix64(std::uint64_t{v} << 32 | d);
      if (d == kUnreached) continue;
      if (d >= levels.count.size()) levels.count.resize(d + std::size_t{1}, 0);
      ++levels.count[d];
    }
    return levels;
  }

  void flush() {
    parallel_for(static_cast<int>(at_once_), waiting_.size(), 1,
                 [&](std::size_t i, std::size_t, int) {
                   waiting_[i].levels = levels_of(waiting_[i].depth);
                   waiting_[i].gaps = reorder::intra_level_cost(waiting_[i].depth);
                 });
    for (Search& search : waiting_) {
      gaps_ = gaps_ + search.gaps;
      std::optional<Levels>& expected = subject_.expected[search.source];
      if (!expected)
        expected = std::move(search.levels);
      else if (search.levels != *expected)
        refuse(search, *expected);
    }
    waiting_.clear();
  }

  [[noreturn]] void refuse(const Search& search, const Levels& expected) const {
    const auto& [count, sum] = search.levels;
    std::size_t level = 0;
    while (level < count.size() && level < expected.count.size() &&
           count[level] == expected.count[level])
      ++level;
    const auto at = [&](const std::vector<std::uint64_t>& counts) {
      return level < counts.size() ? counts[level] : 0;
    };
    const std::string what =
        count == expected.count
            ? "as many vertices as expected are on each level, but not the same ones"
            : fmt::format("expected {} vertices on level {}, found {}", at(expected.count), level,
                          at(count));
    throw Error(ErrorCode::VerificationFailed,
                fmt::format("{} ({}) in order {}, {}: the search from {} differs from that in "
                            "natural order: {}",
                            subject_.name, subject_.form, ordered_.method, place_.residency,
                            subject_.sources[search.source], what));
  }

  Subject& subject_;
  const Ordered& ordered_;
  const Place& place_;
  std::size_t at_once_;
  std::vector<Search> waiting_;
  reorder::GapCost gaps_;
};

/// Calls run(i, first) for each search and trial, all searches in turn; it returns a report.
template <class Run>
void take(Searches& all, std::size_t searches, int trials, const Run& run) {
  std::vector<Timing> timing(searches);
  for (int t = 0; t < trials; ++t) {
    for (std::size_t i = 0; i < searches; ++i) {
      const RunReport report = run(i, t == 0);
      timing[i].trials.push_back(report.seconds);
      if (t > 0) continue;
      all.edges += report.edges_traversed;
      all.link = all.link + report.link;
    }
  }
  for (const Timing& one : timing) all.seconds.push_back(one.median());
}

/// Checks searches in natural order, which all others are held against.
void certify(const Command& c, const Subject& subject, const Task& task,
             std::span<const VertexId> source, const BfsOptions& options, const BfsResult& result) {
  const Context host =
      Context::cpu({c.execution.threads, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, task});
  verify_bfs(host, load(host, subject.path), source, options, result);
}

}  // namespace

Searches search(const Command& c, Subject& subject, const Ordered& ordered, const Place& place,
                bool together, Session& session) {
  const Task task = session.task(c.quiet || c.json);
  const Opened opened(c, ordered.path, place, task);
  std::vector<VertexId> sources = subject.sources;
  if (ordered.order)
    for (VertexId& source : sources) source = (*ordered.order)[source];
  const std::span<const VertexId> all(sources);
  const BfsOptions options{false, c.direction, kUnreached, c.direction != Direction::Push};
  const MultiBfsOptions shared{c.direction, kUnreached, options.hints};
  DepthCheck check(subject, ordered, place, opened.context.threads());
  Searches searches;
  if (!together) {
    bfs(opened.context, opened.graph, all.first(1), options);  // kernels are loaded, edges placed
    take(searches, all.size(), c.trials, [&](std::size_t i, bool first) {
      const std::span<const VertexId> source = all.subspan(i, 1);
      BfsResult one = bfs(opened.context, opened.graph, source, options);
      if (first && c.verify && !ordered.order) certify(c, subject, task, source, options, one);
      if (first) check.add(i, one.depth.span());
      return std::move(one.report);
    });
  } else {
    const std::size_t batch = std::min(c.together, all.size());
    multi_bfs(opened.context, opened.graph, all.first(batch), shared);
    take(searches, all.size() / batch, c.trials, [&](std::size_t i, bool first) {
      const std::size_t at = i * batch;
      MultiBfsResult some = multi_bfs(opened.context, opened.graph, all.subspan(at, batch), shared);
      for (std::size_t j = 0; first && j < batch; ++j) check.add(at + j, some.depths(j));
      return std::move(some.report);
    });
  }
  searches.gaps = check.finish();
  return searches;
}

Json row_of(const Subject& subject, const Ordered& ordered, const Place& place,
            const Searches& searches, bool together) {
  Timing timing;
  timing.trials = searches.seconds;
  double total = 0;
  for (const double s : searches.seconds) total += s;
  const auto [least, most] = std::minmax_element(searches.seconds.begin(), searches.seconds.end());
  const auto ideal = static_cast<double>(searches.edges * sizeof(VertexId));
  const auto moved = static_cast<double>(searches.link.bytes);
  // What the driver migrates is not counted, and nothing moves that is where kernels run.
  const bool counted = place.residency == "zerocopy" || place.residency == "stream";
  return {{"graph", subject.name},
          {"form", subject.form},
          {"residency", place.residency},
          {"method", ordered.method},
          {"order_seconds", ordered.order_seconds},
          {"write_seconds", ordered.write_seconds},
          {"searches", searches.seconds.size()},
          {"seconds",
           {{"mean", total / static_cast<double>(searches.seconds.size())},
            {"median", timing.median()},
            {"min", *least},
            {"max", *most}}},
          {"edges", searches.edges},
          {"gteps", static_cast<double>(searches.edges) / total / 1e9},
          {"speedup", nullptr},
          {"ideal_bytes", searches.edges * sizeof(VertexId)},
          {"moved_bytes", counted ? Json(searches.link.bytes) : Json(nullptr)},
          {"amplification", counted && ideal > 0 ? Json(moved / ideal) : Json(nullptr)},
          {"log_gap", together ? Json(nullptr) : Json(searches.gaps.average())}};
}

void add_speedups(Json& rows) {
  std::map<std::string, double> natural;
  const auto key = [](const Json& row) {
    return fmt::format("{} {} {}", row["graph"].dump(), row["form"].dump(),
                       row["residency"].dump());
  };
  for (const Json& row : rows)
    if (row["method"] == "natural") natural[key(row)] = row["seconds"]["mean"].get<double>();
  for (Json& row : rows)
    row["speedup"] = natural.at(key(row)) / row["seconds"]["mean"].get<double>();
}

}  // namespace fathom::cli::halo
