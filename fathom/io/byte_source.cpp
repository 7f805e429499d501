#include "fathom/io/byte_source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::io {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;  // read ahead of a decompressor

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(const InputFile& file) : path_(file.name), opened_(descriptor_of(file)) {
    struct stat status {};
    if (::fstat(opened_->number, &status) != 0) throw_io_error(path_, "look at", errno);
    if (!S_ISREG(status.st_mode))
      throw Error(ErrorCode::Io, path_ + ": cannot read: not a regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  /// What read() would give; read() will give it still.
  std::size_t peek(std::span<std::byte> out) {
    const std::size_t n = read(out);
    position_ -= n;
    return n;
  }
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t n = read_available(opened_->number, path_, position_, out);
    position_ += n;
    return n;
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    const std::uint64_t n = std::min(bytes, most_left());
    position_ += n;
    return n;
  }
  std::uint64_t consumed() const override { return position_; }
  std::uint64_t most_left() const override { return size_ - std::min(size_, position_); }
  std::uint64_t size() const { return size_; }

 private:
  std::string path_;
  std::shared_ptr<const InputFile::Descriptor> opened_;
  std::uint64_t size_ = 0, position_ = 0;
};

/// Of a decompressor that reads `input`.
std::size_t window_bytes(const ByteSource& input) {
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(input.most_left(), 1, std::uint64_t{kInputBytes}));
}

/// What both decompressors share: a window on compressed input.
class Decompressor : public ByteSource {
 public:
  Decompressor(std::unique_ptr<ByteSource> input, std::string path)
      : path_(std::move(path)), input_(std::move(input)), buffer_(window_bytes(*input_)) {}
  std::uint64_t consumed() const override { return input_->consumed() - (filled_ - used_); }

 protected:
  /// More input into an empty window; false at the end.
  bool refill() {
    filled_ = input_->read(std::as_writable_bytes(buffer_.span()));
    used_ = 0;
    return filled_ > 0;
  }
  [[noreturn]] void fail(std::string_view kind, std::string_view what) const {
    fail_file(path_, fmt::format("byte {}: expected {} data, found {}", consumed(), kind, what));
  }

  std::string path_;
  std::unique_ptr<ByteSource> input_;
  Array<std::byte> buffer_;
  std::size_t used_ = 0, filled_ = 0;
};

class InflateSource final : public Decompressor {
 public:
  enum class Wrapper : int { Gzip = 15 + 16, Raw = -15 };  // inflateInit2's windowBits

  InflateSource(std::unique_ptr<ByteSource> input, std::string path, Wrapper wrapper)
      : Decompressor(std::move(input), std::move(path)), wrapper_(wrapper) {
    if (inflateInit2(&stream_, static_cast<int>(wrapper)) != Z_OK)
      throw Error(ErrorCode::Internal, "zlib cannot be initialised");
  }
  ~InflateSource() override { inflateEnd(&stream_); }
  InflateSource(const InflateSource&) = delete;
  InflateSource& operator=(const InflateSource&) = delete;

  std::size_t read(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size() && !finished_) {
      if (used_ == filled_ && !refill()) {
        if (!between_members_) fail(kind(), "the end of the file");
        finished_ = true;
        break;
      }
      if (between_members_ && !begin_member()) break;
      done += inflate_some(out.subspan(done));
    }
    return done;
  }

 private:
  std::string_view kind() const { return wrapper_ == Wrapper::Gzip ? "gzip" : "deflate"; }

  /// A member starts, or zero padding (as tar and tapes leave it) ends the file.
  bool begin_member() {
    while (buffer_[used_] == std::byte{0}) {
      if (++used_ == filled_ && !refill()) {
        finished_ = true;
        return false;
      }
      padded_ = true;
    }
    if (padded_) fail(kind(), "bytes after zero padding");
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  std::size_t inflate_some(std::span<std::byte> out) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data() + used_);
    stream_.avail_in = static_cast<uInt>(filled_ - used_);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(std::min(out.size(), kMost));
    const uInt asked = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    used_ = filled_ - stream_.avail_in;
    if (status == Z_STREAM_END) {
      between_members_ = true;
      if (wrapper_ == Wrapper::Raw) finished_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(kind(), stream_.msg ? fmt::format("damage ({})", stream_.msg) : "damage");
    }
    return asked - stream_.avail_out;
  }

  Wrapper wrapper_;
  z_stream stream_{};
  bool between_members_ = false, finished_ = false, padded_ = false;
};

