// fathom bench memory: the survey of allocators (Winter, section 5.6) on host threads or a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/papers/benchmarks.hpp"
#include "bench/papers/memory/memory.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

using memory::SubjectKind;

struct MemoryCommand {
  memory_bench::Options survey;
  ExecutionOptions execution;
  std::vector<std::string> allocators;
  std::string save;
  int trials = 0, rounds = 0;  // 0: not given, as with everything else here
  bool json = false, quiet = false;
};

constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;

/// Fills in what was not given. @throws Error(Usage)
memory_bench::Options options_for(const MemoryCommand& c, std::uint64_t device_bytes) {
  memory_bench::Options o = c.survey;
  o.on_gpu = device_bytes > 0;
  o.trials = c.trials > 0 ? c.trials : o.on_gpu ? 11 : 5;
  o.rounds = c.rounds > 0 ? c.rounds : o.on_gpu ? 100 : 20;
  if (o.allocations.empty())
    o.allocations = o.on_gpu ? std::vector<std::uint64_t>{10000, 100000, 1000000}
                             : std::vector<std::uint64_t>{10000};
  if (o.sizes.empty())
    for (std::uint64_t bytes = 4; bytes <= 8192; bytes *= 2) o.sizes.push_back(bytes);
  for (auto* list : {&o.allocations, &o.sizes}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  if (o.heap_bytes == 0) {
    constexpr std::uint64_t kGpuHeap = std::uint64_t{12} << 30;
    o.heap_bytes = !o.on_gpu ? std::uint64_t{256} << 20 : std::min(kGpuHeap, device_bytes / 3);
  }
  if (o.parts.empty())
    for (const char* part : memory_bench::kParts)
      if (std::string_view(part) != "endurance" || o.operations > 0) o.parts.emplace_back(part);
  if (o.operations > 0 && !o.wants("endurance"))
    throw Error(ErrorCode::Usage, "--operations has no effect unless --only names endurance");
  if (o.wants("endurance") && o.operations == 0) o.operations = o.on_gpu ? 1000000000 : 1000000;
  return o;
}

/// Those that were asked for, in their own order. @throws Error(Usage)
std::vector<SubjectKind> chosen(std::vector<SubjectKind> all,
                                const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::ranges::find(all, name, &SubjectKind::name) == all.end()) {
      std::string known;
      for (const SubjectKind& kind : all) known += fmt::format(" {}", kind.name);
      throw Error(ErrorCode::Usage,
                  fmt::format("--allocators: there is no {} here, only{}", name, known));
    }
  if (!names.empty())
    std::erase_if(all, [&](const SubjectKind& kind) {
      return std::ranges::find(names, kind.name) == names.end();
    });
  return all;
}

void run_memory(const MemoryCommand& c, Session& session) {
  check_writable(c.save);
  memory::SurveyDevice device;
  const bool on_gpu = c.execution.device != "cpu";
  if (on_gpu && c.survey.threads > 0)
    throw Error(ErrorCode::Usage, "--threads has no effect on a GPU");
  if (on_gpu && !c.execution.device.starts_with("cuda"))
    throw Error(ErrorCode::Usage,
                "--device: expected cpu, cuda or cuda:N, found '" + c.execution.device + "'");
  if (on_gpu) device = memory::open_survey_device(cuda_device_of(c.execution));
  memory_bench::Options options = options_for(c, device.bytes);
  if (options.threads == 0) options.threads = 2;
  const Task task = session.task(c.quiet);
  const auto kinds =
      chosen(on_gpu ? memory::device_subjects() : memory_bench::host_subjects(), c.allocators);
  Json report{{"schema", "fathom.bench.memory/2"},
              {"device", on_gpu ? device.name : "host"},
              {"threads", on_gpu ? Json() : Json(options.threads)},
              {"allocations", options.allocations},
              {"sizes", options.sizes},
              {"trials", options.trials},
              {"rounds", options.rounds},
              {"heap_bytes", options.heap_bytes},
              {"seed", options.seed},
              {"parts", options.parts},
              {"verified", true},
              {"allocators", Json::array()}};
  task.begin("surveying allocators", kinds.size(), "allocators");
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const memory_bench::Survey survey = memory_bench::survey(kinds[i], options, task);
    report["allocators"].push_back(memory_bench::to_json(survey));
    if (!c.json) write_out(memory_bench::to_table(survey));
    if (!c.save.empty()) write_json(c.save, report);  // what follows may take long, or fail
    task.at(i + 1);
  }
  task.end();
  if (c.json) write_out(to_text(report));
}

