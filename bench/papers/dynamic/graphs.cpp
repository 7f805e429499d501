// The graphs of `fathom bench dynamic`, random updates of them, and what they should be then.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr VertexId kFocus = 1000;                // sources of focused updates
constexpr EdgeId kCompareAll = EdgeId{1} << 26;  // edges of what is compared list by list
constexpr std::size_t kSample = 10000;           // edges of what is not
constexpr std::uint64_t kBetweenChecks = std::uint64_t{1} << 16;  // steps; whether to go on
constexpr std::uint64_t kMostUpdatesPerEdge = 5;  // of a batch; the paper's largest is 4.2

graph::BuildOptions simple_both_ways(const Command& c, const Task& task) {
  graph::BuildOptions build;
  build.undirected = true;
  build.in_edges = false;
  build.loops = graph::Loops::Drop;
  build.threads = c.execution.threads;
  build.memory = MemoryPool::kUnlimited;
  build.task = task;
  return build;
}

void profile(Subject& s) {
  const CsrView lists = s.view();
  const auto n = static_cast<double>(std::max<VertexId>(lists.vertices, 1));
  s.mean = static_cast<double>(lists.edges) / n;
  for (VertexId v = 0; v < lists.vertices; ++v) {
    const auto degree = lists.degree(v);
    const double off = static_cast<double>(degree) - s.mean;
    s.deviation += off * off / n;
    s.most = std::max(s.most, degree);
  }
  s.deviation = std::sqrt(s.deviation);
}

generate::Spec spec_of(const Command& c, const std::string& kind, int scale) {
  generate::Spec spec;
  spec.kind = generate::kind_named(kind).value();
  spec.seed = c.seed;
  if (kind == "grid") {
    spec.rows = VertexId{1} << scale / 2;
    spec.columns = VertexId{1} << (scale - scale / 2);
    return spec;
  }
  spec.scale = scale;
  // Both ways: 8 and 16 edges per vertex.
  if (kind == "uniform") spec.edge_factor = 4;
  if (kind == "rmat") spec.edge_factor = 8;
  return spec;
}

std::span<const VertexId> list_of(const CsrView& lists, VertexId v) {
  return {lists.target + lists.offset[v], static_cast<std::size_t>(lists.degree(v))};
}

[[noreturn]] void refuted(const std::string& what) {
  throw Error(ErrorCode::VerificationFailed, what);
}

}  // namespace

std::uint64_t Subject::csr_bytes() const {
  return csr.edges() * sizeof(VertexId) + (std::uint64_t{csr.vertices()} + 1) * sizeof(EdgeId);
}

std::uint64_t Subject::rounded_bytes() const {
  std::uint64_t bytes = (std::uint64_t{csr.vertices()} + 1) * sizeof(EdgeId);
  const CsrView lists = view();
  for (VertexId v = 0; v < lists.vertices; ++v)
    if (lists.degree(v) > 0) bytes += std::bit_ceil(lists.degree(v)) * sizeof(VertexId);
  return bytes;
}

Subject make_subject(const Command& c, const std::string& graph, const Task& task) {
  Subject s;
  const auto colon = graph.find(':');
  s.kind = graph.substr(0, colon);
  s.scale = c.scale;
  if (colon != std::string::npos) {
    const std::string digits = graph.substr(colon + 1);
    const bool number = !digits.empty() && digits.size() <= 2 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    s.scale = number ? std::stoi(digits) : -1;
  }
  const bool known = std::find(std::begin(kKinds), std::end(kKinds), s.kind) != std::end(kKinds);
  if (!known || s.scale < 6 || s.scale > 30)
    throw Error(ErrorCode::Usage,
                fmt::format("--graphs: expected KIND or KIND:SCALE with a scale from 6 to 30, such "
                            "as road:20, found '{}'",
                            graph));
  s.name = fmt::format("{}{}", s.kind, s.scale);
  const generate::Generator generator(spec_of(c, s.kind, s.scale));
  const auto push = [&](const auto& consume) {
    std::vector<Edge> block(std::size_t{1} << 16);
    for (EdgeId at = 0; at < generator.edges(); at += block.size()) {
      const auto n = std::min<EdgeId>(block.size(), generator.edges() - at);
      const std::span<Edge> some = std::span(block).first(static_cast<std::size_t>(n));
      generator.fill(at, some);
      consume(some, {});
    }
  };
  s.task = task;
  s.csr = graph::build(generator.vertices(), push, simple_both_ways(c, task)).out;
  profile(s);
  return s;
}

Subject load_subject(const Command& c, const std::string& path, const Task& task) {
  Subject s;
  s.name = std::filesystem::path(path).stem().string();
  const auto store = store::Store::open(path);
  const CsrView lists = store->out(c.execution.threads);
  if (lists.vertices < 2) throw Error(ErrorCode::Usage, path + " has no two vertices to tie");
  const auto push = [&](const auto& consume) {
    std::vector<Edge> block;
    for (VertexId u = 0; u < lists.vertices; ++u) {
      for (const VertexId v : list_of(lists, u)) block.push_back({u, v});
      if (block.size() < (std::size_t{1} << 16)) continue;
      consume(block, {});
      block.clear();
    }
    consume(block, {});
  };
  s.task = task;
  s.csr = graph::build(lists.vertices, push, simple_both_ways(c, task)).out;
  profile(s);
  return s;
}

