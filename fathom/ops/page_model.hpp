// Unified memory as EMOGI's baseline uses it (sections 2.2 and 5.1.2): a page moves to the GPU when
// it is touched and stays until the least recently touched has to make room.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

class FATHOM_API PageModel {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;  // the least that moves (section 2.2)

  /// `cache_bytes`: GPU memory for pages; less than a page counts as one.
  /// @throws Error(DoesNotFit) for more than 2^32 - 2 pages; Error(Usage) for pages of no bytes.
  PageModel(std::uint64_t array_bytes, std::uint64_t cache_bytes,
            std::uint64_t page_bytes = kPageBytes);

  /// Reads bytes [first, last) of the array.
  /// @throws Error(Usage) when the range leaves the array.
  void touch(std::uint64_t first, std::uint64_t last);

  std::uint64_t faults() const { return faults_; }
  std::uint64_t bytes() const { return faults_ * page_bytes_; }
  /// [pages]: how often each page moved.
  std::span<const std::uint32_t> moves() const { return moves_; }

 private:
  // Invariants: the resident pages are a ring in order of their last touch, newest first, closed by
  // the node pages_; resident_ <= capacity_.
  struct Links {
    std::uint32_t newer, older;
  };
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  void unlink(std::uint32_t page);
  void link_newest(std::uint32_t page);

  std::uint64_t array_bytes_, page_bytes_;
  std::uint32_t pages_;
  std::uint64_t capacity_;
  std::uint64_t resident_ = 0, faults_ = 0;
  std::vector<Links> links_;  // [pages_ + 1]
  std::vector<std::uint32_t> moves_;
};

}  // namespace fathom
