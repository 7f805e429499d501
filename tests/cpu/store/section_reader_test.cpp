// Ranges read into the caller's memory equal the mapped section, and damage is found.
#include "fathom/store/section_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "fathom/core/array.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

class Reading : public ::testing::Test {
 protected:
  Reading() { write_sample(path_, sample_); }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("a.fg");
  Sample sample_ = random_sample(1000, 700'000, false);  // three blocks of targets
};

TEST_F(Reading, ReturnsAnyRangeOfASection) {
  SectionReader reader(path_, SectionId::OutTargets);
  const Csr csr = out_of(sample_);
  const auto expected = std::as_bytes(csr.target.span());
  ASSERT_EQ(reader.bytes(), expected.size());
  Array<std::byte> buffer(SectionReader::buffer_bytes(expected.size()));
  const std::size_t ends[] = {0,           1,       4095,    4096,      kBlockBytes - 1,
                              kBlockBytes, 1500000, 2097152, 2'700'001, expected.size()};
  for (std::size_t first : ends)
    for (std::size_t last : ends) {
      if (last < first) continue;
      const auto read = reader.read(first, last - first, buffer.span());
      ASSERT_EQ(read.size(), last - first);
      EXPECT_TRUE(last == first ||
                  std::memcmp(read.data(), expected.data() + first, read.size()) == 0)
          << first << " to " << last;
    }
}

TEST_F(Reading, RefusesRangesAndBuffersThatDoNotFit) {
  SectionReader reader(path_, SectionId::OutTargets);
  Array<std::byte> buffer(SectionReader::buffer_bytes(100));
  EXPECT_THROW(reader.read(reader.bytes(), 1, buffer.span()), Error);
  EXPECT_THROW(reader.read(~std::uint64_t{0}, 1, buffer.span()), Error);
  EXPECT_THROW(reader.read(0, ~std::uint64_t{0}, buffer.span()), Error);
  EXPECT_THROW(reader.read(0, 100, buffer.span().subspan(1)), Error);
  EXPECT_THROW(reader.read(0, 2 << 20, buffer.span()), Error);
  EXPECT_THROW(SectionReader(path_, SectionId::InTargets), Error);
}

TEST_F(Reading, FindsDamageInTheBlocksItReadsAndOnlyThere) {
  std::vector<std::byte> bytes = read_file(path_);
  const std::uint64_t offset =
      decode_header(path_, bytes, bytes.size()).find(SectionId::OutTargets)->offset;
  bytes[offset + kBlockBytes + 5] ^= std::byte{4};
  write_file(path_, bytes);
  SectionReader reader(path_, SectionId::OutTargets);
  Array<std::byte> buffer(SectionReader::buffer_bytes(100));
  EXPECT_NO_THROW(reader.read(0, 100, buffer.span()));
  EXPECT_NO_THROW(reader.read(2 * kBlockBytes, 100, buffer.span()));
  const std::uint64_t first = offset + kBlockBytes;
  EXPECT_EQ(expect_error(ErrorCode::BadInput,
                         [&] { reader.read(kBlockBytes + 900, 100, buffer.span()); }),
            path_ + ": section 'out.targets': bytes " + std::to_string(first) + " to " +
                std::to_string(first + kBlockBytes - 1) + " do not match their checksum");
}

}  // namespace
}  // namespace fathom::store
