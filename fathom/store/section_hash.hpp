// The hash of a section that is not there: of lists in CSR, from the same lists in another layout.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fathom/store/edge_sums.hpp"
#include "fathom/store/format.hpp"

namespace fathom::store {

/// The checksum_hash that a section of so much content has.
class SectionHash {
 public:
  void append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t n = std::min<std::size_t>(bytes.size(), kBlockBytes - block_.size());
      block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      bytes = bytes.subspan(n);
      if (block_.size() == kBlockBytes) close();
    }
  }
  /// Whole blocks, by their checksums, where what came before ends with a block.
  void append_blocks(std::span<const std::uint64_t> checksums) {
    checksums_.insert(checksums_.end(), checksums.begin(), checksums.end());
  }
  std::uint64_t finish() {
    if (!block_.empty()) close();
    return checksum(std::as_bytes(std::span(checksums_)));
  }

 private:
  void close() {
    block_.resize(static_cast<std::size_t>(padded(block_.size())));
    checksums_.push_back(checksum(block_));
    block_.clear();
  }
  std::vector<std::byte> block_;  // grows with what there is, up to kBlockBytes
  std::vector<std::uint64_t> checksums_;
};

/// The fingerprint of a graph, by its counts and the hashes of its sections in CSR (weights: 0
/// without any).
inline std::uint64_t content_fingerprint(std::uint64_t vertices, EdgeId edges,
                                         std::uint64_t offsets, std::uint64_t targets,
                                         std::uint64_t weights) {
  const std::uint64_t content[] = {vertices, edges, offsets, targets, weights};
  return checksum(std::as_bytes(std::span(content)));
}

/// What a check of all lists of one direction found, whatever their layout.
struct ListsContent {
  EdgeSums sums;
  // What checksum_hash would be of the same lists' targets and weights in CSR.
  std::uint64_t targets_hash = 0, weights_hash = 0;
};

}  // namespace fathom::store
