// A graph that changes and outlives what kills its process: every batch is written to a log before
// it counts, and what the log has is applied again when the directory is opened the next time
// (write-ahead logging; redo alone, since the graph is in memory: Mohan et al., "ARIES", 1992).
//
//   dynamic::UpdateLog log("orders.log", {});
//   dynamic::ChangingGraph its = log.recover(ctx, store.get(), options);
//   ...                                            // a UpdateBatch `batch` up to the position `at`
//   log.record(batch.named(), its.labels, at);
//   batch.apply();
//   log.append();                                  // now the batch counts
//
// Neither the log nor the time to read it grow without bound: compact() writes the graph as a new
// base and begins the log anew.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fathom/dynamic/labels/by_label.hpp"
#include "fathom/dynamic/log/batch_record.hpp"
#include "fathom/dynamic/log/log_writer.hpp"
#include "fathom/store/store.hpp"

namespace fathom::dynamic {

inline constexpr std::uint64_t kNeverSync = std::numeric_limits<std::uint64_t>::max();
/// What a log may grow to where nothing else is asked for and its base is smaller.
inline constexpr std::uint64_t kLogBytes = std::uint64_t{64} << 20;

struct UpdateLogOptions {
  /// A batch counts once it, and those before it, are on the disk: after every so many batches,
  /// from 1 on, and in sync(). kNeverSync: as soon as the system has it, which outlives the process
  /// but not a loss of power: a log that lost a part in the middle is refused then.
  std::uint64_t sync_every = 1;
  /// Bytes of a log that call for a new base. None: kLogBytes, or the size of the base if that is
  /// more, so that at most as much is written for bases as for a graph once and for logs together.
  std::optional<std::uint64_t> most_bytes = std::nullopt;
};

/// What there was when a directory was opened.
struct LogRecovery {
  std::uint64_t base_batches = 0;  // in the base
  std::uint64_t batches = 0;       // in the log
  std::uint64_t updates = 0;       // of those in the log
  std::uint64_t cut_bytes = 0;     // of a batch that was not whole, and never counted
  double seconds = 0;              // reading the base and the log, and applying it

  bool any() const { return base_batches + batches > 0; }
};

/// A directory with a log and, after the first compact(), a base of its own. One process at a time
/// has it. Not thread-safe.
class FATHOM_API UpdateLog {
 public:
  /// Makes the directory if need be, and locks it. @throws Error(Usage) for what is no directory;
  ///         Error(BadInput) for a base without its log; Error(Io), also where another process has
  ///         it.
  UpdateLog(std::string directory, const UpdateLogOptions& options);
  /// Syncs what is not yet, if it can.
  ~UpdateLog();
  UpdateLog(const UpdateLog&) = delete;
  UpdateLog& operator=(const UpdateLog&) = delete;

  /// The graph after the last batch of the log. A directory without a log gets one, which follows
  /// `origin` (null: a graph without vertices, whose labels are strings). Once, before all below.
  /// Cost: that of load() and of the batches in the log.
  /// @throws Error(Usage) where the log follows another store, or is of another kind of graph;
  ///         Error(BadInput) for damage, naming the file, the batch and the byte; what load() and
  ///         DynamicGraph::apply() do; Error(Interrupted); Error(Io)
  ChangingGraph recover(const Context& ctx, store::Store* origin,
                        const DynamicGraphOptions& options);
  const LogRecovery& recovery() const { return recovery_; }

  /// Notes what a batch does that is not applied yet. `at`: behind its last line.
  void record(const NamedBatch& batch, const VertexLabels& labels, const UpdatePosition& at);
  /// Writes what was noted last; with every sync_every-th batch it and those before it count.
  /// After an error nothing more is taken, and who opens the directory again gets all that counted.
  /// @throws Error(Io)
  void append();
  /// All batches count from here on. @throws Error(Io)
  void sync();

  /// Whether the log has outgrown the options.
  bool wants_compact() const { return writer_->bytes() > most_bytes_; }
  /// Writes the graph, to which all batches of the log were applied, as the new base, and begins
  /// the log anew. Killed at any moment, or refused by a full disk, it leaves the old ones or the
  /// new ones. Cost: that of save(), and so much room on the disk beside the old base.
  /// @throws what save() does; Error(Io)
  void compact(const DynamicGraph& graph, const VertexLabels& labels,
               const std::string& command_line);

  const std::string& directory() const { return directory_; }
  const std::string& path() const { return writer_->path(); }              // of the log
  std::uint64_t sequence() const { return writer_->sequence(); }           // of the last batch
  std::uint64_t batches() const { return sequence() - header_.sequence; }  // in the log
  std::uint64_t bytes() const { return writer_->bytes(); }                 // of the log
  const UpdatePosition& position() const { return position_; }             // behind the last batch

 private:
  void lock();
  void find_log();
  void remove_leftovers() const;
  void check_origin(const std::string& log, const store::Store* origin) const;
  std::shared_ptr<store::Store> open_base(const LogKind& kind, const store::Store* origin);
  void begin_log(const LogKind& kind, std::uint64_t graph);
  void replay(ChangingGraph& into, const Task& task);
  void limit_bytes(const std::string& base);
  LogPromise promise() const {
    return options_.sync_every == kNeverSync ? LogPromise::Written : LogPromise::Synced;
  }
  std::string log_path(std::uint64_t sequence) const;
  std::string base_path(std::uint64_t sequence) const;

  std::string directory_;
  UpdateLogOptions options_;
  int lock_ = -1;
  std::optional<std::uint64_t> newest_;  // the number in the log's name, until there is a writer
  LogHeader header_;
  std::optional<LogWriter> writer_;
  BatchEncoder encoder_;
  std::span<const std::byte> noted_;
  UpdatePosition position_, noted_position_;
  std::uint64_t most_bytes_ = kLogBytes;
  LogRecovery recovery_;
};

}  // namespace fathom::dynamic
