// Graphs that change are one process's: on several ranks each would have one of its own.
#include "fathom/dynamic_graph.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

TEST(ChangingGraphs, AreRefusedOnSeveralRanks) {
  for (const int ranks : {1, 2})
    run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
      CpuOptions cpu;
      cpu.group = group;
      const Context ctx = Context::cpu(cpu);
      const auto make = [&] { const DynamicGraph graph(ctx, {}); };
      if (ranks == 1) return make();
      testing::expect_error(ErrorCode::Usage, make,
                            "a graph that changes is on one rank, and the context has 2");
    });
}

}  // namespace
}  // namespace fathom
