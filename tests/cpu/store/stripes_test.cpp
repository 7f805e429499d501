// Stripes hold the lists of a store and nothing else; what does not belong to it is refused by
// name.
#include "fathom/store/stripes.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

class Stripes : public ::testing::Test {
 protected:
  void SetUp() override {
    sample_.in_edges = true;
    write_sample(path_, sample_);
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      directories_.push_back(directory_.file(name));
      std::filesystem::create_directory(directories_.back());
    }
  }
  std::span<const std::string> first(std::size_t n) const {
    return std::span(directories_).first(n);
  }
  std::vector<std::string> deal(std::size_t n) const { return write_stripes(path_, first(n)); }
  void open(std::size_t n) const {
    const StoreFile store(path_);
    const StripeFiles files(store, first(n));
  }
  /// Changes a byte of a stripe's header and makes its checksum right again.
  static void tamper(const std::string& path, std::size_t at) {
    std::vector<std::byte> bytes = read_file(path);
    bytes[at] ^= std::byte{1};
    const std::uint64_t sum = checksum(std::span(bytes).first(kPageBytes - 8));
    std::memcpy(bytes.data() + kPageBytes - 8, &sum, sizeof sum);
    write_file(path, bytes);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("a.fg");
  Sample sample_ = random_sample(1000, 700'000, true);  // three blocks each
  std::vector<std::string> directories_;
};

TEST_F(Stripes, HoldEachBlockOfTheListsInTurn) {
  for (const bool slotted : {false, true}) {
    if (slotted) write_slotted_sample(path_, sample_, {2 * std::size_t{kBlockBytes}, 3, 3});
    const std::vector<std::byte> whole = read_file(path_);
    const StoreFile store(path_);
    for (const std::size_t n : {1, 2, 3, 5}) {
      const std::vector<std::string> paths = deal(n);
      const StripeFiles files(store, first(n));
      std::vector<std::vector<std::byte>> content;
      std::uint64_t all = 0, sections = 0;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(files.path(i), paths[i]);
        EXPECT_EQ(paths[i], directories_[i] + "/a.fg.stripe-" + std::to_string(i + 1) + "-of-" +
                                std::to_string(n));
        content.push_back(read_file(paths[i]));
        all += content.back().size() - kPageBytes;
      }
      for (const SectionEntry& s : store.layout().sections) {
        const std::string name = name_of(s);
        const bool lists =
            name.ends_with(".targets") || name.ends_with(".weights") || name.ends_with(".pages");
        ASSERT_EQ(files.plan().covers(s), lists) << name;
        if (!lists) continue;
        sections += padded(s.bytes);
        const std::uint64_t unit = slotted ? 2 * kBlockBytes : kBlockBytes;
        for (std::uint64_t at = 0; at < padded(s.bytes); at += kPageBytes) {
          const StripePlan::Place place = files.plan().place(s, at);
          ASSERT_EQ(place.stripe, at / unit % n);
          ASSERT_LE(place.offset + place.bytes, content[place.stripe].size());
          ASSERT_EQ(std::memcmp(content[place.stripe].data() + place.offset,
                                whole.data() + s.offset + at, kPageBytes),
                    0)
              << name << " " << at;
        }
      }
      EXPECT_EQ(all, sections);  // nothing else
    }
  }
}

TEST_F(Stripes, AreRefusedByNameWhenTheyDoNotBelongToTheStore) {
  const std::vector<std::string> paths = deal(2);
  open(2);
  expect_error(
      ErrorCode::Io, [&] { open(3); }, directories_[0] + "/a.fg.stripe-1-of-3: there is no");
  std::filesystem::remove(paths[1]);
  expect_error(
      ErrorCode::Io, [&] { open(2); }, paths[1] + ": there is no such stripe");
  std::filesystem::copy_file(paths[0], paths[1]);
  expect_error(
      ErrorCode::BadInput, [&] { open(2); }, paths[1] + ": is stripe 1 of 2, expected 2 of 2");
  write_file(paths[1], read_file(path_));
  expect_error(
      ErrorCode::BadInput, [&] { open(2); }, paths[1] + ": is no stripe");

  deal(2);
  const std::vector<std::byte> bytes = read_file(paths[1]);
  std::filesystem::resize_file(paths[1], bytes.size() - 4096);
  expect_error(
      ErrorCode::BadInput, [&] { open(2); },
      paths[1] + ": truncated: it should have " + std::to_string(bytes.size()) + " bytes and has " +
          std::to_string(bytes.size() - 4096));
  std::filesystem::resize_file(paths[1], 100);
  expect_error(
      ErrorCode::BadInput, [&] { open(2); }, paths[1] + ": truncated: ends at byte 100");
  for (const auto& [at, what] :
       {std::pair(8, "stripes of version 0"), {24, "another graph"}, {48, "contradicts"}}) {
    write_file(paths[1], bytes);
    tamper(paths[1], static_cast<std::size_t>(at));
    expect_error(
        ErrorCode::BadInput, [&] { open(2); }, what);
  }
  std::vector<std::byte> damaged = bytes;
  damaged[1000] ^= std::byte{4};
  write_file(paths[1], damaged);
  expect_error(
      ErrorCode::BadInput, [&] { open(2); }, paths[1] + ": header: bytes 0 to 4095");
}

TEST_F(Stripes, OfAnotherVersionOfAStoreAreRefused) {
  deal(2);
  sample_.provenance = "the same graph, made otherwise";
  write_sample(path_, sample_);
  expect_error(
      ErrorCode::BadInput, [&] { open(2); }, "was made of another version of " + path_);
  sample_.edges[5].w += 1;
  write_sample(path_, sample_);
  expect_error(
      ErrorCode::BadInput, [&] { open(2); }, "is a stripe of another graph");
}

TEST_F(Stripes, AreNotThereUnlessAllOfThemAreWhole) {
  std::vector<std::byte> bytes = read_file(path_);
  const StoreFile store(path_);
  const SectionEntry& last = *store.layout().find(SectionId::InWeights);
  bytes[last.offset + last.bytes - 1] ^= std::byte{1};
  write_file(path_, bytes);
  expect_error(
      ErrorCode::BadInput, [&] { deal(3); }, "section 'in.weights'");
  for (const std::string& directory : directories_)
    EXPECT_TRUE(std::filesystem::is_empty(directory));
  write_sample(path_, sample_);
  std::filesystem::remove(directories_[1]);
  expect_error(
      ErrorCode::Io, [&] { deal(3); }, directories_[1]);
  EXPECT_TRUE(std::filesystem::is_empty(directories_[0]));
  expect_error(
      ErrorCode::Usage, [&] { deal(0); }, "between 1 and 64");
  const std::vector<std::string> many(65, directories_[0]);
  expect_error(
      ErrorCode::Usage, [&] { write_stripes(path_, many); }, "not 65");
}

TEST_F(Stripes, OfOneDirectoryDoNotOverwriteEachOther) {
  const std::vector<std::string> same(3, directories_[0]);
  write_stripes(path_, same);
  const StoreFile store(path_);
  EXPECT_EQ(StripeFiles(store, same).plan().count(), 3u);
}

}  // namespace
}  // namespace fathom::store
