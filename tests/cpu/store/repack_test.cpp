// CSR to slotted pages and back through files: nothing is lost, damage is found, limits are kept.
#include "fathom/store/make/repack.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

RepackOptions slotted(const SlottedOptions& pages = {64 * kKi, 3, 3}) {
  RepackOptions options;
  options.slotted = pages;
  options.provenance = "repacked";
  options.threads = 2;
  return options;
}

/// Large and small pages of 64 KiB.
Sample sample_with_hub(bool weighted) {
  Sample s = random_sample(4000, 50'000, weighted);
  for (VertexId v = 0; v < 4000; ++v)
    for (int i = 0; i < 6; ++i) s.edges.push_back({42, v, static_cast<Weight>(i)});
  s.in_edges = true;
  return s;
}

class Repack : public ::testing::Test {
 protected:
  // Whether two files are the same graph with the same lists; either may be slotted.
  static void expect_same_graph(Store& a, Store& b) {
    EXPECT_EQ(a.header().fingerprint, b.header().fingerprint);
    EXPECT_EQ(a.header().vertices, b.header().vertices);
    EXPECT_EQ(a.header().edges, b.header().edges);
    EXPECT_EQ(a.header().weighted, b.header().weighted);
    EXPECT_EQ(a.header().has_in_edges, b.header().has_in_edges);
    EXPECT_EQ(a.out_degrees(), b.out_degrees());
    EXPECT_EQ(a.in_degrees(), b.in_degrees());
    auto lists = [](Store& s, bool in) {
      Csr csr;
      if (s.header().slotted) csr = unpack(in ? *s.slotted_in() : *s.slotted_out());
      const CsrView g = s.header().slotted ? csr.view() : in ? *s.in() : s.out();
      std::vector<std::tuple<VertexId, VertexId, Weight>> edges;
      for (VertexId v = 0; v < g.vertices; ++v)
        for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e)
          edges.emplace_back(v, g.target[e], g.weight ? g.weight[e] : 1);
      return edges;
    };
    EXPECT_TRUE(lists(a, false) == lists(b, false));
    if (a.header().has_in_edges) {
      EXPECT_TRUE(lists(a, true) == lists(b, true));
    }
    for (VertexId v = 0; v < a.header().vertices; v += 1 + a.header().vertices / 50)
      EXPECT_EQ(a.label(v), b.label(v));
  }

  TemporaryDirectory directory_;
  std::string csr_ = directory_.file("csr.fg"), pages_ = directory_.file("pages.fg"),
              back_ = directory_.file("back.fg");
};

TEST_F(Repack, KeepsTheGraphThereAndBack) {
  std::vector<Sample> samples{
      sample_with_hub(false), sample_with_hub(true), sample_without_edge_fields(), {}};
  samples.push_back({});
  samples.back().vertices = 200'000;  // isolated: slot numbers run out
  samples.push_back({});
  samples.back().vertices = 3;
  samples.back().edges = {{0, 1}, {1, 0}, {1, 2}, {2, 1}};
  samples.back().undirected = true;
  samples.back().labels = LabelKind::Integers;
  samples.back().integers = {5, 7, 900};
  for (const Sample& sample : samples) {
    write_sample(csr_, sample);
    const auto before = Store::open(csr_);
    for (const SlottedOptions& o : {SlottedOptions{64 * kKi, 3, 3},
                                    {1024 * kKi, 2, 2},
                                    {64 * kKi, 4, 2},
                                    {128 * kKi, 2, 4}}) {
      const Header header = repack(csr_, pages_, slotted(o));
      ASSERT_TRUE(header.slotted.has_value());
      const auto store = Store::open(pages_);
      EXPECT_EQ(store->header().slotted, header.slotted);
      EXPECT_EQ(store->header().provenance, "repacked");
      store->verify(2, {});
      expect_same_graph(*before, *store);
      RepackOptions to_csr;
      to_csr.provenance = sample.provenance;
      to_csr.interleave_weights = sample.pairs;
      repack(pages_, back_, to_csr);
      const auto after = Store::open(back_);
      EXPECT_FALSE(after->header().slotted.has_value());
      after->verify(2, {});
      expect_same_graph(*before, *after);
      // From pages to pages of another size.
      repack(pages_, back_, slotted({256 * kKi, 3, 3}));
      Store::open(back_)->verify(2, {});
      expect_same_graph(*before, *Store::open(back_));
    }
  }
}

