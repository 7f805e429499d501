// The changes of lists that a batch of edges and deleted vertices comes to, and how those of the
// host are applied.
#pragma once

#include <string>
#include <vector>

#include "fathom/dynamic/dynamic_state.hpp"

namespace fathom::dynamic {

struct BatchChanges {
  Array<Change> out, in;  // in: empty without in-lists
  UpdateData data;        // what they refer to
};

[[noreturn]] void refuse_vertex(const std::string& what, VertexId v);

/// The edges of a batch, with those that go with its vertices, are numbered by 32 bits in both
/// directions. @throws Error(DoesNotFit) for more.
void check_changes(std::size_t edges);

/// Every endpoint is below the number of records. Cost: without in-lists, a read of all edges of a
/// directed graph from which vertices are deleted (the reversed reference search, section 4.2.4).
/// @throws Error(DoesNotFit)
BatchChanges changes_of(const DynamicGraph::State& graph, const GraphBatch& batch);

/// The counts alone.
inline BatchReport report_of(const ChangeCounts& counts) {
  BatchReport r;
  r.inserted = counts.inserted;
  r.overwritten = counts.overwritten;
  r.ignored = counts.ignored;
  r.removed = counts.removed;
  r.missing = counts.missing;
  r.superseded = counts.superseded;
  return r;
}

/// What the changes of the out lists, planned, come to.
BatchReport report_of(const PlannedBatch& out, bool directed, int threads);

/// Changes the lists of the host. @throws Error(DoesNotFit); nothing has changed then.
BatchReport apply_on_host(DynamicGraph::State& s, const GraphBatch& batch, const ListBatch& lists);

}  // namespace fathom::dynamic
