#include "fathom/core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fathom/core/error.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "atomic-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string in(const char* name) const { return (directory_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }
  static std::string content(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
  }

  fs::path directory_;
};

TEST_F(AtomicFileTest, ContentIsUnderTheNameOnlyAfterCommit) {
  AtomicFile file(in("a.txt"));
  file.write(bytes("hello "));
  file.write(bytes("world"));
  file.write_at(0, bytes("J"));
  EXPECT_EQ(file.size(), 11U);
  EXPECT_FALSE(fs::exists(in("a.txt")));
  file.commit();
  EXPECT_EQ(content(in("a.txt")), "Jello world");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, AbandonedFileLeavesTheOldContentAndNoTemporary) {
  std::ofstream(in("a.txt")) << "old";
  { AtomicFile(in("a.txt")).write(bytes("new")); }
  EXPECT_EQ(content(in("a.txt")), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, TemporaryNameIsHiddenAndMarked) {
  AtomicFile file(in("a.txt"));
  EXPECT_EQ(fs::path(file.temporary_path()).filename().string().rfind(".a.txt.tmp-", 0), 0U);
}

TEST_F(AtomicFileTest, RefusesATargetThatIsNotARegularFile) {
  for (const std::string& path : {std::string("/dev/null"), directory_.string(), in("b/")}) {
    SCOPED_TRACE(path);
    expect_error(ErrorCode::Usage, [&] { AtomicFile file(path); });
  }
}

TEST_F(AtomicFileTest, MissingDirectoryIsAnIoError) {
  expect_error(ErrorCode::Io, [&] { AtomicFile file(in("missing/a.txt")); });
}

}  // namespace
}  // namespace fathom
