// Appends batches to a log of updates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/dynamic/log/log_format.hpp"

namespace fathom::dynamic {

/// What a mark promises of the batches before it.
enum class LogPromise {
  Synced,   // they are on the disk
  Written,  // the system has them: they outlive the process, and not a loss of power
};

/// One at a time for a file. After an error nothing more is taken: what the file has then, only
/// reading it again tells.
class FATHOM_API LogWriter {
 public:
  /// A log without batches appears under `path`, whole. @throws Error(Io), as all of it.
  LogWriter(const std::string& path, const LogHeader& header);
  /// Goes on behind `end`, where a reader found batch `sequence` to end; cuts off what is behind.
  LogWriter(const std::string& path, const LogHeader& header, std::uint64_t end,
            std::uint64_t sequence);
  ~LogWriter();
  LogWriter(LogWriter&& other) noexcept { swap(other); }
  LogWriter& operator=(LogWriter&& other) noexcept {
    LogWriter(std::move(other)).swap(*this);
    return *this;
  }

  /// Writes the next batch, which is not acknowledged yet. Cost: a copy of the payload and one
  /// write.
  void append(std::span<const std::byte> payload);
  /// Acknowledges all batches: waits for the disk (fdatasync) if that is the promise, then writes a
  /// mark.
  void acknowledge(LogPromise promise);
  /// Nothing more is taken.
  void close() { closed_ = true; }

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return end_; }                         // of the file
  std::uint64_t sequence() const { return sequence_; }                 // of the last batch
  std::uint64_t pending() const { return sequence_ - acknowledged_; }  // batches

 private:
  void swap(LogWriter& other) noexcept;
  void write(std::span<const std::byte> bytes);
  void check() const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t run_ = 0, end_ = 0, sequence_ = 0, acknowledged_ = 0;
  bool closed_ = false;
  std::vector<std::byte> frame_;
};

}  // namespace fathom::dynamic
