// What a meter counts while the traversal body walks lists, by hand: EMOGI's toy example (section
// 3.3, Figures 3 and 4) with lists of 96 ids of 4 bytes, three lines of 128 bytes.
#include "fathom/ops/link_meter.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fathom/ops/expand.hpp"

namespace fathom {
namespace {

/// One lane of a warp that counts its reads. expand() needs no votes.
struct MeteredLanes {
  std::uint32_t lane;
  LinkMeter* meter;
  std::uint32_t align_mask;
  std::uint32_t rank() const { return lane; }
  std::uint32_t size() const { return 32; }
  std::uint32_t ballot(bool) const { return 0; }
  std::uint32_t shfl(std::uint32_t x, std::uint32_t) const { return x; }
};

struct MeteredThread : OneLane {
  LinkMeter* meter;
};

struct Ignore {
  bool visit(VertexId, VertexId, Weight) const { return false; }
};
struct ReadWeights : Ignore {
  static constexpr bool kReadsWeights = true;
};

constexpr auto kNothing = [](const auto&, VertexId, bool) {};

using Counts = std::pair<std::uint64_t, std::uint64_t>;  // requests, bytes

template <class Array>
LinkMeter meter_of(const Array& far) {
  return {reinterpret_cast<std::uintptr_t>(far.data()),
          reinterpret_cast<std::uintptr_t>(far.data() + far.size()), 0, 0};
}

template <bool kAligned, class E, class F = Ignore>
Counts walk_by_warp(const E& edges, LinkMeter meter, VertexId u = 0, F f = {}) {
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    expand(MeteredLanes{lane, &meter, kAligned ? 31u : 0u}, edges, u, f, kNothing);
  return {meter.requests, meter.bytes};
}

template <class E, class F = Ignore>
Counts walk_by_thread(const E& edges, LinkMeter meter, VertexId u = 0, F f = {}) {
  expand(MeteredThread{{}, &meter}, edges, u, f, kNothing);
  return {meter.requests, meter.bytes};
}

class LinkMeters : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kIdBits != 32) GTEST_SKIP() << "the counts are of ids of 4 bytes";
  }
  // A list of 96 ids that begins `past` entries after a border.
  FlatEdges list(EdgeId past) {
    offset_ = {past, past + 96};
    return {offset_.data(), target_.data(), weight_.data()};
  }
  std::array<EdgeId, 2> offset_{};
  alignas(128) std::array<VertexId, 256> target_{};
  alignas(128) std::array<Weight, 256> weight_{};
};

TEST_F(LinkMeters, CountARequestPerLineOfAnAlignedList) {
  EXPECT_EQ(walk_by_warp<true>(list(0), meter_of(target_)), Counts(3, 384));
  EXPECT_EQ(walk_by_warp<false>(list(0), meter_of(target_)), Counts(3, 384));
}

TEST_F(LinkMeters, CountTwoRequestsPerRoundOfAMisalignedWarp) {
  // 96 + 32 bytes each round.
  EXPECT_EQ(walk_by_warp<false>(list(8), meter_of(target_)), Counts(6, 384));
  // A first round of 96 bytes, two lines, a last round of 32 bytes.
  EXPECT_EQ(walk_by_warp<true>(list(8), meter_of(target_)), Counts(4, 384));
}

TEST_F(LinkMeters, CountWholeSectorsAtBothEnds) {
  // Entries 3 to 98: sectors 0 to 12, in the lines 0 to 3.
  EXPECT_EQ(walk_by_warp<true>(list(3), meter_of(target_)), Counts(4, 13 * 32));
  // Each of the three rounds touches 5 sectors of two lines.
  EXPECT_EQ(walk_by_warp<false>(list(3), meter_of(target_)), Counts(6, 15 * 32));
}

TEST_F(LinkMeters, CountEachSectorOnceForAThreadAlone) {
  EXPECT_EQ(walk_by_thread(list(0), meter_of(target_)), Counts(12, 384));
  EXPECT_EQ(walk_by_thread(list(3), meter_of(target_)), Counts(13, 13 * 32));
}