TEST_F(Repack, KeepsFieldsAndRefusesThoseOfEdgesInPages) {
  const Sample s = sample_with_everything();
  write_sample(csr_, s);
  const auto fields_of = [](const std::string& path) {
    return read_fields(*Store::open(path), 2, MemoryPool::unlimited());
  };
  RepackOptions interleaved;
  interleaved.interleave_weights = true;
  repack(csr_, back_, interleaved);
  Store::open(back_)->verify(2, {});
  EXPECT_TRUE(std::ranges::equal(fields_of(back_).edges, edge_fields_of(s)));
  EXPECT_TRUE(std::ranges::equal(fields_of(back_).vertices, vertex_fields_of(s)));
  expect_error(
      ErrorCode::Usage, [&] { repack(csr_, pages_, slotted()); }, "CSR, not slotted");
  EXPECT_FALSE(std::filesystem::exists(pages_));
  write_sample(csr_, sample_without_edge_fields());
  repack(csr_, pages_, slotted());
  Store::open(pages_)->verify(2, {});
  EXPECT_TRUE(fields_of(pages_).edges.empty());
  EXPECT_TRUE(std::ranges::equal(fields_of(pages_).vertices, vertex_fields_of(s)));
}

TEST_F(Repack, WritesTheSameBytesForAnyThreadsAndMemory) {
  write_sample(csr_, sample_with_hub(true));
  repack(csr_, pages_, slotted());
  const auto expected = read_file(pages_);
  RepackOptions options = slotted();
  options.threads = 1;
  options.memory = std::size_t{32} << 20;
  repack(csr_, pages_, options);
  EXPECT_EQ(read_file(pages_), expected);
}

TEST_F(Repack, CanLeaveOutInEdges) {
  write_sample(csr_, sample_with_hub(false));
  RepackOptions options = slotted();
  options.in_edges = false;
  EXPECT_FALSE(repack(csr_, pages_, options).has_in_edges);
  const auto store = Store::open(pages_);
  store->verify(2, {});
  EXPECT_FALSE(store->slotted_in().has_value());
}

TEST_F(Repack, RefusesWhatCannotBe) {
  write_sample(csr_, sample_with_hub(true));
  expect_error(
      ErrorCode::Usage,
      [&] {
        repack(csr_, pages_, slotted({2048 * kKi, 2, 2}));
      },
      "Table 2");
  RepackOptions options = slotted();
  options.interleave_weights = true;
  expect_error(ErrorCode::Usage, [&] { repack(csr_, pages_, options); });
  options = slotted({65536 * kKi, 3, 3});
  options.memory = std::size_t{64} << 20;
  expect_error(
      ErrorCode::DoesNotFit, [&] { repack(csr_, pages_, options); }, "pages of 64 MiB");
  EXPECT_FALSE(std::filesystem::exists(pages_));
  repack(csr_, pages_, slotted());
  expect_error(
      ErrorCode::Usage, [&] { Store::open(pages_)->out(); }, "slotted");
}

TEST_F(Repack, IsWhatConvertDoesToAStore) {
  write_sample(csr_, sample_with_hub(true));
  ConvertOptions options;
  options.slotted = SlottedOptions{64 * kKi, 3, 3};
  convert({csr_}, pages_, options);
  const auto store = Store::open(pages_);
  store->verify(2, {});
  expect_same_graph(*Store::open(csr_), *store);
}

TEST_F(Repack, ConvertsAndGeneratesSlottedPagesDirectly) {
  const std::string input = directory_.file("e.txt");
  std::ofstream(input) << "7 9\n9 12\n12 7\n7 7\n";
  ConvertOptions options;
  convert({input}, csr_, options);
  options.slotted = SlottedOptions{64 * kKi, 2, 2};
  convert({input}, pages_, options);
  expect_same_graph(*Store::open(csr_), *Store::open(pages_));
  generate::Spec spec;
  spec.kind = generate::Kind::Rmat;
  spec.scale = 10;
  const generate::Generator generator(spec);
  fathom::store::generate(generator, pages_, options);
  options.slotted.reset();
  fathom::store::generate(generator, csr_, options);
  Store::open(pages_)->verify(2, {});
  expect_same_graph(*Store::open(csr_), *Store::open(pages_));
  std::filesystem::remove(input);
  std::filesystem::remove(csr_);
  std::filesystem::remove(pages_);
  EXPECT_TRUE(directory_.empty());  // nothing of the way there is left
}

class DamagedPages : public Repack {
 protected:
  DamagedPages() {
    write_sample(csr_, sample_with_hub(true));
    repack(csr_, pages_, slotted());
    bytes_ = read_file(pages_);
    layout_ = decode_header(pages_, bytes_, bytes_.size());
  }
  template <class Use>
  void refused(std::span<const std::byte> bytes, const Use& use, const std::string& part = "") {
    write_file(pages_, bytes);
    expect_error(
        ErrorCode::BadInput, [&] { use(*Store::open(pages_)); }, part);
  }
  std::vector<std::byte> bytes_;
  Layout layout_;
};

