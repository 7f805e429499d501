#include <algorithm>

#include "tests/suites/label_map_suite.hpp"

namespace fathom::testing {
namespace {

Context three_threads() {
  CpuOptions cpu;
  cpu.threads = 3;
  return Context::cpu(cpu);
}

TEST(LabelMap, IsLikeStdMap) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    expect_like_std_map(Context::cpu(), seed, 40);
    expect_like_std_map(three_threads(), 10 + seed, 5000);
  }
}

TEST(LabelMap, TranslatesBatches) {
  expect_batches_by_label(three_threads());
}

TEST(LabelColumns, AreUpdatesAndQuestionsOfVertices) {
  expect_columns_by_label(three_threads());
}

TEST(LabelTable, LabelsThatShareASlotDoSoUnderOneSaltAlone) {
  using dynamic::LabelSlot;
  using dynamic::LabelTable;
  constexpr std::size_t kSlots = 1024, kLabels = 64;
  std::vector<LabelSlot> slots(kSlots);
  const LabelTable plain{slots.data(), kSlots - 1, 0};
  std::vector<std::uint64_t> shared;
  for (std::uint64_t label = 0; shared.size() < kLabels; ++label) {
    plain.insert(label, 0);
    if (slots[0].vertex != LabelSlot::kEmpty) shared.push_back(label);
    slots.assign(kSlots, {});
  }
  const auto crowded = [&](const LabelTable& table) {
    slots.assign(kSlots, {});
    for (const std::uint64_t label : shared) table.insert(label, 0);
    const auto taken = [](const LabelSlot& slot) { return slot.vertex != LabelSlot::kEmpty; };
    return std::count_if(slots.begin(), slots.begin() + kLabels, taken);
  };
  EXPECT_EQ(crowded(plain), 64);
  EXPECT_LT(crowded({slots.data(), kSlots - 1, 0x5bd1e995}), 32);
  EXPECT_EQ(LabelTable::of(slots.data(), kSlots).mask, kSlots - 1);
  EXPECT_NE(LabelTable::of(slots.data(), kSlots).salt, 0u);
}

TEST(LabelMap, RefusesOtherNumbersOfLabelsAndVertices) {
  const Context ctx = Context::cpu();
  LabelMap map(ctx);
  const std::vector<std::uint64_t> labels{1, 2};
  const std::vector<VertexId> vertices{1};
  expect_error(ErrorCode::Usage, [&] { map.insert(labels, vertices); });
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.find(labels)[1], kNoVertex);
}

}  // namespace
}  // namespace fathom::testing
