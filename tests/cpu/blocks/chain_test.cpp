// Chains of updates, and what planning makes of them, against updates sorted and planned one after
// the other.
#include "fathom/dynamic/batches/blocks/chain_body.hpp"

#include <map>

#include "tests/cpu/blocks/launch.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;
using namespace fathom::dynamic::gpu;

constexpr std::size_t kUpdates[] = {0, 1, 33, 255, 257, 600};

/// Updates among few vertices, of hubs, of loops, and of vertices that do not exist.
struct ChainedBatch {
  ChainedBatch(std::size_t n, std::uint64_t seed)
      : exists(8), head(in.vertices = 200), reverse_head(200), node(2 * n), reverse_node(n) {
    zoo::Dice dice(seed);
    for (std::uint32_t v = 0; v < 200; ++v)
      if (seed % 4 != 0 || dice.roll(50) != 0) exists[v / 32] |= 1u << v % 32;
    for (std::size_t i = 0; i < n; ++i) {
      const bool hub = seed % 3 == 0 && dice.roll(2) == 0;
      const std::uint32_t sources = seed % 5 == 0 ? 200 : seed % 5 == 1 ? 2 : 120;
      EdgeUpdate e =
          EdgeUpdate::insert(hub ? 7 : dice.roll(sources), dice.roll(200), static_cast<Weight>(i));
      if (dice.roll(300) == 0 && seed % 4 == 0) e.target = 200 + dice.roll(3);
      e.deletion = dice.roll(3) == 0;
      update.push_back(e);
    }
    in.update = update.data();
    in.updates = static_cast<std::uint32_t>(n);
    in.mirrored = seed % 3 == 1;
    in.sides = seed % 3 == 2 ? 2 : 1;
    in.exists = exists.data();
    in.numbered = false;
    in.chains[0] = {head.data(), node.data()};
    in.chains[1] = {reverse_head.data(), reverse_node.data()};
  }
  bool there(VertexId v) const { return v < 200 && (exists[v / 32] >> v % 32 & 1) != 0; }

  std::vector<EdgeUpdate> update;
  ChainedUpdates in{};
  std::vector<std::uint32_t> exists;
  Guarded<std::uint32_t> head, reverse_head;
  Guarded<UpdateNode> node, reverse_node;
};

struct Piece {
  ChainedUpdates in;
  std::vector<std::uint64_t> words;
};

/// A batch in one piece as it is, or in some that are packed.
std::vector<Piece> pieces_of(const ChainedBatch& batch, std::uint64_t seed) {
  if (seed % 2 == 0) return {{batch.in, {}}};
  std::vector<Piece> pieces;
  zoo::Dice dice(seed);
  for (std::uint32_t first = 0; first < batch.in.updates;) {
    Piece& piece = pieces.emplace_back(Piece{batch.in, {}});
    const std::uint32_t count = 1 + dice.roll(batch.in.updates - first);
    piece.words.resize(2 * std::size_t{count});
    piece.in.packed = pack_updates(batch.update.data() + first, count, true, piece.words.data(), 1);
    piece.in.update = nullptr;
    piece.in.updates = count;
    piece.in.first = first;
    first += count;
  }
  return pieces;
}

/// An update of a list, by its place in the batch.
using Asked = std::tuple<std::uint32_t, VertexId, Weight, bool>;
using Lists = std::map<VertexId, std::vector<Asked>>;

Lists expected_lists(const ChainedBatch& batch, bool reverse) {
  Lists lists;
  for (std::uint32_t i = 0; i < batch.update.size(); ++i) {
    const EdgeUpdate& e = batch.update[i];
    if (!batch.there(e.source) || !batch.there(e.target)) continue;
    const auto put = [&](std::uint32_t at, VertexId u, VertexId v) {
      lists[u].emplace_back(at, v, e.weight, e.deletion);
    };
    if (batch.in.mirrored) {
      put(2 * i, e.source, e.target);
      if (e.source != e.target) put(2 * i + 1, e.target, e.source);
    } else if (reverse) {
      put(i, e.target, e.source);
    } else {
      put(i, e.source, e.target);
    }
  }
  return lists;
}

