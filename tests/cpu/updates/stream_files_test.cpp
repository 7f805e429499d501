// What a stream of updates reads: lines in bounded memory, and the checkpoint it goes on from.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fathom/dynamic/updates/checkpoint.hpp"
#include "fathom/dynamic/updates/update_lines.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::dynamic {
namespace {

using testing::expect_error;

std::string written(const store::TemporaryDirectory& directory, const std::string& text) {
  const std::string path = directory.file("updates");
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(UpdateLines, AreWhatLiesBetweenNewlinesUpToABound) {
  const store::TemporaryDirectory directory;
  const std::string longest(UpdateLines::kLongestLine, 'x');
  UpdateLines lines(written(directory, "+ 1 2\n\n" + longest + "\nlast"), Task());
  std::vector<std::string> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"+ 1 2", "", longest, "last"}));
  EXPECT_EQ(lines.number(), 4u);
  for (const char* end : {"", "\n", "y\n- 1 2\n"}) {
    UpdateLines longer(written(directory, "+ 1 2\n\x1b" + longest + end), Task());
    std::string_view line;
    ASSERT_TRUE(longer.next(line));
    expect_error(
        ErrorCode::BadInput, [&] { longer.next(line); },
        ":2: expected an update, found a line longer than 1048576 bytes, beginning '\\x1bxxx");
  }
}

TEST(Checkpoint, IsWhatTheProvenanceSaysAndNothingElse) {
  const store::TemporaryDirectory directory;
  const std::string path = directory.file("c.fg");
  for (const auto& [provenance, line] :
       {std::pair{"x # checkpoint after line 17", 17},
        {"x # checkpoint after line 3, any labels", 3},
        {"x # checkpoint after line 1 # checkpoint after line 2", 2},
        {"x # checkpoint after record 5", 5},
        {"x # checkpoint after records 5", -1},
        {"x # checkpoint after line ", -1},
        {"x # checkpoint after line -1", -1},
        {"x # checkpoint after line 99999999999999999999", -1},
        {"x # checkpoint after line 3, any", -1},
        {"x", -1}}) {
    store::Sample sample;
    sample.provenance = provenance;
    write_sample(path, sample);
    const auto opened = store::Store::open(path);
    if (line < 0) {
      expect_error(
          ErrorCode::Usage, [&] { read_checkpoint(*opened); }, "is no checkpoint");
      continue;
    }
    const Checkpoint at = read_checkpoint(*opened);
    EXPECT_EQ(at.line, static_cast<std::uint64_t>(line)) << provenance;
    EXPECT_EQ(at.records, std::string_view(provenance).find("record") != std::string_view::npos);
  }
}

}  // namespace
}  // namespace fathom::dynamic
