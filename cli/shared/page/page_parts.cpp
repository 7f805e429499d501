#include "cli/shared/page/page_parts.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "cli/shared/page/timeline.hpp"
#include "cli/shared/page/value_spread.hpp"
#include "cli/shared/plan/plan_inputs.hpp"
#include "cli/shared/plan/plan_text.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/core/units.hpp"
#include "fathom/core/version.hpp"
#include "fathom/plan/predict.hpp"

namespace fathom::cli {
namespace {

constexpr std::size_t kMostColumns = 4;  // that have a plot: a search from each of many has many

Json note_of(const std::string& why) {
  return {{"note", why}};
}

/// A report says what it can.
Json part(FunctionRef<Json()> make) {
  try {
    return make();
  } catch (const std::exception& e) {
    return note_of(e.what());
  }
}

plan::PlanRequest request_of(const PageSources& s) {
  const Context& context = s.graph.context();
  plan::PlanRequest request;
  request.shape = plan::shape_of(s.graph.store());
  if (!s.graph.filter().keeps_all())
    request.shape = plan::filtered_shape(std::move(request.shape), s.graph.graph().edges());
  request.algorithm = s.described.algorithm->name;
  request.options = *s.described.values;
  set_reads(request, s.execution);
  request.machine = machine_of(context, s.execution, s.available_memory);
  // The run holds memory still.
  if (context.on_gpu()) {
    request.machine.device_memory = plan::kNoLimit;
    for (const Device& device : context.devices())
      request.machine.device_memory =
          std::min<std::uint64_t>(request.machine.device_memory, device.memory()->limit());
  }
  set_strategy(request, s.execution);
  return request;
}

KnownRates rates_of(const PageSources& s) {
  try {
    return known_rates(s.graph.context(), s.execution);
  } catch (const std::exception& e) {
    KnownRates none;
    none.missing = std::string("no times: ") + e.what();
    return none;
  }
}

Json plan_part(const PageSources& s, const KnownRates& known) {
  if (!s.described.algorithm) return note_of("`fathom plan` does not plan this algorithm");
  plan::PlanRequest request = request_of(s);
  if (known.rates)
    request.shape.likeness =
        plan::likeness_of(s.graph.store().out_offsets(s.graph.context().threads()));
  const plan::Plan planned = plan::make_plan(request);
  std::optional<plan::Prediction> prediction;
  if (known.rates)
    prediction =
        plan::predict(request, planned, *known.rates, known.link ? &*known.link : nullptr, nullptr);
  return json_of(request, planned, prediction, PlanText{known.missing, {}});
}

/// What this machine, or its caller, allows.
Json limits_part(const PageSources& s, const KnownRates& known) {
  const auto bytes = [](std::uint64_t limit) {
    return limit == plan::kNoLimit ? Json(nullptr) : Json(limit);
  };
  const plan::Machine machine = machine_of(s.graph.context(), s.execution, s.available_memory);
  std::uint64_t device = plan::kNoLimit;
  if (s.graph.context().separate())
    for (const Device& its : s.graph.context().devices())
      device = std::min(device, limit_of(its.memory()->limit()));
  const double disk = known.rates ? known.rates->disk : 0;
  return {{"host_bytes", bytes(machine.host_memory)},
          {"device_bytes", bytes(device)},
          {"disk_bytes_per_second", disk > 0 ? Json(disk) : Json(nullptr)}};
}

Json degrees_part(store::Store& store) {
  Json json{{"out", json_of(store.out_degrees())}, {"in", nullptr}};
  if (!store.header().directed) return json;
  if (const auto in = store.in_degrees()) json["in"] = json_of(*in);
  return json;
}

Json values_part(const PageSources& s) {
  if (!s.described.algorithm) return nullptr;
  Json spreads = Json::array();
  for (const AnswerColumn& column : s.described.columns) {
    if (spreads.size() == kMostColumns) break;
    const std::shared_ptr<MemoryPool>& pool = s.graph.context().host_memory();
    Json spread = part([&] { return value_spread(column, pool); });
    if (s.described.pairs && spread.contains("of")) spread["of"] = "pairs";
    if (spread.is_null()) continue;
    if (spread.contains("note")) spread["column"] = column.name;
    spreads.push_back(std::move(spread));
  }
  if (spreads.empty())
    return note_of("this run kept no value for each vertex (-o or --top has them computed)");
  return spreads;
}

/// What names mean, in the algorithm's words.
Json about_part(const Algorithm& algorithm) {
  Json facts = Json::object(), columns = Json::object();
  for (const FactInfo& fact : algorithm.facts)
    if (!fact.meaning.empty()) facts[std::string(fact.name)] = fact.meaning;
  for (const ColumnInfo& column : algorithm.columns)
    columns[std::string(column.name)] = column.meaning;
  const bool iterates = std::ranges::find(algorithm.options, std::string_view("max-iter"),
                                          &OptionInfo::name) != algorithm.options.end();
  return {{"purpose", algorithm.purpose},
          {"iterates", iterates},
          {"facts", facts},
          {"columns", columns}};
}

}  // namespace

bool is_page_path(const std::string& path) {
  return path.ends_with(".html");
}

void add_page_parts(Json& report, const PageSources& s) {
  const KnownRates known = rates_of(s);
  report["made"] = {{"command", s.command_line}, {"version", kVersion}, {"time", utc_time()}};
  report["about"] = s.described.algorithm ? about_part(*s.described.algorithm) : Json(nullptr);
  report["limits"] = part([&] { return limits_part(s, known); });
  report["plan"] = part([&] { return plan_part(s, known); });
  report["degrees"] = part([&] { return degrees_part(s.graph.store()); });
  report["values"] = part([&] { return values_part(s); });
  const Trace* const trace = s.graph.trace();
  report["timeline"] = trace ? part([&] { return timeline(*trace); }) : Json(nullptr);
}

}  // namespace fathom::cli
