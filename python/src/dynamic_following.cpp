#include "dynamic_following.hpp"

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "cli/commands/algorithms/shared/facts_json.hpp"
#include "dynamic_rows.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
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
  if (name == "bfs" || name == "cc" || name == "pagerank") return *find_algorithm(name);
  throw Error(ErrorCode::Usage,
              fmt::format("follow takes 'bfs', 'cc' and 'pagerank', not '{}'", name));
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
  const DynamicGraph& graph = graph_->graph();
  if (algorithm_.name == "cc") {
    its_.emplace<Components>(graph);
  } else if (algorithm_.name == "pagerank") {
    its_.emplace<Ranks>(graph, options_);
  } else {
    source_ = source();
    if (source_ == kNoVertex)
      its_.emplace<std::monostate>();
    else
      its_.emplace<Levels>(graph, std::span(&source_, 1));
  }
}

void Following::update(const AppliedBatch& batch) noexcept {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (auto* const components = std::get_if<Components>(&its_)) components->update(batch);
    if (auto* const ranks = std::get_if<Ranks>(&its_)) ranks->update(batch);
    if (auto* const levels = std::get_if<Levels>(&its_)) {
      if (source() == source_)
        levels->update(batch);
      else
        its_.emplace<std::monostate>();
    }
  } catch (...) {
    its_.emplace<std::monostate>();
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::shared_ptr<Answer> Following::answer(const LabelRows& rows) const {
  const DynamicGraph& graph = graph_->graph();
  const VertexId n = graph.vertices(), gone = n - rows.existing;
  auto answer = std::make_shared<Answer>();
  answer->report.seconds = seconds_;
  answer->report.converged = true;
  if (const auto* const components = std::get_if<Components>(&its_)) {
    // Each deleted vertex is a component by itself.
    const std::uint64_t count = components->components() - gone;
    const std::uint64_t largest = rows.existing == 0 ? 0 : components->largest();
    answer->facts = {{"components", count}, {"largest", largest}};
    answer->columns = {
        {"component", kept(components->labels(), *answer), std::nullopt, AnswerColumn::Kind::Set}};
    answer->summary =
        fmt::format("cc: {} components, {} vertices in the largest\n", count, largest);
  } else if (const auto* const ranks = std::get_if<Ranks>(&its_)) {
    // A deleted vertex has no edges and the least rank: without it the others' share grows.
    std::vector<double> rank = ranks->ranks();
    double sum = 0;
    for (VertexId v = 0; v < n; ++v) sum += rows.exists(v) ? rank[v] : 0;
    if (gone > 0)
      for (double& r : rank) r /= sum;
    answer->facts = {{"alpha", options_.alpha}, {"tolerance", options_.tolerance}};
    answer->columns = {{"rank", kept(std::move(rank), *answer)}};
    answer->summary = "pagerank: up to date\n";
  } else {
    const auto* const levels = std::get_if<Levels>(&its_);
    std::vector<std::uint32_t> depth =
        levels ? levels->depths() : std::vector<std::uint32_t>(n, kUnreached);
    const std::uint64_t reached = levels ? levels->reached() : 0;
    const std::uint64_t farthest = levels ? levels->max_depth() : 0;
    answer->facts = {{"sources", std::vector<std::string>{label_}},
                     {"reached", reached},
                     {"max_depth", farthest}};
    answer->columns = {{"depth", kept(std::move(depth), *answer), kUnreached}};
    answer->summary = fmt::format("bfs: {} vertices reached, up to depth {}\n", reached, farthest);
  }
  return answer;
}

Following::Shown Following::result() {
  Shown shown;
  graph_->alone([&] {
    const std::uint64_t now = graph_->graph().batches();
    if (!shown_.result || shown_.batches != now) {
      if (its_.index() == 0) compute();
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
