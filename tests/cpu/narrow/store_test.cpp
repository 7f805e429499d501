// CSR to narrow lists and back through files: nothing is lost, limits are kept.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "tests/cpu/narrow/narrow_files.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

/// With `count` distinct weights, the same edges both ways.
Sample sample_of_weights(std::size_t count) {
  Sample s;
  s.vertices = 300;
  s.weighted = s.undirected = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto u = static_cast<VertexId>(i * 7 % 300), v = static_cast<VertexId>(i * i % 299);
    const Weight w = static_cast<Weight>(i) / 8 - 100;
    s.edges.push_back({u, v, w});
    if (u != v) s.edges.push_back({v, u, w});
  }
  return s;
}

TEST_F(NarrowStore, KeepsTheGraphThereAndBack) {
  Sample directed = random_sample(4000, 50'000, true), plain = random_sample(4000, 50'000, false);
  directed.in_edges = plain.in_edges = true;
  Sample isolated;
  isolated.vertices = 70'000;  // an id takes 17 bits
  isolated.edges = {{69'999, 0, 1}, {69'999, 65'536, 2}, {69'999, 69'999, 3}};
  isolated.weighted = true;
  Sample none;
  none.vertices = 3;
  Sample unweighted_pair;
  unweighted_pair.vertices = 3;
  unweighted_pair.edges = {{0, 1}, {1, 0}, {1, 2}, {2, 1}};
  unweighted_pair.undirected = true;
  unweighted_pair.labels = LabelKind::Integers;
  unweighted_pair.integers = {5, 7, 900};
  Sample no_weights = none;
  no_weights.weighted = true;
  for (const Sample& sample : {directed, plain, sample_without_edge_fields(), isolated, none,
                               Sample(), unweighted_pair, no_weights})
    expect_there_and_back(sample);
}

TEST_F(NarrowStore, HasIdsOfTheFewestBitsOfAMultipleOfFour) {
  const std::pair<VertexId, unsigned> widths[] = {{0, 16},
                                                  {1, 16},
                                                  {65'536, 16},
                                                  {65'537, 20},
                                                  {1 << 20, 20},
                                                  {1 << 24, 24},
                                                  {(1 << 24) + 1, 28},
                                                  {1 << 28, 28},
                                                  {(1 << 28) + 1, 32},
                                                  {0xfffffffe, 32}};
  for (const auto& [vertices, bits] : widths) {
    EXPECT_EQ(narrow_layout(vertices, false, 0).id_bits, bits) << vertices;
    EXPECT_EQ(narrow_layout(vertices, false, 0).entry_bits(), bits) << vertices;
  }
  if constexpr (kIdBits == 64) {
    const auto wide = [](unsigned bits) { return static_cast<VertexId>(std::uint64_t{1} << bits); };
    EXPECT_EQ(narrow_layout(wide(33), false, 0).id_bits, 33);
    EXPECT_EQ(narrow_layout(wide(40), true, 256).entry_bits(), 48u);
    expect_error(
        ErrorCode::Usage, [&] { narrow_layout(wide(40) + 1, false, 0); }, "up to 40 bits");
  }
  EXPECT_EQ(narrow_layout(10, true, 0).code_bits, 8);
  EXPECT_EQ(narrow_layout(10, true, 256).code_bits, 8);
  EXPECT_EQ(narrow_layout(10, true, 257).code_bits, 16);
}

TEST_F(NarrowStore, KeepsUpTo65536WeightsAndRefusesMore) {
  for (const std::size_t count : {1u, 255u, 256u, 257u, 65'536u}) {
    expect_there_and_back(sample_of_weights(count));
    EXPECT_EQ(Store::open(narrow_)->header().narrow->values, count);
    EXPECT_EQ(Store::open(narrow_)->header().narrow->code_bits, count <= 256 ? 8 : 16);
  }
  write_sample(csr_, sample_of_weights(65'537));
  std::filesystem::remove(narrow_);
  expect_error(
      ErrorCode::Usage, [&] { repack(csr_, narrow_, to_narrow()); },
      "codes for 65,536 distinct weights");
  EXPECT_FALSE(std::filesystem::exists(narrow_));
}

TEST_F(NarrowStore, KeepsWeightsThatDifferInABit) {
  Sample s;
  s.vertices = 3;
  s.weighted = true;
  const Weight tiny = std::numeric_limits<Weight>::denorm_min();
  s.edges = {{0, 0, -0.f},
             {0, 1, 0.f},
             {1, 0, tiny},
             {1, 1, -tiny},
             {2, 0, std::numeric_limits<Weight>::max()},
             {2, 1, std::nextafter(1.f, 2.f)},
             {2, 2, 1.f}};
  expect_there_and_back(s);
  EXPECT_EQ(Store::open(narrow_)->header().narrow->values, 7u);
}

TEST_F(NarrowStore, KeepsEveryGraphOfTheZoo) {
  for (const auto& raw : zoo::all_graphs()) {
    SCOPED_TRACE(raw.name);
    const graph::BuiltGraph built = zoo::build(raw);
    Sample s;
    s.vertices = built.out.vertices();
    s.weighted = !built.out.weight.empty();
    s.in_edges = built.in.has_value();
    s.undirected = !raw.directed;
    const CsrView out = built.out.view();
    for (VertexId v = 0; v < out.vertices; ++v)
      for (EdgeId e = out.offset[v]; e < out.offset[v + 1]; ++e)
        s.edges.push_back({v, out.target[e], out.weight ? out.weight[e] : 1});
    expect_there_and_back(s);
  }
}

TEST_F(NarrowStore, WritesTheSameBytesForAnyThreadsAndMemory) {
  write_sample(csr_, random_sample(4000, 400'000, true));
  repack(csr_, narrow_, to_narrow());
  const auto expected = read_file(narrow_);
  RepackOptions options = to_narrow();
  options.threads = 1;
  options.memory = std::size_t{32} << 20;
  repack(csr_, narrow_, options);
  EXPECT_EQ(read_file(narrow_), expected);
}

TEST_F(NarrowStore, IsMadeOfTextAndKeptByReordering) {
  const std::string text = directory_.file("edges.txt");
  std::ofstream(text) << "0 1 5\n1 2 5\n2 0 7\n3 1 6\n";
  ConvertOptions options;
  options.narrow = true;
  const Header header = convert({text}, narrow_, options);
  ASSERT_TRUE(header.narrow.has_value());
  EXPECT_EQ(header.narrow->values, 3u);
  options.narrow = false;
  convert({text}, csr_, options);
  expect_same_graph(*Store::open(csr_), *Store::open(narrow_));
  const std::vector<VertexId> position{3, 1, 0, 2};
  permute(narrow_, back_, position, {});
  ASSERT_TRUE(Store::open(back_)->header().narrow.has_value());
  Store::open(back_)->verify(1, {});
  permute(csr_, plain_, position, {});
  expect_same_graph(*Store::open(plain_), *Store::open(back_));
}

TEST_F(NarrowStore, SaysWhatItCannotBe) {
  write_sample(csr_, sample_with_everything());
  expect_error(
      ErrorCode::Usage, [&] { repack(csr_, narrow_, to_narrow()); }, "types and timestamps");
  EXPECT_FALSE(std::filesystem::exists(narrow_));
  write_sample(csr_, sample_without_edge_fields());
  RepackOptions both = to_narrow();
  both.slotted = SlottedOptions{};
  expect_error(
      ErrorCode::Usage, [&] { repack(csr_, narrow_, both); }, "one of these");
  both = to_narrow();
  both.interleave_weights = true;
  expect_error(
      ErrorCode::Usage, [&] { repack(csr_, narrow_, both); }, "side by side");
  repack(csr_, narrow_, to_narrow());
  const auto store = Store::open(narrow_);
  expect_error(
      ErrorCode::Usage, [&] { store->out(); }, "its lists are narrow");
  expect_error(
      ErrorCode::Usage, [&] { store->in(); }, "convert --layout csr");
}

}  // namespace
}  // namespace fathom::store
