// What callers ask of a graph that changes, and what it answers.
#pragma once

#include <cstdint>
#include <limits>

#include "fathom/graph/fields.hpp"

namespace fathom {

/// What the insertion of an edge does that is there already.
enum class DuplicatePolicy : std::uint8_t {
  Ignore,     // nothing: the edge keeps its weight and its fields
  Overwrite,  // it gives the edge its weight and its fields
  Keep,       // it adds another edge beside it
};

/// An edge to insert or to delete. A deletion removes every edge from source to target.
struct EdgeUpdate {
  VertexId source = 0;
  VertexId target = 0;
  Weight weight = 1;
  bool deletion = false;

  static EdgeUpdate insert(VertexId source, VertexId target, Weight weight = 1) {
    return {source, target, weight, false};
  }
  static EdgeUpdate remove(VertexId source, VertexId target) { return {source, target, 1, true}; }
};

/// The weight and the type of a vertex that exists or comes with the batch.
struct VertexUpdate {
  VertexId vertex = 0;
  VertexFields fields = {};
};

/// What became of the updates of a batch; of an undirected graph each edge counts once. Of several
/// updates of an edge some are superseded: those before its last deletion (which that of an
/// endpoint is, too), and of the insertions behind it all but the one that counts: of Ignore the
/// first, of Overwrite the last. With Keep all insertions count.
struct BatchReport {
  std::uint64_t inserted = 0;     // edges
  std::uint64_t overwritten = 0;  // insertions of an edge that was there and got their weight
  std::uint64_t ignored = 0;      // insertions of an edge that was there
  std::uint64_t removed = 0;      // edges
  std::uint64_t missing = 0;      // deletions of an edge that was not there before the batch
  std::uint64_t superseded = 0;   // updates without effect for another one of their edge
  std::uint64_t lists = 0;        // that were touched, in both directions
  std::uint64_t moved = 0;        // of them, to another page
  /// Of the host for a GPU: none for a batch that changes no list, else 1; 1 more for one that
  /// deletes vertices (2 more of an undirected graph with updates in the GPU's memory), where a
  /// list has more than 24 updates after a batch in which none had, and each time that memory
  /// grows.
  std::uint64_t waits = 0;
  double seconds = 0;
  std::uint64_t number = 0;  // of the batch among those of the graph, from 1 on; of a sum: the last

  BatchReport& operator+=(const BatchReport& r) {
    inserted += r.inserted;
    overwritten += r.overwritten;
    ignored += r.ignored;
    removed += r.removed;
    missing += r.missing;
    superseded += r.superseded;
    lists += r.lists;
    moved += r.moved;
    waits += r.waits;
    seconds += r.seconds;
    number = number > r.number ? number : r.number;
    return *this;
  }
};

}  // namespace fathom
