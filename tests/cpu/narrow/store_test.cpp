// CSR to narrow lists and back through files: nothing is lost, damage is found, limits are kept.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/stripes.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

RepackOptions to_narrow() {
  RepackOptions options;
  options.narrow = true;
  options.provenance = "narrowed";
  options.threads = 2;
  return options;
}

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

class NarrowStore : public ::testing::Test {
 protected:
  /// The lists of a store in CSR, and what its file says of itself.
  static void expect_same_graph(Store& csr, Store& narrow) {
    const Header &a = csr.header(), &b = narrow.header();
    EXPECT_EQ(a.fingerprint, b.fingerprint);
    EXPECT_EQ(a.vertices, b.vertices);
    EXPECT_EQ(a.edges, b.edges);
    EXPECT_EQ(a.weighted, b.weighted);
    EXPECT_EQ(a.directed, b.directed);
    EXPECT_EQ(a.has_in_edges, b.has_in_edges);
    EXPECT_EQ(csr.out_degrees(), narrow.out_degrees());
    EXPECT_EQ(csr.in_degrees(), narrow.in_degrees());
    expect_same_lists(csr.out(), *narrow.narrow_out());
    if (a.has_in_edges) expect_same_lists(*csr.in(), *narrow.narrow_in());
    for (VertexId v = 0; v < a.vertices; v += 1 + a.vertices / 50)
      EXPECT_EQ(csr.label(v), narrow.label(v));
  }
  static void expect_same_lists(const CsrView& csr, const NarrowLists& lists) {
    ASSERT_EQ(lists.edges, csr.edges);
    EXPECT_TRUE(std::equal(lists.offset, lists.offset + lists.vertices + 1, csr.offset));
    const WidenedLists wide = widen(lists, MemoryPool::unlimited(), 3);
    EXPECT_TRUE(std::equal(wide.target.begin(), wide.target.end(), csr.target));
    ASSERT_EQ(wide.weight.size(), csr.weight ? csr.edges : 0);
    // Bit by bit: -0 stays what it is.
    EXPECT_EQ(csr.weight ? std::memcmp(wide.weight.data(), csr.weight, csr.edges * 4) : 0, 0);
    EXPECT_TRUE(widen(lists, MemoryPool::unlimited(), 1, false).weight.empty());
  }

  void expect_there_and_back(const Sample& sample) {
    write_sample(csr_, sample);
    const auto before = Store::open(csr_);
    const Header header = repack(csr_, narrow_, to_narrow());
    ASSERT_TRUE(header.narrow.has_value());
    EXPECT_EQ(header.version, kFormatVersionCoded);
    const auto store = Store::open(narrow_);
    EXPECT_EQ(store->header().narrow, header.narrow);
    EXPECT_EQ(store->header().version, kFormatVersionCoded);
    EXPECT_EQ(store->header().provenance, "narrowed");
    store->verify(2, {});
    expect_same_graph(*before, *store);
    RepackOptions to_csr;
    to_csr.provenance = sample.provenance;
    to_csr.interleave_weights = sample.pairs;
    repack(narrow_, back_, to_csr);
    EXPECT_EQ(Store::open(back_)->header().version, kFormatVersion);
    Store::open(back_)->verify(2, {});
    if (!sample.fields) {
      EXPECT_EQ(read_file(back_), read_file(csr_with_order_of(back_)));
    }
    expect_same_graph(*Store::open(back_), *store);
    RepackOptions pages;
    pages.slotted = SlottedOptions{64 * kKi, 3, 3};
    repack(narrow_, back_, pages);
    Store::open(back_)->verify(2, {});
    EXPECT_EQ(Store::open(back_)->header().fingerprint, header.fingerprint);
    repack(back_, csr_, to_narrow());
    expect_same_graph(*before, *Store::open(csr_));
  }
  // What repacking the plain file as plain gives.
  std::string csr_with_order_of(const std::string& back) {
    RepackOptions plain;
    const auto store = Store::open(back);
    plain.provenance = store->header().provenance;
    plain.interleave_weights = !store->interleaved().empty();
    repack(csr_, plain_, plain);
    return plain_;
  }

