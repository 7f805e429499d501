// What StoreWriter leaves on disk: whole files, or nothing.
#include "fathom/store/writer.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

TEST(StoreWriter, LeavesNothingWhenNotCommitted) {
  const TemporaryDirectory directory;
  {
    StoreWriter writer(directory.file("a.fg"));
    writer.section(SectionId::OutTargets).append(std::vector<VertexId>(1 << 20, 3));
    writer.section(SectionId::OutWeights).append(std::vector<Weight>(1 << 20, 3));
  }
  EXPECT_TRUE(directory.empty());
}

TEST(StoreWriter, WritesTheSameBytesWhateverTheOrderOfArrivalWithinSections) {
  const TemporaryDirectory directory;
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  for (VertexId v = 0; v < 700'000; ++v) {
    target.push_back(v);
    weight.push_back(static_cast<Weight>(v) / 2);
    offset.push_back(target.size());
  }
  Header header;
  header.vertices = 700'000;
  for (const char* name : {"whole.fg", "pieces.fg"}) {
    StoreWriter writer(directory.file(name));
    writer.section(SectionId::OutOffsets, offset.size() * 8);
    writer.section(SectionId::OutTargets);
    writer.section(SectionId::OutWeights);
    auto put = [&](SectionId id, auto values, std::size_t piece) {
      for (std::size_t i = 0; i < values.size(); i += piece)
        writer.section(id).append(values.subspan(i, std::min(piece, values.size() - i)));
    };
    const std::size_t piece = name[0] == 'w' ? offset.size() : 1013;
    std::jthread offsets([&] { put(SectionId::OutOffsets, std::span(offset), piece); });
    std::jthread targets([&] { put(SectionId::OutTargets, std::span(target), piece); });
    put(SectionId::OutWeights, std::span(weight), piece);
    offsets.join();
    targets.join();
    writer.append_pairs();
    const Header written = writer.commit(header);
    EXPECT_EQ(written.edges, target.size());
    EXPECT_TRUE(written.weighted);
    EXPECT_FALSE(written.has_in_edges);
  }
  EXPECT_EQ(read_file(directory.file("whole.fg")), read_file(directory.file("pieces.fg")));
}

TEST(StoreWriter, RefusesSectionsThatContradictTheHeader) {
  const TemporaryDirectory directory;
  StoreWriter writer(directory.file("a.fg"));
  writer.section(SectionId::OutOffsets).append(std::vector<EdgeId>{0, 1});
  writer.section(SectionId::OutTargets).append(std::vector<VertexId>{0});
  Header header;
  header.vertices = 2;
  EXPECT_THROW(writer.commit(header), Error);
}

TEST(StoreWriter, RefusesAnAnnouncedSizeThatIsNotKept) {
  const TemporaryDirectory directory;
  StoreWriter writer(directory.file("a.fg"));
  SectionStream& targets = writer.section(SectionId::OutTargets, 2 * sizeof(VertexId));
  targets.append(std::vector<VertexId>{1});
  EXPECT_THROW(targets.finish(), Error);
  EXPECT_THROW(targets.append(std::vector<VertexId>{2, 3}), Error);
}

TEST(StoreWriter, RefusesLabelsThatDoNotAscend) {
  const TemporaryDirectory directory;
  StoreWriter writer(directory.file("a.fg"));
  writer.append_label("b");
  EXPECT_THROW(writer.append_label("b"), Error);
  EXPECT_THROW(writer.append_labels(std::vector<std::uint64_t>{2, 1}), Error);
}

TEST(StoreWriter, ReportsAFullDiskNamingTheTarget) {
  const TemporaryDirectory directory;
  const FileSizeLimit limit(3 << 20);  // what a full disk looks like to write()
  const std::string path = directory.file("a.fg");
  const auto write = [&] {
    StoreWriter writer(path);
    const std::vector<VertexId> targets(1 << 20);
    writer.section(SectionId::OutTargets).append(targets);
  };
  expect_error(ErrorCode::Io, write, path);
  EXPECT_TRUE(directory.empty());
}

}  // namespace
}  // namespace fathom::store