Lists found_lists(const Guarded<std::uint32_t>& head, const Guarded<UpdateNode>& node) {
  Lists lists;
  for (VertexId u = 0; u < head.size(); ++u) {
    for (std::uint32_t at = head[u]; at != kEndOfChain; at = node[at - 1].next) {
      if (lists[u].size() > node.size()) return {};  // in a circle
      const UpdateNode& e = node[at - 1];
      lists[u].emplace_back(at - 1, e.target, e.weight, e.deletes != 0);
    }
    if (head[u] != kEndOfChain) std::sort(lists[u].begin(), lists[u].end());
  }
  return lists;
}

void expect_listed(const Lists& lists, const Guarded<VertexId>& vertex, std::uint32_t touched) {
  ASSERT_EQ(touched, lists.size());
  std::vector<VertexId> all;
  for (std::uint32_t i = 0; i < touched; ++i) all.push_back(vertex[i]);
  std::sort(all.begin(), all.end());
  std::size_t i = 0;
  for (const auto& [u, its] : lists) ASSERT_EQ(all[i++], u);
}

TEST(BlockChains, HoldEachUpdateOnceAndListTheirVerticesOnce) {
  for (std::uint64_t seed = 0; seed < 126; ++seed) {
    SCOPED_TRACE(seed);
    ChainedBatch batch(kUpdates[seed / 7 % std::size(kUpdates)], seed);
    Guarded<VertexId> vertex(2 * batch.update.size()), reverse_vertex(batch.update.size());
    Totals totals{};
    Side out{}, reverse{};
    out.vertex = vertex.data();
    out.totals = &totals.side[0];
    reverse.vertex = reverse_vertex.data();
    reverse.totals = &totals.side[1];
    for (const Piece& piece : pieces_of(batch, seed))
      launch(grid_of(seed), seed, [&](const FiberBlock& block) {
        blocks::chain_all(block, piece.in, out, reverse, &totals.check);
      });
    const Lists lists = expected_lists(batch, false);
    EXPECT_EQ(found_lists(batch.head, batch.node), lists);
    expect_listed(lists, vertex, totals.side[0].touched);
    if (batch.in.sides == 2) {
      const Lists others = expected_lists(batch, true);
      EXPECT_EQ(found_lists(batch.reverse_head, batch.reverse_node), others);
      expect_listed(others, reverse_vertex, totals.side[1].touched);
    }
    unsigned long long bad = 0;
    for (std::size_t i = batch.update.size(); i-- > 0;)
      if (!batch.there(batch.update[i].source) || !batch.there(batch.update[i].target)) bad = ~i;
    EXPECT_EQ(totals.check.bad, bad);
    if (HasFailure()) return;
  }
}

TEST(PackedUpdates, AreWhatTheyWereForThreadsToo) {
  zoo::Dice dice(3);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{40000}})
    for (const bool weighted : {false, true}) {
      std::vector<EdgeUpdate> update(n);
      for (EdgeUpdate& e : update)
        e = {static_cast<VertexId>(dice.roll(PackedUpdates::kMostVertices)),
             static_cast<VertexId>(dice.roll(1u << 31)), static_cast<Weight>(dice.roll(9)),
             dice.roll(2) == 0};
      std::vector<std::uint64_t> words((n * PackedUpdates::bytes(weighted) + 7) / 8);
      const PackedUpdates packed = pack_updates(update.data(), n, weighted, words.data(), 3);
      for (std::size_t i = 0; i < n; ++i) {
        const EdgeUpdate e = packed[i];
        ASSERT_EQ(e.source, update[i].source);
        ASSERT_EQ(e.target, update[i].target);
        ASSERT_EQ(e.deletion, update[i].deletion);
        ASSERT_EQ(e.weight, weighted ? update[i].weight : Weight{1});
      }
    }
}