  TemporaryDirectory directory_;
  std::string csr_ = directory_.file("csr.fg"), narrow_ = directory_.file("narrow.fg"),
              back_ = directory_.file("back.fg"), plain_ = directory_.file("plain.fg");
};

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
  for (const Sample& sample : {directed, plain, sample_with_everything(), isolated, none, Sample(),
                               unweighted_pair, no_weights})
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
  RepackOptions both = to_narrow();
  both.slotted = SlottedOptions{};
  expect_error(
      ErrorCode::Usage, [&] { repack(csr_, narrow_, both); }, "not both");
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
  EXPECT_TRUE(store->edge_types().empty());  // they have no place
  EXPECT_FALSE(store->vertex_weights().empty());
  const std::string here[] = {directory_.file("")};
  expect_error(
      ErrorCode::Usage, [&] { write_stripes(narrow_, here, {}); }, "narrow lists");
}

/// Changes of a narrow file whose checksums are right again.
class DamagedNarrowStore : public NarrowStore {
 protected:
  DamagedNarrowStore() {
    Sample s = sample_with_everything();
    s.permutation.clear();
    write_sample(csr_, s);
    repack(csr_, narrow_, to_narrow());
    bytes_ = read_file(narrow_);
    layout_ = decode_header(narrow_, bytes_, bytes_.size());
  }
  /// What the reader, verify() and a conversion say of the file with element `at` of a section
  /// changed; "" where they accept it.
  struct Words {
    std::string at_use, by_verify, by_repack;
  };
  template <class T>
  Words say(SectionId id, std::size_t at, const std::function<T(T)>& change) {
    std::vector<std::byte> file = bytes_;
    T value;
    std::byte* const where = file.data() + layout_.find(id)->offset + at * sizeof(T);
    std::memcpy(&value, where, sizeof value);
    value = change(value);
    std::memcpy(where, &value, sizeof value);
    reseal(file);
    write_file(narrow_, file);
    const auto refusal = [&](const auto& action) -> std::string {
      try {
        action();
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
        return e.what();
      }
      return "";
    };
    return {refusal([&] {
              const auto store = Store::open(narrow_);
              store->narrow_out();
              store->narrow_in();
            }),
            refusal([&] { Store::open(narrow_)->verify(2, {}); }),
            refusal([&] { repack(narrow_, back_, {}); })};
  }
  static void expect_refused(const Words& said, const std::string& what) {
    EXPECT_NE(said.at_use.find(what), std::string::npos) << said.at_use;
    EXPECT_NE(said.by_verify.find(what), std::string::npos) << said.by_verify;
    EXPECT_NE(said.by_repack.find(what), std::string::npos) << said.by_repack;
  }
  /// Entry e of the words of 64 bits with another id or code.
  static std::function<std::uint64_t(std::uint64_t)> with_bits(unsigned first, unsigned count,
                                                               std::uint64_t bits) {
    const std::uint64_t mask = ((std::uint64_t{1} << count) - 1) << first;
    return [=](std::uint64_t w) { return (w & ~mask) | bits << first; };
  }

  std::vector<std::byte> bytes_;
  Layout layout_;
};

TEST_F(DamagedNarrowStore, IsRefusedForIdsAndCodesOutOfRange) {
  const NarrowLayout layout = *Store::open(narrow_)->header().narrow;
  ASSERT_EQ(layout.entry_bits(), 24u);  // ids of 16, codes of 8
  ASSERT_EQ(layout.values, 7u);
  for (const SectionId id : {SectionId::OutEntries, SectionId::InEntries}) {
    const std::string name = "section '" + std::string(name_of(id)) + "'";
    expect_refused(say<std::uint64_t>(id, 0, with_bits(0, 16, 5)),
                   name + ": entry 0 names vertex 5");
    expect_refused(say<std::uint64_t>(id, 0, with_bits(24, 16, 0xffff)),
                   name + ": entry 1 names vertex 65535");
    // Entry 2 is in two words: its code in the second.
    expect_refused(say<std::uint64_t>(id, 1, with_bits(0, 8, 7)),
                   name + ": entry 2 has weight code 7 of 7");
    expect_refused(say<std::uint64_t>(id, 2, with_bits(16, 16, 5)),  // the last of 7
                   name + ": entry 6 names vertex 5");
  }
}

