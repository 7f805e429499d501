#include "fathom/dynamic/log/log_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/temp_file.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kSearchBlock = std::size_t{1} << 18;

}  // namespace

LogReader::LogReader(std::string path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw_io_error(path_, "open", errno);
  try {
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) throw_io_error(path_, "look at", errno);
    size_ = static_cast<std::uint64_t>(about.st_size);
    std::vector<std::byte> head(kLogHeaderBytes);
    head.resize(read_available(descriptor_, path_, 0, head));
    header_ = decoded_log_header(path_, head);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  sequence_ = header_.sequence;
}

LogReader::~LogReader() {
  ::close(descriptor_);
}

void LogReader::fail(const std::string& what) const {
  throw Error(ErrorCode::BadInput, fmt::format("{}: the log is damaged: batch {}, at byte {}: {}",
                                               path_, sequence_ + 1, at_, what));
}

/// The frame at at_; false when there is no whole one.
bool LogReader::read_frame(Frame& frame) {
  FrameBytes bytes;
  if (size_ - at_ < bytes.size()) return false;
  read_fully(descriptor_, path_, at_, bytes);
  return decode_frame(bytes, header_.run, at_, frame);
}

/// The same of what follows in a batch.
bool LogReader::read_payload(const Frame& frame) {
  const std::uint64_t left = size_ - at_ - kFrameBytes;
  if (left < kSumBytes || left - kSumBytes < frame.payload_bytes) return false;
  payload_.resize(static_cast<std::size_t>(frame.payload_bytes));
  read_fully(descriptor_, path_, at_ + kFrameBytes, payload_);
  std::uint64_t sum = 0;
  read_fully(descriptor_, path_, at_ + kFrameBytes + frame.payload_bytes,
             std::as_writable_bytes(std::span(&sum, 1)));
  return sum == frame_sum(header_.run, at_, payload_);
}

/// Whether a whole mark stands anywhere behind at_.
bool LogReader::mark_behind() const {
  std::vector<std::byte> block;
  for (std::uint64_t first = at_ + 1; first + kFrameBytes <= size_; first += kSearchBlock) {
    block.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(kSearchBlock + kFrameBytes - 1, size_ - first)));
    read_fully(descriptor_, path_, first, block);
    for (std::size_t i = 0; i + kFrameBytes <= block.size(); ++i) {
      if (block[i] != static_cast<std::byte>(FrameKind::Mark)) continue;
      Frame frame;
      if (decode_frame(std::span(block).subspan(i, kFrameBytes), header_.run, first + i, frame) &&
          frame.kind == FrameKind::Mark)
        return true;
    }
  }
  return false;
}

/// The frame at at_ is not whole. @return false: the log ends with the one before
bool LogReader::ends_here(const char* what) {
  if (mark_behind()) fail(what);
  return false;
}

bool LogReader::next(LogRecord& record) {
  while (at_ < size_) {
    Frame frame;
    if (!read_frame(frame)) return ends_here("what begins it does not match its checksum");
    if (frame.kind == FrameKind::Mark) {
      if (frame.sequence != sequence_)
        fail(fmt::format("before it is a mark of batch {}", frame.sequence));
      at_ += frame.bytes();
      continue;
    }
    if (frame.sequence != sequence_ + 1) fail(fmt::format("it is batch {}", frame.sequence));
    if (!read_payload(frame)) return ends_here("it does not match its checksum");
    record = {frame.sequence, at_, payload_};
    sequence_ = frame.sequence;
    at_ += frame.bytes();
    return true;
  }
  return false;
}

}  // namespace fathom::dynamic