std::vector<Pair> random_pairs(const Subject& subject, std::uint64_t count, bool focused,
                               std::uint64_t seed) {
  const RandomStream random(seed, 0);
  const VertexId n = subject.csr.vertices();
  const VertexId range = focused ? std::min(kFocus, n) : n;
  const auto first = static_cast<VertexId>(bounded(random.at(0), std::uint64_t{n - range} + 1));
  std::vector<Pair> pairs;
  pairs.reserve(count);
  for (std::uint64_t i = 1; i <= count; ++i) {
    if (i % kBetweenChecks == 0) subject.task.check();
    const auto u = static_cast<VertexId>(first + bounded(random.at(2 * i), range));
    const auto step = 1 + bounded(random.at(2 * i + 1), std::uint64_t{n} - 1);
    pairs.emplace_back(u, static_cast<VertexId>((u + step) % n));
  }
  return pairs;
}

std::vector<Pair> random_edges(const Subject& subject, std::uint64_t count, std::uint64_t seed) {
  const CsrView lists = subject.view();
  const RandomStream random(seed, 1);
  std::vector<Pair> pairs;
  for (std::uint64_t i = 0; i < count && lists.edges > 0; ++i) {
    if (i % kBetweenChecks == 0) subject.task.check();
    const EdgeId e = bounded(random.at(i), lists.edges);
    const auto u = std::upper_bound(lists.offset, lists.offset + lists.vertices + 1, e) - 1;
    pairs.emplace_back(static_cast<VertexId>(u - lists.offset), lists.target[e]);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<EdgeUpdate> updates_of(const std::vector<Pair>& pairs, bool deletion) {
  std::vector<EdgeUpdate> updates;
  updates.reserve(pairs.size());
  for (const auto& [u, v] : pairs) updates.push_back({u, v, 1, deletion});
  return updates;
}

Expected::Expected(const Subject& subject, std::vector<Pair> inserted, std::vector<Pair> removed)
    : subject_(&subject), removed_(std::move(removed)) {
  std::ranges::sort(inserted);
  inserted.erase(std::unique(inserted.begin(), inserted.end()), inserted.end());
  std::uint64_t seen = 0;
  for (const Pair& p : inserted) {
    if (++seen % kBetweenChecks == 0) subject.task.check();
    (has(p.first, p.second) ? known_ : fresh_).push_back(p);
  }
  std::ranges::sort(removed_);
}

bool Expected::has(VertexId u, VertexId v) const {
  const auto list = list_of(subject_->view(), u);
  return std::binary_search(list.begin(), list.end(), v);
}

EdgeId Expected::edges() const {
  return subject_->csr.edges() + fresh_.size() - removed_.size();
}

void Expected::check(const DynamicGraph& graph, const std::string& what) const {
  require_equal(graph.edges(), edges(), what + ": edges");
  if (edges() > kCompareAll) {
    const auto all = [&](const std::vector<Pair>& pairs, std::uint8_t there) {
      std::vector<Edge> some;
      for (std::size_t i = 0; i < std::min(kSample, pairs.size()); ++i) {
        const Pair& p = pairs[i * pairs.size() / std::min(kSample, pairs.size())];
        some.push_back({p.first, p.second});
      }
      for (const std::uint8_t found : graph.has_edges(some))
        require_equal(found, there, what + ": an edge that was looked up");
    };
    all(fresh_, 1);
    all(known_, 1);
    all(removed_, 0);
    return;
  }
  const Csr found = graph.to_csr();
  const CsrView lists = found.view(), before = subject_->view();
  require_equal(lists.vertices, before.vertices, what + ": vertices");
  auto added = fresh_.begin();
  auto gone = removed_.begin();
  std::vector<VertexId> list;
  for (VertexId v = 0; v < lists.vertices; ++v) {
    if (v % kBetweenChecks == 0) subject_->task.check();
    list.clear();
    for (const VertexId w : list_of(before, v)) {
      if (gone != removed_.end() && *gone == Pair{v, w})
        ++gone;
      else
        list.push_back(w);
    }
    for (; added != fresh_.end() && added->first == v; ++added) list.push_back(added->second);
    std::ranges::sort(list);
    if (!std::ranges::equal(list, list_of(lists, v)))
      refuted(fmt::format("{}: the list of vertex {} is not what it should be", what, v));
  }
}

void require_equal(std::uint64_t found, std::uint64_t expected, const std::string& what) {
  if (found != expected) refuted(fmt::format("{}: {}, not {}", what, found, expected));
}

std::string too_large(const Subject& subject, std::uint64_t batch, bool focused) {
  if (batch > kMostUpdatesPerEdge * subject.csr.edges())
    return fmt::format("{}: batches of {}: more than {} for each of its edges", subject.name, batch,
                       kMostUpdatesPerEdge);
  const auto pairs = static_cast<double>(std::min(kFocus, subject.csr.vertices())) *
                     static_cast<double>(subject.csr.vertices());
  if (focused && static_cast<double>(batch) > pairs / 2)
    return fmt::format("{}: focused batches of {}: most would be duplicates", subject.name, batch);
  return "";
}

double median_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const std::size_t n = seconds.size();
  return n == 0 ? 0 : (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
}

Json spread_json(const std::vector<double>& seconds) {
  return {{"median", median_of(seconds)},
          {"min", *std::ranges::min_element(seconds)},
          {"max", *std::ranges::max_element(seconds)}};
}

}  // namespace fathom::cli::dynamic_bench
