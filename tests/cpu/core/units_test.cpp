#include "fathom/core/units.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Units, ParsesBinaryAndDecimalSizes) {
  EXPECT_EQ(parse_bytes("65536"), 65536u);
  EXPECT_EQ(parse_bytes("4GiB"), 4ull << 30);
  EXPECT_EQ(parse_bytes("512m"), 512ull << 20);
  EXPECT_EQ(parse_bytes("1.5 GB"), 1500000000u);
}

TEST(Units, RefusesWhatIsNotASize) {
  for (const char* text : {"", "GiB", "-1", "1XiB", "4GiBs", "nan", "1e300", "1 2"})
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

TEST(Units, FormatsForPeople) {
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(17), "17 B");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_seconds(3700), "1:01:40");
}

}  // namespace
}  // namespace fathom
