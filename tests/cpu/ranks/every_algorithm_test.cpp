// Every algorithm on one rank and on several finds the same, wherever their edges are.
#include <gtest/gtest.h>

#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"

namespace fathom {
namespace {

using testing::Answer;
using testing::Configuration;
using testing::every_algorithm;
using testing::EveryAlgorithm;

struct Setting {
  int ranks;
  Configuration where;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Configuration& where : testing::cpu_configurations())
    for (const int ranks : {2, 3})
      if (ranks == 2 || where.name == "host" || where.name == "host_streamed")
        all.push_back({ranks, where});
  return all;
}

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.ranks << "_ranks_" << setting.where.name;
}

class InRanks : public ::testing::TestWithParam<std::tuple<zoo::RawGraph, Setting>> {};

TEST_P(InRanks, EveryAlgorithmFindsWhatItFindsAlone) {
  const zoo::RawGraph& raw = std::get<0>(GetParam());
  const Setting& setting = std::get<1>(GetParam());
  const testing::PlacedGraph alone(testing::plain_host(), raw);
  for (const EveryAlgorithm& algorithm : every_algorithm()) {
    if (algorithm.needs_sources && alone.graph.vertices() == 0) continue;
    SCOPED_TRACE(algorithm.name);
    const Answer expected = algorithm.run(alone.ctx, alone.graph, nullptr);
    std::vector<Answer> found(static_cast<std::size_t>(setting.ranks));
    try {
      run_thread_ranks(setting.ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
        Configuration where = setting.where;
        where.cpu.group = group;
        const testing::PlacedGraph placed(where, raw);
        const testing::Verifier verifier{placed.ctx, placed.graph};
        found[static_cast<std::size_t>(group->rank())] =
            algorithm.run(placed.ctx, placed.graph, &verifier);
      });
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
      continue;
    }
    testing::expect_found(algorithm, found, expected);
  }
}

std::string setting_name(const ::testing::TestParamInfo<InRanks::ParamType>& info) {
  const auto& [raw, setting] = info.param;
  return raw.name + "_" + std::to_string(setting.ranks) + "_ranks_" + setting.where.name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, InRanks,
                         ::testing::Combine(::testing::ValuesIn(testing::graphs_of_ranks()),
                                            ::testing::ValuesIn(settings())),
                         setting_name);

}  // namespace
}  // namespace fathom
