// A graph as Python holds it: an open store, and what algorithms need of it, kept between calls.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/store.hpp"

namespace fathom::python {

/// Options of execution as a command line has them: {"--device", "cuda:0", "--residency", "auto"}.
using Words = std::vector<std::string>;

/// A graph opened somewhere, for one call at a time.
struct Session {
  Words words;
  bool sweeps = false;
  cli::LoadedGraph::Opens opens = cli::LoadedGraph::Opens::OutLists;
  cli::ExecutionOptions options;
  Watched watched;
  std::unique_ptr<cli::LoadedGraph> loaded;
  pid_t process = 0;
};

class PyGraph {
 public:
  /// A file that stays under its name.
  explicit PyGraph(const std::string& path);
  /// A file that is only reached through its descriptor, which the graph then owns. `name`: what
  /// messages call it. `copied`: bytes of arrays that were copied to make it.
  PyGraph(int descriptor, std::string name, std::uint64_t copied);
  ~PyGraph();
  PyGraph(const PyGraph&) = delete;
  PyGraph& operator=(const PyGraph&) = delete;

  store::Store& store() const { return *store_; }
  const store::Header& header() const { return store_->header(); }
  /// What it is called by people; "" where it has no name.
  const std::string& name() const { return name_; }
  std::uint64_t copied_bytes() const { return copied_; }
  /// A path by which commands of this process can open it.
  const std::string& path() const { return store_->path(); }

  /// The order of results (store/first_order.hpp). Read when first asked for.
  const store::FirstOrder& order();
  /// Rows count vertices in the order of results.
  VertexId vertex_of(VertexId row);
  VertexId row_of(VertexId vertex);
  std::optional<VertexId> find(std::string_view label) { return store_->find(label); }
  std::string label(VertexId row) { return store_->label(vertex_of(row)); }

  /// Calls use(session) on a graph opened as `words` ask for, with the interpreter's lock released.
  /// What another call of the same words has left open is used again.
  void with_session(const Words& words, bool sweeps, cli::LoadedGraph::Opens opens,
                    FunctionRef<void(Session&)> use);
  /// The same graph opened for as long as the caller keeps it; use(session) is its first call.
  std::shared_ptr<Session> open(const Words& words, bool sweeps, cli::LoadedGraph::Opens opens,
                                FunctionRef<void(Session&)> use);
  /// Runs work() on what open() gave, with the interpreter's lock released.
  void call_in(Session& session, FunctionRef<void()> work);
  /// Closes what calls have left open.
  void close_idle();

  /// Runs work(task) likewise, without a graph opened.
  void without_session(FunctionRef<void(const Task&)> work);

 private:
  std::shared_ptr<Session> take(const Words& words, bool sweeps, cli::LoadedGraph::Opens opens);
  /// Rethrows the exception in flight with the graph's name in place of its path.
  [[noreturn]] void rethrow_by_name() const;

  int descriptor_ = -1;
  std::string name_;
  std::uint64_t copied_ = 0;
  std::shared_ptr<store::Store> store_;
  std::mutex mutex_;
  std::shared_ptr<Session> idle_;
  std::optional<store::FirstOrder> order_;
};

/// What options of execution mean. @throws Error(Usage)
cli::ExecutionOptions parse_execution(const Words& words);

void add_graph(nb::module_& module);

}  // namespace fathom::python
