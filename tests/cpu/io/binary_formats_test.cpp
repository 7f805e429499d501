#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/cpu/io/io_testing.hpp"

namespace fathom::io {
namespace {

using Edges = Loaded::Edges;

template <class T>
std::string raw(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string out;
  for (const T v : values) out += raw(v);
  return out;
}

using I32 = std::vector<std::int32_t>;
using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U64 = std::vector<std::uint64_t>;

// The graph of these tests: 0->1, 0->3, 2->0 on 4 vertices.
const I64 kOffsets = {0, 2, 2, 3, 3};
const Edges kPlain = {{"0", "1", 1}, {"0", "3", 1}, {"2", "0", 1}};
const Edges kWeighted = {{"0", "1", 5}, {"0", "3", 6}, {"2", "0", 7}};

std::string gap(bool directed, const I64& offsets, const I32& neighbours, bool weighted) {
  const std::int64_t edges = static_cast<std::int64_t>(neighbours.size()) / (weighted ? 2 : 1);
  std::string csr = raw(offsets) + raw(neighbours);
  return raw(static_cast<std::uint8_t>(directed)) + raw(edges) +
         raw(static_cast<std::int64_t>(offsets.size()) - 1) + csr + (directed ? csr : "");
}

TEST(Gap, DirectedGraphIsReadWithoutItsTranspose) {
  const Loaded got = read_text(gap(true, kOffsets, {1, 3, 0}, false));
  EXPECT_EQ(got.traits.format, Format::Gap);
  EXPECT_EQ(got.traits.directed, true);
  EXPECT_EQ(got.traits.declared_vertices, 4U);
  EXPECT_EQ(got.edges, kPlain);
}

TEST(Gap, WeightedGraphIsToldByItsSize) {
  const std::string file = gap(false, kOffsets, {1, 5, 3, 6, 0, 7}, true);
  const Loaded got = read_text(file);
  EXPECT_EQ(got.traits.directed, false);
  EXPECT_FALSE(got.traits.half_stored);
  EXPECT_TRUE(got.traits.weighted);
  EXPECT_EQ(got.edges, kWeighted);
  const std::string negative = gap(false, kOffsets, {1, 5, 3, -6, 0, 7}, true);
  EXPECT_EQ(read_text(negative).edges, (Edges{{"0", "1", 5}, {"0", "3", -6}, {"2", "0", 7}}));
}

TEST(Gap, EmptyAndEdgelessGraphsAreRead) {
  for (const bool directed : {false, true}) {
    EXPECT_EQ(read_text(gap(directed, {0}, {}, false)).traits.declared_vertices, 0U);
    for (const std::size_t n : {3U, 256U, 512U}) {
      const Loaded got = read_text(gap(directed, I64(n + 1, 0), {}, false));
      EXPECT_EQ(got.traits.format, Format::Gap) << n;
      EXPECT_EQ(got.traits.declared_vertices, n);
    }
  }
}

TEST(Gap, ContradictionsAreRefused) {
  const std::string good = gap(false, kOffsets, {1, 3, 0}, false);
  EXPECT_EQ(refusal(good.substr(0, good.size() - 1)),
            "f: expected 69 bytes (.sg) or 81 bytes (.wsg) for 4 vertices and 3 edges, found 68");
  EXPECT_EQ(refusal(gzipped(good + "x")),
            "f: expected 69 bytes (.sg) or 81 bytes (.wsg) for 4 vertices and 3 edges, found 70");
  EXPECT_EQ(refusal(gap(false, kOffsets, {1, 4, 0}, false)),
            "f: byte 61: expected a vertex id below 4 in neighbours, found 4");
  EXPECT_EQ(refusal(gap(false, kOffsets, {1, -1, 0}, false)),
            "f: byte 61: expected a number that is not negative in neighbours, found -1");
  EXPECT_EQ(refusal(gap(false, {0, 2, 1, 3, 3}, {1, 3, 0}, false)),
            "f: byte 33: expected an offset in 2..3 in offsets, found 1");
  EXPECT_EQ(refusal(gap(false, {0, 1, 1, 2, 2}, {1, 3, 0}, false)),
            "f: byte 49: expected 3 as the last offset in offsets, found 2");
  EXPECT_EQ(refusal(gap(false, kOffsets, {1, 5, 3, -16777217, 0, 7}, true)),
            "f: byte 69: expected an integer weight that a 32-bit float holds exactly in weights, "
            "found -16777217");
  EXPECT_EQ(refusal(gap(false, kOffsets, {1, 5, 3, 16777217, 0, 7}, true)),
            "f: byte 69: expected an integer weight that a 32-bit float holds exactly in weights, "
            "found 16777217");
  // The first that is wrong in the order of the edges, however much is looked at together.
  for (const std::size_t buffer : {std::size_t{84}, std::size_t{1} << 20}) {
    ReadOptions options;
    options.buffer_bytes = buffer;
    EXPECT_EQ(refusal(gap(false, {0, 2, 1, -1, 3}, {1, 3, 0}, false), options),
              "f: byte 33: expected an offset in 2..3 in offsets, found 1");
    EXPECT_EQ(refusal(gap(false, {0, 2, 1, 3, 3}, {1, 9, 0}, false), options),
              "f: byte 61: expected a vertex id below 4 in neighbours, found 9");
  }
  EXPECT_NE(refusal("12", as(Format::Gap)).find("the header of a GAP graph"), std::string::npos);
  EXPECT_EQ(refusal(gap(false, {0}, {1}, false)), "f: expected no edges without vertices, found 1");
}

template <class Id, class Data>
std::string galois(std::uint64_t version, const U64& ends, const std::vector<Id>& targets,
                   const std::vector<Data>& data) {
  std::string file = raw(version) + raw(std::uint64_t{data.empty() ? 0 : sizeof(Data)}) +
                     raw(std::uint64_t{ends.size()}) + raw(std::uint64_t{targets.size()}) +
                     raw(ends) + raw(targets);
  file.resize((file.size() + 7) / 8 * 8, '\0');
  return file + raw(data);
}

const U64 kEnds = {2, 2, 3, 3};

TEST(Galois, BothVersionsAreReadWithAndWithoutData) {
  EXPECT_EQ(read_text(galois(1, kEnds, U32{1, 3, 0}, U32{})).edges, kPlain);
  EXPECT_EQ(read_text(galois(2, kEnds, U64{1, 3, 0}, U32{})).edges, kPlain);
  EXPECT_EQ(read_text(galois(1, kEnds, U32{1, 3, 0}, U32{5, 6, 7})).edges, kWeighted);
  EXPECT_EQ(read_text(galois(2, kEnds, U64{1, 3, 0}, U32{5, 6, 7})).edges, kWeighted);
  EXPECT_EQ(read_text(galois(1, kEnds, U32{1, 3, 0}, U64{5, 6, 7})).edges, kWeighted);
  const Loaded got = read_text(galois(2, kEnds, U64{1, 3, 0}, U32{}));
  EXPECT_EQ(got.traits.format, Format::Galois);
  EXPECT_EQ(got.traits.declared_vertices, 4U);
  EXPECT_EQ(got.traits.directed, std::nullopt);
}

TEST(Galois, FloatDataIsToldFromIntegersByItsBits) {
  EXPECT_EQ(read_text(galois(1, kEnds, U32{1, 3, 0}, std::vector<float>{0.5F, 0, 1e9F})).edges,
            (Edges{{"0", "1", 0.5F}, {"0", "3", 0}, {"2", "0", 1e9F}}));
  EXPECT_EQ(read_text(galois(2, kEnds, U64{1, 3, 0}, std::vector<double>{0.5, 0, 3})).edges,
            (Edges{{"0", "1", 0.5F}, {"0", "3", 0}, {"2", "0", 3}}));
  EXPECT_EQ(read_text(galois(1, kEnds, U32{1, 3, 0}, std::vector<float>{1, -1, 2})).edges,
            (Edges{{"0", "1", 1}, {"0", "3", -1}, {"2", "0", 2}}));
}

TEST(Galois, EmptyAndUnpaddedFilesAreRead) {
  EXPECT_EQ(read_text(galois(1, {}, U32{}, U32{})).traits.format, Format::Galois);
  const std::string padded = galois(1, kEnds, U32{1, 3, 0}, U32{});
  EXPECT_EQ(read_text(padded.substr(0, padded.size() - 4)).edges, kPlain);
}

TEST(Galois, ContradictionsAreRefused) {
  const std::string good = galois(1, kEnds, U32{1, 3, 0}, U32{5, 6, 7});
  EXPECT_EQ(refusal(good.substr(0, good.size() - 1)),
            "f: expected 92 bytes for 4 vertices and 3 edges, found 91");
  EXPECT_EQ(refusal(galois(1, {2, 1, 3, 3}, U32{1, 3, 0}, U32{})),
            "f: byte 40: expected an offset in 2..3 in list ends, found 1");
  EXPECT_EQ(refusal(galois(1, kEnds, U32{1, 9, 0}, U32{})),
            "f: byte 68: expected a vertex id below 4 in targets, found 9");
  EXPECT_NE(refusal(galois(1, kEnds, U32{1, 3, 0}, U32{1, 0x41000000, 2}))
                .find("found values that are neither"),
            std::string::npos);
  const std::string odd = galois(1, kEnds, U32{1, 3, 0}, std::vector<std::uint16_t>{1, 2, 3});
  EXPECT_NE(refusal(odd).find("found 2 bytes for an edge"), std::string::npos);
  ReadOptions options;
  options.third_column = ThirdColumn::Ignore;
  EXPECT_EQ(read_text(odd, options).edges, kPlain);
}

struct Member {
  std::string name, content;
};

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  header.resize(118, ' ');
  header.back() = '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + raw(static_cast<std::uint16_t>(header.size())) +
         header + data;
}

/// A zip archive; zip64 records as numpy writes them when asked.
std::string zip(const std::vector<Member>& members, bool deflate, bool zip64 = false) {
  std::string file, directory;
  for (const Member& m : members) {
    const std::string packed = deflate ? deflated(m.content, -15) : m.content;
    const auto crc = static_cast<std::uint32_t>(crc32(
        0, reinterpret_cast<const Bytef*>(m.content.data()), static_cast<uInt>(m.content.size())));
    const auto small = [&](std::size_t n) {
      return raw(zip64 ? 0xffffffffU : static_cast<std::uint32_t>(n));
    };
    const auto u16 = [](std::size_t n) { return raw(static_cast<std::uint16_t>(n)); };
    const std::string sizes =
        raw(std::uint64_t{m.content.size()}) + raw(std::uint64_t{packed.size()});
    const std::string extra =
        zip64 ? u16(1) + u16(24) + sizes + raw(std::uint64_t{file.size()}) : "";
    const std::string common = u16(20) + u16(0) + u16(deflate ? 8 : 0) + raw(0U) + raw(crc) +
                               small(packed.size()) + small(m.content.size()) + u16(m.name.size()) +
                               u16(extra.size());
    directory += "PK\x01\x02" + u16(20) + common + u16(0) + u16(0) + u16(0) + raw(0U) +
                 small(file.size()) + m.name + extra;
    file += "PK\x03\x04" + common + m.name + extra + packed;
  }
  const std::size_t at = file.size();
  std::string end;
  if (zip64) {
    end = "PK\x06\x06" + raw(std::uint64_t{44}) + raw(std::uint32_t{0}) + raw(U64{0}) +
          raw(std::uint64_t{members.size()}) + raw(std::uint64_t{members.size()}) +
          raw(std::uint64_t{directory.size()}) + raw(std::uint64_t{at});
    end += "PK\x06\x07" + raw(0U) + raw(std::uint64_t{at + directory.size()}) + raw(1U);
  }
  const auto count = raw(static_cast<std::uint16_t>(members.size()));
  end += "PK\x05\x06" + raw(0U) + count + count +
         raw(static_cast<std::uint32_t>(directory.size())) +
         raw(zip64 ? 0xffffffffU : static_cast<std::uint32_t>(at)) + raw(std::uint16_t{0});
  return file + directory + end;
}

std::vector<Member> csr_members() {
  return {{"indices.npy", npy("<i4", "(3,)", raw(I32{1, 3, 0}))},
          {"indptr.npy", npy("<i4", "(5,)", raw(I32{0, 2, 2, 3, 3}))},
          {"format.npy", npy("|S3", "()", "csr")},
          {"shape.npy", npy("<i8", "(2,)", raw(I64{4, 4}))},
          {"data.npy", npy("<f8", "(3,)", raw(std::vector<double>{5, 6, 7}))}};
}

std::vector<Member> with(const std::string& name, const std::string& content) {
  std::vector<Member> members = csr_members();
  for (Member& m : members)
    if (m.name == name) m.content = content;
  return members;
}

TEST(Npz, StoredDeflatedAndZip64ArchivesAreRead) {
  for (const bool deflate : {false, true})
    for (const bool zip64 : {false, true}) {
      const Loaded got = read_text(zip(csr_members(), deflate, zip64));
      EXPECT_EQ(got.traits.format, Format::Npz);
      EXPECT_EQ(got.traits.declared_vertices, 4U);
      EXPECT_EQ(got.traits.directed, std::nullopt);
      EXPECT_EQ(got.edges, kWeighted);
    }
}

TEST(Npz, NumberTypesAreConverted) {
  EXPECT_EQ(read_text(zip(with("indices.npy", npy("<i8", "(3,)", raw(I64{1, 3, 0}))), true)).edges,
            kWeighted);
  EXPECT_EQ(read_text(zip(with("indptr.npy", npy("<i8", "(5,)", raw(kOffsets))), true)).edges,
            kWeighted);
  EXPECT_EQ(read_text(zip(with("data.npy", npy("<i8", "(3,)", raw(I64{5, 6, 7}))), true)).edges,
            kWeighted);
  EXPECT_EQ(read_text(zip(with("data.npy", npy("|i1", "(3,)", "\5\6\7")), true)).edges, kWeighted);
  EXPECT_EQ(
      read_text(zip(with("data.npy", npy("<f8", "(3,)", raw(std::vector<double>{5, -6, 7}))), true))
          .edges,
      (Edges{{"0", "1", 5}, {"0", "3", -6}, {"2", "0", 7}}));
  EXPECT_EQ(read_text(zip(with("shape.npy", npy("<i4", "(2,)", raw(I32{4, 4}))), true)).edges,
            kWeighted);
  EXPECT_EQ(
      read_text(zip(with("format.npy", npy("<U3", "()", raw(U32{'c', 's', 'r'}))), true)).edges,
      kWeighted);
  const Loaded truth = read_text(zip(with("data.npy", npy("|b1", "(3,)", "\1\1\1")), true));
  EXPECT_FALSE(truth.traits.weighted);
  EXPECT_EQ(truth.edges, kPlain);
}

TEST(Npz, ColumnsOfACscMatrixAreTargets) {
  const Loaded got = read_text(zip(with("format.npy", npy("|S3", "()", "csc")), false));
  EXPECT_EQ(got.edges, (Edges{{"1", "0", 5}, {"3", "0", 6}, {"0", "2", 7}}));
}

TEST(Npz, ContradictionsAreRefused) {
  const auto change = [](const std::string& name, const std::string& content) {
    return refusal(zip(with(name, content), true));
  };
  EXPECT_EQ(change("shape.npy", npy("<i8", "(2,)", raw(I64{4, 5}))),
            "f: member 'shape.npy': expected a square matrix, found 4 x 5");
  EXPECT_EQ(change("format.npy", npy("|S3", "()", "coo")),
            "f: expected a CSR or CSC matrix, found format 'coo'");
  EXPECT_EQ(change("indptr.npy", npy("<i4", "(4,)", raw(I32{0, 2, 2, 3}))),
            "f: member 'indptr.npy': expected 5 offsets, found 4");
  EXPECT_EQ(change("data.npy", npy("<f8", "(2,)", raw(std::vector<double>{5, 6}))),
            "f: member 'data.npy': expected 3 values, found 2");
  EXPECT_EQ(change("data.npy", npy("<f8", "(3,)", raw(std::vector<double>{5, 6}))),
            "f: member 'data.npy': expected 3 elements, found 16 bytes");
  EXPECT_EQ(change("data.npy", npy(">f8", "(3,)", raw(std::vector<double>{5, 6, 7}))),
            "f: member 'data.npy': expected little-endian numbers, found '>f8'");
  EXPECT_EQ(change("indices.npy", npy("<f4", "(3,)", raw(std::vector<float>{1, 3, 0}))),
            "f: member 'indices.npy': expected little-endian integers, found '<f4'");
  EXPECT_EQ(change("indices.npy", npy("<i4", "(3,)", raw(I32{1, 7, 0}))),
            "f: byte 132: expected a vertex id below 4 in indices, found 7");
  EXPECT_NE(change("data.npy", npy("<f8", "(3,)", raw(std::vector<double>{5, 1e300 * 1e300, 7})))
                .find("expected a finite weight"),
            std::string::npos);
  EXPECT_EQ(change("data.npy", "rubbish and more rubbish"),
            "f: member 'data.npy': expected a NumPy array, found something else");
  EXPECT_EQ(refusal(zip({csr_members()[0]}, true)),
            "f: expected an archive of a SciPy CSR matrix, found none of its member 'format.npy'");
}

TEST(Npz, DamageIsFoundByLengthOrChecksum) {
  const std::string good = zip(csr_members(), false);
  EXPECT_NE(refusal(good.substr(0, good.size() - 30)).find("the directory of a zip archive"),
            std::string::npos);
  std::string damaged = good;
  const std::size_t data = good.find(raw(std::vector<double>{5, 6, 7}));
  ASSERT_NE(data, std::string::npos);
  damaged[data + 6] ^= 1;
  EXPECT_NE(refusal(damaged).find("expected checksum"), std::string::npos) << refusal(damaged);
}

TEST(BinaryFormats, CompressedFilesReadTheSame) {
  for (const std::string& file :
       {gap(true, kOffsets, {1, 3, 0}, false), gap(false, kOffsets, {1, 5, 3, 6, 0, 7}, true),
        galois(1, kEnds, U32{1, 3, 0}, U32{5, 6, 7}), galois(2, kEnds, U64{1, 3, 0}, U32{}),
        zip(csr_members(), true), zip(csr_members(), false)}) {
    const Loaded plain = read_text(file), gz = read_text(gzipped(file)),
                 zst = read_text(zstandard(file));
    EXPECT_EQ(gz.traits.format, plain.traits.format);
    EXPECT_EQ(gz.edges, plain.edges);
    EXPECT_EQ(zst.edges, plain.edges);
  }
}

TEST(BinaryFormats, SmallBuffersGiveTheSameEdges) {
  for (const std::string& file :
       {gap(false, kOffsets, {1, 5, 3, 6, 0, 7}, true),
        galois(1, kEnds, U32{1, 3, 0}, U32{5, 6, 7}), zip(csr_members(), true)}) {
    ReadOptions options;
    options.buffer_bytes = 1;
    const Loaded got = read_text(file, options);
    EXPECT_EQ(got.edges, kWeighted);
    EXPECT_EQ(got.batches, 3U);
  }
}

}  // namespace
}  // namespace fathom::io
