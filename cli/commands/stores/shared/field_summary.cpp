#include "cli/commands/stores/shared/field_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

constexpr std::size_t kSummedAtOnce = std::size_t{1} << 16;
constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// What one worker has seen.
struct SeenFields {
  FieldSummary::Range t1{kEnd, 0}, t2{kEnd, 0};
  std::uint64_t without_end = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> edges_of;  // by type

  static void add(FieldSummary::Range& range, const FieldSummary::Range& more) {
    range = {std::min(range.first, more.first), std::max(range.last, more.last)};
  }
  void add(std::uint32_t type, const store::EdgeTimes& time) {
    ++edges_of[type];
    add(t1, {time.t1, time.t1});
    if (time.t2 == 0)
      ++without_end;
    else
      add(t2, {time.t2, time.t2});
  }
  void add(const SeenFields& more) {
    add(t1, more.t1);
    add(t2, more.t2);
    without_end += more.without_end;
    for (const auto& [type, edges] : more.edges_of) edges_of[type] += edges;
  }
};

FieldSummary::Range known(const FieldSummary::Range& range) {
  return range.first <= range.last ? range : FieldSummary::Range{};
}

std::string field_line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<18}{}\n", name, value);
}

}  // namespace

FieldSummary summarize_fields(store::Store& store) {
  const auto types = store.edge_types();
  const auto times = store.edge_times();
  const int workers = worker_count(0);
  std::vector<SeenFields> of_worker(static_cast<std::size_t>(workers));
  parallel_for(workers, types.size(), kSummedAtOnce,
               [&](std::size_t first, std::size_t last, int worker) {
                 SeenFields& mine = of_worker[static_cast<std::size_t>(worker)];
                 for (std::size_t e = first; e < last; ++e) mine.add(types[e], times[e]);
               });
  SeenFields all;
  for (const SeenFields& its : of_worker) all.add(its);
  FieldSummary summary{known(all.t1), known(all.t2), all.without_end, all.edges_of.size(), {}};
  for (const auto& [type, edges] : all.edges_of) summary.most.push_back({type, edges});
  std::sort(summary.most.begin(), summary.most.end(), [](const auto& a, const auto& b) {
    return a.edges != b.edges ? a.edges > b.edges : a.type < b.type;
  });
  if (summary.most.size() > FieldSummary::kMostTypes) summary.most.resize(FieldSummary::kMostTypes);
  return summary;
}

std::string summary_of(const FieldSummary& fields) {
  if (fields.types == 0) return field_line("types (edges)", "none: there are no edges");
  constexpr std::size_t kShown = 8;
  std::vector<std::string> types;
  for (std::size_t i = 0; i < std::min(kShown, fields.most.size()); ++i)
    types.push_back(
        fmt::format("{} ({})", fields.most[i].type, format_count(fields.most[i].edges)));
  if (fields.types > kShown)
    types.push_back(fmt::format("{} more", format_count(fields.types - kShown)));
  std::string text =
      field_line("begin (t1)", fmt::format("{} to {}", fields.t1.first, fields.t1.last));
  text += field_line(
      "end (t2)",
      (fields.t2.last > 0 ? fmt::format("{} to {}; ", fields.t2.first, fields.t2.last) : "") +
          fmt::format("{} edges without", format_count(fields.without_end)));
  return text + field_line("types (edges)", fmt::format("{}", fmt::join(types, ", ")));
}

Json json_of(const FieldSummary& fields) {
  Json most = Json::array();
  for (const FieldSummary::Type& type : fields.most)
    most.push_back({{"type", type.type}, {"edges", type.edges}});
  return {{"t1", {fields.t1.first, fields.t1.last}},
          {"t2", {fields.t2.first, fields.t2.last}},
          {"without_end", fields.without_end},
          {"distinct_types", fields.types},
          {"types", std::move(most)}};
}

}  // namespace fathom::cli
