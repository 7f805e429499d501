// Graphs that teams of lanes change beside others: where one lane sees what another of its team
// does not see yet, all have to do the same. Teams are host threads, or fibers whose steps are
// interleaved by a seed; those that part ways end in a failure and not in a wait for ever.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <set>
#include <thread>

#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/fiber_lanes.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::testing {
namespace {

constexpr OneLane kOnItsOwn{};
// Of fibers few, as they do little; of threads so many that lists get pages all the time.
constexpr VertexId kFewVertices = 5, kTeamVertices = 60;

/// Some neighbouring lanes of a warp of fibers. Where a lane asks who it is, which it does before
/// it reads, others may go on.
class FiberTile {
 public:
  FiberTile(const Fibers::Lanes& warp, std::uint32_t size)
      : lanes_(warp.split(warp.rank() / size)), size_(size) {}

  std::uint32_t rank() const {
    Fibers::interleave();
    return lanes_.rank() % size_;
  }
  std::uint32_t size() const {
    Fibers::interleave();
    return size_;
  }
  std::uint32_t ballot(bool b) const {
    Fibers::interleave();
    return lanes_.ballot(b) >> first() & static_cast<std::uint32_t>((1ull << size_) - 1);
  }
  std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
    Fibers::interleave();
    return lanes_.shfl(x, first() + lane);
  }
  static void wait() { Fibers::wait(); }

 private:
  std::uint32_t first() const { return lanes_.rank() / size_ * size_; }
  Fibers::Lanes lanes_;
  std::uint32_t size_;
};
static_assert(LaneGroup<FiberTile>);

struct TeamCase {
  DynamicLayoutKind layout;
  bool directed, weighted;
  DuplicatePolicy duplicates = DuplicatePolicy::Ignore;
  bool pinned = false;
};

std::vector<TeamCase> team_cases() {
  std::vector<TeamCase> all;
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim})
    for (const bool directed : {false, true})
      for (const bool pinned : {false, true}) {
        all.push_back({layout, directed, false, DuplicatePolicy::Ignore, pinned});
        all.push_back({layout, directed, true, DuplicatePolicy::Overwrite, pinned});
      }
  return all;
}

DynamicGraphOptions team_options(const TeamCase& c) {
  DynamicGraphOptions options;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 12;
  options.layout = c.layout;
  options.page_bytes = 16;
  options.directed = c.directed;
  options.edges = c.weighted ? EdgeKind::Weighted : EdgeKind::Simple;
  options.duplicates = c.duplicates;
  return options;
}

/// What a team, or one lane, does: draws that are the same for all of its lanes.
template <LaneGroup G>
void change_some(const G& group, const LiveLists& lists, std::uint64_t seed, int changes,
                 std::uint32_t rank) {
  zoo::Dice dice(seed);
  const auto n = static_cast<std::uint32_t>(lists.vertices());
  for (int i = 0; i < changes; ++i) {
    const VertexId u = dice.roll(n), v = dice.roll(n);
    const auto w = static_cast<Weight>(1 + dice.roll(5));
    switch (dice.roll(6)) {
      case 0:
        lists.insert(group, u, v, w);
        break;
      case 1:
        lists.insert_each(group, true, u, (v + rank) % n, w);
        break;
      case 2:
        lists.erase(group, u, v);
        break;
      case 3:
        lists.erase_each(group, true, u, (v + rank) % n);
        break;
      case 4:
        lists.has_edge(group, u, v);
        break;
      default:
        lists.locked(group, u, [](VertexId, Weight, const EdgeFields&) {});
    }
  }
}

/// Every edge once in each of its lists, with one weight, and as many as the graph says.
void expect_equal_lists(const DynamicGraph& graph, bool both = true) {
  const Graph now = graph.graph();
  EdgeId edges = 0;
  std::map<std::pair<VertexId, VertexId>, Weight> seen, other;
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    for (const auto& [u, w] : list_of(now.out(), v)) {
      ASSERT_TRUE(seen.emplace(std::pair(v, u), w).second) << "twice: " << v << " to " << u;
      ++edges;
    }
    if (!both) continue;
    for (const auto& [u, w] : list_of(graph.directed() ? now.in() : now.out(), v))
      other.emplace(std::pair(u, v), w);
  }
  ASSERT_EQ(now.edges(), edges);
  if (both) {
    ASSERT_EQ(seen, other);
  }
}

