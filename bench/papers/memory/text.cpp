// What `fathom bench memory` found, as tables and as JSON (docs/schema/bench-memory.schema.json).
#include <fmt/format.h>

#include "bench/papers/memory/memory.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli::memory_bench {
namespace {

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json rows_json(const std::vector<Row>& rows) {
  Json out = Json::array();
  for (const Row& r : rows)
    out.push_back({{"blocks", r.blocks},
                   {"low", r.low},
                   {"high", r.high},
                   {"rounds", r.rounds},
                   {"cold_ms", r.cold_ms},
                   {"warm_ms", number(r.warm_ms)},
                   {"free_cold_ms", number(r.free_cold_ms)},
                   {"free_ms", number(r.free_ms)},
                   {"write_ms", r.write_ms},
                   {"asked_bytes", r.asked_bytes},
                   {"rounded_bytes", r.rounded_bytes},
                   {"span_bytes", r.span_bytes},
                   {"span_bytes_after", r.span_bytes_after},
                   {"span_bytes_most", r.span_bytes_most},
                   {"failed", r.failed}});
  return out;
}

std::string cell(const std::optional<double>& ms) {
  return ms ? fmt::format("{:.4f}", *ms) : std::string("-");
}

std::string sizes_text(std::uint64_t low, std::uint64_t high) {
  return low == high ? fmt::format("{}", high) : fmt::format("{}-{}", low, high);
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string rows_text(const char* title, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format(
      "  {}\n  {:>9} {:>8} {:>10} {:>10} {:>10} {:>10} {:>7} {:>7} {:>7}\n", title, "blocks",
      "bytes", "cold ms", "warm ms", "free ms", "write ms", "span", "most", "failed");
  for (const Row& r : rows)
    text += fmt::format("  {:>9} {:>8} {:>10} {:>10} {:>10} {:>10} {:>6.3f}x {:>6.3f}x {:>7}\n",
                        r.blocks, sizes_text(r.low, r.high), cell(r.cold_ms), cell(r.warm_ms),
                        cell(r.free_ms), cell(r.write_ms), ratio(r.span_bytes, r.rounded_bytes),
                        ratio(r.span_bytes_most, r.rounded_bytes), r.failed);
  return text;
}

std::string endurance_text(const Endurance& e) {
  const std::string rate =
      e.ms > 0 ? fmt::format("{:.1f}", static_cast<double>(e.operations) / e.ms / 1e3) : "-";
  std::string text = fmt::format("  endurance: {} operations in {:.1f} ms ({} M/s), {} refused",
                                 e.operations, e.ms, rate, e.refused);
  if (e.account)
    text += fmt::format("; {} bytes live at the end, invariants {}", e.account->live,
                        e.account->valid ? "hold" : "broken");
  return text + "\n";
}

}  // namespace

Json to_json(const Survey& s) {
  Json out{{"allocator", s.name}, {"init_ms", s.init_ms}, {"reset_ms", s.reset_ms}};
  out["registers"] = nullptr;
  if (s.registers)
    out["registers"] = {{"allocate", s.registers->allocate}, {"free", s.registers->free}};
  out["thread"] = rows_json(s.thread);
  out["warp"] = rows_json(s.warp);
  out["mixed"] = rows_json(s.mixed);
  out["scaling"] = rows_json(s.scaling);
  out["fragmentation"] = rows_json(s.fragmentation);
  out["utilisation"] = {{"heap_bytes", s.utilisation_heap}, {"sizes", Json::array()}};
  for (const auto& [bytes, share] : s.utilisation)
    out["utilisation"]["sizes"].push_back({{"bytes", bytes}, {"share", share}});
  out["work"] = Json::array();
  for (const Work& w : s.work)
    out["work"].push_back({{"blocks", w.blocks},
                           {"low", w.low},
                           {"high", w.high},
                           {"ms", w.ms},
                           {"prefix_sum_ms", w.prefix_sum_ms}});
  out["churn"] = {{"ms", s.churn_ms}, {"span_bytes", s.churn_span}};
  out["endurance"] = nullptr;
  if (const auto& e = s.endurance) {
    out["endurance"] = {{"operations", e->operations}, {"refused", e->refused}, {"ms", e->ms}};
    out["endurance"]["live_bytes"] = e->account ? Json(e->account->live) : Json();
    out["endurance"]["valid"] = e->account ? Json(e->account->valid) : Json();
  }
  out["left_out"] = s.left_out;
  return out;
}

std::string to_table(const Survey& s) {
  std::string text =
      fmt::format("{}: made in {:.2f} ms, reset in {:.3f} ms", s.name, s.init_ms, s.reset_ms);
  if (s.registers)
    text += fmt::format("; registers: {} to allocate, {} to free", s.registers->allocate,
                        s.registers->free);
  text += "\n" + rows_text("each thread", s.thread) + rows_text("one thread per warp", s.warp) +
          rows_text("mixed sizes", s.mixed) + rows_text("scaling", s.scaling) +
          rows_text("fragmentation", s.fragmentation);
  for (const Work& w : s.work)
    text += fmt::format("  work: {} x {} B: {:.4f} ms; by prefix sum {:.4f} ms\n", w.blocks,
                        sizes_text(w.low, w.high), w.ms, w.prefix_sum_ms);
  for (const auto& [bytes, share] : s.utilisation)
    text += fmt::format("  filled with {} B: {:.1f} %\n", bytes, 100 * share);
  if (!s.churn_span.empty())
    text += fmt::format(
        "  churn: {} rounds in {:.2f} ms; addresses span {} after the first tenth, {} at the end\n",
        s.churn_span.size(), s.churn_ms, format_bytes(s.churn_span[s.churn_span.size() / 10]),
        format_bytes(s.churn_span.back()));
  if (s.endurance) text += endurance_text(*s.endurance);
  for (const std::string& what : s.left_out) text += fmt::format("  left out: {}\n", what);
  return text;
}

}  // namespace fathom::cli::memory_bench
