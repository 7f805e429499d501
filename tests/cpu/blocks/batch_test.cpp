// Whole batches by the kernels of a GPU, on fibers: lists are those of the model, reports those of
// a graph on the host, and no page is lost, whatever memory is missing meanwhile.
#include "tests/cpu/blocks/fiber_lists.hpp"

namespace fathom::testing {
namespace {

using Way = FiberLists::Way;

struct BatchCase {
  const char* name;
  DynamicLayout layout;
  DynamicLayoutKind kind;
  dynamic::ListRoom room = {};
};
const BatchCase kCases[] = {
    {"ouro", {1, 0, false, false, false, kInRecord}, DynamicLayoutKind::Ouro},
    {"ouro_on_pages", {1, 0, false, false}, DynamicLayoutKind::Ouro},
    {"ouro_slack", {1, 0, false, false, false, kInRecord}, DynamicLayoutKind::Ouro, {50, 25}},
    {"ouro_wide", {1, 0, false, false, false, kInRecord}, DynamicLayoutKind::Ouro, {300, 0}},
    {"ouro_weighted_slack", {2, 0, false, false}, DynamicLayoutKind::Ouro, {50, 25}},
    {"ouro_weighted", {2, 0, false, false}, DynamicLayoutKind::Ouro},
    {"ouro_structure", {2, 0, true, false}, DynamicLayoutKind::Ouro},
    {"ouro_semantic", {dynamic::kSemanticWords, 0, false, false}, DynamicLayoutKind::Ouro},
    {"faim", {1, 8, false, false}, DynamicLayoutKind::Faim},
    {"faim_weighted", {2, 16, true, false}, DynamicLayoutKind::Faim},
    {"faim_semantic", {dynamic::kSemanticWords, 32, false, false}, DynamicLayoutKind::Faim},
    {"faim_sorted", {1, 8, false, false, true}, DynamicLayoutKind::Faim},
    {"faim_sorted_weighted", {2, 16, true, false, true}, DynamicLayoutKind::Faim},
    {"faim_sorted_semantic",
     {dynamic::kSemanticWords, 32, false, false, true},
     DynamicLayoutKind::Faim},
    {"aim", {1, 8, false, true}, DynamicLayoutKind::Aim},
    {"aim_weighted", {2, 16, false, true}, DynamicLayoutKind::Aim},
};
void PrintTo(const BatchCase& c, std::ostream* out) {
  *out << c.name;
}

/// Few updates or many, of any vertices, of few sources, or of one hub; mostly deletions at times.
std::vector<EdgeUpdate> some_updates(zoo::Dice& dice, std::uint32_t vertices) {
  constexpr std::uint32_t kCounts[] = {1, 3, 33, 150, 400};
  const std::uint32_t n = kCounts[dice.roll(5)], shape = dice.roll(4);
  const bool shrinks = dice.roll(4) == 0;
  std::vector<EdgeUpdate> updates;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool hub = shape == 0 || (shape == 1 && dice.roll(3) == 0);
    const VertexId u = hub ? 5 : dice.roll(shape == 2 ? 9 : vertices);
    EdgeUpdate e = EdgeUpdate::insert(u, dice.roll(vertices), static_cast<Weight>(dice.roll(90)));
    e.deletion = dice.roll(10) < (shrinks ? 8u : 3u);
    updates.push_back(e);
  }
  return updates;
}

class BlockBatches : public ::testing::TestWithParam<BatchCase> {};

TEST_P(BlockBatches, LeaveTheListsOfTheModelAndLoseNoPage) {
  constexpr DuplicatePolicy kPolicies[] = {DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite,
                                           DuplicatePolicy::Keep};
  const auto [name, layout, kind, room] = GetParam();
  const EdgeKind edges = dynamic::has_fields(layout) ? EdgeKind::Semantic
                         : layout.weighted()         ? EdgeKind::Weighted
                                                     : EdgeKind::Simple;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed * 77 + layout.entry_words);
    FiberListsOptions options{layout, seed % 2 == 0, seed % 4 == 0, kPolicies[seed % 3], 100, room};
    FiberLists lists(options, 50);
    Model model;
    model.directed = options.directed;
    model.kind = edges;
    model.policy = options.policy;
    const Context ctx = Context::cpu();
    DynamicGraphOptions others;
    others.layout = kind;
    others.page_bytes = layout.link_words == 0 ? 128 : layout.link_words * 4;
    others.sorted_links = layout.sorted;
    others.directed = options.directed;
    others.in_edges = options.in_lists;
    others.edges = edges;
    others.duplicates = options.policy;
    others.slack = room.slack_percent / 100.0;
    others.shrink_below = room.shrink_percent / 100.0;
    others.memory = std::size_t{1} << 24;
    others.most_vertices = 1u << 10;
    DynamicGraph graph(ctx, others);
    graph.apply({options.vertices, {}, {}});
    for (int round = 0; round < 9; ++round) {
      SCOPED_TRACE(round);
      const std::vector<EdgeUpdate> updates = some_updates(dice, options.vertices);
      std::vector<EdgeFields> fields;
      for (std::size_t i = 0; i < updates.size(); ++i)
        fields.push_back(edges == EdgeKind::Semantic ? some_fields(++model.drawn) : EdgeFields{});
      for (std::size_t i = 0; i < updates.size(); ++i) {
        const EdgeUpdate& e = updates[i];
        if (e.deletion)
          model.remove(e.source, e.target);
        else
          model.insert(e.source, e.target, e.weight, fields[i]);
      }
      Way way = static_cast<Way>(dice.roll(4));
      if (layout.link_words != 0 && way == Way::Chains) way = Way::Lists;
      if (round == 3) lists.pin();
      if (round == 7) lists.release(seed);
      lists.apply(updates, fields, way, seed * 1000 + static_cast<std::uint64_t>(round));
      if (HasFatalFailure()) return;
      lists.expect_whole();
      for (int d = 0; d < lists.directions(); ++d)
        expect_ascending(lists.lists(d), options.vertices);
      for (VertexId v = 0; v < options.vertices; ++v) {
        ASSERT_EQ(entries_of(lists.lists(0), v), model.entries(v)) << "list of " << v;
        if (lists.directions() == 2) {
          ASSERT_EQ(entries_of(lists.lists(1), v), model.entries(v, true)) << "in-list of " << v;
        }
      }
      GraphBatch batch{0, updates, {}};
      if (edges == EdgeKind::Semantic) batch.fields = fields;
      const BatchReport report = graph.apply(batch);
      const dynamic::ChangeCounts& counts = lists.totals().counts;
      EXPECT_EQ(counts.inserted, report.inserted);
      EXPECT_EQ(counts.overwritten, report.overwritten);
      EXPECT_EQ(counts.ignored, report.ignored);
      EXPECT_EQ(counts.removed, report.removed);
      EXPECT_EQ(counts.missing, report.missing);
      EXPECT_EQ(counts.superseded, report.superseded);
      EXPECT_EQ(lists.totals().side[0].touched + lists.totals().side[1].touched, report.lists);
      if (HasFailure()) return;
    }
    EXPECT_GT(lists.refused(), 0);
  }
}