TEST_F(DamagedPages, AreFoundAtFirstTouchNamingThePage) {
  const std::uint64_t first = layout_.find(SectionId::OutPages)->offset;
  std::vector<std::byte> bytes = bytes_;
  bytes[first + 65536 + 77] ^= std::byte{1};
  auto touch = [](Store& s) {
    const SlottedLists lists = *s.slotted_out();
    lists.check(0, 1);
    lists.check(2, 1);
    lists.check(1, 1);
  };
  refused(bytes, touch,
          "section 'out.pages': page 1 (bytes " + std::to_string(first + 65536) + " to " +
              std::to_string(first + 2 * 65536 - 1) + ") does not match its checksum");
  refused(bytes, [](Store& s) { s.verify(2, {}); });
  refused(
      bytes, [&](Store&) { repack(pages_, back_, {}); }, "page 1");
  bytes = bytes_;
  bytes[layout_.find(SectionId::OutRvt)->offset + 40] ^= std::byte{1};
  refused(bytes, touch, "section 'out.rvt'");
}

TEST_F(DamagedPages, AreRefusedWhenChecksumsAreRightButTheContentIsNot) {
  // `at` in section `id`; all checksums right again, those of pages too.
  auto tampered = [&](SectionId id, std::size_t at, std::uint64_t value, std::size_t size) {
    std::vector<std::byte> bytes = bytes_;
    std::memcpy(bytes.data() + layout_.find(id)->offset + at, &value, size);
    reseal(bytes);
    return bytes;
  };
  auto touch_all = [](Store& s) {
    const SlottedLists lists = *s.slotted_out();
    lists.check(0, lists.rvt.size());
  };
  refused(tampered(SectionId::OutPages, 4, 0xffffff, 3), touch_all, "which is not there");
  refused(tampered(SectionId::OutPages, 0, 0x7fffffff, 4), touch_all, "lies over the slots");
  refused(tampered(SectionId::OutPages, 65536 - 10, 5, 6), touch_all, "slot 0 names vertex 5");
  refused(tampered(SectionId::OutPages, 65536 - 4, 6, 4), touch_all, "slot 0 names offset 6");
  refused(tampered(SectionId::OutRvt, 0, 1, 8), touch_all, "section 'out.rvt'");
  refused(tampered(SectionId::Slotted, 0, 5, 4), touch_all, "section 'slotted'");
  refused(tampered(SectionId::OutPages, 4, 0x01000000, 4), [](Store& s) { s.verify(1, {}); });
  // Another weight: only the fingerprint tells.
  refused(tampered(SectionId::OutPages, 10, 0, 4), [](Store& s) { s.verify(1, {}); });
}

TEST_F(DamagedPages, AreRefusedWithDegreesThatAreNotTheirs) {
  std::vector<std::byte> bytes = bytes_;
  std::byte* offsets = bytes.data() + layout_.find(SectionId::OutOffsets)->offset;
  EdgeId first = 0;
  std::memcpy(&first, offsets + 8, 8);
  ASSERT_GT(first, 0u);
  --first;
  std::memcpy(offsets + 8, &first, 8);
  reseal(bytes);
  refused(
      bytes, [](Store& s) { s.verify(1, {}); }, "has");
}

// What writes them anew would otherwise announce more entries than it reads.
TEST_F(DamagedPages, AreNotWrittenAnewWithOffsetsThatDoNotSpanTheEdges) {
  const Header header = layout_.header;
  std::vector<VertexId> same(header.vertices);
  std::iota(same.begin(), same.end(), VertexId{0});
  const auto write_anew = {
      std::function<void(Store&)>([&](Store&) { repack(pages_, back_, {}); }),
      std::function<void(Store&)>([&](Store&) { permute(pages_, back_, same, {}); })};
  std::vector<std::byte> csr = read_file(csr_);
  Layout plain = decode_header(csr_, csr, csr.size());
  for (const auto& [file, layout] : {std::pair(&bytes_, &layout_), std::pair(&csr, &plain)})
    for (const SectionId id : {SectionId::OutOffsets, SectionId::InOffsets}) {
      const SectionEntry* const section = layout->find(id);
      if (!section) continue;
      for (const auto& [at, value] :
           {std::pair(std::uint64_t{0}, EdgeId{1}),
            std::pair(section->bytes - sizeof(EdgeId), header.edges - 1)}) {
        std::vector<std::byte> bytes = *file;
        std::memcpy(bytes.data() + section->offset + at, &value, sizeof(value));
        reseal(bytes);
        for (const auto& anew : write_anew) refused(bytes, anew, "offset");
      }
    }
}

}  // namespace
}  // namespace fathom::store
