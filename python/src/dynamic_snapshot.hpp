// A graph that changes as it was between two batches, as Python holds it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "algorithms.hpp"
#include "dynamic.hpp"

namespace fathom::python {

/// Whoever gives the last reference back holds the interpreter's lock.
class PySnapshot {
 public:
  /// For work that is alone.
  explicit PySnapshot(std::shared_ptr<PyDynamic> graph);
  ~PySnapshot();
  PySnapshot(const PySnapshot&) = delete;
  PySnapshot& operator=(const PySnapshot&) = delete;

  const LabelRows& rows() const { return *rows_; }
  const std::shared_ptr<const LabelRows>& shared_rows() const { return rows_; }
  const Snapshot& its() const { return *its_; }
  bool directed() const { return graph_->directed(); }
  bool weighted() const { return graph_->weighted(); }
  bool semantic() const { return graph_->semantic(); }

  /// Whether algorithms can run on the lists where they are: no index is without a vertex, and
  /// `words` ask for nothing else.
  bool runs_here(const Words& words) const;
  /// Runs one there. @throws what it does
  static std::shared_ptr<PyResult> run(const std::shared_ptr<PySnapshot>& snapshot,
                                       const std::string& algorithm, const nb::dict& given,
                                       const Words& words);
  /// A copy as a store: a file, or in memory when `path` is empty.
  std::shared_ptr<PyGraph> stored(const std::string& path, const std::string& provenance) const;

 private:
  /// A context of the processor, for one call at a time.
  struct Session {
    Words words;
    Watched watched;
    std::optional<Context> context;
    std::optional<Graph> graph;
    pid_t process = 0;
  };

  /// Calls use(context, graph) where the lists are.
  void here(const Words& words, const CheckAnswer& use);
  std::shared_ptr<Session> take(const Words& words);
  VertexId find(const std::string& label) const;
  cli::Json described() const;

  std::shared_ptr<PyDynamic> graph_;
  std::optional<Snapshot> its_;
  std::shared_ptr<const LabelRows> rows_;
  std::optional<Graph> on_gpu_;  // for work that is alone
  std::mutex mutex_;
  std::shared_ptr<Session> idle_;
};

}  // namespace fathom::python
