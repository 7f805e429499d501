#include "fathom/dynamic/log/log_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/error.hpp"

namespace fathom::dynamic {
namespace {

const std::string& made(const std::string& path, const LogHeader& header) {
  AtomicFile file(path);
  file.write(encoded(header));
  file.commit();
  return path;
}

}  // namespace

LogWriter::LogWriter(const std::string& path, const LogHeader& header)
    : LogWriter(made(path, header), header, kLogHeaderBytes, header.sequence) {}

LogWriter::LogWriter(const std::string& path, const LogHeader& header, std::uint64_t end,
                     std::uint64_t sequence)
    : path_(path),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)),
      run_(header.run),
      end_(end),
      sequence_(sequence),
      acknowledged_(sequence) {
  if (descriptor_ < 0) throw_io_error(path_, "open", errno);
  if (::ftruncate(descriptor_, static_cast<off_t>(end)) == 0) return;
  const int error = errno;
  ::close(descriptor_);
  throw_io_error(path_, "cut off what is not whole in", error);
}

LogWriter::~LogWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LogWriter::swap(LogWriter& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(run_, other.run_);
  std::swap(end_, other.end_);
  std::swap(sequence_, other.sequence_);
  std::swap(acknowledged_, other.acknowledged_);
  std::swap(closed_, other.closed_);
  std::swap(frame_, other.frame_);
}

void LogWriter::check() const {
  if (closed_) throw Error(ErrorCode::Io, path_ + ": the log takes nothing more after an error");
}

/// At the end of the file; what was begun is taken away where it does not fit.
void LogWriter::write(std::span<const std::byte> bytes) {
  closed_ = true;
  try {
    write_fully(descriptor_, path_, end_, bytes);
  } catch (...) {
    // A reader would cut it off just as well.
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(end_)) == 0);
    throw;
  }
  closed_ = false;
  end_ += bytes.size();
}

void LogWriter::append(std::span<const std::byte> payload) {
  check();
  const Frame frame{FrameKind::Batch, sequence_ + 1, payload.size()};
  const FrameBytes begin = encoded(frame, run_, end_);
  const std::uint64_t sum = frame_sum(run_, end_, payload);
  const auto sum_bytes = std::as_bytes(std::span(&sum, 1));
  frame_.assign(begin.begin(), begin.end());
  frame_.insert(frame_.end(), payload.begin(), payload.end());
  frame_.insert(frame_.end(), sum_bytes.begin(), sum_bytes.end());
  write(frame_);
  ++sequence_;
}

void LogWriter::acknowledge(LogPromise promise) {
  check();
  if (promise == LogPromise::Synced && ::fdatasync(descriptor_) != 0) {
    // What the disk has now is not known, and asking again would not tell: the system forgets what
    // it could not write.
    closed_ = true;
    throw_io_error(path_, "flush to disk", errno);
  }
  acknowledged_ = sequence_;
  write(encoded(Frame{FrameKind::Mark, sequence_, 0}, run_, end_));
}

}  // namespace fathom::dynamic
