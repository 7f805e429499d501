#include "dynamic_following.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include "cli/commands/algorithms/shared/facts_json.hpp"
#include "dynamic_rows.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/core/error.hpp"

namespace fathom::python {
namespace {

/// One label, which is given as text.
class OneLabel final : public Column {
 public:
  OneLabel(std::string label, bool string)
      : Column("source"), label_(std::move(label)), string_(string) {}
  std::uint64_t size() const override { return 1; }
  bool strings() const override { return string_; }
  bool integers() const override { return !string_; }

  using Column::read;
  void read(std::uint64_t, std::span<std::uint64_t> into) const override {
    const char* const end = label_.data() + label_.size();
    const auto [at, error] = std::from_chars(label_.data(), end, into[0]);
    if (error != std::errc{} || at != end)
      throw Error(ErrorCode::Usage,
                  fmt::format("source: expected an integer, as the labels of this graph are, "
                              "found '{}'",
                              label_));
  }
  void read(std::uint64_t, std::span<std::string_view> into) const override { into[0] = label_; }

 private:
  std::string label_;
  bool string_;
};

template <class T>
std::span<const T> kept(std::vector<T> values, Answer& answer) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  answer.holds = owner;
  return *owner;
}

const Algorithm& followed(const std::string& name) {
  constexpr std::array kFollowed{"bfs", "sssp", "cc", "pagerank", "tc", "kcore"};
  if (std::find(kFollowed.begin(), kFollowed.end(), name) != kFollowed.end())
    return *find_algorithm(name);
  throw Error(ErrorCode::Usage,
              fmt::format("follow takes '{}', not '{}'", fmt::join(kFollowed, "', '"), name));
}

}  // namespace

Following::Following(std::shared_ptr<PyDynamic> graph, const std::string& algorithm,
                     std::string source, double alpha, double tolerance)
    : graph_(std::move(graph)),
      algorithm_(followed(algorithm)),
      label_(std::move(source)),
      options_{alpha, tolerance, FollowBy::Auto} {}

VertexId Following::source() const {
  return graph_->labels().find(OneLabel(label_, graph_->strings()))[0];
}

void Following::compute() {
  // Made before it is put there: what throws leaves its_ as it is.
  const DynamicGraph& graph = graph_->graph();
  if (algorithm_.name == "cc") {
    its_ = Components(graph);
  } else if (algorithm_.name == "pagerank") {
    its_ = Ranks(graph, options_);
  } else if (algorithm_.name == "tc") {
    its_ = Triangles(graph, {.per_vertex = true});
  } else if (algorithm_.name == "kcore") {
    its_ = Cores(graph);
  } else {
    source_ = source();
    if (source_ == kNoVertex)
      its_ = std::monostate();
    else if (algorithm_.name == "sssp")
      its_ = Distances(graph, source_);
    else
      its_ = Levels(graph, std::span(&source_, 1));
  }
}

