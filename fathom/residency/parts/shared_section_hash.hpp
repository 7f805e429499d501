// The hash of a section that no rank has whole: each has a piece of it, one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/store/section_hash.hpp"

namespace fathom {

/// Blocks of the section that lie in this rank's piece are hashed as they come; of those that
/// reach into the pieces of others the bytes are kept. Memory: two blocks, and 8 bytes per block.
class SharedSectionHash {
 public:
  /// `before`: bytes of the section in the pieces of the ranks before.
  explicit SharedSectionHash(std::uint64_t before)
      : to_block_((store::kBlockBytes - before % store::kBlockBytes) % store::kBlockBytes) {}

  void append(std::span<const std::byte> bytes) {
    const auto head =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), to_block_ - head_.size()));
    add(head_, bytes.first(head));
    bytes = bytes.subspan(head);
    while (!bytes.empty()) {
      const std::size_t n = std::min<std::size_t>(bytes.size(), store::kBlockBytes - tail_.size());
      add(tail_, bytes.first(n));
      bytes = bytes.subspan(n);
      if (tail_.size() < store::kBlockBytes) continue;
      blocks_.push_back(store::checksum(tail_));
      tail_.clear();
    }
  }

  /// The hash of the whole, on all ranks, which call it together.
  std::uint64_t finish(ReplicaGroup& group) {
    store::SectionHash whole;
    for (int r = 0; r < group.ranks(); ++r) {
      std::array<std::uint64_t, 3> sizes{head_.size(), blocks_.size(), tail_.size()};
      group.broadcast(sizes.data(), sizeof sizes, r);
      std::vector<std::byte> bytes(static_cast<std::size_t>(std::max(sizes[0], sizes[2])));
      std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sizes[1]));
      const auto give = [&](const auto& mine, auto& all, std::uint64_t size) {
        if (group.rank() == r) std::copy(mine.begin(), mine.end(), all.begin());
        group.broadcast(all.data(), static_cast<std::size_t>(size) * sizeof all[0], r);
        return std::span(all).first(static_cast<std::size_t>(size));
      };
      whole.append(give(head_, bytes, sizes[0]));
      whole.append_blocks(give(blocks_, blocks, sizes[1]));
      whole.append(give(tail_, bytes, sizes[2]));
    }
    return whole.finish();
  }

 private:
  static void add(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
  }

  std::uint64_t to_block_;       // bytes of the block that ranks before have begun
  std::vector<std::byte> head_;  // of them
  std::vector<std::uint64_t> blocks_;
  std::vector<std::byte> tail_;  // of a block that ranks behind end
};

}  // namespace fathom
