// Iterations that are stopped and gone on from: the answer is that of not having stopped, on one
// rank and on several.
#include <gtest/gtest.h>

#include <array>
#include <stop_token>
#include <string_view>

#include "fathom/algorithms/cdlp/cdlp.hpp"
#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/exec/checkpoint/file.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/ranks/checkpoint_directory.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::Checkpoints;

struct Stopped {
  std::vector<double> value;  // of the vertices, and the residual
  std::uint32_t iterations = 0;
};
using RunSome = Stopped (*)(const Context&, const Graph&, const CheckpointOptions*,
                            std::uint32_t most);

struct Iterative {
  const char* name;
  RunSome run;
  bool splits = true;
};

template <class Result>
Stopped stopped(const Result& result, std::span<const double> value) {
  Stopped its{{value.begin(), value.end()}, result.iterations};
  its.value.push_back(result.residual);
  return its;
}
Stopped stopped(const CdlpResult& result) {
  return {{result.label.begin(), result.label.end()}, result.iterations};
}

Stopped stopped(const RadiusResult& result) {
  Stopped its{{result.farthest.begin(), result.farthest.end()}, result.report.iterations};
  its.value.insert(its.value.end(), result.effective_radius.begin(), result.effective_radius.end());
  its.value.insert(its.value.end(), result.pairs.begin(), result.pairs.end());
  its.value.push_back(result.effective_diameter);
  return its;
}

template <class Options>
Options with(const CheckpointOptions* checkpoint, std::uint32_t most) {
  Options options;
  options.tolerance = 0;
  options.max_iterations = most;
  options.checkpoint = checkpoint;
  return options;
}

std::vector<Iterative> iterative_algorithms() {
  static constexpr std::array<VertexId, 2> kSources{1, 3};
  return {
      {"pagerank",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         const auto result = pagerank(ctx, graph, with<PagerankOptions>(c, most));
         return stopped(result, result.rank.span());
       }},
      {"pagerank_in_float",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         auto options = with<PagerankOptions>(c, most);
         options.tolerance = 1e-6;
         options.weighted = true;
         const auto result = pagerank(ctx, graph, options);
         return stopped(result, result.rank.span());
       }},
      {"pagerank_not_in_place",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         auto options = with<PagerankOptions>(c, most);
         options.in_place = false;
         options.compat = PagerankCompat::Gap;
         const auto result = pagerank(ctx, graph, options);
         return stopped(result, result.rank.span());
       }},
      {"rwr",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         const auto result =
             random_walk_with_restart(ctx, graph, kSources, with<RwrOptions>(c, most));
         return stopped(result, result.probability.span());
       }},
      {"eigenvector",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         const auto result = eigenvector(ctx, graph, with<EigenvectorOptions>(c, most));
         Stopped its = stopped(result, result.centrality.span());
         its.value.push_back(result.eigenvalue);
         return its;
       }},
      {"katz",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         auto options = with<KatzOptions>(c, most);
         options.alpha = 1e-3;
         const auto result = katz(ctx, graph, options);
         return stopped(result, result.centrality.span());
       }},
      {"hits",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         const auto result = hits(ctx, graph, with<HitsOptions>(c, most));
         Stopped its = stopped(result, result.hub.span());
         its.value.insert(its.value.end(), result.authority.begin(), result.authority.end());
         return its;
       },
       false},
      {"cdlp",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         CdlpOptions options;
         options.iterations = most;
         options.checkpoint = c;
         return stopped(label_propagation(ctx, graph, options));
       },
       false},
      {"cdlp_async",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         CdlpOptions options;
         options.iterations = most;
         options.async = true;
         options.seed = 3;
         options.checkpoint = c;
         return stopped(label_propagation(ctx, graph, options));
       },
       false},
      {"radius",
       [](const Context& ctx, const Graph& graph, const CheckpointOptions* c, std::uint32_t most) {
         RadiusOptions options;
         options.max_hops = most;
         options.checkpoint = c;
         return stopped(estimate_radius(ctx, graph, options));
       },
       false}};
}

struct Place {
  int ranks;
  testing::Configuration where;
};
void PrintTo(const Place& place, std::ostream* out) {
  *out << place.ranks << "_" << place.where.name;
}

std::vector<Place> places() {
  std::vector<Place> all;
  for (const testing::Configuration& where : testing::cpu_configurations()) {
    const bool common = where.name == "host" || where.name == "two_devices_streamed";
    for (const int ranks : {1, 2, 3})
      if (ranks == 1 || common) all.push_back({ranks, where});
    if (where.name != "two_devices_streamed") continue;
    testing::Configuration split = where;
    split.name = "two_devices_split";
    split.residency.paging.strategy = Strategy::Scalability;
    split.residency.paging.chunks = 2;
    all.push_back({1, split});
  }
  return all;
}

std::string place_name(const ::testing::TestParamInfo<Place>& info) {
  return std::to_string(info.param.ranks) + "_ranks_" + info.param.where.name;
}

