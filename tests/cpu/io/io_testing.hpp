// What reader tests share: files in a temporary directory, compression, and reading everything.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fathom-io-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = pattern;
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string deflated(std::string_view content, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, content.size()) + 32, '\0');
  std::string in(content);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzipped(std::string_view content) {
  return deflated(content, 15 + 16);
}

inline std::string zstandard(std::string_view content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
  return out;
}

/// Everything a reader delivers. Integer ids are printed, so that both kinds compare alike.
struct Loaded {
  using Edges = std::vector<std::tuple<std::string, std::string, Weight>>;
  InputTraits traits;
  Edges edges;  // weight 1 when unweighted
  std::vector<std::string> vertices;
  std::size_t batches = 0;
};

inline Loaded read_all(EdgeReader& reader) {
  Loaded loaded;
  loaded.traits = reader.traits();
  const auto take = [&](const EdgeBatch& batch) {
    ++loaded.batches;
    const bool strings = loaded.traits.string_labels;
    const std::size_t n = strings ? batch.source_label.size() : batch.source.size();
    ASSERT_EQ(strings ? batch.target_label.size() : batch.target.size(), n);
    ASSERT_EQ(batch.weight.size(), loaded.traits.weighted ? n : 0);
    const auto label = [&](std::span<const std::uint64_t> ids,
                           std::span<const std::string_view> labels, std::size_t i) {
      return strings ? std::string(labels[i]) : std::to_string(ids[i]);
    };
    for (std::size_t i = 0; i < n; ++i)
      loaded.edges.emplace_back(label(batch.source, batch.source_label, i),
                                label(batch.target, batch.target_label, i),
                                loaded.traits.weighted ? batch.weight[i] : 1);
    for (const std::uint64_t v : batch.vertex) loaded.vertices.push_back(std::to_string(v));
    for (const std::string_view v : batch.vertex_label) loaded.vertices.emplace_back(v);
  };
  reader.read([&](std::span<const EdgeBatch> batches) {
    for (const EdgeBatch& batch : batches) take(batch);
  });
  return loaded;
}

inline Loaded read_all(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  return read_all(*open_edges(paths, options));
}

/// Reads `content` from a file named "f" and returns the message of the BadInput error, which
/// has the directory removed; "" when there was none.
inline std::string refusal(std::string_view content, const ReadOptions& options = {}) {
  const TempDir dir;
  const std::string path = dir.write("f", content);
  try {
    read_all({path}, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput) << error.what();
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(path, 0), 0U) << message;
    return message.substr(path.size() - 1);
  }
  return "";
}

inline Loaded read_text(std::string_view content, const ReadOptions& options = {}) {
  const TempDir dir;
  return read_all({dir.write("f", content)}, options);
}

inline ReadOptions as(Format format) {
  ReadOptions options;
  options.format = format;
  return options;
}

}  // namespace fathom::io
