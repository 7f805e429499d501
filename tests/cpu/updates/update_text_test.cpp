#include "fathom/dynamic/updates/update_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fathom::dynamic {
namespace {

TEST(UpdateText, LinesInARowThatAreOddTakeLittleMemory) {
  UpdatePiece piece;
  const std::string text = std::string(1000, '\n') + "+ 1 2\n# x\n# y\n- 1 2\n";
  piece.begin(text);
  read_lines(piece, {});
  EXPECT_EQ(piece.edges.size(), 2u);
  ASSERT_EQ(piece.odd.size(), 2u);
  EXPECT_EQ(piece.odd[0].text.size(), 1000u);
  EXPECT_EQ(piece.odd[1].text, "# x\n# y\n");
}

TEST(UpdateText, WeightsInAnyNotationAreReadAtOnce) {
  UpdatePiece piece;
  piece.begin(
      "+ 1 2 2.5\n+ 1 2\t-1e3 7 8 9\r\n+ 1 2 +.5 \n+ 1 2 1.5x\n+ 1 2 1e39\n+ 1 2 16777217\n"
      "+ 1 2 .5 7\n+ 1 2 .5 7 8 9 1\n- 1 2 .5\n+ 1 2.5\n");
  read_lines(piece, {.weighted = true, .semantic = true});
  ASSERT_EQ(piece.edges.size(), 3u);
  EXPECT_EQ(piece.edges[0].weight, 2.5f);
  EXPECT_EQ(piece.edges[1].weight, -1000.0f);
  EXPECT_EQ(piece.edges[2].weight, .5f);
  EXPECT_EQ(piece.fields[1], (EdgeFields{7, 8, 9}));
  ASSERT_EQ(piece.odd.size(), 1u);  // what remains, for who names the line
  EXPECT_TRUE(piece.odd[0].text.starts_with("+ 1 2 1.5x\n"));
}

}  // namespace
}  // namespace fathom::dynamic