TEST(PackedUpdates, OfVerticesThatNoGraphHasAreOfOthersThatNoneHas) {
  constexpr auto kNone = static_cast<VertexId>(PackedUpdates::kMostVertices);
  const EdgeUpdate update[] = {EdgeUpdate::remove(kNone, 5), EdgeUpdate::insert(~VertexId{0}, 6),
                               EdgeUpdate::insert(7, kNone + 1),
                               EdgeUpdate::remove(8, ~VertexId{0})};
  std::uint64_t words[4];
  const PackedUpdates packed = pack_updates(update, 4, false, words, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(packed[i].deletion, update[i].deletion);
  for (int i = 0; i < 2; ++i) EXPECT_GE(packed[i].source, kNone);
  for (int i = 2; i < 4; ++i) EXPECT_GE(packed[i].target, kNone);
  EXPECT_EQ(packed[1].target, 6u);
  EXPECT_EQ(packed[2].source, 7u);
}

/// Ascending contiguous lists of some vertices.
struct ListsOnPages {
  explicit ListsOnPages(std::uint64_t seed)
      : region(200 * 256), record(200, DynamicRecord{{kNoTarget, kNoTarget}}), written(200) {
    zoo::Dice dice(seed);
    ref.region = region.data();
    ref.record = record.data();
    ref.written = written.data();
    ref.layout.entry_words = 1 + static_cast<std::uint32_t>(seed % 2);
    if (seed % 4 == 2) ref.layout.inlined = kInRecord;
    ref.epoch = 9;
    ref.pinned = 4;
    for (std::uint32_t v = 0; v < 200; ++v) {
      const std::uint32_t entries = dice.roll(3) == 0 ? dice.roll(3) : dice.roll(60);
      written[v] = dice.roll(9);
      const DynamicList list{v * 64, entries, ref.capacity_for(entries)};
      const PageRef page = ref.page(v, list);
      VertexId target = 0;
      for (std::uint32_t i = 0; i < entries; ++i) {
        target += dice.roll(7);
        page.set(i, target, static_cast<Weight>(i));
      }
      ref.set(v, list, false);
    }
  }
  Guarded<std::uint32_t> region;
  Guarded<DynamicRecord> record;
  Guarded<std::uint32_t> written;
  DynamicListsRef ref{};
};

/// Of one list: its changes, and what becomes of it.
struct PlannedList {
  std::vector<Change> change;
  TouchedList touched;
};

PlannedList plan_alone(const DynamicListsRef& lists, VertexId u, std::vector<Asked> asked,
                       DuplicatePolicy policy, ChangeCounts& counts, bool directed) {
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Asked& a, const Asked& b) { return std::get<1>(a) < std::get<1>(b); });
  PlannedList p;
  for (const auto& [at, v, weight, deletes] : asked)
    p.change.push_back({u, v, weight, deletes ? ChangeKind::Delete : ChangeKind::Insert});
  const std::size_t n = p.change.size();
  for (std::size_t i = 0; i < n;) {
    std::size_t last = i + 1;
    while (last < n && p.change[last].same_edge(p.change[i])) ++last;
    decide(p.change.data(), i, last, policy);
    i = last;
  }
  const DynamicList list = lists.list(u);
  const PageRef page = lists.page(u, list);
  for (Change& c : p.change) {
    const auto below = [&](VertexId v) {
      std::uint32_t k = 0;
      while (k < list.size && page.target(k) < v) ++k;
      return k;
    };
    c.found = below(c.target + 1) - below(c.target);
    c.position = below(c.kind == ChangeKind::Add ? c.target + 1 : c.target);
    counts.add(c, directed);
  }
  p.touched.vertex = u;
  p.touched.last = static_cast<std::uint32_t>(n);
  unsigned too_long = 0;
  PlanList{lists, p.change.data(), &p.touched, &too_long}(0);
  return p;
}