class Resumed : public ::testing::TestWithParam<Place>, protected Checkpoints {
 protected:
  /// On every rank; what the first one found, and so have all.
  Stopped run(const Iterative& algorithm, const CheckpointOptions* options,
              std::uint32_t most) const {
    const Place& place = GetParam();
    std::vector<Stopped> found(static_cast<std::size_t>(place.ranks));
    run_thread_ranks(place.ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
      testing::Configuration where = place.where;
      where.cpu.group = group;
      const testing::PlacedGraph placed(where, zoo::rmat(true));
      found[static_cast<std::size_t>(group->rank())] =
          algorithm.run(placed.ctx, placed.graph, options, most);
    });
    for (const Stopped& its : found) EXPECT_EQ(its.value, found[0].value);
    return found[0];
  }
};

TEST_P(Resumed, FindsWhatIsFoundWithoutStopping) {
  constexpr std::uint32_t kMost = 9, kStop = 5;
  const bool split = GetParam().where.name == "two_devices_split";
  for (const Iterative& algorithm : iterative_algorithms()) {
    if (split && !algorithm.splits) continue;
    SCOPED_TRACE(algorithm.name);
    const Stopped whole = run(algorithm, nullptr, kMost);
    CheckpointOptions write{.write = file(algorithm.name), .every = 2};
    run(algorithm, &write, kStop);
    CheckpointOptions resume{.write = file(algorithm.name), .every = 3, .resume = write.write};
    const Stopped rest = run(algorithm, &resume, kMost);
    EXPECT_EQ(rest.iterations, whole.iterations);
    ASSERT_EQ(rest.value.size(), whole.value.size());
    const bool in_any_order = GetParam().where.cpu.threads > 1;
    for (std::size_t i = 0; i < whole.value.size(); ++i)
      if (in_any_order)
        ASSERT_NEAR(rest.value[i], whole.value[i], 1e-6) << i;
      else
        ASSERT_EQ(rest.value[i], whole.value[i]) << i;
  }
}

TEST_P(Resumed, GoesOnFromWhatWasReachedWhenCancelled) {
  struct StopAt final : Progress {
    std::stop_source stop;
    void begin(std::string_view, std::uint64_t, std::string_view) override {}
    void at(std::uint64_t done) override {
      if (done == 3) stop.request_stop();
    }
    void end() override {}
  };
  const Place& place = GetParam();
  if (place.ranks > 1 && place.where.name != "host") return;  // one alone may notice amid one
  for (const Iterative& algorithm : iterative_algorithms()) {
    if (place.where.name == "two_devices_split" && !algorithm.splits) continue;
    // Blocks of labels ask the task one by one: on one rank alone, of async after labels moved.
    const std::string_view name = algorithm.name;
    if (name == "cdlp_async" || (place.ranks > 1 && name == "cdlp")) continue;
    SCOPED_TRACE(algorithm.name);
    const CheckpointOptions write{.write = file(algorithm.name), .every = 1000};
    const auto cancelled = [&] {
      run_thread_ranks(place.ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
        StopAt stop_at;
        testing::Configuration where = place.where;
        where.cpu.group = group;
        if (group->rank() == place.ranks - 1) where.cpu.task = {stop_at.stop.get_token(), &stop_at};
        const testing::PlacedGraph placed(where, zoo::rmat(true));
        algorithm.run(placed.ctx, placed.graph, &write, 9);
      });
    };
    testing::expect_error(ErrorCode::Interrupted, cancelled);
    const auto part = [&](int rank) {
      return place.ranks == 1
                 ? write.write
                 : write.write + "." + std::to_string(rank) + "-of-" + std::to_string(place.ranks);
    };
    std::vector<std::uint64_t> reached;
    for (int r = 0; r < place.ranks; ++r)
      reached.push_back(CheckpointReader(part(r)).header().iteration);
    EXPECT_GE(reached[0], 3u);
    EXPECT_LE(reached[0], 4u);
    EXPECT_EQ(reached, std::vector<std::uint64_t>(reached.size(), reached[0]));
    const CheckpointOptions resume{.resume = write.write};
    const Stopped whole = run(algorithm, nullptr, 9), rest = run(algorithm, &resume, 9);
    EXPECT_EQ(rest.iterations, whole.iterations);
    for (std::size_t i = 0; i < whole.value.size(); ++i)
      ASSERT_NEAR(rest.value[i], whole.value[i], 1e-6) << i;
  }
}

/// Of a grid, whose rounds go on for long, and a list grows with them. The same on all ranks.
Stopped radii(const Place& place, const CheckpointOptions* checkpoint, std::uint32_t most) {
  std::vector<Stopped> found(static_cast<std::size_t>(place.ranks));
  run_thread_ranks(place.ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
    testing::Configuration where = place.where;
    where.cpu.group = group;
    const testing::PlacedGraph placed(where, zoo::grid());
    RadiusOptions options;
    options.sketches = 8;
    options.max_hops = most;
    options.checkpoint = checkpoint;
    found[static_cast<std::size_t>(group->rank())] =
        stopped(estimate_radius(placed.ctx, placed.graph, options));
  });
  for (const Stopped& its : found) EXPECT_EQ(its.value, found[0].value);
  return found[0];
}

