#include "cli/commands/stream/durable.hpp"

#include <fmt/format.h>

#include <chrono>

#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

/// Adds how long something takes.
template <class Body>
void add_time_of(double& seconds, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void DurableStream::pass_over(dynamic::UpdateInput& updates) {
  const dynamic::UpdatePosition& logged = log_.position();
  if (c_.continued) {
    position_ = logged;
    return;
  }
  for (std::string_view item; position_.line < logged.line; position_.add(item))
    if (!updates.next(item))
      throw Error(
          ErrorCode::Usage,
          fmt::format("{} has {} {}s, but {} has taken {}: the same updates are needed "
                      "again, from the beginning, or --continued",
                      updates.name(), updates.number(), updates.item(), log_.path(), logged.line));
  if (position_ != logged)
    throw Error(ErrorCode::Usage,
                fmt::format("{}: the first {} {}s are not those that {} has taken: --continued "
                            "is for updates that go on behind them",
                            updates.name(), logged.line, updates.item(), log_.path()));
}

void DurableStream::record(const dynamic::NamedBatch& batch, const dynamic::VertexLabels& labels) {
  add_time_of(log_seconds_, [&] { log_.record(batch, labels, position_); });
}

void DurableStream::append() {
  const std::uint64_t before = log_.bytes();
  add_time_of(log_seconds_, [&] { log_.append(); });
  written_bytes_ += log_.bytes() - before;
  ++written_batches_;
}

void DurableStream::compact_if_long(const DynamicGraph& graph, const dynamic::VertexLabels& labels,
                                    const std::string& command_line) {
  if (!log_.wants_compact()) return;
  add_time_of(base_seconds_, [&] { log_.compact(graph, labels, command_line); });
  ++bases_;
}

void DurableStream::finish() {
  add_time_of(log_seconds_, [&] { log_.sync(); });
}

std::string DurableStream::recovered_text() const {
  const dynamic::LogRecovery& r = log_.recovery();
  std::string text;
  if (r.any())
    text = fmt::format(
        "log: recovered {} batches, {} updates, from {}{}, in {}; {} lines of "
        "updates are taken\n",
        format_count(r.batches), format_count(r.updates), printable(log_.path()),
        r.base_batches == 0 ? ""
                            : fmt::format(", and the graph after batch {} from beside it",
                                          format_count(r.base_batches)),
        format_seconds(r.seconds), format_count(log_.position().line));
  if (r.cut_bytes > 0)
    text +=
        fmt::format("log: cut off {} of a batch that was not whole\n", format_bytes(r.cut_bytes));
  return text;
}

std::string DurableStream::written_text() const {
  return fmt::format("  log: {} batches, {} written in {}; {} new bases in {}; {} lines taken\n",
                     format_count(written_batches_), format_bytes(written_bytes_),
                     format_seconds(log_seconds_), format_count(bases_),
                     format_seconds(base_seconds_), format_count(log_.position().line));
}

Json DurableStream::json() const {
  const dynamic::LogRecovery& r = log_.recovery();
  return {{"directory", log_.directory()},
          {"recovered",
           {{"base_batches", r.base_batches},
            {"batches", r.batches},
            {"updates", r.updates},
            {"cut_bytes", r.cut_bytes},
            {"seconds", r.seconds}}},
          {"batches", written_batches_},
          {"bytes", written_bytes_},
          {"seconds", log_seconds_},
          {"bases", bases_},
          {"base_seconds", base_seconds_},
          {"last_batch", log_.sequence()},
          {"lines", log_.position().line}};
}

}  // namespace fathom::cli