void expect_as_alone(const TouchedList& t, const Change* change, const PlannedList& p) {
  ASSERT_EQ(t.last - t.first, p.change.size());
  for (std::size_t k = 0; k < p.change.size(); ++k) {
    const Change &a = change[t.first + k], &b = p.change[k];
    ASSERT_EQ(a.target, b.target);
    ASSERT_EQ(a.kind, b.kind);
    ASSERT_EQ(a.weight, b.weight);
    ASSERT_EQ(a.found, b.found);
    ASSERT_EQ(a.position, b.position);
  }
  ASSERT_EQ(t.changes, p.touched.changes);
  if (!t.changes) return;
  ASSERT_EQ(t.size, p.touched.size);
  ASSERT_EQ(t.room, p.touched.room);
  ASSERT_EQ(t.written, p.touched.written);
  ASSERT_EQ(t.moves, p.touched.moves);
  ASSERT_EQ(t.fresh, p.touched.fresh);
  ASSERT_EQ(t.old, p.touched.old);
}

TEST(BlockChains, ArePlannedAsTheirListsAreAlone) {
  constexpr DuplicatePolicy kPolicies[] = {DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite,
                                           DuplicatePolicy::Keep};
  int refused = 0, planned = 0;
  for (std::uint64_t seed = 0; seed < 168; ++seed) {
    SCOPED_TRACE(seed);
    ChainedBatch batch(kUpdates[seed / 7 % std::size(kUpdates)], seed);
    const ListsOnPages pages(seed);
    const std::size_t n = batch.update.size(), changes = batch.in.mirrored ? 2 * n : n;
    const DuplicatePolicy policy = kPolicies[seed / 3 % 3];
    Guarded<VertexId> vertex(changes);
    Guarded<Change> change(2 * changes, Change{});
    Guarded<TouchedList> touched(changes);
    Guarded<PageNumbers> number(changes);
    Totals totals{};
    Side side{};
    side.lists = pages.ref;
    side.changes = static_cast<std::uint32_t>(changes);
    side.change = change.data();
    side.touched = touched.data();
    side.number = number.data();
    side.vertex = vertex.data();
    side.totals = &totals.side[0];
    batch.in.sides = 1;
    launch(grid_of(seed + 3), seed, [&](const FiberBlock& block) {
      blocks::chain_all(block, batch.in, side, side, &totals.check);
    });
    launch(grid_of(seed), seed, [&](const FiberBlock& block) {
      blocks::plan_chains(block, side, batch.in.chains[0], policy, !batch.in.mirrored, true,
                          &totals);
    });
    for (std::uint32_t v = 0; v < 200; ++v) ASSERT_EQ(batch.head[v], kEndOfChain);
    const Lists lists = expected_lists(batch, false);
    const bool suited = std::all_of(lists.begin(), lists.end(), [](const auto& its) {
      return its.second.size() <= kMostChained;
    });
    ASSERT_EQ(totals.unsuited, suited ? 0u : 1u);
    ++(suited ? planned : refused);
    if (!suited) continue;
    ChangeCounts counts;
    Given places;
    std::uint64_t collected = 0;
    for (std::uint32_t i = 0; i < totals.side[0].touched; ++i) {
      const VertexId u = vertex[i];
      const PlannedList alone =
          plan_alone(pages.ref, u, lists.at(u), policy, counts, !batch.in.mirrored);
      expect_as_alone(touched[i], change.data(), alone);
      if (HasFatalFailure()) return;
      if (alone.change.size() == 1) {
        ASSERT_EQ(touched[i].first, i);
        continue;
      }
      places.emplace_back(touched[i].first - changes, alone.change.size());
      collected += alone.change.size();
    }
    expect_cover(places, collected);
    EXPECT_EQ(totals.side[0].collected, collected);
    EXPECT_EQ(totals.counts.inserted, counts.inserted);
    EXPECT_EQ(totals.counts.overwritten, counts.overwritten);
    EXPECT_EQ(totals.counts.ignored, counts.ignored);
    EXPECT_EQ(totals.counts.removed, counts.removed);
    EXPECT_EQ(totals.counts.missing, counts.missing);
    EXPECT_EQ(totals.counts.superseded, counts.superseded);
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(planned, 10);
}

}  // namespace
}  // namespace fathom::testing
