#include "fathom/core/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fathom {
namespace {

TEST(Printable, KeepsWhatCanBeRead) {
  for (const char* text : {"", "plain", "\u00fcml\u00e4ut", "\u65e5\u672c", "\U0001f600", "a\u0301",
                           "\u05d0\u05d1", "\u200d", "back\\slash", "\u00a0", "\ufffd"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("\x1b[31m\t\r\x7f"), "\\x1b[31m\\x09\\x0d\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m\u0085"), "\\u{9b}31m\\u{85}");  // C1: CSI and NEL
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("a\nb\x1b", Newlines::Keep), "a\nb\\x1b");
}

TEST(Printable, EscapesWhatTurnsTextRound) {
  EXPECT_EQ(printable("gpj.\u202egf"), "gpj.\\u{202e}gf");
  EXPECT_EQ(printable("\u2066\u2069\u200e\u200f\u061c\u2028\u2029\ufeff\U000e0041"),
            "\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}\\u{2028}\\u{2029}\\u{feff}\\u{e0041}");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\x80\xbf\xff"), "\\x80\\xbf\\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong '/'
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // the same in three
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above 10FFFF
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut off
  EXPECT_EQ(printable("\xe2\x82z"), "\\xe2\\x82z");
  EXPECT_EQ(printable("\x9b\xc3\xbc"), "\\x9b\u00fc");
}

/// Whatever goes in, what comes out is printable and stays as it is.
TEST(Printable, GivesWhatItWouldKeepForAnyTwoAndThreeBytes) {
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; b += 3)
      for (const unsigned c : {0x00U, 0x41U, 0x80U, 0xbfU, 0xe2U, 0xffU}) {
        const std::string text{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        const std::string shown = printable(text);
        ASSERT_EQ(printable(shown), shown);
      }
}

TEST(InQuotes, IsCutBetweenCharacters) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "'... (41 bytes)");
  EXPECT_EQ(in_quotes(std::string(39, 'x') + "\u00fc"),
            "'" + std::string(39, 'x') + "'... (41 bytes)");
  EXPECT_EQ(in_quotes("\xff\x1b\u202e"), "'\\xff\\x1b\\u{202e}'");
}

TEST(PrintableJson, SaysTheSameInCharactersThatCanBeSeen) {
  EXPECT_EQ(printable_json("{\n  \"a\": \"\u00fc\u202e\u009b\x7f\"\n}"),
            "{\n  \"a\": \"\u00fc\\u202e\\u009b\\u007f\"\n}");
  EXPECT_EQ(printable_json("\"\U000e0041\""), "\"\\udb40\\udc41\"");
  EXPECT_EQ(printable_json("\"\xff\""), "\"\ufffd\"");
}

}  // namespace
}  // namespace fathom
