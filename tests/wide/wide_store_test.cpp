// .fg files of graphs with more than 2^32 vertices, both layouts: opened, mapped, read past the
// page cache, and seen through their views. All but a few megabytes of each file is a hole.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/ssd/slotted_rvt.hpp"
#include "fathom/residency/ssd/ssd_supply.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/slotted/mapped_pages.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/wide/wide_graph.hpp"

namespace fathom::store {
namespace {

using fathom::testing::expect_error;

/// Writes a .fg file whose sections are zeros but for a few pieces.
class SparseFile {
 public:
  struct Piece {
    std::uint64_t at;  // in the section; where a checksum block begins
    std::span<const std::byte> bytes;
  };

  explicit SparseFile(const std::string& path)
      : file_(::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600)) {}
  ~SparseFile() { ::close(file_); }

  void section(SectionId id, std::uint64_t bytes, const std::vector<Piece>& pieces,
               std::uint32_t element = 0) {
    SectionEntry entry{};
    const std::string_view name = name_of(id);
    std::copy(name.begin(), name.end(), entry.name);
    entry.offset = end_;
    entry.bytes = bytes;
    entry.element_bytes = element > 0 ? element : element_bytes(id);
    entry.first_checksum = checksums_.size();
    const std::vector<std::byte> zeros(kBlockBytes);
    const std::uint64_t hole = checksum(zeros);
    const std::uint64_t blocks = blocks_of(bytes);
    std::vector<std::uint64_t> sums(blocks, hole);
    if (blocks > 0) sums.back() = checksum(std::span(zeros).first(block_bytes(entry, blocks - 1)));
    for (const Piece& piece : pieces) {
      put(entry.offset + piece.at, piece.bytes);
      for (std::uint64_t done = 0; done < piece.bytes.size(); done += kBlockBytes) {
        const std::uint64_t block = (piece.at + done) / kBlockBytes;
        std::vector<std::byte> content(block_bytes(entry, block));
        const auto part = piece.bytes.subspan(done);
        std::copy_n(part.begin(), std::min(part.size(), content.size()), content.begin());
        sums[block] = checksum(content);
      }
    }
    entry.checksum_hash = checksum(std::as_bytes(std::span(sums)));
    checksums_.insert(checksums_.end(), sums.begin(), sums.end());
    layout_.sections.push_back(entry);
    end_ += padded(bytes);
  }
  /// offset[0 .. vertices], zeros before `from` and `of(v)` from there on.
  template <class Of>
  void offsets(VertexId vertices, VertexId from, const Of& of) {
    constexpr VertexId kPerBlock = kBlockBytes / sizeof(EdgeId);
    std::vector<EdgeId> tail;
    const VertexId first = from / kPerBlock * kPerBlock;
    for (VertexId v = first; v <= vertices; ++v) tail.push_back(v < from ? 0 : of(v));
    section(SectionId::OutOffsets, (vertices + 1) * sizeof(EdgeId),
            {{first * sizeof(EdgeId), std::as_bytes(std::span(tail))}});
  }
  void write(Header header) {
    section(SectionId::Degrees, sizeof(DegreeSummary), {});
    layout_.checksums_offset = end_;
    layout_.file_bytes = end_ + checksums_.size() * sizeof(std::uint64_t);
    header.fingerprint = 0;
    layout_.header = header;
    if (!header.slotted) layout_.header.fingerprint = fingerprint_of(layout_);
    put(end_, std::as_bytes(std::span(checksums_)));
    put(0, encode_header(layout_));
  }

