// Batches of integer ids on their way from a reader to the builder: checked, noted and narrowed by
// all workers together.
#pragma once

#include <string>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/graph/id_set.hpp"
#include "fathom/graph/stream_build.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::store {

class EdgeIntake {
 public:
  /// What an edge takes here while its batch is dealt with.
  static constexpr std::size_t kBytesPerEdge = sizeof(Edge) + sizeof(Weight);
  /// Thrown by take(): an id is beyond what the set can hold.
  struct TooSparse {};

  /// `ids` collects the ids of input that does not declare its vertices. `name`: of the input, for
  /// messages. All outlive the intake.
  EdgeIntake(const io::InputTraits& traits, const std::string& name, graph::IdSet& ids,
             graph::StreamBuilder& builder, int workers)
      : traits_(traits), name_(name), ids_(ids), builder_(builder), workers_(workers) {}

  /// Gives the edges to the builder. Declared ids count from 0 there, others stay what they are.
  /// @throws TooSparse; Error(BadInput) for an id that was not declared; what the builder throws.
  void take(std::span<const io::EdgeBatch> batches);

 private:
  // Edges that a worker takes at a time, and the first among them that is refused.
  struct Piece {
    const io::EdgeBatch* batch;
    std::size_t first, last;  // of the batch
    std::size_t place;        // of `first` in edges_
    std::uint64_t end = 0;    // no id is as large
    std::size_t bad = ~std::size_t{0};
  };
  std::size_t cut(std::span<const io::EdgeBatch> batches);
  void add_vertices(const io::EdgeBatch& batch);
  void move_declared(Piece& piece);
  void move_any(Piece& piece);
  [[noreturn]] void refuse(std::uint64_t id) const;

  const io::InputTraits& traits_;
  const std::string& name_;
  graph::IdSet& ids_;
  graph::StreamBuilder& builder_;
  int workers_;
  std::vector<Piece> pieces_;
  Array<Edge> edges_;
  Array<Weight> weights_;
};

}  // namespace fathom::store
