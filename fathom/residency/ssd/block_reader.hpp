// Asynchronous reads of files into the caller's memory: io_uring, or a pool of threads that pread.
//
// A reader reports what the system said, no more: short reads, errors and damage are judged by who
// knows what is read (SectionReads). One thread drives a reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

class BlockReader;

struct IoOptions {
  enum class Way {
    Auto,     // io_uring where the system grants it, else threads
    Uring,    // io_uring or Error(Io)
    Threads,  // a pool of threads that pread
  };
  Way way = Way::Auto;
  /// Reads under way at once, of each disk. A virtual disk (0.7 to 1.5 GB/s from one second to the
  /// next) is as fast with 2 as with 32 of 1 MiB, by either way; faster disks want more.
  std::uint32_t depth = 16;
  /// Neighbouring pages are read together up to this size. On that disk 4 MiB and 1 MiB are alike;
  /// fewer reads cost less of the processor.
  std::size_t merge_bytes = std::size_t{4} << 20;
  /// Past the page cache of the system (O_DIRECT), where the file system can.
  bool direct = true;
  /// Puts a reader around the real one: how tests inject faults.
  std::function<std::unique_ptr<BlockReader>(std::unique_ptr<BlockReader>)> wrap;
};

struct BlockRead {
  int descriptor = -1;
  std::uint64_t offset = 0;
  std::span<std::byte> into;  // aligned as the descriptor's O_DIRECT wants it
  std::uint64_t tag = 0;      // comes back with the result
};

struct BlockDone {
  std::uint64_t tag = 0;
  std::int64_t result = 0;  // bytes read, 0 at the end of the file, or -errno
};

class FATHOM_API BlockReader {
 public:
  /// Waits for reads under way: their memory may go afterwards.
  virtual ~BlockReader() = default;
  BlockReader() = default;
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// "io_uring" or "pread".
  virtual std::string name() const = 0;

  /// The most bytes that one read asks the system for. More is a short read: lengths of io_uring
  /// have 32 bits, and Linux reads at most 2 GiB less a page at once.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  /// Starts a read, at the latest with the next collect(). No more than IoOptions::depth per disk
  /// at once. When it throws, nothing was started.
  virtual void start(const BlockRead& read) = 0;

  /// Appends what has come to an end, in any order; with `wait`, at least one of the reads under
  /// way (if there are any). @throws Error(Io) when the ring itself fails.
  /// Nothing is lost when it throws: what has ended is given by a later call.
  virtual void collect(std::vector<BlockDone>& done, bool wait) = 0;

  /// Waits until no read reaches memory any more, and forgets them all, whatever has failed before:
  /// their memory may then go. Allocates nothing.
  virtual void drain() noexcept = 0;

  /// Memory that most reads will go to, until the next call; empty: none. Aligned to pages. A
  /// reader may pin it once instead of for each read.
  virtual void adopt(std::span<std::byte>) {}
};

/// The reader that the options ask for, of files on so many disks. @throws Error(Io) when `way` is
/// Uring and the system refuses it; Error(Usage) for a depth that is not in [1, 4096], over all
/// disks.
FATHOM_API std::unique_ptr<BlockReader> make_block_reader(const IoOptions& options,
                                                          std::uint32_t disks = 1);

namespace detail {
/// Null, and the reason (-errno) in `error`, when the system refuses io_uring.
std::unique_ptr<BlockReader> make_uring_reader(std::uint32_t depth, int& error);
std::unique_ptr<BlockReader> make_pread_reader(std::uint32_t threads);
}  // namespace detail

}  // namespace fathom
