// What is said of the vertices of a graph that changes, their weights and types: in host memory, or
// beside the lists in the memory of a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"

namespace fathom::dynamic {

/// Of the first vertices; the others have weight 1 and type 0. A batch is taken in by prepare(),
/// which may fail, and commit(), which does not; a batch that was not committed is forgotten.
class FATHOM_API VertexTable {
 public:
  virtual ~VertexTable() = default;

  /// Of how many vertices something is kept; 0 until something is said.
  virtual std::size_t size() const = 0;
  virtual std::size_t bytes() const = 0;
  /// @throws Error(DoesNotFit)
  virtual std::shared_ptr<VertexTable> copy() const = 0;

  /// Makes room for what a batch says, of so many vertices. @throws Error(DoesNotFit); nothing has
  /// changed then.
  virtual void prepare(const GraphBatch& batch, VertexId vertices) = 0;
  /// Of a vertex that is named more than once the last counts; deleted ones lose what was said.
  virtual void commit(const GraphBatch& batch) noexcept = 0;

  /// Answers about vertices below `vertices`, questions and answers in host memory or, `on_device`,
  /// where the GPU reads and writes. Returns the index of the first question about another vertex,
  /// else how many there are.
  virtual std::size_t look_up(std::span<const VertexId> asked, VertexId vertices, VertexFields* to,
                              bool on_device) const = 0;
  /// Whether a vertex has another weight than 1 or another type than 0.
  virtual bool says_anything() const = 0;
  /// What is kept, in host memory.
  virtual std::vector<VertexFields> all() const = 0;
};

/// In host memory.
std::shared_ptr<VertexTable> make_host_vertex_table(std::span<const VertexFields> all);

}  // namespace fathom::dynamic
