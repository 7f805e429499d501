// A disk that misbehaves by a seed: short reads, errors, flipped bits, a file that ends early, and
// completions in any order, some late. Put around a real reader (IoOptions::wrap).
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/residency/ssd/block_reader.hpp"

namespace fathom::testing {

/// Shares of reads, 0 to 1. Passing faults strike a place of the file a few times and never again;
/// lasting ones strike always.
struct Faults {
  std::uint64_t seed = 1;
  double short_reads = 0;
  double passing_errors = 0;  // EIO, at most three times in a row
  double passing_flips = 0;   // of a bit, once in three MiB of the file
  double late = 0;            // completions that wait for a later collect()
  std::uint64_t lasting_error_at = ~std::uint64_t{0};  // the byte of the file that is unreadable
  std::uint64_t lasting_flip_at = ~std::uint64_t{0};   // the byte that is damaged
  std::uint64_t ends_at = ~std::uint64_t{0};           // bytes of the file
  std::uint64_t ring_fails_after = ~std::uint64_t{0};  // so many collect()s that worked
  std::uint64_t inode = 0;  // lasting faults are those of this file alone; 0: of every file
};

/// What was done to the reads, for tests that must know that something was.
struct FaultCounts {
  std::uint64_t short_reads = 0, errors = 0, flips = 0, late = 0, ends = 0;
  std::uint64_t under_way = 0;  // reads that may still write to memory
};

class FaultyReader final : public BlockReader {
 public:
  FaultyReader(std::unique_ptr<BlockReader> inner, const Faults& faults,
               std::shared_ptr<FaultCounts> counts)
      : inner_(std::move(inner)),
        faults_(faults),
        counts_(std::move(counts)),
        random_(faults.seed) {}

  std::string name() const override { return "faulty " + inner_->name(); }

  void start(const BlockRead& read) override {
    const bool lasting = lasts(read);
    if (lasting && covers(read, read.into.size(), faults_.lasting_error_at)) {
      ++counts_->errors;
      return answer(read, -EIO);
    }
    int& in_a_row = errors_[{read.descriptor, read.offset}];
    if (in_a_row < 3 && chance(faults_.passing_errors)) {
      ++in_a_row;
      ++counts_->errors;
      return answer(read, -EIO);
    }
    in_a_row = 0;
    if (lasting && read.offset >= faults_.ends_at) {
      ++counts_->ends;
      return answer(read, 0);
    }
    under_way_.emplace(read.tag, read);
    counts_->under_way = under_way_.size();
    inner_->start(read);
  }

  void collect(std::vector<BlockDone>& done, bool wait) override {
    if (collects_++ >= faults_.ring_fails_after)
      throw Error(ErrorCode::Io, "io_uring: cannot submit reads: injected");
    std::vector<BlockDone> ended;
    if (!under_way_.empty()) inner_->collect(ended, wait && held_.empty());
    for (BlockDone& d : ended) {
      const BlockRead read = under_way_.at(d.tag);
      under_way_.erase(d.tag);
      spoil(read, d);
      held_.push_back(d);
    }
    std::shuffle(held_.begin(), held_.end(), random_);
    std::size_t given = 0;
    std::vector<BlockDone> late;
    for (const BlockDone& d : held_) {
      if (chance(faults_.late) && !(wait && given == 0)) {
        ++counts_->late;
        late.push_back(d);
        continue;
      }
      done.push_back(d);
      ++given;
    }
    held_ = std::move(late);
    counts_->under_way = under_way_.size();
  }

  void drain() noexcept override {
    inner_->drain();
    under_way_.clear();
    held_.clear();
    counts_->under_way = 0;
  }

  void adopt(std::span<std::byte> memory) override { inner_->adopt(memory); }

 private:
  bool chance(double share) {
    return share > 0 && std::uniform_real_distribution<>(0, 1)(random_) < share;
  }

  void answer(const BlockRead& read, std::int64_t result) { held_.push_back({read.tag, result}); }

  void spoil(const BlockRead& read, BlockDone& done) {
    if (done.result <= 0) return;
    const bool lasting = lasts(read);
    if (lasting && read.offset + static_cast<std::uint64_t>(done.result) > faults_.ends_at) {
      done.result = static_cast<std::int64_t>(faults_.ends_at - read.offset);
      ++counts_->ends;
    }
    if (done.result > 1 && chance(faults_.short_reads)) {
      done.result =
          static_cast<std::int64_t>(1 + random_() % (static_cast<std::uint64_t>(done.result) - 1));
      ++counts_->short_reads;
    }
    const auto bytes = static_cast<std::uint64_t>(done.result);
    const std::uint64_t end = read.offset + bytes;
    if (lasting && covers(read, bytes, faults_.lasting_flip_at))
      flip(read, faults_.lasting_flip_at);
    std::set<std::uint64_t>& flipped = flipped_[inode_of(read)];
    for (std::uint64_t mib = read.offset >> 20; mib <= (end - 1) >> 20; ++mib) {
      // A block of the store lies in two neighbouring MiB of the file: one of them has a flip.
      if (flipped.count(mib - 1) + flipped.count(mib) + flipped.count(mib + 1) > 0) continue;
      if (!chance(faults_.passing_flips)) continue;
      flipped.insert(mib);
      const std::uint64_t from = std::max(read.offset, mib << 20);
      flip(read, from + random_() % (std::min(end, (mib + 1) << 20) - from));
    }
  }

  static std::uint64_t inode_of(const BlockRead& read) {
    struct stat status {};
    return ::fstat(read.descriptor, &status) == 0 ? status.st_ino : 0;
  }
  bool lasts(const BlockRead& read) const {
    return faults_.inode == 0 || inode_of(read) == faults_.inode;
  }

  static bool covers(const BlockRead& read, std::uint64_t bytes, std::uint64_t at) {
    return at >= read.offset && at - read.offset < bytes;
  }

  void flip(const BlockRead& read, std::uint64_t at) {
    read.into[static_cast<std::size_t>(at - read.offset)] ^= std::byte{8};
    ++counts_->flips;
  }

  std::unique_ptr<BlockReader> inner_;
  Faults faults_;
  std::shared_ptr<FaultCounts> counts_;
  std::mt19937_64 random_;
  std::map<std::pair<int, std::uint64_t>, int> errors_;       // by place: in a row
  std::map<std::uint64_t, std::set<std::uint64_t>> flipped_;  // by file: MiB that had their flip
  std::map<std::uint64_t, BlockRead> under_way_;
  std::uint64_t collects_ = 0;
  std::vector<BlockDone> held_;
};

/// For IoOptions::wrap.
inline auto with_faults(const Faults& faults,
                        std::shared_ptr<FaultCounts> counts = std::make_shared<FaultCounts>()) {
  return [faults, counts](std::unique_ptr<BlockReader> inner) -> std::unique_ptr<BlockReader> {
    return std::make_unique<FaultyReader>(std::move(inner), faults, counts);
  };
}

}  // namespace fathom::testing