class ZstdSource final : public Decompressor {
 public:
  ZstdSource(std::unique_ptr<ByteSource> input, std::string path)
      : Decompressor(std::move(input), std::move(path)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw Error(ErrorCode::Internal, "zstd cannot be initialised");
  }

  std::size_t read(std::span<std::byte> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos < to.size) {
      // A full frame may still have output to flush when its input is used up.
      if (used_ == filled_ && !refill() && at_frame_end_) break;
      const bool no_more = filled_ == 0;
      ZSTD_inBuffer from{buffer_.data(), filled_, used_};
      const std::size_t before = to.pos;
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &to, &from);
      used_ = from.pos;
      if (ZSTD_isError(status)) fail("zstd", fmt::format("damage ({})", ZSTD_getErrorName(status)));
      at_frame_end_ = status == 0;
      if (no_more && to.pos == before && !at_frame_end_) fail("zstd", "the end of the file");
    }
    return to.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* s) const { ZSTD_freeDStream(s); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool at_frame_end_ = true;
};

class LimitedSource final : public ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> input, std::uint64_t bytes)
      : input_(std::move(input)), left_(bytes) {}
  std::size_t read(std::span<std::byte> out) override {
    const auto n = input_->read(
        out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_))));
    left_ -= n;
    return n;
  }
  std::uint64_t consumed() const override { return input_->consumed(); }
  std::uint64_t most_left() const override { return std::min(left_, input_->most_left()); }

 private:
  std::unique_ptr<ByteSource> input_;
  std::uint64_t left_;
};

}  // namespace

std::uint64_t ByteSource::skip(std::uint64_t bytes) {
  std::vector<std::byte> scratch(
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kInputBytes)));
  std::uint64_t done = 0;
  while (done < bytes) {
    const auto part =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, scratch.size()));
    const std::size_t n = read(std::span(scratch).first(part));
    done += n;
    if (n < part) break;
  }
  return done;
}

OpenedFile open_file(const InputFile& file) {
  auto plain = std::make_unique<PlainSource>(file);
  const std::string& path = file.name;
  const std::uint64_t bytes = plain->size();
  std::array<std::byte, 4> magic{};
  const std::size_t n = plain->peek(magic);
  const auto is = [&](std::initializer_list<int> wanted) {
    return n >= wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), magic.begin(),
                      [](int w, std::byte m) { return w == static_cast<int>(m); });
  };
  if (is({0x1f, 0x8b}))
    return {std::make_unique<InflateSource>(std::move(plain), path, InflateSource::Wrapper::Gzip),
            "gzip", bytes};
  if (is({0x28, 0xb5, 0x2f, 0xfd}))
    return {std::make_unique<ZstdSource>(std::move(plain), path), "zstd", bytes};
  return {std::move(plain), "", bytes};
}

std::unique_ptr<ByteSource> open_bytes(const InputFile& file, std::uint64_t offset) {
  std::unique_ptr<ByteSource> content = open_file(file).content;
  content->skip(offset);
  return content;
}

std::unique_ptr<ByteSource> limit(std::unique_ptr<ByteSource> input, std::uint64_t bytes) {
  return std::make_unique<LimitedSource>(std::move(input), bytes);
}

std::unique_ptr<ByteSource> inflate_raw(std::unique_ptr<ByteSource> input,
                                        const std::string& path) {
  return std::make_unique<InflateSource>(std::move(input), path, InflateSource::Wrapper::Raw);
}

}  // namespace fathom::io