void begin_team_graph(DynamicGraph& graph, VertexId vertices = kFewVertices) {
  std::vector<EdgeUpdate> first;
  for (VertexId v = 0; v + 1 < vertices; ++v) first.push_back(EdgeUpdate::insert(v, v + 1));
  graph.apply({.new_vertices = vertices, .edges = first});
}

/// A team of threads deletes what others insert: lists become longer under its eyes.
TEST(LiveTeams, of_threads_stay_together_beside_others) {
  const Watchdog watchdog("teams of threads", std::chrono::seconds(240));
  for (const TeamCase& c : team_cases()) {
    if (c.pinned || c.weighted != c.directed) continue;
    SCOPED_TRACE(static_cast<int>(c.layout));
    const Context ctx = Context::cpu();
    DynamicGraph graph(ctx, team_options(c));
    begin_team_graph(graph, kTeamVertices);
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 22});
    const LiveLists lists = changing.lists();
    std::atomic<bool> done{false};
    std::vector<std::jthread> others;
    for (std::uint64_t t = 0; t < 2; ++t)
      others.emplace_back([&, t] {
        for (std::uint64_t round = 0; !done && round < 100; ++round)
          change_some(kOnItsOwn, lists, t + 7 * round, 50, 0);
      });
    LaneTeam(4).run([&](const LaneTeam::Lane& lane) {
      change_some(lane, lists, 99, 40, lane.rank());
      if (lane.rank() == 0) done = true;
    });
    others.clear();
    EXPECT_EQ(changing.finish().no_memory, 0u);
    expect_equal_lists(graph);
    if (::testing::Test::HasFailure()) return;
  }
}

/// The same where it matters most: a team comes to the end of a list that gets page after page.
TEST(LiveTeams, of_threads_come_to_the_end_of_a_list_that_becomes_longer) {
  const Watchdog watchdog("a team at the end of a list", std::chrono::seconds(240));
  constexpr VertexId kLists = 24, kTargets = 600;
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
    const Context ctx = Context::cpu();
    DynamicGraphOptions options = team_options({layout, true, false});
    options.in_edges = false;
    DynamicGraph graph(ctx, options);
    graph.apply({.new_vertices = kTargets});
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 22});
    const LiveLists lists = changing.lists();
    std::atomic<VertexId> at{0};
    std::jthread inserts([&] {
      for (VertexId u = 0; u < kLists; u = at) {
        for (VertexId v = 0; v + 1 < kTargets && at == u; ++v) lists.insert(kOnItsOwn, u, v);
        while (at == u) std::this_thread::yield();
      }
    });
    LaneTeam(2).run([&](const LaneTeam::Lane& lane) {
      for (VertexId u = 0; u < kLists; ++u)
        for (int i = 0; i < 2; ++i) {
          if (lane.rank() == 0) at = u;
          EXPECT_EQ(lists.erase(lane, u, kTargets - 1), LiveResult::Missing);
        }
      if (lane.rank() == 0) at = kLists;
    });
    inserts.join();
    EXPECT_EQ(changing.finish().removed, 0u);
    expect_equal_lists(graph, false);
  }
}