/// The checkpoint of a rank.
std::string file_of_rank(const std::string& file, int rank, int ranks) {
  if (ranks == 1) return file;
  return file + "." + std::to_string(rank) + "-of-" + std::to_string(ranks);
}

TEST_P(Resumed, RadiiOfAGridAreFoundFromAnyRound) {
  const Place& place = GetParam();
  if (place.where.name == "two_devices_split") return;
  const Stopped whole = radii(place, nullptr, kUnlimitedHops);
  ASSERT_GT(whole.iterations, 12u);
  for (const std::uint32_t stop : {1u, 7u, whole.iterations - 1}) {
    const CheckpointOptions write{.write = file(), .every = 1000};
    radii(place, &write, stop);
    EXPECT_EQ(CheckpointReader(file_of_rank(file(), 0, place.ranks)).header().iteration, stop);
    const CheckpointOptions resume{.resume = write.write};
    const Stopped rest = radii(place, &resume, kUnlimitedHops);
    EXPECT_EQ(rest.iterations, whole.iterations);
    EXPECT_EQ(rest.value, whole.value);
  }
}

/// A file that is whole, but whose list is not as long as the iterations that it is of.
TEST_P(Resumed, ListsOfAnotherLengthAreRefused) {
  const Place& place = GetParam();
  if (place.where.name == "two_devices_split") return;
  const CheckpointOptions write{.write = file(), .every = 1000}, resume{.resume = file("forged")};
  radii(place, &write, 5);
  for (const std::uint64_t length : {0u, 5u, 100000u}) {
    for (int r = 0; r < place.ranks; ++r) {
      const CheckpointReader whole(file_of_rank(file(), r, place.ranks));
      CheckpointHeader header = whole.header();
      CheckpointSlice& list = header.slices.back();
      list.elements = length;
      list.first = length * header.rank / header.ranks;
      list.last = length * (header.rank + 1) / header.ranks;
      CheckpointWriter forged(file_of_rank(file("forged"), r, place.ranks), header);
      for (std::size_t p = 0; p < header.slices.size(); ++p) {
        std::vector<std::byte> bytes(header.slices[p].bytes());
        if (p + 1 < header.slices.size()) whole.read(p, 0, bytes);
        forged.append(bytes);
      }
      forged.commit();
    }
    testing::expect_error(
        ErrorCode::BadInput, [&] { radii(place, &resume, 100); },
        "does not have the state of radius");
  }
}

class ResumedConjugateGradients : public ::testing::Test, protected Checkpoints {
 protected:
  static constexpr std::uint32_t kStop = 4;

  static PagerankResult run(const char* where, const CheckpointOptions* checkpoint,
                            std::uint32_t most) {
    for (const testing::Configuration& its : testing::cpu_configurations())
      if (its.name == where) {
        const testing::PlacedGraph placed(its, zoo::grid());
        PagerankOptions options;
        options.tolerance = 1e-10;
        options.max_iterations = most;
        options.checkpoint = checkpoint;
        return pagerank(placed.ctx, placed.graph, options);
      }
    ADD_FAILURE() << "no configuration " << where;
    return {};
  }
};

TEST_F(ResumedConjugateGradients, FindsWhatIsFoundWithoutStopping) {
  const PagerankResult whole = run("one_device_streamed", nullptr, 100);
  ASSERT_GT(whole.iterations, 2 * kStop);
  const CheckpointOptions write{.write = file("conjugate")};
  run("one_device_streamed", &write, kStop);
  const CheckpointOptions resume{.resume = write.write};
  const PagerankResult rest = run("one_device_streamed", &resume, 100);
  EXPECT_EQ(rest.iterations, whole.iterations);
  for (std::size_t v = 0; v < whole.rank.size(); ++v)
    ASSERT_NEAR(rest.rank[v], whole.rank[v], 1e-12) << v;
}

// Ranks that are updated in place elsewhere go on as they began, and the other way round.
TEST_F(ResumedConjugateGradients, GoesOnWhereItWouldNotHaveBegun) {
  const CheckpointOptions write{.write = file("conjugate")};
  const CheckpointOptions resume{.resume = write.write};
  for (const auto& [from, to] :
       {std::pair{"one_device_streamed", "host"}, std::pair{"host", "one_device_streamed"}}) {
    SCOPED_TRACE(from);
    const PagerankResult whole = run(from, nullptr, 100);
    run(from, &write, kStop);
    const PagerankResult rest = run(to, &resume, 100);
    EXPECT_TRUE(rest.converged);
    // Ranks that were updated in place have another sum, which is no work for the walk. It takes
    // more iterations than updates that go further than what ranks receive.
    EXPECT_LE(rest.iterations, 3 * whole.iterations);
    for (std::size_t v = 0; v < whole.rank.size(); ++v)
      ASSERT_NEAR(rest.rank[v], whole.rank[v], 1e-9) << v;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Resumed, ::testing::ValuesIn(places()), place_name);

}  // namespace
}  // namespace fathom
