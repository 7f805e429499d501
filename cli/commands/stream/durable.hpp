// What `fathom stream --log` does: the log, and where the updates go on.
#pragma once

#include <string>
#include <string_view>

#include "cli/shared/report_json.hpp"
#include "cli/shared/stream_options.hpp"
#include "fathom/dynamic/log/update_log.hpp"
#include "fathom/dynamic/updates/update_input.hpp"

namespace fathom::cli {

class DurableStream {
 public:
  explicit DurableStream(const StreamCommand& c) : c_(c), log_(c.log, log_options(c)) {}

  /// The graph as the log has it.
  dynamic::ChangingGraph recover(const Context& ctx, store::Store* origin,
                                 const DynamicGraphOptions& options) {
    return log_.recover(ctx, origin, options);
  }
  /// Leaves out the lines, or records, that the log has, unless they are not given again.
  /// @throws Error(Usage) where they are others
  void pass_over(dynamic::UpdateInput& updates);
  /// Takes note of a line, or a record, of the next batch.
  void take(std::string_view item) { position_.add(item); }

  /// Before a batch is applied.
  void record(const dynamic::NamedBatch& batch, const dynamic::VertexLabels& labels);
  /// Afterwards: from here on it counts, as --sync says.
  void append();
  /// Writes the graph as a new base if the log is long enough.
  void compact_if_long(const DynamicGraph& graph, const dynamic::VertexLabels& labels,
                       const std::string& command_line);
  /// At the end: everything counts.
  void finish();

  std::uint64_t batches() const { return log_.sequence(); }  // since the log began

  /// What was recovered, a line or two; empty where there was nothing.
  std::string recovered_text() const;
  /// What was written, a line.
  std::string written_text() const;
  Json json() const;

 private:
  const StreamCommand& c_;
  dynamic::UpdateLog log_;
  dynamic::UpdatePosition position_;  // behind the line taken last
  std::uint64_t written_batches_ = 0, written_bytes_ = 0, bases_ = 0;
  double log_seconds_ = 0, base_seconds_ = 0;
};

}  // namespace fathom::cli