 private:
  void put(std::uint64_t at, std::span<const std::byte> bytes) const {
    ASSERT_EQ(::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }

  int file_;
  Layout layout_;
  std::uint64_t end_ = kPageBytes;
  std::vector<std::uint64_t> checksums_;
};

std::shared_ptr<PageBuffer> buffer_of(const Context& ctx, const std::string& path) {
  return std::make_shared<PageBuffer>(ctx, path, PagingOptions{});
}

class WideSlotted : public ::testing::TestWithParam<WideShape> {
 protected:
  WideSlotted() : graph_(GetParam()), path_(directory_.file("wide.fg")) {
    const RvtTables tables(graph_.rvt, graph_.vertices);
    std::vector<std::vector<std::byte>> pages;
    std::vector<SparseFile::Piece> pieces;
    for (std::size_t p = graph_.hub_page(); p <= graph_.page; ++p) {
      pages.push_back(graph_.encoded(tables, p));
      pieces.push_back({p * std::uint64_t{graph_.layout.page_bytes}, pages.back()});
      graph_.rvt[p].checksum = checksum(pages.back());
    }
    const std::uint32_t format[] = {graph_.layout.pid_bytes, graph_.layout.slot_bytes,
                                    slotted::kVidBytes, 0};
    SparseFile file(path_);
    file.offsets(graph_.vertices, graph_.hub + 1, [&](VertexId v) {
      const VertexId in_page = std::min<VertexId>(v - graph_.first, graph_.shape.vertices_per_page);
      return graph_.hub_degree + graph_.offset[in_page];
    });
    file.section(SectionId::Slotted, sizeof format, {{0, std::as_bytes(std::span(format))}});
    file.section(SectionId::OutRvt, graph_.rvt.size() * sizeof(RvtEntry),
                 {{0, std::as_bytes(std::span(graph_.rvt))}});
    file.section(SectionId::OutPages, graph_.rvt.size() * std::uint64_t{graph_.layout.page_bytes},
                 pieces, graph_.layout.page_bytes);
    Header header;
    header.vertices = graph_.vertices;
    header.edges = graph_.edges;
    header.weighted = graph_.shape.weighted;
    header.slotted = graph_.layout;
    file.write(header);
  }

  WideGraph graph_;
  TemporaryDirectory directory_;
  std::string path_;
};

TEST_P(WideSlotted, IsOpenedAndNamesItsVertices) {
  const auto store = Store::open(path_);
  EXPECT_EQ(store->header().vertices, graph_.vertices);
  EXPECT_EQ(store->header().edges, graph_.edges);
  EXPECT_EQ(store->header().slotted, graph_.layout);
  EXPECT_EQ(store->label(graph_.hub), std::to_string(graph_.hub));
  EXPECT_EQ(store->find(std::to_string(graph_.first + 9)), graph_.first + 9);
  EXPECT_EQ(store->find(std::to_string(graph_.vertices)), std::nullopt);
  const SlottedStatistics statistics = store->slotted_out_statistics().value();
  EXPECT_EQ(statistics.large_pages, WideGraph::kHubPages);
  EXPECT_EQ(statistics.vertices_on_small, graph_.vertices - 1);
  EXPECT_EQ(statistics.bytes, graph_.rvt.size() << 20);
}

TEST_P(WideSlotted, HasOffsetsBehindThatOfVertex2To32) {
  const StoreFile file(path_);
  const auto lists = StoredLists::open(file, Lists::Out);
  std::vector<EdgeId> offset(4);
  lists->offsets(graph_.hub - 1, offset);
  EXPECT_EQ(offset,
            (std::vector<EdgeId>{0, 0, graph_.hub_degree, graph_.hub_degree + WideGraph::kDegree}));
  lists->offsets(graph_.vertices - 3, offset);
  EXPECT_EQ(offset, std::vector<EdgeId>(4, graph_.edges));
}

TEST_P(WideSlotted, ChecksItsMappedPages) {
  MappedSections sections(path_);
  MappedPages pages(sections, slotted_layout(sections).value(), SectionId::OutOffsets,
                    SectionId::OutRvt, SectionId::OutPages);
  pages.statistics();  // reads the RVT
  pages.check(graph_.hub_page(), WideGraph::kHubPages + 1);
  expect_error(
      ErrorCode::BadInput, [&] { pages.check(graph_.page + 1, 1); },  // of which there is a hole
      "page " + std::to_string(graph_.page + 1) + " ");
}

TEST_P(WideSlotted, ComesFromDiskPageByPageAndIsSeenThroughItsView) {
  CpuOptions options;
  options.host_memory = std::size_t{32} << 20;
  const Context ctx = Context::cpu(options);
  const auto buffer = buffer_of(ctx, path_);
  const auto rvt = read_rvt(ctx, buffer->reads(), SectionId::OutRvt, SectionId::OutPages);
  EXPECT_TRUE(std::ranges::equal(rvt->lists.rvt, graph_.rvt));
  const RvtTables tables(rvt->lists.rvt, graph_.vertices);
  SsdSupply supply(ctx, buffer, {SectionId::OutOffsets, SectionId::OutPages, {}}, 1u << 20);
  ASSERT_EQ(supply.pages(), graph_.rvt.size());
  std::vector<const std::byte*> page_at(supply.pages(), nullptr);
  supply.start(std::vector{graph_.page, graph_.page - 3, graph_.page - 2, graph_.page - 1}, true);
  while (const auto page = supply.next()) page_at[page->page] = page->data;
  const SlottedEdges edges = slotted_edges(page_at.data(), tables.view(), rvt->lists.layout);
  EdgeId at = 0;
  for (VertexId v = graph_.hub; v < graph_.first + graph_.shape.vertices_per_page; ++v) {
    EdgeCursor cursor = edges.begin(v);
    for (SlottedSpan s; edges.next(cursor, s);)
      for (std::uint32_t k = 0; k < s.size; ++k, ++at) {
        ASSERT_EQ(s.target(k), graph_.target[at]) << v;
        if (graph_.shape.weighted) {
          ASSERT_EQ(s.weight(k), graph_.weight[at]) << v;
        }
      }
  }
  EXPECT_EQ(at, graph_.edges);
  supply.stop();
  expect_error(ErrorCode::BadInput, [&] {
    supply.start(std::vector{graph_.page + 1}, true);
    supply.next();
  });
}

INSTANTIATE_TEST_SUITE_P(TwoWidths, WideSlotted, ::testing::Values(kWideShapes[1], kWideShapes[2]));

/// The last vertices of 2^32 and some have lists in CSR.
class WideCsr : public ::testing::Test {
 protected:
  static constexpr VertexId kVertices = kBeyond32Bits + 200'000, kListed = 100;
  static constexpr VertexId kFirst = kVertices - kListed;
  static constexpr EdgeId kEdges = kListed * (kListed + 1) / 2;  // list i has i + 1

