// Bytes that are written, compressed or in archives, read back as they were.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "fathom/io/byte_sink.hpp"
#include "fathom/io/byte_source.hpp"
#include "fathom/io/formats/zip.hpp"
#include "fathom/io/zip_writer.hpp"
#include "tests/cpu/io/io_testing.hpp"

namespace fathom::io {
namespace {

std::string content_of(ByteSource& source) {
  std::string text, piece(1 << 16, '\0');
  for (std::size_t n = piece.size(); n == piece.size();) {
    n = source.read(std::as_writable_bytes(std::span(piece)));
    text.append(piece, 0, n);
  }
  return text;
}

std::span<const std::byte> as_bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Half noise, so that what is compressed of it takes several steps to hand on.
std::string piece_of(std::size_t bytes, unsigned seed) {
  std::string text(bytes, 'a');
  std::minstd_rand noise(seed);
  for (std::size_t i = 0; i < bytes / 2; ++i) text[i] = static_cast<char>(noise() >> 8 & 0xff);
  return text;
}

RC_GTEST_PROP(ByteSink, whatIsCompressedInPiecesReadsBackAsItWas, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::pair<std::size_t, unsigned>>>(
      *rc::gen::inRange<std::size_t>(0, 4),
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, 1 << 20), rc::gen::arbitrary<unsigned>()));
  const TempDir directory;
  const std::string path = directory / "sink";
  for (const auto& [kind, name] :
       {std::pair(Compression::Gzip, "gzip"), {Compression::Zstd, "zstd"}}) {
    const auto sink = compress(open_sink(path), kind);
    std::string written;
    for (const auto& [bytes, seed] : pieces) {
      const std::string piece = piece_of(bytes, seed);
      sink->write(as_bytes_of(piece));
      written += piece;
    }
    RC_ASSERT(!std::filesystem::exists(path));
    sink->finish();
    const OpenedFile file = open_file({path, nullptr});
    RC_ASSERT(file.compression == name);
    const bool same = content_of(*file.content) == written;  // which no one wants to see printed
    RC_ASSERT(same);
    std::filesystem::remove(path);
  }
}

TEST(ByteSink, NamesSayHowToCompress) {
  EXPECT_EQ(compression_of("a.tsv.gz").compression, Compression::Gzip);
  EXPECT_EQ(compression_of("a.tsv.gz").rest, "a.tsv");
  EXPECT_EQ(compression_of("a.zst").compression, Compression::Zstd);
  EXPECT_EQ(compression_of("gz").compression, Compression::None);
  EXPECT_EQ(compression_of("a.tsv").rest, "a.tsv");
}

/// A file in which zeros take no place.
class SparseSink final : public ByteSink {
 public:
  explicit SparseSink(const std::string& path) : file_(path, std::ios::binary) {}
  void write(std::span<const std::byte> bytes) override {
    const bool zeros =
        std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{}; });
    if (zeros)
      file_.seekp(static_cast<std::streamoff>(bytes.size()), std::ios::cur);
    else
      file_.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
  }
  void finish() override { file_.close(); }

 private:
  std::ofstream file_;
};

TEST(ZipWriter, MembersOfMoreThanFourGibibytesReadBack) {
  constexpr std::uint64_t kLarge = (std::uint64_t{1} << 32) + 5;
  const TempDir directory;
  const std::string path = directory / "zip";
  SparseSink sink(path);
  ZipWriter zip(sink);
  const std::string zeros(std::size_t{1} << 20, '\0'), text = "behind it";
  zip.begin("large", kLarge);
  for (std::uint64_t left = kLarge; left > 0;) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
    zip.write(as_bytes_of(zeros).first(n));
    left -= n;
  }
  zip.end();
  zip.begin("small", text.size());
  zip.write(as_bytes_of(text));
  zip.end();
  zip.finish();
  sink.finish();
  const InputFile file{path, nullptr};
  const std::vector<ZipMember> members = read_zip_directory(file, std::filesystem::file_size(path));
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].name, "large");
  EXPECT_EQ(members[0].bytes, kLarge);
  EXPECT_EQ(members[0].packed_bytes, kLarge);
  EXPECT_GT(members[1].header_at, kLarge);
  EXPECT_EQ(content_of(*open_member(file, members[1])), text);  // and its checksum is right
}

}  // namespace
}  // namespace fathom::io
