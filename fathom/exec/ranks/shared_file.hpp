// A file that ranks write together, each at places of its own; it appears when all is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/atomic_file.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

/// Ranks that see the first rank's file system write; those of other machines, that do not, have
/// nothing to do. All ranks call all functions, in the same order; where one fails in the
/// constructor or in commit(), all throw what it did.
class FATHOM_API SharedFile {
 public:
  /// `path` is the first rank's: others need not know it.
  /// @throws Error(Usage), Error(Io) as AtomicFile does
  SharedFile(ReplicaGroup& group, const std::string& path);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// The number of ranks that write, at least one, and this one's place among them; none for
  /// others.
  std::size_t writers() const { return writers_; }
  std::optional<std::size_t> place() const { return place_; }

  /// Appends what each of those ranks gives, one after the other; others give nothing.
  /// Cost: 8 bytes told to each rank. @throws Error(Io) on the rank that could not write.
  void append(std::span<const std::byte> mine);
  /// Makes the content durable, then visible.
  void commit();

 private:
  ReplicaGroup& group_;
  std::string path_;                // of the first rank, for messages
  std::optional<AtomicFile> file_;  // on the first rank
  int descriptor_ = -1;             // on others that see it
  std::size_t writers_ = 0;
  std::optional<std::size_t> place_;
  std::uint64_t end_ = 0;
};

}  // namespace fathom
