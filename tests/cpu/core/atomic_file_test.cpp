#include "fathom/core/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
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
  bool has_nameless_files() const {
    const int file = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
  }
  static unsigned mode(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  /// What a process leaves that is killed between the two names of a replacement.
  std::string leave(const char* name) const {
    std::ofstream(in(name)) << "old";
    std::string seen;
    // Renaming fails over a directory, and the file keeps its temporary name until it is removed.
    AtomicFile file(in(name));
    fs::remove(in(name));
    fs::create_directory(in(name));
    try {
      file.commit();
    } catch (const Error&) {
      for (const auto& entry : fs::directory_iterator(directory_))
        if (entry.path().filename().string().starts_with(".")) seen = entry.path().string();
    }
    fs::copy_file(seen, seen + "-copy");
    fs::remove(in(name));
    { AtomicFile gone(std::move(file)); }
    fs::rename(seen + "-copy", seen);
    return seen;
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

TEST_F(AtomicFileTest, HasNoNameBeforeCommit) {
  if (!has_nameless_files()) GTEST_SKIP() << "the file system has no files without names";
  AtomicFile file(in("a.txt"));
  file.write(bytes("new"));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(AtomicFileTest, ReplacesWhatTwoWritersOfOneNameWrote) {
  AtomicFile first(in("a.txt")), second(in("a.txt"));
  first.write(bytes("first"));
  second.write(bytes("second"));
  second.commit();
  EXPECT_EQ(content(in("a.txt")), "second");
  first.commit();
  EXPECT_EQ(content(in("a.txt")), "first");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFileTest, NewFileHasThePermissionsThatTheUmaskLeaves) {
  const mode_t before = ::umask(027);
  {
    AtomicFile file(in("a.txt"));
    file.commit();
  }
  ::umask(before);
  EXPECT_EQ(mode(in("a.txt")), 0640U);
}

TEST_F(AtomicFileTest, KeepsThePermissionsOfTheFileItReplaces) {
  for (const unsigned kept : {0600U, 0444U, 0666U}) {
    std::ofstream(in("a.txt")) << "old";
    ASSERT_EQ(::chmod(in("a.txt").c_str(), kept), 0);
    AtomicFile file(in("a.txt"));
    file.write(bytes("new"));
    file.commit();
    EXPECT_EQ(mode(in("a.txt")), kept);
    EXPECT_EQ(content(in("a.txt")), "new");
    fs::remove(in("a.txt"));
  }
}

TEST_F(AtomicFileTest, WritesWhatASymbolicLinkPointsTo) {
  fs::create_directory(in("other"));
  std::ofstream(in("other/a.txt")) << "old";
  fs::create_symlink("other/a.txt", in("link"));
  fs::create_symlink("link", in("link-to-link"));
  fs::create_symlink("other/none.txt", in("dangling"));
  for (const auto& [name, target] :
       {std::pair{"link-to-link", "other/a.txt"}, std::pair{"dangling", "other/none.txt"}}) {
    AtomicFile file(in(name));
    file.write(bytes(name));
    file.commit();
    EXPECT_TRUE(fs::is_symlink(in(name)));
    EXPECT_EQ(content(in(target)), name);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(in("other")), fs::directory_iterator()), 2);
  fs::create_symlink("loop", in("loop"));
  expect_error(ErrorCode::Io, [&] { AtomicFile file(in("loop")); });
}

TEST_F(AtomicFileTest, RefusesWhatLeadsToAnOpenFile) {
  const TempFile nameless(directory_.string());
  const int named = ::open(in("a.txt").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (const int descriptor : {nameless.descriptor(), named}) {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    fs::create_symlink(path, in("out"));
    expect_error(ErrorCode::Usage, [&] { AtomicFile file(in("out")); });
    expect_error(ErrorCode::Usage, [&] { AtomicFile file(path); });
    fs::remove(in("out"));
  }
  ::close(named);
}

TEST_F(AtomicFileTest, RemovesWhatAKilledWriterLeft) {
  const std::string left = leave("a.txt");
  EXPECT_TRUE(fs::exists(left));
  { AtomicFile file(in("a.txt")); }
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(AtomicFileTest, LeavesTemporaryNamesThatItCannotKnowToBeItsOwn) {
  const std::string left = leave("a.txt"), name = fs::path(left).filename().string();
  const std::string stranger = in((name.substr(0, name.size() - 1) + "g").c_str());
  std::string other = name;
  other.back() = other.back() == '0' ? '1' : '0';
  std::ofstream(stranger) << "a check that fails";
  std::ofstream(in(other.c_str())) << "a check that fails";
  fs::create_hard_link(left, in("linked"));
  { AtomicFile file(in("a.txt")); }
  EXPECT_TRUE(fs::exists(left)) << "also under another name";
  fs::remove(in("linked"));
  { AtomicFile file(in("b.txt")); }
  EXPECT_TRUE(fs::exists(left)) << "of another target";
  const int locked = ::open(left.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(locked, LOCK_EX), 0);
  { AtomicFile file(in("a.txt")); }
  EXPECT_TRUE(fs::exists(left)) << "in use";
  ::close(locked);
  fs::remove(left);
  fs::create_symlink(stranger, left);
  { AtomicFile file(in("a.txt")); }
  EXPECT_TRUE(fs::is_symlink(left));
  fs::remove(left);
  ASSERT_EQ(::mkfifo(left.c_str(), 0600), 0);
  { AtomicFile file(in("a.txt")); }
  EXPECT_TRUE(fs::exists(left));
  EXPECT_TRUE(fs::exists(stranger));
  EXPECT_TRUE(fs::exists(in(other.c_str())));
}

TEST_F(AtomicFileTest, LongestNameThatAFileMayHaveCanBeWrittenAndReplaced) {
  const std::string longest(255, 'x');
  for (int round = 0; round < 2; ++round) {
    AtomicFile file(in(longest.c_str()));
    file.commit();
  }
  EXPECT_EQ(entries(), 1U);
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
