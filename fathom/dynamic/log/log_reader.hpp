// Reads a log of updates, batch by batch, and tells where it ends: a batch that was being written
// when the process or the machine stopped is not part of it, damage anywhere else is an error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fathom/dynamic/log/log_format.hpp"

namespace fathom::dynamic {

/// A batch of a log; valid until the next one is asked for.
struct LogRecord {
  std::uint64_t sequence = 0;
  std::uint64_t offset = 0;  // of its frame in the file
  std::span<const std::byte> payload;
};

class FATHOM_API LogReader {
 public:
  /// Reads the header. @throws Error(BadInput) for anything that is not a log; Error(Io).
  explicit LogReader(std::string path);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  const std::string& path() const { return path_; }
  const LogHeader& header() const { return header_; }

  /// The next batch; false where the log ends. Cost: one pass over the file, memory for one batch.
  /// @throws Error(BadInput) for damage, naming the batch and the byte; Error(Io).
  bool next(LogRecord& record);

  // Once next() was false:
  /// Bytes of the file that count; frames to come belong here.
  std::uint64_t end() const { return at_; }
  /// Bytes behind end(): of a batch that was never acknowledged.
  std::uint64_t cut_bytes() const { return size_ - at_; }
  /// Of the last batch; that of the base if the log has none.
  std::uint64_t sequence() const { return sequence_; }

 private:
  bool read_frame(Frame& frame);
  bool read_payload(const Frame& frame);
  bool ends_here(const char* what);
  bool mark_behind() const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;  // of the file
  LogHeader header_;
  std::uint64_t at_ = kLogHeaderBytes;
  std::uint64_t sequence_ = 0;
  std::vector<std::byte> payload_;
};

}  // namespace fathom::dynamic
