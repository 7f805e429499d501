// Pages of narrow lists are what was narrowed, wherever memory ends between their words: each run
// is in a block of its own, so that sanitizers see what is read beside it. What is wrong is named.
#include "fathom/residency/narrow/narrow_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

/// Entries of any widths, in words of which some belong to a page.
struct NarrowCase {
  store::NarrowLayout layout;
  VertexId vertices = 0;
  std::vector<VertexId> target;
  std::vector<std::uint32_t> code;
  std::vector<Weight> values;
  std::vector<std::uint64_t> words;
  std::string name = "a.fg: section 'out.entries'";

  NarrowCase(std::mt19937_64& random, std::uint8_t id_bits, std::uint8_t code_bits,
             std::size_t entries) {
    layout = {id_bits, code_bits, code_bits > 0 ? 200u : 0u};
    const std::uint64_t most = std::uint64_t{1} << id_bits;
    vertices = static_cast<VertexId>(std::min<std::uint64_t>(most, kNoVertex - 1));
    for (std::uint32_t i = 0; i < layout.values; ++i)
      values.push_back(static_cast<Weight>(i) * .25f);
    for (std::size_t i = 0; i < entries; ++i) {
      target.push_back(static_cast<VertexId>(random() % vertices));
      if (code_bits > 0) code.push_back(static_cast<std::uint32_t>(random() % layout.values));
    }
    words.resize(static_cast<std::size_t>(layout.words(entries)));
    store::write_entries(layout, target, code, std::span(words).first(words.size() - 1));
  }

  /// Of some entries, with the words of theirs alone; and the memory of its runs.
  struct Cut {
    NarrowPage page;
    std::vector<std::vector<std::uint64_t>> memory;
    std::vector<NarrowRun> runs;
  };
  /// A page in runs of up to `longest` words.
  std::unique_ptr<Cut> cut(std::mt19937_64& random, EdgeId first, std::size_t entries,
                           std::uint64_t longest) const {
    auto cut = std::make_unique<Cut>();
    const std::uint64_t step = layout.entry_bits();
    std::uint64_t word = first * step / 64;
    const std::uint64_t end = ((first + entries) * step + 63) / 64;
    while (word < end) {
      const std::uint64_t count = std::min(end - word, 1 + random() % longest);
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(word);
      cut->memory.emplace_back(from, from + static_cast<std::ptrdiff_t>(count));
      cut->memory.back().shrink_to_fit();
      cut->runs.push_back({cut->memory.back().data(), word, count});
      word += count;
    }
    cut->page.layout = layout;
    cut->page.vertices = vertices;
    cut->page.first = first;
    cut->page.entries = entries;
    cut->page.runs = cut->runs;
    cut->page.values = values;
    cut->page.name = &name;
    return cut;
  }
};

std::vector<std::uint8_t> id_widths() {
  std::vector<std::uint8_t> widths{16, 20, 24, 28, 32};
  if (kIdBits == 64) widths.insert(widths.end(), {33, 37, 40});
  return widths;
}

TEST(NarrowPages, AreWhatWasNarrowedWhereverTheirWordsAre) {
  std::mt19937_64 random(7);
  for (const std::uint8_t id_bits : id_widths())
    for (const std::uint8_t code_bits : std::initializer_list<std::uint8_t>{0, 8, 16})
      for (const std::uint64_t longest : {1u, 2u, 7u, 100'000u}) {
        SCOPED_TRACE(int{id_bits} * 100 + code_bits);
        const std::size_t entries = 3000 + random() % 100;
        const NarrowCase its(random, id_bits, code_bits, entries);
        const std::size_t first = random() % 2000, count = 1 + random() % (entries - first);
        const auto cut = its.cut(random, first, count, longest);
        std::vector<VertexId> target(count);
        cut->page.decode_targets(2, target.data());
        EXPECT_TRUE(std::equal(target.begin(), target.end(), its.target.begin() + first));
        EXPECT_LE(cut->page.bytes(), (count * its.layout.entry_bits() + 14) / 8);
        EXPECT_EQ(cut->page.weight_bytes(), 0u);
        if (code_bits == 0) continue;
        std::vector<Weight> weight(count);
        cut->page.decode_weights(2, weight.data());
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(weight[i], its.values[its.code[first + i]]) << i;
      }
}

TEST(NarrowPages, NameEntriesThatCannotBe) {
  std::mt19937_64 random(8);
  NarrowCase its(random, 20, 8, 1000);
  its.vertices = *std::max_element(its.target.begin(), its.target.end());
  const auto at = std::find(its.target.begin(), its.target.end(), its.vertices);
  std::vector<VertexId> target(600);
  std::vector<Weight> weight(600);
  const EdgeId first = std::min<EdgeId>(400, static_cast<EdgeId>(at - its.target.begin()));
  const auto page = its.cut(random, first, 600, 3);
  expect_error(
      ErrorCode::BadInput, [&] { page->page.decode_targets(2, target.data()); },
      its.name + ": entry " + std::to_string(at - its.target.begin()) + " names vertex " +
          std::to_string(its.vertices));
  page->page.decode_weights(2, weight.data());  // which do not depend on ids
  its.layout.values = 199;
  const auto few = its.cut(random, 0, 1000, 5);
  std::vector<Weight> all(1000);
  expect_error(
      ErrorCode::BadInput, [&] { few->page.decode_weights(1, all.data()); },
      "has weight code 199 of 199");
}

}  // namespace
}  // namespace fathom
