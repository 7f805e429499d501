// Narrow files that lie, though every checksum is right: refused by who reads, verifies or rewrites
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "tests/cpu/narrow/narrow_files.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

/// Changes of a narrow file whose checksums are right again.
class DamagedNarrowStore : public NarrowStore {
 protected:
  DamagedNarrowStore() {
    Sample s = sample_without_edge_fields();
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
  testing::expect_error(
      ErrorCode::BadInput, [&] { Store::open(csr_); }, "the sections are not those of format 2");
}

}  // namespace
}  // namespace fathom::store
