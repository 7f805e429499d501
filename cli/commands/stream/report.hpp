// What `fathom stream` says in the end.
#pragma once

#include <algorithm>
#include <string>

#include "cli/shared/report_json.hpp"
#include "fathom/dynamic/updates/update_batch.hpp"

namespace fathom::cli {

/// What happened in all.
struct StreamTotals {
  BatchReport report;
  std::uint64_t batches = 0, updates = 0, without_effect = 0, new_vertices = 0, gone_vertices = 0;
  std::uint64_t expired = 0;  // edges
  std::size_t peak_bytes = 0;

  void add(const dynamic::UpdateBatch& batch, const BatchReport& r, const DynamicMemory& memory) {
    report += r;
    ++batches;
    updates += batch.updates();
    without_effect += batch.without_effect();
    new_vertices += batch.new_vertices();
    gone_vertices += batch.deleted_vertices();
    peak_bytes = std::max(peak_bytes, memory.page_bytes + memory.record_bytes);
  }
  /// Of edges that were too old, after a batch.
  void add_expired(std::uint64_t edges, const BatchReport& r) {
    expired += edges;
    report.seconds += r.seconds;
  }
  /// Updates per second of applying them.
  double rate() const {
    return report.seconds > 0 ? static_cast<double>(updates) / report.seconds : 0;
  }
};

/// The object of --json (docs/schema/stream.schema.json); `run` has what is not in the others.
Json stream_json(Json run, const StreamTotals& totals, const DynamicGraph& graph, Json analyses);

/// A few lines for people.
std::string stream_summary(const StreamTotals& totals, const DynamicGraph& graph);

}  // namespace fathom::cli