TEST_F(LinkMeters, CountWeightsOnlyWhenTheyAreRead) {
  LinkMeter all = meter_of(target_);
  all.far = std::min(all.far, meter_of(weight_).far);
  all.far_end = std::max(all.far_end, meter_of(weight_).far_end);
  EXPECT_EQ(walk_by_warp<true>(list(0), all), Counts(3, 384));
  EXPECT_EQ(walk_by_warp<true>(list(0), all, 0, ReadWeights{}), Counts(6, 768));
  FlatEdges unweighted = list(0);
  unweighted.weight = nullptr;
  EXPECT_EQ(walk_by_warp<true>(unweighted, all, 0, ReadWeights{}), Counts(3, 384));
}

TEST_F(LinkMeters, CountTheLinesThatWideIdsAndPairsTake) {
  offset_ = {16, 64};  // 48 entries of 8 bytes: lines 1, 2 and 3
  alignas(128) std::array<std::uint32_t, 128> wide{};
  const NarrowEdges ids{offset_.data(), wide.data(), nullptr, 64, 64};
  EXPECT_EQ(walk_by_warp<true>(ids, meter_of(wide)), Counts(3, 384));
  alignas(128) std::array<InterleavedEdges::Pair, 64> pairs{};
  const InterleavedEdges interleaved{offset_.data(), pairs.data()};
  EXPECT_EQ(walk_by_warp<true>(interleaved, meter_of(pairs), 0, ReadWeights{}), Counts(3, 384));
  offset_ = {12, 64};  // a quarter of line 0 more: the warp begins with it and a line and a half
  EXPECT_EQ(walk_by_warp<true>(interleaved, meter_of(pairs)), Counts(4, 384 + 32));
}

TEST_F(LinkMeters, CountTheSectorsThatNarrowEntriesTake) {
  alignas(128) std::array<std::uint32_t, 256> words{};
  const std::array<Weight, 2> value{1, 2};
  const auto narrow = [&](std::uint32_t entry_bits, std::uint32_t id_bits) {
    // Entries without codes would have a weight each.
    const Weight* const weights = entry_bits > id_bits ? value.data() : nullptr;
    return NarrowEdges{offset_.data(), words.data(), weights, entry_bits, id_bits};
  };
  offset_ = {0, 96};
  EXPECT_EQ(walk_by_warp<true>(narrow(32, 24), meter_of(words), 0, ReadWeights{}), Counts(3, 384));
  // Rounds of 96 bytes: lines 0; 0 and 1; 1 and 2.
  EXPECT_EQ(walk_by_warp<true>(narrow(24, 16), meter_of(words), 0, ReadWeights{}), Counts(5, 288));
  offset_ = {40, 104};  // the first round begins with entry 32
  EXPECT_EQ(walk_by_warp<true>(narrow(24, 16), meter_of(words)), Counts(5, 7 * 32));
  EXPECT_EQ(walk_by_warp<false>(narrow(24, 16), meter_of(words)), Counts(4, 8 * 32));
  // The last of 13 entries of 20 bits ends four bits behind sector 0.
  offset_ = {0, 13};
  EXPECT_EQ(walk_by_warp<true>(narrow(20, 20), meter_of(words)), Counts(1, 64));
  offset_ = {0, 12};
  EXPECT_EQ(walk_by_warp<true>(narrow(20, 20), meter_of(words)), Counts(1, 32));
}

TEST_F(LinkMeters, CountNothingOfWhatIsNear) {
  const std::array<std::uint32_t, 1> near_at{0};
  alignas(128) std::array<VertexId, 96> near{};
  const CachedEdges<FlatEdges> cached{list(0), {nullptr, near.data(), nullptr}, near_at.data(), 5};
  EXPECT_EQ(walk_by_warp<true>(cached, meter_of(target_)), Counts(0, 0));
  EXPECT_EQ(walk_by_warp<true>(cached, meter_of(near)), Counts(3, 384));
}

}  // namespace
}  // namespace fathom
