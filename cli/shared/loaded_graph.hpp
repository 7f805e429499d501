// A graph opened for an algorithm, together with its context and the caller's labels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/shared/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {

/// @throws Error(Usage) for an option without effect on lists that are laid out as the file's are.
void check_layout_options(const ExecutionOptions& options, const store::Store& store);

/// @throws Error(Usage) where the edges of a file do not have what a filter asks for.
void check_filter(const EdgeFilter& filter, const store::Store& store);

class LoadedGraph {
 public:
  /// What is opened at once, which counts as loading.
  enum class Opens {
    OutLists,
    Nothing,  // for algorithms that do not read them: their offsets would stay beside others
  };
  LoadedGraph(const std::string& path, const ExecutionOptions& options, const Task& task,
              Opens opens = Opens::OutLists);
  LoadedGraph(std::shared_ptr<store::Store> store, const ExecutionOptions& options,
              const Task& task, Opens opens = Opens::OutLists);
  LoadedGraph(const LoadedGraph&) = delete;
  LoadedGraph& operator=(const LoadedGraph&) = delete;

  const Context& context() const { return context_; }
  const Graph& graph() const { return graph_; }

  /// The same graph on the cpu, where results are checked: itself, or the mapped store.
  const Context& checking_context() const;
  const Graph& checking_graph() const;
  store::Store& store() const { return *store_; }
  /// Of a file, or of a directory of parts.
  const std::string& path() const { return path_; }
  double load_seconds() const { return load_seconds_; }
  /// Which edges of the store the graph has; those that are kept are counted by graph().
  const EdgeFilter& filter() const { return filter_; }
  /// Tells graphs apart: a store's fingerprint, with what the filter asks for.
  std::uint64_t identity() const;
  /// Null unless --trace was given.
  const Trace* trace() const { return trace_.get(); }

  /// The internal id of a label. @throws Error(Usage) that says which labels there are.
  VertexId find(const std::string& label) const;
  std::vector<VertexId> find(const std::vector<std::string>& labels) const;
  /// Finds vertices by label, while this lives.
  auto finder() const {
    return [this](std::string_view label) { return store_->find(label); };
  }
  std::string label(VertexId v) const { return store_->label(v); }

  /// The order of results, that of the vertices before any reordering: the row of each vertex, and
  /// the vertex of each row. Both empty when rows are ids. Read when first asked for.
  const store::FirstOrder& rows() const;
  VertexId row(VertexId v) const { return rows().natural() ? v : rows().row[v]; }
  VertexId vertex(VertexId row) const { return rows().natural() ? row : rows().vertex[row]; }

 private:
  /// Whether certificates need memory that the devices lack.
  bool apart() const;

  std::shared_ptr<store::Store> store_;
  std::string path_;
  EdgeFilter filter_;
  Context context_;
  Graph graph_;
  double load_seconds_ = 0;
  std::shared_ptr<Trace> trace_;
  mutable std::optional<store::FirstOrder> rows_;
  mutable std::optional<Context> checking_context_;
  mutable std::optional<Graph> checking_graph_;
};

}  // namespace fathom::cli
