#include "fathom/exec/link_profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fathom/core/error.hpp"
#include "tests/suites/sizes.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;
using testing::kGi;
constexpr const char* kUuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";

/// Every member set, to values that no default has.
LinkProfile sample() {
  LinkProfile p;
  p.device = "Test \"GPU\"";
  p.uuid = kUuid;
  p.driver = "580.1 (CUDA 13.0)";
  p.measured = "2026-01-02T03:04:05Z";
  p.quick = true;
  p.copies = {50, 40, 10.5, std::nullopt, {{1 << 20, 45}, {1 << 16, 16}}};
  p.in_order = {{ZeroCopyWay::Register, 49, 47, 12}, {ZeroCopyWay::Managed, 48, 46, 11}};
  p.reach = {{ZeroCopyWay::Register, kGi, 40, {49, 48, 47, 20}},
             {ZeroCopyWay::Register, 4 * kGi, 10, {49, 48, 47, 8}},
             {ZeroCopyWay::Managed, kGi, 41, {45, 44, 43, 42}},
             {ZeroCopyWay::Managed, 2 * kGi, 39, {45, 44, 43, 42}}};
  p.unified = {{true, kGi, 25, .75}};
  p.disk = LinkProfile::Disk{"/mnt/ssd", 3.5};
  p.left_out = {"malloc: no"};
  return p;
}

