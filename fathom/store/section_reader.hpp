// Reading parts of a section into the caller's memory, past the page cache, checksums verified.
//
// For whoever streams a graph through a fixed budget: nothing is mapped, nothing is kept. Sections
// and blocks are aligned so that O_DIRECT needs no copy; where the file system refuses it, the same
// reads go through the page cache.
#pragma once

#include <atomic>

#include "fathom/store/store_file.hpp"

namespace fathom::store {

/// Thread-safe: several threads may read() at once, each into its own memory.
class FATHOM_API SectionReader {
 public:
  static constexpr std::size_t kAlignment = kPageBytes;

  /// Costs the header and 8 bytes per MiB of the section.
  /// @throws Error(BadInput) when the file is damaged or has no such section; Error(Io).
  SectionReader(const std::string& path, SectionId section);
  ~SectionReader();

  std::uint64_t bytes() const { return entry_.bytes; }
  /// Whether reads bypass the page cache.
  bool direct() const { return direct_.load(std::memory_order_relaxed) >= 0; }

  /// Memory that read() needs for any range of `bytes` bytes.
  static constexpr std::size_t buffer_bytes(std::uint64_t bytes) {
    return static_cast<std::size_t>((bytes + kBlockBytes - 1) / kBlockBytes + 1) * kBlockBytes;
  }

  /// Reads the blocks that hold bytes [first, first + bytes) of the section, checks them, and
  /// returns the part of `buffer` that is the range. `buffer`: aligned to kAlignment, at least
  /// buffer_bytes(bytes). Cheapest when the range is made of whole blocks.
  /// @throws Error(BadInput) naming section and byte range; Error(Io); Error(Usage).
  std::span<const std::byte> read(std::uint64_t first, std::uint64_t bytes,
                                  std::span<std::byte> buffer);

 private:
  void fill(std::uint64_t offset, std::span<std::byte> into);

  StoreFile file_;
  SectionEntry entry_;
  std::vector<std::uint64_t> checksums_;
  std::atomic<int> direct_{-1};  // descriptor opened with O_DIRECT; -1: refused
  int opened_ = -1;              // the same, closed at the end
};

}  // namespace fathom::store
