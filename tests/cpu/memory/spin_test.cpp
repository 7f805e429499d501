// The models of tests/model, checked exhaustively by spin. Skipped without it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/suites/source_file.hpp"

namespace fathom::memory {
namespace {

namespace fs = std::filesystem;

/// What the verifier says of a model; empty when it could not be made. `fair`: whether threads that
/// are let run may go round for ever, instead of its assertions and deadlocks.
std::string verify_model(const std::string& model, const std::string& definitions,
                         bool fair = false) {
  std::string directory = (fs::temp_directory_path() / "spin-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return {};
  const std::string source = source_file("tests/model/" + model);
  const std::string command = "cd '" + directory + "' && spin " + definitions + " -a '" + source +
                              "' > said && cc -O2 -w -o pan pan.c " +
                              (fair ? "-DNP && ./pan -l -f" : "-DSAFETY && ./pan") +
                              " -m100000 >> said";
  const int status = std::system(command.c_str());
  std::ifstream file(directory + "/said");
  std::string said((std::istreambuf_iterator<char>(file)), {});
  fs::remove_all(directory);
  return status == 0 ? said : said + "\nfailed: " + command;
}

bool have_spin() {
  return std::system("command -v spin > /dev/null && command -v cc > /dev/null") == 0;
}

TEST(MemoryModelSpin, EntriesAreHandedOverOnceByTwoWritersAndTwoReaders) {
  if (!have_spin()) GTEST_SKIP() << "spin is not installed";
  const std::string said = verify_model("handover.pml", "");
  EXPECT_NE(said.find("errors: 0"), std::string::npos) << said;
}

TEST(MemoryModelSpin, TheBulkSemaphoreNeitherMakesNorLosesPages) {
  if (!have_spin()) GTEST_SKIP() << "spin is not installed";
  for (const std::string chunks : {"-DCHUNKS=1", "-DCHUNKS=2", "-DCHUNKS=4"}) {
    const std::string said = verify_model("semaphore.pml", chunks);
    EXPECT_NE(said.find("errors: 0"), std::string::npos) << chunks << said;
  }
}

TEST(MemoryModelSpin, NobodyWaitsForEverAtTheBulkSemaphore) {
  if (!have_spin()) GTEST_SKIP() << "spin is not installed";
  for (const std::string chunks : {"-DCHUNKS=1", "-DCHUNKS=2"}) {
    const std::string said = verify_model("semaphore.pml", "-DWANTED=3 " + chunks, true);
    EXPECT_NE(said.find("errors: 0"), std::string::npos) << chunks << said;
  }
}

/// Without errors as the code is now, and with one where a definition brings an old fault back.
void expect_found(const std::string& model, const std::vector<std::string>& sound,
                  const std::vector<std::string>& faulty) {
  for (const std::string& definitions : sound) {
    const std::string said = verify_model(model, definitions);
    EXPECT_NE(said.find("errors: 0"), std::string::npos) << definitions << said;
    EXPECT_EQ(said.find("max search depth too small"), std::string::npos) << definitions << said;
  }
  for (const std::string& definitions : faulty) {
    const std::string said = verify_model(model, definitions);
    EXPECT_NE(said.find("assertion violated"), std::string::npos) << definitions << said;
    EXPECT_NE(said.find("errors: 1"), std::string::npos) << definitions << said;
  }
}

TEST(MemoryModelSpin, FreshUnitsAreHandedOutOnce) {
  if (!have_spin()) GTEST_SKIP() << "spin is not installed";
  expect_found("fresh.pml", {"", "-DUNITS=6", "-DFRONT"}, {"-DSUBTRACT"});
}

TEST(MemoryModelSpin, EntriesOfPastGenerationsAreDropped) {
  if (!have_spin()) GTEST_SKIP() << "spin is not installed";
  expect_found("generations.pml", {""}, {"-DKEEP"});
}

TEST(MemoryModelSpin, EmptiedChunksOfALinkedQueueLeave) {
  if (!have_spin()) GTEST_SKIP() << "spin is not installed";
  expect_found("advance.pml", {"", "-DCHUNKS=2"}, {"-DHEADLESS", "-DBLIND"});
}

}  // namespace
}  // namespace fathom::memory