void Following::update(const AppliedBatch& batch) noexcept {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (auto* const components = std::get_if<Components>(&its_)) components->update(batch);
    if (auto* const ranks = std::get_if<Ranks>(&its_)) ranks->update(batch);
    if (auto* const triangles = std::get_if<Triangles>(&its_)) triangles->update(batch);
    if (auto* const cores = std::get_if<Cores>(&its_)) cores->update(batch);
    const auto follow_source = [&](auto* search) {
      if (!search) return;
      if (source() == source_)
        search->update(batch);
      else
        its_.emplace<std::monostate>();
    };
    follow_source(std::get_if<Levels>(&its_));
    follow_source(std::get_if<Distances>(&its_));
  } catch (...) {
    its_.emplace<std::monostate>();
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Following::answer_levels(Answer& answer) const {
  const auto* const levels = std::get_if<Levels>(&its_);
  std::vector<std::uint32_t> depth =
      levels ? levels->depths()
             : std::vector<std::uint32_t>(graph_->graph().vertices(), kUnreached);
  const std::uint64_t reached = levels ? levels->reached() : 0;
  const std::uint64_t farthest = levels ? levels->max_depth() : 0;
  answer.facts = {
      {"sources", std::vector<std::string>{label_}}, {"reached", reached}, {"max_depth", farthest}};
  answer.columns = {{"depth", kept(std::move(depth), answer), kUnreached}};
  answer.summary = fmt::format("bfs: {} vertices reached, up to depth {}\n", reached, farthest);
}

void Following::answer_distances(Answer& answer) const {
  const auto* const distances = std::get_if<Distances>(&its_);
  std::vector<Weight> distance = distances
                                     ? distances->distances()
                                     : std::vector<Weight>(graph_->graph().vertices(), kInfinity);
  const std::uint64_t reached = distances ? distances->reached() : 0;
  const double farthest = distances ? distances->max_distance() : 0;
  answer.facts = {{"source", label_}, {"reached", reached}, {"max_distance", farthest}};
  answer.columns = {{"distance", kept(std::move(distance), answer)}};
  answer.summary =
      fmt::format("sssp: {} vertices reached, greatest distance {}\n", reached, farthest);
}

void Following::answer_components(const Components& components, const LabelRows& rows,
                                  Answer& answer) const {
  // Each deleted vertex is a component by itself.
  const std::uint64_t count =
      components.components() - (graph_->graph().vertices() - rows.existing);
  const std::uint64_t largest = rows.existing == 0 ? 0 : components.largest();
  answer.facts = {{"components", count}, {"largest", largest}};
  answer.columns = {
      {"component", kept(components.labels(), answer), std::nullopt, AnswerColumn::Kind::Set}};
  answer.summary = fmt::format("cc: {} components, {} vertices in the largest\n", count, largest);
}

void Following::answer_ranks(const Ranks& ranks, const LabelRows& rows, Answer& answer) const {
  // A deleted vertex has no edges and the least rank: without it the others' share grows.
  std::vector<double> rank = ranks.ranks();
  double sum = 0;
  for (VertexId v = 0; v < rank.size(); ++v) sum += rows.exists(v) ? rank[v] : 0;
  if (rank.size() > rows.existing)
    for (double& r : rank) r /= sum;
  answer.facts = {{"alpha", options_.alpha}, {"tolerance", options_.tolerance}};
  answer.columns = {{"rank", kept(std::move(rank), answer)}};
  answer.summary = "pagerank: up to date\n";
}

void Following::answer_triangles(const Triangles& triangles, Answer& answer) {
  const std::vector<std::uint64_t> counts = triangles.per_vertex();
  answer.facts = {{"triangles", triangles.total()}};
  answer.columns = {
      {"triangles", kept(std::vector<std::int64_t>(counts.begin(), counts.end()), answer)}};
  answer.summary = fmt::format("tc: {} triangles\n", triangles.total());
}

void Following::answer_cores(const Cores& cores, const LabelRows& rows, Answer& answer) {
  std::vector<std::uint32_t> core = cores.cores();
  std::map<std::uint32_t, std::uint64_t> count;
  for (VertexId v = 0; v < core.size(); ++v)
    if (rows.exists(v)) ++count[core[v]];
  Fact::Table shells{{"core", "vertices"}, {}};
  for (const auto& [number, vertices] : count) shells.rows.push_back({number, vertices});
  const std::uint64_t innermost = count.empty() ? 0 : count.rbegin()->second;
  const std::uint64_t degeneracy = cores.degeneracy();
  answer.facts = {
      {"degeneracy", degeneracy}, {"innermost", innermost}, {"core_counts", std::move(shells)}};
  answer.columns = {{"core", kept(std::move(core), answer)}};
  answer.summary =
      fmt::format("kcore: {} vertices in the {}-core, the innermost\n", innermost, degeneracy);
}

std::shared_ptr<Answer> Following::answer(const LabelRows& rows) const {
  auto answer = std::make_shared<Answer>();
  answer->report.seconds = seconds_;
  answer->report.converged = true;
  if (const auto* const components = std::get_if<Components>(&its_))
    answer_components(*components, rows, *answer);
  else if (const auto* const ranks = std::get_if<Ranks>(&its_))
    answer_ranks(*ranks, rows, *answer);
  else if (const auto* const triangles = std::get_if<Triangles>(&its_))
    answer_triangles(*triangles, *answer);
  else if (const auto* const cores = std::get_if<Cores>(&its_))
    answer_cores(*cores, rows, *answer);
  else if (algorithm_.name == "sssp")
    answer_distances(*answer);
  else
    answer_levels(*answer);
  return answer;
}

Following::Shown Following::result() {
  Shown shown;
  graph_->alone([&] {
    const std::uint64_t now = graph_->graph().batches();
    if (!shown_.result || shown_.batches != now) {
      if (its_.index() == 0)
        with_labels_in_errors([&](VertexId v) { return graph_->labels().rows()->label(v); },
                              [&] { compute(); });
      shown_ = {};
      const auto rows = graph_->labels().rows();
      auto result = std::make_shared<PyResult>();
      const std::shared_ptr<Answer> answer = this->answer(*rows);
      result->algorithm = &algorithm_;
      result->answer = answer;
      result->columns = columns_of(algorithm_, answer, rows->order());
      result->facts = cli::json_of(answer->facts);
      result->report = {{"algorithm", algorithm_.name},
                        {"batches", now},
                        {"seconds", seconds_},
                        {"result", result->facts}};
      result->check = [](const CheckAnswer&) {
        throw Error(ErrorCode::Usage,
                    "a result that follows has no certificate: the algorithm on a snapshot has");
      };
      seconds_ = 0;
      shown_ = {std::move(result), rows, now};
    }
    shown = shown_;
  });
  return shown;
}

void add_following(nb::module_& module) {
  nb::class_<Following>(module, "Following").def("result", [](Following& following) {
    const Following::Shown shown = following.result();
    return nb::make_tuple(shown.result, PyRows{shown.rows}, shown.batches);
  });
  module.def(
      "follow",
      [](const std::shared_ptr<PyDynamic>& graph, const std::string& algorithm, nb::bytes source,
         double alpha, double tolerance) {
        const auto following = std::make_shared<Following>(
            graph, algorithm, std::string(source.c_str(), source.size()), alpha, tolerance);
        graph->alone([&] {
          following->begin();
          graph->follow(following);
        });
        return following;
      },
      nb::arg("graph"), nb::arg("algorithm"), nb::arg("source"), nb::arg("alpha"),
      nb::arg("tolerance"));
}

}  // namespace fathom::python
