// What reports say of host memory for GPUs: sums, each block once, and what was refused.
#include "fathom/residency/host_memory.hpp"

#include <gtest/gtest.h>

#include "fathom/exec/pinned_pieces.hpp"

namespace fathom {
namespace {

TEST(HostMemoryReport, CountsABlockOnceAndSaysAThingOnce) {
  const std::vector<std::byte> a(10), b(20);
  HostMemoryReport report;
  EXPECT_EQ(report.bytes(), 0u);
  const HostMemoryBlock first{a.data(), "file", 10, 4, .5, .25, "refused"};
  report.add(first);
  report.add(first);  // of another source that shares it
  report.add({b.data(), "file", 20, 20, 1, 0, "refused"});
  report.add({&report, "managed", 5, 0, 0, 0, ""});
  EXPECT_EQ(report.ways(), (std::vector<std::string>{"file", "managed"}));
  EXPECT_EQ(report.notes(), std::vector<std::string>{"refused"});
  EXPECT_EQ(report.bytes(), 35u);
  EXPECT_EQ(report.pinned_bytes(), 24u);
  EXPECT_EQ(report.seconds(), 1.5);
  EXPECT_EQ(report.background_seconds(), .25);
}

TEST(HostMemoryReport, SaysHowMuchTheDriverRefusedAndWhy) {
  class OneOnly final : public HostPinner {
    std::string pin(const std::byte*, std::size_t) override {
      return pinned_++ == 0 ? "" : "locked memory is limited";
    }
    void unpin(const std::byte*) noexcept override {}
    int pinned_ = 0;
  };
  const std::vector<std::byte> memory(3000);
  PinnedPieces pieces(std::make_shared<OneOnly>(), memory, PinnedPieces::kAll, 1000);
  EXPECT_FALSE(pieces.wait());
  const HostMemoryBlock block = block_of(pieces, "file");
  EXPECT_EQ(block.at, memory.data());
  EXPECT_EQ(block.bytes, 3000u);
  EXPECT_EQ(block.pinned_bytes, 1000u);
  EXPECT_NE(block.note.find("locked memory is limited"), std::string::npos) << block.note;
}

}  // namespace
}  // namespace fathom
