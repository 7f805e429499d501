// The threads that serve several GPUs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/exec/device_team.hpp"

namespace fathom {
namespace {

TEST(DeviceTeam, CallsTheBodyOnceForEachDeviceInEveryRound) {
  for (const std::size_t devices : {1, 2, 5}) {
    DeviceTeam team(devices);
    std::vector<int> calls(devices, 0);
    for (int round = 1; round <= 200; ++round) {
      team.run([&](std::size_t d) { ++calls[d]; });
      EXPECT_EQ(calls, std::vector<int>(devices, round));
    }
  }
}

TEST(DeviceTeam, CallsForAllDevicesAreUnderWayAtTheSameTime) {
  constexpr std::size_t kDevices = 4;
  DeviceTeam team(kDevices);
  std::barrier meet(kDevices);  // would wait for ever otherwise
  team.run([&](std::size_t) { meet.arrive_and_wait(); });
}

TEST(DeviceTeam, TheFailureOfTheFirstDeviceIsThrownWhenAllAreDone) {
  DeviceTeam team(4);
  std::atomic<int> done{0};
  for (int round = 0; round < 3; ++round) {
    done = 0;
    try {
      team.run([&](std::size_t d) {
        ++done;
        if (d > 0 && d < 3) throw Error(ErrorCode::Device, std::to_string(d));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "1");
    }
    EXPECT_EQ(done, 4);
  }
  team.run([&](std::size_t) { ++done; });
  EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace fathom
