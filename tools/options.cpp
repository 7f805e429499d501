#include "options.hpp"

#include <fmt/format.h>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

void add_execution_options(CLI::App& command, ExecutionOptions& o) {
  const std::string group = "Where it runs";
  command.add_option("--device", o.device, "auto or cpu: which processor does the work")
      ->type_name("DEVICE")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--devices", o.devices,
                  "Emulate N devices on the cpu, each with its own memory (--device-memory)")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->group(group);
  add_threads(command, o.threads)->group(group);
  command
      .add_option("--residency", o.residency,
                  "Where the edges live: resident (copied into memory), stream (paged through a "
                  "budget), auto (used in place; streamed on emulated devices)")
      ->check(CLI::IsMember({"auto", "resident", "stream"}))
      ->capture_default_str()
      ->group(group);
  add_size(command, "--device-memory", o.device_memory,
           "All allocations of one device together stay below it (needs --devices)")
      ->group(group);
  add_size(command, "--host-memory", o.host_memory,
           "Vertex state, page frames and copies in host memory together stay below it")
      ->group(group);
  add_size(command, "--page-size", o.page_bytes,
           "Size of a page of streamed edges, a power of two (default 1MiB)")
      ->group(group);
}

void add_output_options(CLI::App& command, OutputOptions& o) {
  const std::string group = "What comes out";
  command
      .add_option("-o,--output", o.result,
                  "Write the result for every vertex; the name ends in .tsv, .csv or .npy")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--top", o.top, "Print the K best as a table")
      ->type_name("K")
      ->check(CLI::PositiveNumber)
      ->group(group);
  command.add_flag("--json", o.json, "Print one JSON object instead of the summary")->group(group);
  command.add_option("--report", o.report, "Also write that JSON object to a file")
      ->type_name("FILE.json")
      ->group(group);
  command
      .add_flag("--verify", o.verify,
                "Check the result by an independent certificate; exit 6 "
                "if it does not hold")
      ->group(group);
  command.add_option("--trials", o.trials, "Run N times; times are medians, all are in the report")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(group);
  command.add_flag("-q,--quiet", o.quiet, "No summary and no progress")->group(group);
}

bool names_cuda(const std::string& device) {
  return device == "cuda" || device.rfind("cuda:", 0) == 0;
}

}  // namespace

CLI::Option* add_size(CLI::App& command, const std::string& name, std::size_t& size,
                      const std::string& description) {
  const auto parse = [&size, name](const std::string& text) {
    const auto bytes = parse_bytes(text);
    if (!bytes)
      throw CLI::ValidationError(name, "'" + text + "' is not a size such as 4GiB, 512M or 65536");
    size = *bytes;
  };
  return command.add_option_function<std::string>(name, parse, description)->type_name("SIZE");
}

CLI::Option* add_threads(CLI::App& command, int& threads) {
  return command.add_option("--threads", threads, "Threads (default: one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
}

CLI::Option* add_graph(CLI::App& command, std::string& path) {
  return command.add_option("graph", path, "A .fg file, from `fathom convert` or `generate`")
      ->type_name("G.fg")
      ->required();
}

void add_algorithm_options(CLI::App& command, AlgorithmOptions& options) {
  add_graph(command, options.graph);
  add_execution_options(command, options.execution);
  add_output_options(command, options.output);
}

CpuOptions cpu_options(const ExecutionOptions& o, const Task& task) {
  if (names_cuda(o.device))
    throw Error(ErrorCode::Device, fmt::format("--device {}: this build of Fathom has no CUDA "
                                               "executor; use --device cpu",
                                               o.device));
  if (o.device != "auto" && o.device != "cpu")
    throw Error(ErrorCode::Usage,
                fmt::format("--device: expected auto or cpu, found '{}'", o.device));
  if (o.device_memory != MemoryPool::kUnlimited && o.devices == 0)
    throw Error(ErrorCode::Usage,
                "--device-memory has no effect without --devices; --host-memory bounds the host");
  return {o.threads, o.host_memory, o.devices, o.device_memory, task};
}

ResidencyOptions residency_options(const ExecutionOptions& o) {
  using Kind = ResidencyOptions::Kind;
  ResidencyOptions residency;
  if (o.residency == "resident") residency.kind = Kind::Resident;
  if (o.residency == "stream") residency.kind = Kind::Stream;
  if (residency.kind == Kind::Resident && o.devices > 0)
    throw Error(ErrorCode::Usage,
                "--residency resident has no effect with --devices: emulated devices stream");
  if (o.page_bytes == 0) return residency;
  if (residency.kind != Kind::Stream && o.devices == 0)
    throw Error(ErrorCode::Usage, "--page-size has no effect without --residency stream");
  residency.paging.page_bytes = o.page_bytes;
  return residency;
}

void check_writable(const std::string& path) {
  if (!path.empty()) AtomicFile probe(path);
}

}  // namespace fathom::cli