  WideCsr() : path_(directory_.file("wide.fg")) {
    std::mt19937_64 random(5);
    for (VertexId i = 0; i < kListed; ++i) {
      const std::size_t list = target_.size();
      for (VertexId k = 0; k <= i; ++k)
        target_.push_back(k % 4 == 0 ? kFirst + k : random() % kVertices);
      std::sort(target_.begin() + static_cast<std::ptrdiff_t>(list), target_.end());
    }
    for (EdgeId e = 0; e < kEdges; ++e) weight_.push_back(static_cast<Weight>(random() % 1000));
    write();
  }
  void write() {
    SparseFile file(path_);
    file.offsets(kVertices, kFirst, offset);
    file.section(SectionId::OutTargets, kEdges * sizeof(VertexId),
                 {{0, std::as_bytes(std::span(target_))}});
    file.section(SectionId::OutWeights, kEdges * sizeof(Weight),
                 {{0, std::as_bytes(std::span(weight_))}});
    Header header;
    header.vertices = kVertices;
    header.edges = kEdges;
    header.weighted = true;
    header.labels = LabelKind::Offset;
    header.label_base = 1;
    file.write(header);
  }
  static EdgeId offset(VertexId v) { return (v - kFirst) * (v - kFirst + 1) / 2; }

  /// Holds the view's lists against the file's.
  template <class Edges>
  void see(const Edges& edges) const {
    EdgeId at = 0;
    for (VertexId v = kFirst - 2; v < kVertices; ++v) {
      EdgeCursor cursor = edges.begin(v);
      for (typename Edges::Span s; edges.next(cursor, s);)
        for (std::uint32_t k = 0; k < s.size; ++k, ++at) {
          ASSERT_EQ(s.target(k), target_[at]) << v;
          ASSERT_EQ(s.weight(k), weight_[at]) << v;
        }
      ASSERT_EQ(at, v < kFirst ? 0 : offset(v + 1)) << v;
    }
  }