void add_memory_options(CLI::App& command, MemoryCommand& c) {
  const std::vector<std::string> parts(std::begin(memory_bench::kParts),
                                       std::end(memory_bench::kParts));
  command.add_option("--device", c.execution.device, "Where threads allocate: cpu, cuda or cuda:N")
      ->type_name("DEVICE")
      ->capture_default_str();
  command.add_option("--allocators", c.allocators, "Which allocators (default: all)")
      ->type_name("NAME");
  command.add_option("--only", c.survey.parts, "Which parts (default: all but endurance)")
      ->type_name("PART")
      ->check(CLI::IsMember(parts));
  command
      .add_option("--allocations", c.survey.allocations,
                  "Allocations of a round, each by a thread on a GPU (default: 10000; on a GPU "
                  "100000 and 1000000 too)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, kMostBlocks));
  command.add_option("--sizes", c.survey.sizes, "Bytes of an allocation (default: 4 8 ... 8192)")
      ->type_name("BYTES")
      ->check(CLI::Range(std::uint64_t{4}, std::uint64_t{1} << 20));
  add_size(command, "--heap", c.survey.heap_bytes,
           "Data of each allocator (default: 256MiB; on a GPU 12GiB, or a third of its memory)");
  command.add_option("--threads", c.survey.threads, "Host threads that allocate (default: 2)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--trials", c.trials,
                  "Rounds; all but the first are warm (default: 5; on a GPU 11)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--rounds", c.rounds,
                  "Rounds of fragmentation and churn (default: 20; on a GPU 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--operations", c.survey.operations,
                  "Allocations and frees of the part endurance (default: 1000000; on a GPU "
                  "1000000000)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  command.add_option("--seed", c.survey.seed, "Which sizes")->type_name("S")->capture_default_str();
  command.add_flag("--json", c.json, "Print one JSON object");
  command.add_option("--save", c.save, "Also write the JSON object to a file")
      ->type_name("FILE.json");
  command.add_flag("-q,--quiet", c.quiet, "No progress");
}

}  // namespace

void add_bench_memory(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "memory", "Allocators for many threads at once (Ouroboros, section 5.6)");
  auto c = std::make_shared<MemoryCommand>();
  c->execution.device = "cpu";
  c->survey.threads = 0;
  add_memory_options(*command, *c);
  command->footer(
      "Parts: thread, warp (each thread, or one of each warp of a GPU, allocates and frees), "
      "mixed,\n"
      "scaling (2^0 to 2^20 threads), fragmentation (the range of addresses), utilisation, work\n"
      "(writing what was allocated, against prefix sums), churn (half of all survive each round),\n"
      "endurance (many rounds by several kernels at once). That no two live allocations overlap "
      "is\n"
      "checked in every round.\n\n"
      "Allocators: S-P, S-C, VA-P, VA-C, VL-P, VL-C, bump; system on the cpu; on a GPU bump-warp "
      "and\n"
      "cuda (its own malloc).\n\n"
      "Examples:\n"
      "  fathom bench memory\n"
      "  fathom bench memory --allocators VL-P system --allocations 100000 --heap 2GiB --json\n"
      "  fathom bench memory --device cuda --only endurance --operations 1000000000");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_memory(*c, session); }; });
}

}  // namespace fathom::cli
