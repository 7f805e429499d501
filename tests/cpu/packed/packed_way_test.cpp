// How a GPU comes to packed lists, by what was asked for and what fits.
#include "fathom/residency/packed/packed_way.hpp"

#include <gtest/gtest.h>

namespace fathom::detail {
namespace {

using Kind = ResidencyOptions::Kind;

/// A letter for what Auto means for lists of a size: r, z or s.
Resolved resolved(char kind) {
  switch (kind) {
    case 'r':
      return {Kind::Resident, "they fit"};
    case 'z':
      return {Kind::ZeroCopy, "they do not fit"};
    default:
      return {Kind::Stream, "they are swept"};
  }
}

struct Case {
  Kind asked;
  PackedReads reads;
  char unpacked, packed;
  Kind kind;
  bool in_place;
};

TEST(PackedWay, IsTheFastestOfThoseThatFit) {
  using enum PackedReads;
  for (const Case& c : {
           Case{Kind::Auto, Auto, 'r', 'r', Kind::Resident, false},
           {Kind::Auto, Auto, 'z', 'r', Kind::Resident, true},
           {Kind::Auto, Auto, 's', 'r', Kind::Resident, true},
           {Kind::Auto, Auto, 'z', 'z', Kind::ZeroCopy, true},
           {Kind::Auto, Auto, 's', 'z', Kind::ZeroCopy, true},
           {Kind::Auto, Auto, 's', 's', Kind::Stream, false},
           {Kind::Resident, Auto, 'r', 'r', Kind::Resident, false},
           {Kind::Resident, Auto, 'z', 'r', Kind::Resident, true},
           {Kind::ZeroCopy, Auto, 'r', 'r', Kind::ZeroCopy, true},
           {Kind::Managed, Auto, 'z', 'r', Kind::Managed, false},
           {Kind::Stream, Auto, 'z', 'z', Kind::Stream, false},
       }) {
    const PackedWay way =
        choose_packed_way(c.asked, c.reads, resolved(c.unpacked), resolved(c.packed));
    const auto what = static_cast<int>(c.asked) * 100 + c.unpacked + c.packed;
    EXPECT_EQ(way.resolved.kind, c.kind) << what;
    EXPECT_EQ(way.in_place, c.in_place) << what;
    EXPECT_EQ(way.resolved.reason.find("in place") != std::string::npos, c.in_place) << what;
  }
}

// Over the link packed lists take less than pages of them do, swept or not; where vertex state may
// have to be split they stream.
TEST(PackedWay, SweepsListsInPlaceWhereStateIsWhole) {
  GpuNeeds needs;
  needs.list_bytes = std::uint64_t{8} << 30;
  needs.vertices = std::uint64_t{1} << 24;
  needs.left = std::uint64_t{2} << 30;
  needs.sweeps = true;
  EXPECT_EQ(choose_for_gpu(needs).kind, Kind::Stream);
  needs.in_place = true;
  EXPECT_EQ(choose_for_gpu(needs).kind, Kind::ZeroCopy);
  needs.left = std::uint64_t{1} << 29;
  EXPECT_EQ(choose_for_gpu(needs).kind, Kind::Stream) << "state";
  needs.left = std::uint64_t{2} << 30;
  needs.host_left = std::uint64_t{1} << 30;
  EXPECT_EQ(choose_for_gpu(needs).kind, Kind::Stream) << "host memory";
}

TEST(PackedWay, IsWhatWasAskedForAsFarAsTheResidencyLeavesAChoice) {
  using enum PackedReads;
  for (const Case& c : {
           Case{Kind::Auto, InPlace, 'r', 'r', Kind::Resident, true},
           {Kind::Auto, InPlace, 's', 's', Kind::Stream, false},
           {Kind::Auto, Unpacked, 'z', 'r', Kind::ZeroCopy, false},
           {Kind::Resident, InPlace, 'r', 'r', Kind::Resident, true},
           {Kind::Resident, Unpacked, 's', 'r', Kind::Resident, false},
           {Kind::ZeroCopy, Unpacked, 's', 'z', Kind::ZeroCopy, false},
           {Kind::Stream, InPlace, 'r', 'r', Kind::Stream, false},
           {Kind::Managed, InPlace, 'r', 'r', Kind::Managed, false},
       }) {
    const PackedWay way =
        choose_packed_way(c.asked, c.reads, resolved(c.unpacked), resolved(c.packed));
    const auto what = static_cast<int>(c.asked) * 100 + c.unpacked + c.packed;
    EXPECT_EQ(way.resolved.kind, c.kind) << what;
    EXPECT_EQ(way.in_place, c.in_place) << what;
  }
}

}  // namespace
}  // namespace fathom::detail
