// The build of build.hpp for graphs larger than memory: edges in, sorted lists out, by external
// sorting. Same policies, same lists, same report as build().
#pragma once

#include <memory>

#include "fathom/core/function_ref.hpp"
#include "fathom/graph/build.hpp"

namespace fathom::graph {

/// Consecutive edges of a set of lists; `weight` is empty when unweighted.
struct EdgePart {
  std::span<const VertexId> target;
  std::span<const Weight> weight;
};

/// Receives one set of lists in ascending order of vertices. Offsets may run ahead of or behind the
/// edges they point to.
class ListSink {
 public:
  virtual ~ListSink() = default;
  /// vertices + 1 entries in all, the first is 0.
  virtual void offsets(std::span<const EdgeId> offset) = 0;
  /// `weight` is empty when unweighted.
  virtual void edges(std::span<const VertexId> target, std::span<const Weight> weight) = 0;
  /// Many edges at once, for sinks that take them with several threads.
  virtual void parts(std::span<const EdgePart> parts) {
    for (const EdgePart& part : parts) edges(part.target, part.weight);
  }
  /// Nothing more comes.
  virtual void finish() = 0;
};

/// Turns raw ids into final ones, in place. Must be monotone: it is applied to sorted edges.
using Relabel = FunctionRef<void(std::span<VertexId>)>;

class FATHOM_API StreamBuilder {
 public:
  /// Sorts in at most `options.memory` bytes (and 1 MiB).
  explicit StreamBuilder(const BuildOptions& options);
  ~StreamBuilder();

  /// Any ids; `weight` is empty or of the same size.
  /// @throws Error(BadInput) for a weight that is not a number; Error(Io); Error(Interrupted).
  void push(std::span<const Edge> edge, std::span<const Weight> weight);

  /// Edges pushed, with their reverses, before duplicates are merged.
  EdgeId records() const;

  /// Delivers all out-lists, then all in-lists unless `in` is null. Call once.
  /// @throws Error(BadInput) for an endpoint >= vertices after relabelling; Error(Io);
  ///         Error(Interrupted); whatever the sinks throw.
  BuildReport finish(VertexId vertices, ListSink& out, ListSink* in);
  BuildReport finish(VertexId vertices, ListSink& out, ListSink* in, Relabel relabel);

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::graph
