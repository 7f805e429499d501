#include "fathom/io/byte_sink.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/error.hpp"

namespace fathom::io {
namespace {

class FileSink final : public ByteSink {
 public:
  explicit FileSink(const std::string& path) : file_(path) {}
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void finish() override { file_.commit(); }

 private:
  AtomicFile file_;
};

constexpr std::size_t kPackedBytes = std::size_t{256} << 10;

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> to) : to_(std::move(to)), packed_(kPackedBytes) {
    constexpr int kGzip = 15 + 16, kMemory = 8;  // of deflateInit2: the largest window, the default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error(ErrorCode::Internal, "zlib cannot be initialised");
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::span<const std::byte> bytes) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(kMost, bytes.size()));
      deflate_all(piece, Z_NO_FLUSH);
      bytes = bytes.subspan(piece.size());
    }
  }
  void finish() override {
    deflate_all({}, Z_FINISH);
    to_->finish();
  }

 private:
  void deflate_all(std::span<const std::byte> bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      ::deflate(&stream_, flush);
      to_->write(std::span(packed_).first(packed_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> to_;
  z_stream stream_{};
  std::vector<std::byte> packed_;
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> to)
      : to_(std::move(to)), stream_(ZSTD_createCCtx()), packed_(ZSTD_CStreamOutSize()) {
    if (!stream_) throw Error(ErrorCode::Internal, "zstd cannot be initialised");
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }
  void write(std::span<const std::byte> bytes) override { compress_all(bytes, ZSTD_e_continue); }
  void finish() override {
    compress_all({}, ZSTD_e_end);
    to_->finish();
  }

 private:
  void compress_all(std::span<const std::byte> bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer to{packed_.data(), packed_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_.get(), &to, &from, directive);
      if (ZSTD_isError(left))
        throw Error(ErrorCode::Internal, std::string("zstd: ") + ZSTD_getErrorName(left));
      to_->write(std::span(packed_).first(to.pos));
      done = directive == ZSTD_e_end ? left == 0 : from.pos == from.size;
    }
  }

  struct Free {
    void operator()(ZSTD_CCtx* s) const { ZSTD_freeCCtx(s); }
  };
  std::unique_ptr<ByteSink> to_;
  std::unique_ptr<ZSTD_CCtx, Free> stream_;
  std::vector<std::byte> packed_;
};

}  // namespace

std::unique_ptr<ByteSink> open_sink(const std::string& path) {
  return std::make_unique<FileSink>(path);
}

std::unique_ptr<ByteSink> compress(std::unique_ptr<ByteSink> to, Compression kind) {
  switch (kind) {
    case Compression::None:
      break;
    case Compression::Gzip:
      return std::make_unique<GzipSink>(std::move(to));
    case Compression::Zstd:
      return std::make_unique<ZstdSink>(std::move(to));
  }
  return to;
}

CompressedName compression_of(std::string_view path) {
  constexpr std::string_view kGzip = ".gz", kZstd = ".zst";
  if (path.ends_with(kGzip)) return {Compression::Gzip, path.substr(0, path.size() - kGzip.size())};
  if (path.ends_with(kZstd)) return {Compression::Zstd, path.substr(0, path.size() - kZstd.size())};
  return {Compression::None, path};
}

}  // namespace fathom::io