void expect_error(ErrorCode code, const std::string& part, const auto& action) {
  try {
    action();
    FAIL() << "nothing thrown, expected: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(LinkProfileJson, RoundTripsEveryMember) {
  const LinkProfile p = sample();
  const std::string text = to_json(p);
  const LinkProfile q = link_profile_from_json(text, "p.json");
  EXPECT_EQ(to_json(q), text);
  EXPECT_EQ(q.device, p.device);
  EXPECT_EQ(q.uuid, p.uuid);
  EXPECT_EQ(q.driver, p.driver);
  EXPECT_EQ(q.measured, p.measured);
  EXPECT_TRUE(q.quick);
  EXPECT_EQ(q.copies.to_host, 40);
  EXPECT_EQ(q.copies.pageable_to_device, 10.5);
  EXPECT_FALSE(q.copies.pageable_to_host);
  EXPECT_EQ(q.copies.chunked.at(1).chunk_bytes, 1U << 16);
  EXPECT_EQ(q.in_order.at(1).strided, 11);
  EXPECT_EQ(q.reach.at(3).way, ZeroCopyWay::Managed);
  EXPECT_EQ(q.reach.at(1).ascending, p.reach[1].ascending);
  EXPECT_TRUE(q.unified.at(0).read_mostly);
  EXPECT_EQ(q.unified.at(0).random, .75);
  EXPECT_EQ(q.disk.value().directory, "/mnt/ssd");
  EXPECT_EQ(q.left_out, p.left_out);
  EXPECT_FALSE(link_profile_from_json(to_json(default_link_profile()), "").disk);
}

TEST(LinkProfileJson, RefusesRubbishAndSaysWhere) {
  const auto read = [](const std::string& text) { return link_profile_from_json(text, "p.json"); };
  const auto refuses = [&](const std::string& part, const auto& change) {
    auto json = nlohmann::json::parse(to_json(sample()));
    change(json);
    expect_error(ErrorCode::BadInput, part, [&] { read(json.dump()); });
  };
  expect_error(ErrorCode::BadInput, "p.json: expected a link profile in JSON", [&] { read(""); });
  expect_error(ErrorCode::BadInput, "at byte 1", [&] { read("\x02\x03"); });
  expect_error(ErrorCode::BadInput, "an object at the top, found []", [&] { read("[]"); });
  expect_error(ErrorCode::BadInput, "expected schema, found none", [&] { read("{}"); });
  refuses("\"fathom.link/1\" at schema, found \"fathom.link/9\"",
          [](auto& j) { j["schema"] = "fathom.link/9"; });
  refuses("expected reach, found none", [](auto& j) { j.erase("reach"); });
  refuses("a list at reach, found 7", [](auto& j) { j["reach"] = 7; });
  refuses("a rate above 0 at reach[2].random_gbps, found \"fast\"",
          [](auto& j) { j["reach"][2]["random_gbps"] = "fast"; });
  refuses("a rate above 0 at copies.to_device_gbps, found 0",
          [](auto& j) { j["copies"]["to_device_gbps"] = 0; });
  refuses("copies.to_host_gbps, found null",
          [](auto& j) { j["copies"]["to_host_gbps"] = nullptr; });
  refuses("reach[0].every_64_gbps, found none",
          [](auto& j) { j["reach"][0].erase("every_64_gbps"); });
  refuses("malloc, register or managed at reach[0].way",
          [](auto& j) { j["reach"][0]["way"] = "dma"; });
  refuses("a number of bytes at reach[0].region_bytes, found -1",
          [](auto& j) { j["reach"][0]["region_bytes"] = -1; });
  refuses("true or false at quick", [](auto& j) { j["quick"] = 1; });
  refuses("a text at left_out[0]", [](auto& j) { j["left_out"] = {1}; });
}

TEST(LinkProfileJson, RefusesMoreThanMeasurementsCanBe) {
  const auto refuses = [](const std::string& part, const std::string& text) {
    expect_error(ErrorCode::BadInput, part, [&] { link_profile_from_json(text, "p.json"); });
  };
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  refuses("found lists more than 16 deep", "{\"schema\":" + deep + "}");
  refuses("found a number out of range", "{\"schema\":1e999}");
  refuses("found more than 1048576 bytes", std::string(1'100'000, ' ') + "{}");
  std::string keys = "{";
  for (int i = 0; i < 60'000; ++i) keys += "\"k" + std::to_string(i) + "\":1,";
  refuses("found more than 1000 keys", keys + "\"schema\":1}");
}

TEST(LinkProfile, OfTheLargestRegionsHasNumbersForAnswers) {
  LinkProfile p = default_link_profile();
  p.reach = {{ZeroCopyWay::Malloc, ~std::uint64_t{1}, 1e29, {1, 1, 1, 1}},
             {ZeroCopyWay::Malloc, ~std::uint64_t{0} - 512, 1e-29, {1, 1, 1, 1}}};
  for (const std::uint64_t region : {std::uint64_t{1}, ~std::uint64_t{256}, ~std::uint64_t{0}})
    EXPECT_GT(zero_copy_ceiling(p, ZeroCopyWay::Malloc, region), 0);
}

TEST(LinkProfile, BestWayIsTheFastestScatteredReaderWhereAllWereMeasured) {
  LinkProfile p = sample();
  EXPECT_EQ(best_way(p), ZeroCopyWay::Managed);        // at 2 GiB: 25 by register, 39 by managed
  EXPECT_EQ(best_way(p, kGi), ZeroCopyWay::Register);  // 41 is not 5 % above 40
  p.reach[2].random = 43;
  EXPECT_EQ(best_way(p, kGi), ZeroCopyWay::Managed);
  p.reach.clear();
  EXPECT_EQ(best_way(p), ZeroCopyWay::Malloc);
  EXPECT_EQ(best_way(default_link_profile()), ZeroCopyWay::Managed);
  EXPECT_EQ(best_way(default_link_profile(), kGi / 2), ZeroCopyWay::Malloc);
}

TEST(LinkProfile, CeilingInterpolatesBetweenRegions) {
  const LinkProfile p = sample();
  EXPECT_DOUBLE_EQ(zero_copy_ceiling(p, ZeroCopyWay::Register, kGi), 40);
  EXPECT_DOUBLE_EQ(zero_copy_ceiling(p, ZeroCopyWay::Register, 2 * kGi), 25);
  EXPECT_DOUBLE_EQ(zero_copy_ceiling(p, ZeroCopyWay::Register, 4 * kGi), 10);
  EXPECT_DOUBLE_EQ(zero_copy_ceiling(p, ZeroCopyWay::Register, 1), 40);
  EXPECT_DOUBLE_EQ(zero_copy_ceiling(p, ZeroCopyWay::Register, 100 * kGi), 10);
  EXPECT_DOUBLE_EQ(zero_copy_ceiling(p, ZeroCopyWay::Malloc, 4 * kGi), 10);  // not measured
  LinkProfile empty;
  expect_error(ErrorCode::BadInput, "no translation reach",
               [&] { zero_copy_ceiling(empty, ZeroCopyWay::Malloc, kGi); });
}

TEST(LinkProfile, SweepCeilingTakesTheNextLargerStride) {
  const LinkProfile p = sample();
  EXPECT_EQ(sweep_ceiling(p, ZeroCopyWay::Register, kGi, 1), 49);
  EXPECT_EQ(sweep_ceiling(p, ZeroCopyWay::Malloc, kGi, 1), 48);  // the slowest measured
  EXPECT_EQ(sweep_ceiling(p, ZeroCopyWay::Register, kGi, 8), 48);
  EXPECT_EQ(sweep_ceiling(p, ZeroCopyWay::Register, kGi, 9), 47);
  EXPECT_EQ(sweep_ceiling(p, ZeroCopyWay::Register, kGi, 512), 20);
  EXPECT_EQ(sweep_ceiling(p, ZeroCopyWay::Register, kGi, 513), 40);  // as random lines
}

TEST(LinkProfile, CopyCostsAFixedTimeAndItsBytes) {
  LinkProfile p = sample();
  const double fixed = 65536 / 16e9 - 65536 / 50e9;
  EXPECT_NEAR(copy_cost(p, 0), fixed, 1e-12);
  EXPECT_NEAR(copy_cost(p, 1 << 30), fixed + double{1 << 30} / 50e9, 1e-9);
  EXPECT_NEAR(copy_cost(p, 1 << 16), 65536 / 16e9, 1e-12);
  p.copies.chunked = {{1 << 16, 60}};  // faster than one large copy: no fixed cost
  EXPECT_EQ(copy_cost(p, 0), 0);
  EXPECT_NEAR(copy_cost(default_link_profile(), 0), 2.7e-6, .2e-6);
}

TEST(LinkProfile, UuidIsWrittenAsTheDriverDoes) {
  const std::array<unsigned char, 16> bytes = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                               0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
  EXPECT_EQ(gpu_uuid(bytes), kUuid);
}

class LinkProfileFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "link-profile-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    ::setenv("XDG_CACHE_HOME", (directory_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_CACHE_HOME");
    fs::remove_all(directory_);
  }
  fs::path directory_;
};