  TemporaryDirectory directory_;
  std::string path_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

TEST_F(WideCsr, NamesItsVerticesAndHasTheirLists) {
  const auto store = Store::open(path_);
  EXPECT_EQ(store->header().vertices, kVertices);
  EXPECT_EQ(store->label(kVertices - 1), std::to_string(kVertices));
  EXPECT_EQ(store->find(std::to_string(kVertices)), kVertices - 1);
  EXPECT_EQ(store->find(std::to_string(kVertices + 1)), std::nullopt);

  const StoreFile file(path_);
  const auto lists = StoredLists::open(file, Lists::Out);
  std::vector<EdgeId> offsets(3);
  lists->offsets(kVertices - 2, offsets);
  EXPECT_EQ(offsets, (std::vector<EdgeId>{kEdges - 2 * kListed + 1, kEdges - kListed, kEdges}));
  std::vector<VertexId> target(kEdges);
  std::vector<Weight> weight(kEdges);
  lists->edges(0, target, weight);
  EXPECT_EQ(target, target_);
  EXPECT_EQ(weight, weight_);
}

TEST_F(WideCsr, IsSeenThroughItsViewsWhereItIsMapped) {
  MappedSections sections(path_);
  FlatEdges flat;
  // Of 32 GiB of offsets the view reads a page.
  flat.offset = reinterpret_cast<const EdgeId*>(sections.unchecked(SectionId::OutOffsets).data());
  flat.target = sections.touch<VertexId>(SectionId::OutTargets, 1).data();
  flat.weight = sections.touch<Weight>(SectionId::OutWeights, 1).data();
  see(flat);

  constexpr std::uint32_t kShift = 6;
  std::vector<const VertexId*> page_target;
  std::vector<const Weight*> page_weight;
  for (EdgeId e = 0; e < kEdges; e += EdgeId{1} << kShift) {
    page_target.push_back(flat.target + e);
    page_weight.push_back(flat.weight + e);
  }
  see(PagedEdges{flat.offset, page_target.data(), page_weight.data(), kShift});
}

TEST_F(WideCsr, ComesFromDiskPageByPage) {
  const Context ctx = Context::cpu();
  SsdSupply supply(ctx, buffer_of(ctx, path_),
                   {SectionId::OutOffsets, SectionId::OutTargets, SectionId::OutWeights}, 4096);
  ASSERT_EQ(supply.pages(), (kEdges * sizeof(VertexId) + 4095) / 4096);
  EXPECT_EQ(supply.vertices(), kVertices);
  std::vector<std::size_t> wanted(supply.pages());
  for (std::size_t p = 0; p < wanted.size(); ++p) wanted[p] = p;
  supply.start(wanted, true);
  EdgeId seen = 0;
  while (const auto page = supply.next()) {
    const std::size_t first = page->page * (4096 / sizeof(VertexId));
    EXPECT_TRUE(std::equal(page->targets(), page->targets() + page->count(),
                           target_.begin() + static_cast<std::ptrdiff_t>(first)));
    EXPECT_TRUE(std::equal(page->weights(), page->weights() + page->count(),
                           weight_.begin() + static_cast<std::ptrdiff_t>(first)));
    seen += page->count();
    supply.release(page->page);
  }
  EXPECT_EQ(seen, kEdges);
}

TEST_F(WideCsr, IsRefusedWhenItNamesAVertexThatIsNotThere) {
  target_.back() = kVertices;
  write();
  const std::string named = "names vertex " + std::to_string(kVertices);
  const StoreFile file(path_);
  std::vector<VertexId> target(kEdges);
  expect_error(
      ErrorCode::BadInput, [&] { StoredLists::open(file, Lists::Out)->edges(0, target, {}); },
      named);
  MappedSections sections(path_);
  expect_error(
      ErrorCode::BadInput, [&] { sections.touch<VertexId>(SectionId::OutTargets, 1); }, named);
}

}  // namespace
}  // namespace fathom::store
