// A graph that changes, as Python holds it: lists, labels, results that follow.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "columns.hpp"
#include "dynamic_labels.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"
#include "graph.hpp"

namespace fathom::python {

class Following;

using ColumnRef = std::shared_ptr<Column>;

/// Edges in columns; none of them: no edges. Those behind `target` may lack: weights are 1 then,
/// types and timestamps 0.
struct EdgeColumns {
  ColumnRef source, target, weight, type, t1, t2;

  std::uint64_t size() const { return source ? source->size() : 0; }
  bool has_fields() const { return type || t1 || t2; }
};

/// Vertices in columns; none of them: no vertices. Without `weight` and `type` nothing is said of
/// their fields.
struct VertexColumns {
  ColumnRef label, weight, type;

  std::uint64_t size() const { return label ? label->size() : 0; }
  bool has_fields() const { return weight || type; }
};

/// @throws Error(Usage) for columns of different lengths
void check_sizes(const EdgeColumns& edges);
void check_sizes(const VertexColumns& vertices);

/// What one batch came to.
struct Applied {
  BatchReport report;
  std::uint64_t new_vertices = 0, gone_vertices = 0, without_effect = 0, rounded_weights = 0;
};

class PyDynamic : public std::enable_shared_from_this<PyDynamic> {
 public:
  /// `words`: options of `fathom stream`. `from`: where it starts; null: without any vertex.
  /// @throws Error(Usage), Error(Device), Error(DoesNotFit), Error(BadInput) for a damaged file
  PyDynamic(const std::shared_ptr<PyGraph>& from, bool strings, const Words& words);
  ~PyDynamic();
  PyDynamic(const PyDynamic&) = delete;
  PyDynamic& operator=(const PyDynamic&) = delete;

  /// Calls work() when no other call is at work on the graph, without the interpreter's lock, which
  /// the caller holds; Ctrl-C interrupts it, and what it waits for. @throws what work() does.
  void alone(FunctionRef<void()> work);

  // For work that is alone.
  const Context& context() const { return *context_; }
  DynamicGraph& graph() { return *graph_; }
  DynamicLabels& labels() { return *labels_; }

  // These never change.
  const std::string& device() const { return device_; }
  bool on_gpu() const { return context_->on_gpu(); }
  bool directed() const { return graph_->directed(); }
  bool weighted() const { return graph_->weighted(); }
  bool semantic() const { return graph_->semantic(); }
  bool strings() const { return strings_; }

  Applied apply(const EdgeColumns& remove, const EdgeColumns& insert, const VertexColumns& vertices,
                const ColumnRef& gone);
  /// Takes part in every batch from now on, while it lives.
  void follow(const std::shared_ptr<Following>& following);

 private:
  struct Bound;
  /// For processes that were forked. @throws Error(Device), Error(Usage)
  void check_process();
  /// What a batch says, by vertex, on the host.
  struct Said {
    std::vector<EdgeUpdate> edges;
    std::vector<EdgeFields> fields;  // of the edges; none where all are 0
    std::vector<VertexUpdate> vertices;
  };
  Applied apply_alone(EdgeColumns remove, EdgeColumns insert, VertexColumns vertices,
                      ColumnRef gone);
  // Labels that are unknown come with the batch.
  void add_vertices(const VertexColumns& vertices, Said& said, Applied& applied);
  void add_edges(const EdgeColumns& remove, const EdgeColumns& insert, Said& said,
                 Applied& applied);
  std::vector<std::shared_ptr<Following>> following();

  std::string device_;
  bool strings_;
  DuplicatePolicy duplicates_ = DuplicatePolicy::Overwrite;
  std::timed_mutex mutex_;
  std::atomic<pid_t> process_;
  const pid_t made_in_;
  // What the context's work is watched by, of the call that is alone.
  std::atomic<bool> cancelled_{false};
  class Forwarding;
  std::unique_ptr<Forwarding> progress_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<DynamicGraph> graph_;
  std::unique_ptr<DynamicLabels> labels_;
  std::vector<std::weak_ptr<Following>> following_;
};

/// Vertices of labels. @throws Error(Usage) for a label that is nobody's
std::vector<VertexId> known_vertices(const DynamicLabels& labels, const Column& column);

void add_dynamic(nb::module_& module);
void add_snapshots(nb::module_& module);
void add_following(nb::module_& module);

}  // namespace fathom::python