TEST_F(LinkProfileFile, IsKeptPerDeviceInTheCacheDirectory) {
  EXPECT_FALSE(load_link_profile(kUuid));
  const std::string path = save_link_profile(sample());
  EXPECT_EQ(path,
            (directory_ / "cache/fathom" / (std::string("link-") + kUuid + ".json")).string());
  EXPECT_EQ(load_link_profile(kUuid).value().device, "Test \"GPU\"");
  EXPECT_FALSE(load_link_profile("GPU-0"));
  const std::string elsewhere = (directory_ / "p.json").string();
  EXPECT_EQ(save_link_profile(sample(), elsewhere), elsewhere);
  EXPECT_EQ(read_link_profile(elsewhere).driver, sample().driver);
}

TEST_F(LinkProfileFile, PlaceFollowsTheEnvironment) {
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  const char* const home = std::getenv("HOME");
  const std::string before = home ? home : "";
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(link_profile_path("GPU-1"), "/home/someone/.cache/fathom/link-GPU-1.json");
  ::unsetenv("HOME");
  expect_error(ErrorCode::Usage, "XDG_CACHE_HOME or HOME", [] { link_profile_path("GPU-1"); });
  if (home) ::setenv("HOME", before.c_str(), 1);
  expect_error(ErrorCode::Usage, "found '../x'", [] { link_profile_path("../x"); });
  expect_error(ErrorCode::Usage, "uuid", [] { link_profile_path(""); });
}

TEST_F(LinkProfileFile, UnreadableAndDamagedFilesAreErrorsThatNameThem) {
  expect_error(ErrorCode::Io, "missing.json", [] { read_link_profile("/nowhere/missing.json"); });
  const std::string path = save_link_profile(sample());
  fs::resize_file(path, fs::file_size(path) / 2);
  expect_error(ErrorCode::BadInput, path, [] { load_link_profile(kUuid); });
}

}  // namespace
}  // namespace fathom
