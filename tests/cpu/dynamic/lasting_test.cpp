// Graphs that live for long: what batches cost beside a snapshot and as vertices come and go, and
// counters that come to their end. Costs are counted, not timed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <set>

#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"

namespace {
thread_local std::size_t bytes_asked_for = 0;  // by this thread, of all containers
}

// Inlined, they would look like a mismatch to compilers.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  bytes_asked_for += bytes;
  if (void* const p = std::malloc(bytes > 0 ? bytes : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  bytes_asked_for += bytes;
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace fathom::testing {
namespace {

DynamicGraphOptions lasting_options() {
  DynamicGraphOptions options;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 21;
  return options;
}

/// What batches move of what grows with them.
struct Moves {
  const DynamicGraph::State& s;
  std::set<const void*> retired, free, fields;

  void look() {
    retired.insert(s.retired.data());
    free.insert(s.free.data());
    fields.insert(s.vertex_fields.get());
  }
};

TEST(LastingGraphs, batches_beside_a_snapshot_move_nothing_but_the_lists_they_change) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions options = lasting_options();
  options.directed = false;
  DynamicGraph graph(ctx, options);
  constexpr VertexId kVertices = 20'000;
  std::vector<EdgeUpdate> ring;
  for (VertexId v = 0; v < kVertices; ++v)
    for (const VertexId step : {1, 2})
      ring.push_back(EdgeUpdate::insert(v, (v + step) % kVertices));
  const std::vector<VertexUpdate> said{{.vertex = 5, .fields = {.weight = 2, .type = 3}}};
  graph.apply({.new_vertices = kVertices, .edges = ring, .vertex_updates = said});
  const Snapshot shot = graph.snapshot();
  Moves moves{*graph.state(), {}, {}, {}};
  const std::size_t pages = graph.memory().pages;
  for (VertexId v = 0; v < kVertices / 2; ++v) {
    const std::vector<EdgeUpdate> one{EdgeUpdate::insert(2 * v, (2 * v + 7) % kVertices)};
    const std::vector<VertexUpdate> other{{.vertex = v, .fields = {.weight = 1, .type = 9}}};
    const BatchReport report = graph.apply({.edges = one, .vertex_updates = other});
    ASSERT_LE(report.moved, 2u);
    moves.look();
  }
  EXPECT_EQ(graph.state()->retired.size(), kVertices);  // each list that the snapshot shows, once
  EXPECT_EQ(graph.memory().pages, pages + kVertices);
  EXPECT_LE(moves.retired.size(), 20u) << "each of the batches moves all that snapshots keep";
  EXPECT_LE(moves.fields.size(), 2u) << "each of the batches copies what is said of vertices";
  const std::vector<VertexId> some{5, 6};
  EXPECT_EQ(shot.vertex_fields(some), (std::vector<VertexFields>{{2, 3}, {}}));
  EXPECT_EQ(graph.vertex_fields(some), (std::vector<VertexFields>{{1, 9}, {1, 9}}));
  const auto old = shot.graph();
  for (VertexId v = 0; v < kVertices; ++v) ASSERT_EQ(list_of(old.out(), v).size(), 4u);
}

TEST(LastingGraphs, vertices_that_go_one_by_one_do_not_move_those_that_went) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, lasting_options());
  constexpr VertexId kVertices = 10'000;
  graph.apply({.new_vertices = kVertices});
  Moves moves{*graph.state(), {}, {}, {}};
  for (VertexId v = 0; v < kVertices; ++v) {
    const std::vector<VertexId> gone{v};
    graph.apply({.deleted_vertices = gone});
    moves.look();
  }
  EXPECT_LE(moves.free.size(), 20u);
  EXPECT_EQ(graph.existing_vertices(), 0u);
}

/// Records that nobody may look at: whoever does ends the program.
class Forbidden {
 public:
  Forbidden(const DynamicRecord* first, const DynamicRecord* last) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto from = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
    bytes_ = reinterpret_cast<std::uintptr_t>(last) / page * page - from;
    at_ = reinterpret_cast<void*>(from);
    if (::mprotect(at_, bytes_, PROT_NONE) != 0) throw std::runtime_error("mprotect");
  }
  ~Forbidden() { ::mprotect(at_, bytes_, PROT_READ | PROT_WRITE); }
  Forbidden(const Forbidden&) = delete;
  Forbidden& operator=(const Forbidden&) = delete;

 private:
  void* at_;
  std::size_t bytes_;
};

