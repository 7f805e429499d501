// Parts of a graph: together they are the graph, each file says which lists it has, and what is
// wrong with one is found.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "fathom/residency/parts/generate_parts.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/part_store.hpp"
#include "fathom/store/parts/partition.hpp"
#include "fathom/store/parts/verify_parts.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/source_file.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

PartitionOptions in_parts(std::uint32_t parts) {
  PartitionOptions options;
  options.parts = parts;
  options.memory = 32 * kMi;
  options.provenance = "parts";
  return options;
}

Sample partitioned_sample() {
  Sample s = random_sample(3000, 40'000, true);
  s.in_edges = true;
  s.labels = LabelKind::Strings;
  for (int v = 0; v < 3000; ++v) s.strings.push_back("v" + std::to_string(10'000 + v));
  return s;
}

/// Everything that the parts have of one direction, one after the other.
struct Joined {
  std::vector<VertexId> target;
  std::vector<Weight> weight;

  void add(const PartLists& lists) {
    target.insert(target.end(), lists.target, lists.target + lists.range.edges());
    if (lists.weight) weight.insert(weight.end(), lists.weight, lists.weight + lists.range.edges());
  }
};

void expect_same(const CsrView& lists, const Joined& joined) {
  EXPECT_EQ(joined.target, std::vector<VertexId>(lists.target, lists.target + lists.edges));
  if (!lists.weight) return;
  EXPECT_EQ(joined.weight, std::vector<Weight>(lists.weight, lists.weight + lists.edges));
}

class PartsOfStore : public ::testing::Test {
 protected:
  std::string graph(const Sample& s) const {
    write_sample(directory_.file("g.fg"), s);
    return directory_.file("g.fg");
  }
  std::string part(std::uint32_t i, std::uint32_t n) const { return part_path(parts_, i, n); }

  TemporaryDirectory directory_;
  std::string parts_ = directory_.file("parts");
};

TEST_F(PartsOfStore, AreTogetherTheGraph) {
  const std::string path = graph(partitioned_sample());
  const auto whole = Store::open(path);
  for (const std::uint32_t n : {1u, 2u, 7u}) {
    SCOPED_TRACE(n);
    std::filesystem::remove_all(parts_);
    const std::vector<PartLayout> made = partition(path, parts_, in_parts(n));
    ASSERT_EQ(made.size(), n);
    EXPECT_EQ(parts_in(parts_), n);
    Joined out, in;
    VertexId next = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto store = PartStore::open(part(i, n));
      store->verify(2, {});
      ASSERT_NE(store->part(), nullptr);
      EXPECT_EQ(store->part()->index, i);
      EXPECT_EQ(store->part()->parts, n);
      EXPECT_EQ(store->part()->out, made[i].out);
      const Header& h = store->header();
      EXPECT_EQ(h.version, 3u);
      EXPECT_EQ(h.fingerprint, whole->header().fingerprint);
      EXPECT_EQ(h.edges, whole->header().edges);
      EXPECT_EQ(h.vertices, 3000u);
      EXPECT_TRUE(h.weighted && h.has_in_edges && h.directed);
      EXPECT_EQ(h.provenance, "parts");
      EXPECT_EQ(store->label(1234), "v11234");
      EXPECT_EQ(store->find("v12999"), 2999u);
      EXPECT_EQ(store->out_degrees(), whole->out_degrees());
      EXPECT_EQ(store->in_degrees(), whole->in_degrees());
      EXPECT_TRUE(std::ranges::equal(store->out_offsets(), whole->out_offsets()));
      EXPECT_EQ(store->part()->out.first, next);
      next = store->part()->out.last;
      out.add(store->part_out());
      in.add(*store->part_in());
      // As many edges as others have, but for the list at the border.
      EXPECT_LE(made[i].out.edges(), whole->header().edges / n + whole->out_degrees().maximum);
    }
    EXPECT_EQ(next, 3000u);
    expect_same(whole->out(), out);
    expect_same(*whole->in(), in);
    EXPECT_EQ(verify_parts(parts_, 2, {}).header.fingerprint, whole->header().fingerprint);
  }
}

TEST_F(PartsOfStore, AreTheSameWhateverTheLayout) {
  const std::string path = graph(partitioned_sample());
  partition(path, parts_, in_parts(3));
  for (const char* const layout : {"packed", "narrow", "slotted"}) {
    SCOPED_TRACE(layout);
    RepackOptions options;
    options.packed = layout == std::string("packed");
    options.narrow = layout == std::string("narrow");
    if (layout == std::string("slotted")) options.slotted = SlottedOptions{};
    const std::string other = directory_.file(layout) + ".fg", others = directory_.file(layout);
    repack(path, other, options);
    partition(other, others, in_parts(3));
    for (std::uint32_t i = 0; i < 3; ++i)
      EXPECT_EQ(read_file(part_path(others, i, 3)), read_file(part(i, 3))) << i;
  }
}

/// The lines that begin with `prefix` of what the reader written from the specification prints.
std::string lines_of_reader(const std::string& path, const std::string& prefix) {
  const std::string command =
      "/usr/bin/python3 " + source_file("tests/store_format/read_fg.py") + " '" + path + "'";
  std::string found;
  FILE* const pipe = ::popen(command.c_str(), "r");
  for (char line[256]; std::fgets(line, sizeof line, pipe);)
    if (std::string_view(line).starts_with(prefix)) found += line;
  EXPECT_EQ(::pclose(pipe), 0);
  return found;
}

TEST_F(PartsOfStore, AreWhatTheSpecificationSays) {
  const std::string path = graph(partitioned_sample());
  partition(path, parts_, in_parts(3));
  for (const char* const prefix : {"out ", "in "}) {
    std::string together;
    for (std::uint32_t i = 0; i < 3; ++i) together += lines_of_reader(part(i, 3), prefix);
    EXPECT_EQ(together, lines_of_reader(path, prefix));
  }
  EXPECT_EQ(lines_of_reader(part(1, 3), "label"), lines_of_reader(path, "label"));
}

TEST_F(PartsOfStore, AreGeneratedAsTheyAreDivided) {
  struct Case {
    bool directed, weighted, simple;
  };
  for (const Case& c : {Case{false, true, false}, {true, false, false}, {true, true, true}}) {
    SCOPED_TRACE(std::to_string(c.directed) + std::to_string(c.weighted) +
                 std::to_string(c.simple));
    generate::Spec spec;
    spec.kind = generate::Kind::Rmat;
    spec.scale = 17;
    spec.edge_factor = 12;
    if (c.weighted) spec.weights = generate::WeightRange{1, 9};
    const generate::Generator generator(spec);
    ConvertOptions options;
    options.undirected = !c.directed;
    options.build.undirected = !c.directed;
    options.build.threads = 2;
    options.build.memory = 40 * kMi;  // lists are made a range at a time
    options.build.duplicates = c.simple ? graph::Duplicates::Min : graph::Duplicates::Keep;
    options.build.loops = c.simple ? graph::Loops::Drop : graph::Loops::Keep;
    options.provenance = "parts";
    const std::string whole = directory_.file("g.fg"), made = directory_.file("made");
    generate(generator, whole, options);
    for (const std::uint32_t n : {1u, 4u, 9u}) {
      std::filesystem::remove_all(parts_);
      std::filesystem::remove_all(made);
      partition(whole, parts_, in_parts(n));
      generate_parts(generator, made, n, options);
      verify_parts(made, 2, {});
      for (std::uint32_t i = 0; i < n; ++i) {
        const auto a = PartStore::open(part(i, n)), b = PartStore::open(part_path(made, i, n));
        EXPECT_EQ(b->part()->out, a->part()->out) << i << " of " << n;
        EXPECT_EQ(b->part()->in, a->part()->in) << i << " of " << n;
        EXPECT_EQ(b->header().fingerprint, a->header().fingerprint);
        EXPECT_EQ(b->header().symmetric, a->header().symmetric);
        EXPECT_EQ(b->header().report.duplicates_merged, a->header().report.duplicates_merged);
        EXPECT_EQ(b->out_degrees(), a->out_degrees());
      }
    }
  }
}

TEST_F(PartsOfStore, OfFewVerticesMayHaveNone) {
  Sample s;
  s.vertices = 3;
  s.edges = {{1, 0}, {1, 1}, {1, 2}};
  partition(graph(s), parts_, in_parts(5));
  EXPECT_EQ(verify_parts(parts_, 1, {}).parts, 5u);
  EdgeId edges = 0;
  for (std::uint32_t i = 0; i < 5; ++i)
    edges += PartStore::open(part(i, 5))->part_out().range.edges();
  EXPECT_EQ(edges, 3u);
}

TEST_F(PartsOfStore, AreRefusedAsGraphs) {
  const std::string path = graph(partitioned_sample());
  partition(path, parts_, in_parts(2));
  const auto refused = [&](const auto& use, const std::string& what) {
    expect_error(ErrorCode::Usage, use, what);
  };
  const std::string mpirun = "`mpirun -n 2 fathom ALGORITHM " + parts_ + " ...`";
  refused([&] { Store::open(part(1, 2)); }, "is part 1 of 2 of a graph");
  refused([&] { Store::open(part(1, 2)); }, mpirun);
  refused([&] { Store::open(parts_); }, mpirun);
  refused([&] { PartStore::open(part(1, 2))->out(); }, mpirun);
  refused([&] { repack(part(0, 2), directory_.file("r.fg"), {}); }, mpirun);
  EXPECT_EQ(PartStore::open(path)->part(), nullptr);
}

TEST_F(PartsOfStore, GoToADirectoryOfTheirOwn) {
  const std::string path = graph(partitioned_sample());
  const auto refused = [&](std::uint32_t parts, const std::string& what) {
    expect_error(
        ErrorCode::Usage, [&] { partition(path, parts_, in_parts(parts)); }, what);
  };
  refused(0, "1 to 99999 parts, not 0");
  refused(kMostParts + 1, "parts, not 100000");
  partition(path, parts_, in_parts(2));
  partition(path, parts_, in_parts(2));  // which may be there already
  refused(3, "has other files");
  write_file(parts_ + "/notes.txt", {});
  refused(2, "has other files (notes.txt)");
  expect_error(
      ErrorCode::Io, [&] { partition(path, path, in_parts(2)); }, "cannot make the directory");
  PartitionOptions narrow_bound = in_parts(2);
  narrow_bound.memory = 1 * kMi;
  expect_error(ErrorCode::DoesNotFit, [&] { partition(path, parts_, narrow_bound); });
}

TEST_F(PartsOfStore, ThatDoNotBelongTogetherAreFound) {
  Sample s = partitioned_sample();
  const std::string path = graph(s);
  partition(path, parts_, in_parts(2));
  const auto wrong = [&](const std::string& what) {
    expect_error(
        ErrorCode::BadInput, [&] { verify_parts(parts_, 1, {}); }, what);
  };
  std::filesystem::rename(part(1, 2), directory_.file("away.fg"));
  wrong("part-00001-of-00002.fg: is missing");
  std::filesystem::copy_file(part(0, 2), part(1, 2));
  wrong("is not part 1 of 2");
  std::filesystem::remove(part(1, 2));
  std::swap(s.edges.front().v, s.edges.back().v);
  write_sample(path, s);
  partition(path, directory_.file("others"), in_parts(2));
  std::filesystem::copy_file(part_path(directory_.file("others"), 1, 2), part(1, 2));
  wrong("part-00001-of-00002.fg: is a part of another graph");
  std::filesystem::remove(part(1, 2));
  std::filesystem::copy_file(directory_.file("away.fg"), part_path(parts_, 1, 3));
  wrong("in 2 parts and of one in 3");
}

class DamagedPart : public PartsOfStore {
 protected:
  DamagedPart() {
    partition(graph(sample_with_everything()), parts_, in_parts(2));
    path_ = part(1, 2);
    bytes_ = read_file(path_);
    layout_ = decode_header(path_, bytes_, bytes_.size());
  }
  void expect_refused(std::span<const std::byte> bytes, const std::string& what) const {
    write_file(path_, bytes);
    expect_error(
        ErrorCode::BadInput, [&] { PartStore::open(path_)->verify(1, {}); }, what);
  }
  template <class T>
  std::vector<std::byte> with(SectionId id, std::size_t element, T value) const {
    std::vector<std::byte> bytes = bytes_;
    std::memcpy(bytes.data() + layout_.find(id)->offset + element * sizeof value, &value,
                sizeof value);
    reseal(bytes);
    return bytes;
  }

  std::string path_;
  std::vector<std::byte> bytes_;
  Layout layout_;
};

TEST_F(DamagedPart, IsFoundInEverySection) {
  for (const SectionEntry& section : layout_.sections) {
    SCOPED_TRACE(name_of(section));
    if (section.bytes == 0) continue;
    std::vector<std::byte> bytes = bytes_;
    bytes[section.offset + section.bytes / 2] ^= std::byte{4};
    expect_refused(bytes, "section '" + name_of(section) + "'");
  }
  for (std::size_t length = 0; length < bytes_.size(); length += 1021)
    expect_refused(std::span(bytes_).first(length), length < 8 ? "not a .fg file" : "truncated");
}

TEST_F(DamagedPart, IsFoundWhereItContradictsItself) {
  const std::uint64_t n = 5, edges = 7;
  const auto lie = [&](std::size_t number, std::uint64_t value, const std::string& what) {
    SCOPED_TRACE(number);
    expect_refused(with(SectionId::Part, number, value), what);
  };
  const PartLayout part = *PartStore::open(path_)->part();
  lie(0, 2, "there is no part 2 of 2");
  lie(1, 0, "there is no part 1 of 0");
  lie(1, 100'000, "there is no part 1 of 100000");
  lie(0, 0, "do not begin with vertex 0");
  lie(2, n + 1, "vertex 6 of 5");
  lie(2, part.out.first + 1, "as the section 'part' says");
  lie(3, part.out.last - 1, "do not end with the last vertex");
  lie(4, part.out.begin - 1, "expected");
  lie(5, edges + 1, "section 'part'");
  lie(7, ~std::uint64_t{0}, "section 'part'");
  lie(8, part.in.begin + 1, "expected");
  expect_refused(with(SectionId::OutOffsets, n, edges + 1), "is not the number of elements");
  expect_refused(with(SectionId::OutTargets, 0, static_cast<VertexId>(n)), "names vertex 5");
  expect_refused(
      with(SectionId::InWeights, 0, std::numeric_limits<Weight>::infinity()),
      "in-edges: the weight of edge " + std::to_string(part.in.begin) + " is not finite");
  expect_refused(with(SectionId::Degrees, 1, std::uint64_t{6}), "degrees: the summary");
  // A whole graph does not become a part by its version, nor the other way round.
  for (const std::uint32_t version : {1u, 2u, 4u}) {
    std::vector<std::byte> bytes = bytes_;
    std::memcpy(bytes.data() + 8, &version, sizeof version);
    reseal_header(bytes);
    expect_refused(bytes, version == 4 ? "written by a newer Fathom: format 4" : "format");
  }
}

TEST_F(DamagedPart, IsFoundByItsNeighbourWhereItIsSoundItself) {
  // The degrees of two vertices whose lists are in the other part, exchanged.
  const std::string first = part(0, 2);
  std::vector<std::byte> bytes = read_file(first);
  const Layout layout = decode_header(first, bytes, bytes.size());
  const EdgeId end = 5;
  std::memcpy(bytes.data() + layout.find(SectionId::OutOffsets)->offset + 2 * sizeof end, &end,
              sizeof end);
  reseal(bytes);
  write_file(first, bytes);
  PartStore::open(first)->verify(1, {});
  expect_error(
      ErrorCode::BadInput, [&] { verify_parts(parts_, 1, {}); }, "has other offsets than part 0");
}

TEST_F(DamagedPart, HasListsWithinItsSectionsWhateverIsInIt) {
  std::mt19937 random(11);
  const auto read = [](const PartLists& lists) {
    ASSERT_LE(lists.range.last, lists.vertices);
    for (VertexId v = lists.range.first; v < lists.range.last; ++v) {
      ASSERT_LE(lists.offset[v], lists.offset[v + 1]);
      ASSERT_GE(lists.offset[v], lists.range.begin);
      ASSERT_LE(lists.offset[v + 1], lists.range.end);
    }
    for (EdgeId e = 0; e < lists.range.edges(); ++e) ASSERT_LT(lists.target[e], lists.vertices);
  };
  int read_in_full = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes = bytes_;
    for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t s = random() % (layout_.sections.size() + 1);
      const bool table = s == layout_.sections.size();
      const std::size_t first = table ? 0 : layout_.sections[s].offset;
      const std::size_t size = table ? sizeof(DiskHeader) + s * sizeof(SectionEntry)
                                     : std::max<std::size_t>(1, layout_.sections[s].bytes);
      bytes[first + random() % size] = static_cast<std::byte>(random() % 8);
    }
    reseal(bytes);
    write_file(path_, bytes);
    try {
      const auto store = PartStore::open(path_);
      if (!store->part()) continue;
      read(store->part_out(1));
      if (const auto in = store->part_in(1)) read(*in);
      ++read_in_full;
      store->verify(1, {});
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    }
    ASSERT_FALSE(HasFatalFailure()) << round;
  }
  EXPECT_GT(read_in_full, 50);
}

}  // namespace
}  // namespace fathom::store
