// Reads of a store's sections without threads: to begin one takes longer than all else of an input.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "fathom/residency/ssd/block_reader.hpp"

namespace fathom::fuzzing {

/// Reads when it is asked what has come.
class ReadsAtOnce final : public BlockReader {
 public:
  std::string name() const override { return "at once"; }
  void start(const BlockRead& read) override { started_.push_back(read); }
  void collect(std::vector<BlockDone>& done, bool) override {
    for (const BlockRead& read : started_) {
      const ssize_t n = ::pread(read.descriptor, read.into.data(), read.into.size(),
                                static_cast<off_t>(read.offset));
      done.push_back({read.tag, n < 0 ? -errno : n});
    }
    started_.clear();
  }
  void drain() noexcept override { started_.clear(); }

 private:
  std::vector<BlockRead> started_;
};

inline IoOptions reads_at_once() {
  IoOptions io;
  io.way = IoOptions::Way::Threads;  // which begin with the first read that is left to them
  io.depth = 1;
  io.direct = false;
  io.wrap = [](std::unique_ptr<BlockReader>) { return std::make_unique<ReadsAtOnce>(); };
  return io;
}

}  // namespace fathom::fuzzing
