// Stores with packed lists: made of others and by generators, they hold the same graph.
#include <gtest/gtest.h>

#include <fstream>

#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/packed/packed_lists.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using fathom::testing::expect_error;

class PackedStores : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }

  static Header packed(const std::string& from, const std::string& to) {
    RepackOptions options;
    options.packed = true;
    options.threads = 2;
    return repack(from, to, options);
  }
  static void expect_sound(const std::string& path) { Store::open(path)->verify(2, {}); }

  static std::vector<std::byte> section(const std::string& path, SectionId id) {
    const StoreFile store(path);
    const SectionEntry* const entry = store.layout().find(id);
    if (!entry) return {};
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry->bytes));
    if (!bytes.empty()) store.read_at(entry->offset, bytes);
    return bytes;
  }

  TemporaryDirectory directory_;
};

TEST_F(PackedStores, AGraphComesBackFromThem) {
  for (const bool weighted : {false, true})
    for (const std::size_t edges : {0u, 1u, 1023u, 1024u, 1025u, 200'000u}) {
      Sample sample = random_sample(500, edges, weighted);
      sample.in_edges = true;
      const std::string plain = file("plain.fg"), pack = file("packed.fg"), back = file("back.fg");
      write_sample(plain, sample);
      const Header made = packed(plain, pack);
      ASSERT_TRUE(made.packed);
      EXPECT_EQ(made.version, kFormatVersionCoded);
      EXPECT_EQ(made.weighted, weighted && edges > 0);
      expect_sound(pack);
      repack(pack, back, RepackOptions{});
      for (const SectionId id :
           {SectionId::OutOffsets, SectionId::OutTargets, SectionId::OutWeights,
            SectionId::InOffsets, SectionId::InTargets, SectionId::InWeights, SectionId::Degrees})
        EXPECT_EQ(section(back, id), section(plain, id)) << name_of(id);
      EXPECT_EQ(Store::open(back)->header().fingerprint, made.fingerprint);
      EXPECT_EQ(Store::open(plain)->header().fingerprint, made.fingerprint);
      if (edges > 100'000) {
        EXPECT_LT(section(pack, SectionId::OutPacked).size(), edges * 2);
      }
      expect_error(
          ErrorCode::Usage, [&] { Store::open(pack)->out(); }, "packed");
    }
}

/// The same bytes as from a file in CSR, without one.
TEST_F(PackedStores, GeneratorsWriteThemAtOnce) {
  for (const bool undirected : {false, true})
    for (const auto duplicates : {graph::Duplicates::Keep, graph::Duplicates::Min}) {
      generate::Spec spec;
      spec.scale = 14;
      spec.edge_factor = 20;
      ConvertOptions options;
      options.undirected = undirected;
      options.build.undirected = undirected;
      options.build.duplicates = duplicates;
      options.build.threads = 3;
      const generate::Generator generator(spec);
      const std::string plain = file("plain.fg"), from_it = file("packed.fg"),
                        at_once = file("g.fg");
      generate(generator, plain, options);
      packed(plain, from_it);
      options.packed = true;
      options.build.memory = std::size_t{64} << 20;
      const Header header = generate(generator, at_once, options);
      expect_sound(at_once);
      EXPECT_EQ(header.fingerprint, Store::open(plain)->header().fingerprint);
      for (const SectionId id :
           {SectionId::OutOffsets, SectionId::OutPacked, SectionId::OutPackedIndex,
            SectionId::InOffsets, SectionId::InPacked, SectionId::InPackedIndex})
        EXPECT_EQ(section(at_once, id), section(from_it, id)) << name_of(id);
    }
}

TEST_F(PackedStores, StayPackedInAnotherOrder) {
  Sample sample = random_sample(300, 5000, true);
  sample.in_edges = true;
  write_sample(file("plain.fg"), sample);
  packed(file("plain.fg"), file("packed.fg"));
  std::vector<VertexId> position(300);
  for (VertexId v = 0; v < 300; ++v) position[v] = (v * 7 + 3) % 300;
  permute(file("packed.fg"), file("moved.fg"), position, PermuteOptions{});
  permute(file("plain.fg"), file("moved_plain.fg"), position, PermuteOptions{});
  const auto moved = Store::open(file("moved.fg"));
  EXPECT_TRUE(moved->header().packed);
  expect_sound(file("moved.fg"));
  EXPECT_EQ(moved->header().fingerprint, Store::open(file("moved_plain.fg"))->header().fingerprint);
}

TEST_F(PackedStores, RefuseWhatTheyHaveNoPlaceFor) {
  Sample sample = random_sample(30, 500, true);
  sample.edge_fields = true;
  write_sample(file("fields.fg"), sample);
  expect_error(
      ErrorCode::Usage, [&] { packed(file("fields.fg"), file("x.fg")); }, "timestamps");
  RepackOptions both;
  both.packed = both.narrow = true;
  expect_error(
      ErrorCode::Usage, [&] { repack(file("fields.fg"), file("x.fg"), both); }, "one of these");
  EXPECT_FALSE(std::ifstream(file("x.fg")).good());
}

}  // namespace
}  // namespace fathom::store
