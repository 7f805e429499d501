// fathom stream: a graph that changes, by updates from a file or a pipe.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/commands/stream/durable.hpp"
#include "cli/commands/stream/following.hpp"
#include "cli/commands/stream/report.hpp"
#include "cli/commands/stream/results.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/stream_options.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/labels/by_label.hpp"
#include "fathom/dynamic/updates/checkpoint.hpp"
#include "fathom/dynamic/updates/expiry.hpp"
#include "fathom/dynamic/updates/update_input.hpp"

namespace fathom::cli {
namespace {

/// A stream of batches into one graph.
class Stream {
 public:
  Stream(const StreamCommand& c, Session& session)
      : c_(c),
        session_(session),
        task_(session.task(true)),
        ctx_(make_context(c.execution, 0, task_)),
        labels_(dynamic::VertexLabels::of_any()),
        updates_(c.updates, task_) {
    read_every();
    const DynamicGraphOptions options = graph_options(c);
    if (!c.log.empty()) {
      recover(options);
      return;
    }
    if (c.empty) {
      graph_.emplace(ctx_, options);
      at_.any_labels = true;
      follow();
      return;
    }
    const auto store = store::Store::open(c.graph);
    if (c.resume) {
      at_ = dynamic::read_checkpoint(*store);
      pass_over();
    }
    take_graph(dynamic::load(ctx_, *store, options, at_.any_labels));
  }

  void run() {
    if (c_.expire) {
      if (!graph_->semantic())
        throw Error(ErrorCode::Usage,
                    fmt::format("--expire goes by timestamps, which the edges of {} do not have; "
                                "with --semantic they get them, 0 at first",
                                c_.graph));
      expiry_.emplace(*c_.expire);
    }
    double seconds = 0;
    try {
      if (durable_ && !c_.json && !c_.quiet) {
        write_out(durable_->recovered_text());
        flush_out();
      }
      seconds = apply_all();
      if (!c_.output.empty())
        dynamic::save(*graph_, labels_, c_.output, session_.command_line, task_);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::Interrupted && !c_.checkpoint.empty()) save_checkpoint();
      throw;
    }
    if (c_.json) {
      Json run{{"device", ctx_.device_name()},
               {"layout", c_.layout},
               {"allocator", c_.allocator},
               {"threads", ctx_.threads()},
               {"seconds", seconds}};
      if (durable_) run["log"] = durable_->json();
      write_out(to_text(stream_json(std::move(run), totals_, *graph_, std::move(analyses_))));
    } else if (!c_.quiet) {
      write_out(stream_summary(totals_, *graph_));
      if (durable_) write_out(durable_->written_text());
    }
  }