TEST(LastingGraphs, a_vertex_that_goes_costs_its_lists_and_no_look_at_others) {
  const Context ctx = Context::cpu();
  for (const bool directed : {false, true}) {
    DynamicGraphOptions options = lasting_options();
    options.directed = directed;
    DynamicGraph graph(ctx, options);
    constexpr VertexId kVertices = 1u << 20;
    const VertexId last = kVertices - 1;
    const std::vector<EdgeUpdate> edges{EdgeUpdate::insert(last, last - 1),
                                        EdgeUpdate::insert(1, last), EdgeUpdate::insert(2, 3)};
    graph.apply({.new_vertices = kVertices, .edges = edges});
    const DynamicEdges out = graph.lists(), in = graph.lists(true);
    BatchReport report;
    std::size_t asked = 0;
    {
      const Forbidden lists(out.record + 1024, out.record + kVertices - 1024);
      std::optional<Forbidden> others;
      if (directed) others.emplace(in.record + 1024, in.record + kVertices - 1024);
      const std::vector<VertexId> gone{last, 3, last};
      asked = bytes_asked_for;
      report = graph.apply({.deleted_vertices = gone});
      asked = bytes_asked_for - asked;
    }
    EXPECT_LT(asked, 10'000u) << "as much as there are vertices";
    EXPECT_EQ(report.removed, 3u);
    EXPECT_EQ(graph.edges(), 0u);
    EXPECT_EQ(graph.existing_vertices(), kVertices - 2);
  }
}

/// An edge has two lists, and perhaps a page for the first of them alone.
TEST(LastingGraphs, what_did_not_fit_leaves_no_pages_with_lists_without_edges) {
  for (const DynamicLayoutKind layout : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim})
    for (std::size_t units = 1; units < 12; ++units) {
      const Context ctx = Context::cpu();
      DynamicGraphOptions options = lasting_options();
      options.layout = layout;
      options.page_bytes = 16;
      options.edges = EdgeKind::Weighted;  // lists of one edge have pages
      DynamicGraph graph(ctx, options);
      graph.apply({.new_vertices = 100});
      LiveChanges changing = graph.change_in_kernels({.reserve = 16 * units});
      for (VertexId v = 0; v < 50; ++v) changing.lists().insert(OneLane{}, 2 * v, 2 * v + 1);
      const LiveReport report = changing.finish();
      ASSERT_GT(report.no_memory, 0u);
      EXPECT_EQ(graph.memory().pages, 2 * report.inserted) << units << " units";
    }
}

/// Snapshots number the epochs of a graph, whose number has 32 bits.
TEST(LastingGraphs, batches_do_not_use_up_the_epochs_that_snapshots_need) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
    const Context ctx = Context::cpu();
    DynamicGraphOptions options = lasting_options();
    options.layout = layout;
    options.page_bytes = 32;
    DynamicGraph graph(ctx, options);
    Model model;
    graph.apply({.new_vertices = 8});
    graph.state()->epoch = kMost - 3;
    zoo::Dice dice(static_cast<std::uint64_t>(layout) + 1);
    std::vector<std::pair<Snapshot, Model>> shots;
    for (int b = 0; b < 60; ++b) {
      std::vector<EdgeUpdate> updates;
      for (int i = 0; i < 6; ++i) {
        const VertexId u = dice.roll(8), v = dice.roll(8);
        const bool gone = dice.roll(2) == 0;
        updates.push_back({u, v, 1, gone});
        gone ? model.remove(u, v) : model.insert(u, v, 1);
      }
      if (b % 3 == 2) {
        LiveChanges changing = graph.change_in_kernels({});
        for (const EdgeUpdate& e : updates)
          e.deletion ? changing.lists().erase(OneLane{}, e.source, e.target)
                     : changing.lists().insert(OneLane{}, e.source, e.target);
      } else {
        graph.apply({.edges = updates});
      }
      if (b % 20 == 10) shots.emplace_back(graph.snapshot(), model);
      expect_lists(graph.graph(), model);
      for (const auto& [shot, known] : shots) expect_lists(shot.graph(), known);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "batch " << b;
    }
    expect_error(
        ErrorCode::DoesNotFit, [&] { graph.snapshot(); }, "rebuilt");
    expect_lists(graph.graph(), model);
    shots.clear();
    EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
    DynamicGraph anew = graph.rebuilt(ctx, options);
    const Snapshot shot = anew.snapshot();
    const std::vector<EdgeUpdate> more{EdgeUpdate::insert(0, 0)};
    anew.apply({.edges = more});
    expect_lists(shot.graph(), model);
  }
}

TEST(LastingGraphs, memory_beyond_what_pages_are_numbered_in_is_refused) {
  const Context ctx = Context::cpu();
  for (const PageAllocator allocator : host_allocators()) {
    DynamicGraphOptions options = lasting_options();
    options.allocator = allocator;
    options.memory = (std::size_t{64} << 30) + 1;
    expect_error(
        ErrorCode::Usage, [&] { DynamicGraph(ctx, options); }, "64 GiB");
  }
}

}  // namespace
}  // namespace fathom::testing