TEST_F(DamagedNarrowStore, IsRefusedUnlessWhatFollowsTheEntriesIsZero) {
  // 7 entries of 24 bits take 168 of 192.
  for (const unsigned bit : {40u, 63u})
    expect_refused(say<std::uint64_t>(SectionId::OutEntries, 2, with_bits(bit, 1, 1)),
                   "what follows the entries is not zero");
  expect_refused(say<std::uint64_t>(SectionId::InEntries, 3, with_bits(0, 1, 1)),
                 "'in.entries': what follows the entries is not zero");
}

TEST_F(DamagedNarrowStore, IsRefusedForValuesThatDoNotAscend) {
  expect_refused(say<float>(SectionId::WeightValues, 1, [](float) { return -1.f; }),
                 "'weights.values': element 1 is not larger");
  expect_refused(say<float>(SectionId::WeightValues, 6, [](float) { return INFINITY; }),
                 "'weights.values': element 6 is not finite");
  expect_refused(say<float>(SectionId::WeightValues, 0, [](float) { return NAN; }),
                 "element 0 is not finite");
}

TEST_F(DamagedNarrowStore, IsRefusedForOtherWidths) {
  for (const auto& [element, value] : {std::pair<std::size_t, std::uint32_t>{0, 12},
                                       {0, 17},
                                       {0, 20},
                                       {0, 44},
                                       {0, 0},
                                       {0, ~0u},
                                       {1, 0},
                                       {1, 16},
                                       {1, 9},
                                       {2, 6},
                                       {2, 8},
                                       {2, 300},
                                       {2, 65'537},
                                       {3, 1}}) {
    const Words said =
        say<std::uint32_t>(SectionId::Narrow, element, [value = value](auto) { return value; });
    EXPECT_NE(said.at_use, "") << element << " " << value;
    EXPECT_NE(said.by_verify, "") << element << " " << value;
    EXPECT_NE(said.by_repack, "") << element << " " << value;
  }
}

TEST_F(DamagedNarrowStore, IsFoundByVerifyWhereOnlyTheContentIsWrong) {
  const auto verified = [&](SectionId id, std::size_t at, const auto& change) {
    return say<std::uint64_t>(id, at, change).by_verify;
  };
  // The list of vertex 0 is 1, 2, 2: unsorted, then another graph.
  EXPECT_NE(verified(SectionId::OutEntries, 0, with_bits(0, 16, 4)).find("not sorted"),
            std::string::npos);
  EXPECT_NE(verified(SectionId::OutEntries, 0, with_bits(0, 16, 0)).find("fingerprint"),
            std::string::npos);
  EXPECT_NE(verified(SectionId::InEntries, 0, with_bits(0, 16, 0)).find("transpose"),
            std::string::npos);
  EXPECT_NE(say<float>(SectionId::WeightValues, 6, [](float) { return 8.f; })
                .by_verify.find("fingerprint"),
            std::string::npos);
}

TEST_F(DamagedNarrowStore, IsDetectedWhereverAByteFlips) {
  for (const SectionEntry& s : layout_.sections)
    for (std::uint64_t at = s.offset; at < s.offset + padded(s.bytes);
         at += at < s.offset + s.bytes ? 1 : 97) {
      std::vector<std::byte> file = bytes_;
      file[at] ^= std::byte{static_cast<unsigned char>(1u << at % 8)};
      write_file(narrow_, file);
      EXPECT_THROW(Store::open(narrow_)->verify(1, {}), Error) << name_of(s) << " " << at;
    }
}

TEST_F(DamagedNarrowStore, IsRefusedInAnotherVersion) {
  for (const std::uint32_t version : {0u, 1u, 3u}) {
    std::vector<std::byte> file = bytes_;
    std::memcpy(file.data() + 8, &version, sizeof version);
    reseal(file);
    write_file(narrow_, file);
    EXPECT_THROW(Store::open(narrow_), Error) << version;
  }
  write_sample(csr_, sample_with_everything());
  std::vector<std::byte> plain = read_file(csr_);
  const std::uint32_t coded = kFormatVersionCoded;
  std::memcpy(plain.data() + 8, &coded, sizeof coded);
  reseal(plain);
  write_file(csr_, plain);
  expect_error(
      ErrorCode::BadInput, [&] { Store::open(csr_); }, "the sections are not those of format 2");
}

}  // namespace
}  // namespace fathom::store