/// Teams of every size and single lanes, as fibers: all orders of their steps that seeds come to.
TEST(LiveTeams, of_fibers_stay_together_beside_others) {
  for (const TeamCase& c : team_cases())
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE(::testing::Message()
                   << "layout " << static_cast<int>(c.layout) << " directed " << c.directed
                   << " weighted " << c.weighted << " pinned " << c.pinned << " seed " << seed);
      const Context ctx = Context::cpu();
      DynamicGraph graph(ctx, team_options(c));
      begin_team_graph(graph);
      std::optional<Snapshot> shot;
      if (c.pinned) shot = graph.snapshot();
      const Csr before = graph.to_csr();
      LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 22});
      const LiveLists lists = changing.lists();
      // A warp of teams, and one of single lanes, of which a few do something.
      const std::uint32_t size = 2u << seed % 4;
      Fibers fibers(seed);
      const bool ended = fibers.run(64, 4'000'000, [&](std::uint32_t i, const Fibers::Lanes& warp) {
        const FiberTile mine(warp, i < 32 ? size : 1);
        const std::uint32_t rank = i < 32 ? i % size : 0, team = i < 32 ? i / size : i;
        if (i < 32 ? team < 2 : i % 16 == 0) change_some(mine, lists, seed * 1000 + team, 12, rank);
      });
      ASSERT_TRUE(ended) << "lanes wait for each other";
      EXPECT_EQ(changing.finish().no_memory, 0u);
      expect_equal_lists(graph);
      if (shot) {
        const Graph old = shot->graph();
        for (VertexId v = 0; v < kFewVertices; ++v)
          EXPECT_EQ(list_of(old.out(), v).size(),
                    before.offset[v + std::size_t{1}] - before.offset[v]);
      }
      if (::testing::Test::HasFailure()) return;
    }
}

/// Of lists without locks for deletions: what is gone between two looks was not found.
TEST(LiveTeams, an_edge_is_found_with_its_weight_or_not_at_all) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Context ctx = Context::cpu();
    DynamicGraphOptions options = team_options({DynamicLayoutKind::Aim, true, true});
    options.in_edges = false;
    DynamicGraph graph(ctx, options);
    begin_team_graph(graph);
    LiveChanges changing = graph.change_in_kernels({});
    const LiveLists lists = changing.lists();
    Fibers fibers(seed);
    int wrong = 0, found = 0;
    ASSERT_TRUE(fibers.run(32, 1'000'000, [&](std::uint32_t i, const Fibers::Lanes& warp) {
      const FiberTile mine(warp, 1);
      for (int round = 0; i < 3 && round < 40; ++round) {
        if (i == 0) lists.insert(mine, 2, 4, Weight{5});
        if (i == 1) lists.erase(mine, 2, 4);
        if (i != 2) continue;
        const LiveEdge edge = lists.find(mine, 2, 4);
        found += edge.found ? 1 : 0;
        wrong += edge.found && edge.weight != 5 ? 1 : 0;
      }
    }));
    EXPECT_EQ(wrong, 0) << "of " << found << ", seed " << seed;
  }
}

// What the handler below looks at, and finds.
const std::uint32_t* watched_word = nullptr;
volatile std::uint32_t word_at_fault = 0;
volatile int faults = 0;
void* watched_page = nullptr;

void look_and_let_go_on(int) {
  word_at_fault = *watched_word;
  faults = faults + 1;
  ::mprotect(watched_page, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)),
             PROT_READ | PROT_WRITE);
}

/// Deletions need no lock there: who sees an entry may take it, and one from the size, at once. The
/// record cannot be written at first, which tells what is there when it is.
TEST(LiveTeams, an_insertion_counts_before_its_entry_can_be_deleted) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions options = team_options({DynamicLayoutKind::Aim, true, false});
  options.in_edges = false;
  DynamicGraph graph(ctx, options);
  begin_team_graph(graph);  // pages of three entries: there is room for another one
  const DynamicEdges view = graph.lists();
  watched_word = view.region + std::size_t{view.list(2).page} * (kDynamicUnit / 4) + 1;
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  watched_page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(view.record) /
                                         page_bytes * page_bytes);
  LiveChanges changing = graph.change_in_kernels({});
  const LiveLists lists = changing.lists();
  struct sigaction mine {
  }, before{};
  mine.sa_handler = look_and_let_go_on;
  ASSERT_EQ(::sigaction(SIGSEGV, &mine, &before), 0);
  faults = 0;
  ASSERT_EQ(::mprotect(watched_page, page_bytes, PROT_READ), 0);
  EXPECT_EQ(lists.insert(kOnItsOwn, 2, 4), LiveResult::Inserted);
  ::sigaction(SIGSEGV, &before, nullptr);
  EXPECT_EQ(faults, 1);
  EXPECT_EQ(word_at_fault, kDeletedEdge) << "the entry was there before it was counted";
  EXPECT_EQ(*watched_word, 4u);
  EXPECT_EQ(lists.degree(2), 2u);
}

}  // namespace
}  // namespace fathom::testing