 private:
  void read_every() {
    if (c_.every.empty()) return;
    const std::string& count = c_.every[0];
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), every_);
    if (error != std::errc{} || end != count.data() + count.size() || every_ == 0)
      throw Error(ErrorCode::Usage, "--every begins with a number of batches, not '" + count + "'");
    for (std::size_t i = 1; i < c_.every.size(); ++i)
      algorithms_.push_back(streamed_algorithm(c_.every[i]));
    if (algorithms_.empty())
      throw Error(ErrorCode::Usage, "--every needs an algorithm after the number of batches");
  }

  /// Goes on from what --log has.
  void recover(const DynamicGraphOptions& options) {
    durable_.emplace(c_);
    const auto origin = c_.empty ? nullptr : store::Store::open(c_.graph);
    take_graph(durable_->recover(ctx_, origin.get(), options));
    durable_->pass_over(updates_);
  }

  void take_graph(dynamic::ChangingGraph&& loaded) {
    labels_ = std::move(loaded.labels);
    graph_.emplace(std::move(loaded.graph));
    follow();
  }

  void follow() {
    if (c_.incremental) followed_.emplace(algorithms_, *graph_, labels_, ctx_.on_gpu());
  }

  /// Leaves out the updates that a checkpoint has.
  void pass_over() {
    const char* const kind = updates_.item();
    if (at_.line > 0 && at_.records != updates_.is_records())
      throw Error(ErrorCode::Usage,
                  fmt::format("{} is {}s, but the checkpoint was written after {} {}: --resume "
                              "takes the same updates again, from the beginning",
                              updates_.name(), kind,
                              dynamic::UpdateInput::name_of_item(at_.records), at_.line));
    std::string_view item;
    while (updates_.number() < at_.line)
      if (!updates_.next(item))
        throw Error(ErrorCode::Usage,
                    fmt::format("{} has {} {}s, but the checkpoint was written after {} {}: "
                                "--resume takes the same updates again, from the beginning",
                                updates_.name(), updates_.number(), kind, kind, at_.line));
  }

  /// Returns how many seconds it took.
  double apply_all() {
    const auto start = std::chrono::steady_clock::now();
    expire({});
    while (next_batch()) {
    }
    if (durable_) durable_->finish();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void save_checkpoint() {
    dynamic::write_checkpoint(c_.checkpoint, *graph_, labels_, at_, session_.command_line);
  }

  /// Reads and applies a batch; false when there was nothing left.
  bool next_batch() {
    if (!batch_) batch_.emplace(*graph_, labels_, ctx_.threads());
    dynamic::UpdateBatch& batch = *batch_;
    batch.clear();
    const auto note = [this](std::string_view item) { durable_->take(item); };
    const bool more =
        durable_ ? updates_.fill(batch, c_.batch, note) : updates_.fill(batch, c_.batch);
    if (batch.updates() == 0) return false;
    task_.check();
    if (durable_) durable_->record(batch.named(), labels_);
    if (followed_) {
      const AppliedBatch applied = batch.apply_recorded();
      applied_batch();
      totals_.add(batch, applied.report, graph_->memory());
      followed_->update(applied);
    } else {
      BatchReport report = batch.apply();
      applied_batch();
      const auto applied = std::chrono::steady_clock::now();
      const DynamicMemory memory = graph_->memory();  // waits for a GPU's kernels
      if (ctx_.on_gpu())
        report.seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - applied).count();
      totals_.add(batch, report, memory);
    }
    expire(batch.named().batch);
    const std::uint64_t interval = c_.checkpoint_every == 0 ? 1 : c_.checkpoint_every;
    if (!c_.checkpoint.empty() && totals_.batches % interval == 0) save_checkpoint();
    if (durable_) durable_->compact_if_long(*graph_, labels_, session_.command_line);
    if (every_ != 0 && batches() % every_ == 0) {
      if (durable_) durable_->finish();  // nothing is said of a batch that may be lost
      analyse();
    }
    return more;
  }

  /// Removes edges that are too old now that a batch was applied: a batch of its own.
  void expire(const GraphBatch& applied) {
    if (!expiry_) return;
    const dynamic::ExpiredEdges old = expiry_->find(*graph_, applied, ctx_.threads());
    if (old.edges.empty()) return;
    if (durable_) durable_->record({old.batch(), {}}, labels_);
    BatchReport report;
    if (followed_) {
      const AppliedBatch gone = graph_->apply_recorded(old.batch());
      report = gone.report;
      followed_->update(gone);
    } else {
      report = graph_->apply(old.batch());
    }
    if (durable_) durable_->append();
    totals_.add_expired(old.count, report);
  }

  /// The batch counts, also if what follows is interrupted.
  void applied_batch() {
    at_.line = updates_.number();
    at_.records = updates_.is_records();
    if (durable_) durable_->append();
  }

  /// Those of earlier runs too, where a log has them and nothing else.
  std::uint64_t batches() const {
    return durable_ && !expiry_ ? durable_->batches() : totals_.batches;
  }

  void analyse() {
    std::optional<StreamedResult> results;  // made for the first that is not followed
    Json at{{"batch", batches()},
            {"vertices", graph_->existing_vertices()},
            {"edges", graph_->edges()},
            {"results", Json::array()}};
    for (const StreamedAlgorithm& a : algorithms_) {
      std::optional<Json> followed = followed_ ? followed_->run(a) : std::nullopt;
      if (!followed && !results) results.emplace(ctx_, *graph_, labels_);
      const Json result = followed ? *std::move(followed) : results->run(a);
      if (!c_.json && !c_.quiet) print("batch {}: {}\n", format_count(batches()), line_of(result));
      at["results"].push_back(result);
    }
    if (!c_.json && !c_.quiet) flush_out();
    if (c_.json) analyses_.push_back(std::move(at));
  }

  const StreamCommand& c_;
  Session& session_;
  Task task_;
  Context ctx_;
  dynamic::VertexLabels labels_;
  std::optional<DynamicGraph> graph_;
  std::optional<DurableStream> durable_;  // with --log
  std::optional<FollowedResults> followed_;
  dynamic::UpdateInput updates_;
  std::optional<dynamic::UpdateBatch> batch_;  // emptied for each
  std::optional<dynamic::Expiry> expiry_;      // with --expire
  std::uint64_t every_ = 0;
  std::vector<StreamedAlgorithm> algorithms_;
  dynamic::Checkpoint at_;
  StreamTotals totals_;
  Json analyses_ = Json::array();
};

}  // namespace

void add_stream(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "stream", "Apply insertions and deletions of edges and vertices to a graph, in batches");
  auto c = std::make_shared<StreamCommand>();
  add_stream_options(*command, *c);
  command->callback([c, &session] {
    session.command = [c, &session] {
      check_options(*c);
      Stream(*c, session).run();
    };
  });
}

}  // namespace fathom::cli
