// fathom bench memory: the survey of allocators (Winter, section 5.6) with host threads.
#include <fmt/format.h>

#include <memory>

#include "bench.hpp"
#include "console.hpp"
#include "fathom/core/units.hpp"
#include "memory_survey.hpp"
#include "options.hpp"
#include "report_json.hpp"

namespace fathom::cli {
namespace {

using namespace memory;

struct MemoryCommand {
  SurveyOptions survey;
  std::vector<std::string> variants;
  bool json = false;
};

struct Contestant {
  const char* name;
  bool bounded;  // has a region of its own that can be filled
  Survey (*run)(const SurveyOptions&, const char* name,
                const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes);
};

template <class Owner, bool kFrees, bool kBounded>
Survey survey_of(const SurveyOptions& options, const char* name,
                 const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes) {
  return Surveyor<Owner>(options, name, kFrees).run(sizes, kBounded);
}
template <class V>
constexpr auto kManaged = survey_of<HostHeap<Ouroboros<V>>, true, true>;

const Contestant kContestants[] = {
    {"S-P", true, kManaged<SP>},
    {"S-C", true, kManaged<SC>},
    {"VA-P", true, kManaged<VAP>},
    {"VA-C", true, kManaged<VAC>},
    {"VL-P", true, kManaged<VLP>},
    {"VL-C", true, kManaged<VLC>},
    {"bump", false, survey_of<BumpHeap, false, false>},
    {"system", false, survey_of<SystemHeap, true, false>},
};

Json json_of(const char* name, const Survey& s) {
  Json out{{"allocator", name},
           {"init_ms", s.init_ms},
           {"sizes", Json::array()},
           {"utilisation", Json::array()}};
  for (const SurveyRow& r : s.rows)
    out["sizes"].push_back({{"low", r.low},
                            {"high", r.high},
                            {"cold_ms", r.cold_ms},
                            {"warm_ms", r.warm_ms < 0 ? Json() : Json(r.warm_ms)},
                            {"free_ms", r.free_ms < 0 ? Json() : Json(r.free_ms)},
                            {"write_ms", r.write_ms},
                            {"span", r.span},
                            {"span_after", r.span_after},
                            {"failed", r.failed}});
  for (const auto& [bytes, share] : s.utilisation)
    out["utilisation"].push_back({{"bytes", bytes}, {"share", share}});
  out["churn"] = {{"ms", s.churn_ms}, {"span_bytes", s.churn_span}};
  return out;
}

std::string cell(double ms) {
  return ms < 0 ? std::string("-") : fmt::format("{:.3f}", ms);
}

void show(const char* name, const Survey& s) {
  print("{}: made in {:.2f} ms\n", name, s.init_ms);
  print("  {:>12} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8}\n", "bytes", "cold ms", "warm ms", "free ms",
        "write ms", "span", "failed");
  for (const SurveyRow& r : s.rows)
    print("  {:>12} {:>9} {:>9} {:>9} {:>9} {:>6.2f}x {:>8}\n",
          r.low == r.high ? fmt::format("{}", r.low) : fmt::format("{}-{}", r.low, r.high),
          cell(r.cold_ms), cell(r.warm_ms), cell(r.free_ms), cell(r.write_ms), r.span_after,
          r.failed);
  for (const auto& [bytes, share] : s.utilisation)
    print("  filled with {} B: {:.1f} %\n", bytes, 100 * share);
  if (!s.churn_span.empty())
    print(
        "  churn: {} rounds in {:.1f} ms; addresses span {} after the first tenth, {} at the end\n",
        s.churn_span.size(), s.churn_ms,
        format_bytes(static_cast<std::uint64_t>(s.churn_span[s.churn_span.size() / 10])),
        format_bytes(static_cast<std::uint64_t>(s.churn_span.back())));
}

void run_memory(const MemoryCommand& c) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
  for (std::uint64_t bytes = 4; bytes <= 8192; bytes *= 2)
    if (bytes * c.survey.allocations <= c.survey.heap_bytes) sizes.emplace_back(bytes, bytes);
  for (std::uint64_t high = 64; high <= 8192; high *= 4)
    if (high * c.survey.allocations <= c.survey.heap_bytes) sizes.emplace_back(4, high);
  Json report{{"schema", "fathom.bench.memory/1"},
              {"device", "host"},
              {"threads", c.survey.threads},
              {"allocations", c.survey.allocations},
              {"rounds", c.survey.rounds},
              {"heap_bytes", c.survey.heap_bytes},
              {"verified", true},
              {"allocators", Json::array()}};
  for (const Contestant& contestant : kContestants) {
    if (!c.variants.empty() && std::ranges::find(c.variants, contestant.name) == c.variants.end())
      continue;
    const Survey survey = contestant.run(c.survey, contestant.name, sizes);
    if (c.json)
      report["allocators"].push_back(json_of(contestant.name, survey));
    else
      show(contestant.name, survey);
  }
  if (c.json) write_out(to_text(report));
}

}  // namespace

void add_bench_memory(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "memory", "Allocators for many threads at once (Ouroboros, section 5.6)");
  auto c = std::make_shared<MemoryCommand>();
  std::vector<std::string> names;
  for (const Contestant& contestant : kContestants) names.emplace_back(contestant.name);
  command->add_option("--allocators", c->variants, "Which allocators (default: all)")
      ->type_name("NAME")
      ->check(CLI::IsMember(names));
  command->add_option("--allocations", c->survey.allocations, "Allocations of a round")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 24))
      ->capture_default_str();
  add_size(*command, "--heap", c->survey.heap_bytes, "Data of each allocator (default 256MiB)");
  command->add_option("--threads", c->survey.threads, "Host threads that allocate")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--trials", c->survey.rounds, "Rounds; all but the first are warm")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", c->survey.seed, "Which sizes")
      ->type_name("S")
      ->capture_default_str();
  command->add_flag("--json", c->json, "Print one JSON object");
  command->footer(
      "That no two live allocations overlap is checked in every round.\n\n"
      "Examples:\n"
      "  fathom bench memory\n"
      "  fathom bench memory --allocators VL-P system --allocations 100000 --heap 2GiB --json");
  command->callback([c, &session] { session.command = [c] { run_memory(*c); }; });
}

}  // namespace fathom::cli
