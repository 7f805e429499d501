// Where a graph is written that Python then holds: a file, or memory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fathom/core/atomic_file.hpp"
#include "graph.hpp"

namespace fathom::python {

/// A file, or memory without a path when that is empty.
class GraphPlace {
 public:
  explicit GraphPlace(std::string path) : path_(std::move(path)) {
    if (path_.empty()) memory_.emplace(TempFile::in_memory());
  }
  AtomicFile file() { return memory_ ? AtomicFile(*memory_, "the graph") : AtomicFile(path_); }
  /// What was written; in memory all of it counts as copied.
  std::shared_ptr<PyGraph> open() const;

 private:
  std::string path_;
  std::optional<TempFile> memory_;
};

}  // namespace fathom::python