/// A list on more linked pages than one warp follows: it grows, loses some and all, and grows
/// again.
TEST_P(BlockBatches, AHubsPagesAreSharedByWarps) {
  const DynamicLayout layout = GetParam().layout;
  if (layout.link_words == 0 || layout.sorted || dynamic::has_fields(layout))
    GTEST_SKIP() << "nothing is shared";
  constexpr VertexId kHub = 7;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    FiberListsOptions options{layout, true, seed % 2 == 0};
    options.vertices = 1500;
    FiberLists lists(options, 5000);
    Model model;
    model.kind = layout.weighted() ? EdgeKind::Weighted : EdgeKind::Simple;
    zoo::Dice dice(seed);
    for (std::uint64_t round = 0; round < 6; ++round) {
      SCOPED_TRACE(round);
      std::vector<EdgeUpdate> updates{EdgeUpdate::insert(3, 4), EdgeUpdate::insert(9, kHub)};
      for (VertexId v = 0; v < options.vertices; ++v) {
        const bool some = dice.roll(3) != 0;
        if (round == 3 ? !some : round == 4 ? false : some)
          updates.push_back(EdgeUpdate::insert(kHub, v, static_cast<Weight>(v + round)));
        else if (round >= 3)
          updates.push_back(EdgeUpdate::remove(kHub, v));
      }
      for (const EdgeUpdate& e : updates)
        e.deletion ? model.remove(e.source, e.target)
                   : model.insert(e.source, e.target, e.weight, {});
      lists.apply(updates, std::vector<EdgeFields>(updates.size()), Way::Lists, seed * 50 + round);
      if (HasFatalFailure()) return;
      lists.expect_whole();
      for (const VertexId v : {VertexId{3}, kHub, VertexId{9}}) {
        ASSERT_EQ(entries_of(lists.lists(0), v), model.entries(v)) << "list of " << v;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, BlockBatches, ::testing::ValuesIn(kCases),
                         [](const auto& its) { return std::string(its.param.name); });

}  // namespace
}  // namespace fathom::testing
