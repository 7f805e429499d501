#include "cli/shared/options.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/shared/device_names.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/atomic_file.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/stripes.hpp"

namespace fathom::cli {
namespace {

std::string in_words(const std::vector<std::string_view>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

void add_place_options(CLI::App& command, ExecutionOptions& o) {
  const std::string group = "Where it runs";
  add_device_options(command, o);
  command
      .add_option("--strategy", o.strategy,
                  fmt::format("What several devices share out: p (pages; each has all vertex "
                              "state), s (vertex state; each sees all pages; {}), auto (s where "
                              "the vertex state does not fit one device)",
                              in_words(splitting_algorithms())))
      ->check(CLI::IsMember({"auto", "p", "s"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--chunks", o.chunks,
                  "With --strategy s: parts of the vertex state that each device takes in turn, "
                  "with a stream of all pages for each (default: as few as fit)")
      ->type_name("W")
      ->check(CLI::Range(1, 1 << 20))
      ->group(group);
  command
      .add_option("--residency", o.residency,
                  "Where the edges live: resident (in the memory of the processor), zerocopy (in "
                  "host memory that the GPU reads), managed (unified memory that migrates to the "
                  "GPU), stream (paged through a budget), auto (the fastest that fits)")
      ->check(CLI::IsMember({"auto", "resident", "zerocopy", "managed", "stream"}))
      ->capture_default_str()
      ->group(group);
  add_size(command, "--host-memory", o.host_memory,
           "Vertex state, page frames and copies in host memory together stay below it")
      ->group(group);
}

void add_paging_options(CLI::App& command, ExecutionOptions& o) {
  const std::string group = "How edges are streamed";
  add_size(command, "--page-size", o.page_bytes,
           "Size of a page of streamed edges, a power of two (default 1MiB)")
      ->group(group);
  command
      .add_option("--io", o.io,
                  "How pages are read: uring (io_uring), threads (that pread), auto (the first "
                  "where the system grants it)")
      ->check(CLI::IsMember({"auto", "uring", "threads"}))
      ->group(group);
  command
      .add_option("--trace", o.trace,
                  "Write when pages were read and copied and kernels ran, for chrome://tracing or "
                  "ui.perfetto.dev")
      ->type_name("FILE.json")
      ->group(group);
  command.add_option("--io-depth", o.io_depth, "Reads under way at once (default 16)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096))
      ->group(group);
  add_ssd(command, o.ssd)->group(group);
}

void add_link_options(CLI::App& command, ExecutionOptions& o) {
  const std::string group = "How a GPU reaches host memory";
  command
      .add_option("--access", o.access,
                  "Reads of zerocopy and managed edges: naive (a thread per list), merged (a warp "
                  "per list), aligned (the same from line borders on; the default)")
      ->check(CLI::IsMember({"naive", "merged", "aligned"}))
      ->group(group);
  command.add_option("--id-bytes", o.id_bytes, "Bytes of an id in the lists: 4 (default) or 8")
      ->check(CLI::IsMember({4, 8}))
      ->group(group);
  command
      .add_option("--zerocopy", o.zerocopy,
                  "How zerocopy memory is obtained: malloc (cudaMallocHost), register "
                  "(cudaHostRegister, of the mapped file where possible), managed (read in place; "
                  "reaches farthest), auto")
      ->check(CLI::IsMember({"auto", "malloc", "register", "managed"}))
      ->group(group);
  command
      .add_option("--cache", o.cache,
                  "What stays in device memory: of zerocopy edges copies of lists (static, the "
                  "default) or none; of streamed pages those shown last (lru, the default), those "
                  "that came first (static) or none; on the cpu the same of pages in "
                  "host memory")
      ->check(CLI::IsMember({"none", "lru", "static"}))
      ->group(group);
  command
      .add_option("--cache-policy", o.cache_policy,
                  "Which lists a zerocopy residency keeps: low-degree (default), high-degree, "
                  "prefix, reuse (those that are the target of most edges: the default for "
                  "triangles)")
      ->check(CLI::IsMember({"low-degree", "high-degree", "prefix", "reuse"}))
      ->group(group);
  add_size(command, "--cache-size", o.cache_bytes,
           "Device memory for the cache (default: what vertex state leaves)")
      ->group(group);
  command
      .add_option("--page-move", o.page_move,
                  "How streamed pages reach a GPU: copy, zerocopy (read in place), or auto, "
                  "whichever takes less time for the lists that are active")
      ->check(CLI::IsMember({"auto", "copy", "zerocopy"}))
      ->group(group);
  command
      .add_option("--technique", o.technique,
                  "How kernels share out the lists of streamed pages: length (8 threads, a warp or "
                  "several for each list, the default), vertex (a thread per list), edge (a warp "
                  "per list), hybrid (vertex or edge by a page's density)")
      ->check(CLI::IsMember({"length", "vertex", "edge", "hybrid"}))
      ->group(group);
  command.add_option("--advice", o.advice, "For managed edges: none (default) or read-mostly")
      ->check(CLI::IsMember({"none", "read-mostly"}))
      ->group(group);
  command
      .add_option("--prefetch", o.prefetch,
                  "For managed edges: on starts every run with as much as fits on the GPU, off "
                  "(default) with nothing")
      ->check(CLI::IsMember({"on", "off"}))
      ->group(group);
}

constexpr const char* kOutputGroup = "What comes out";

void add_vertex_output_options(CLI::App& command, OutputOptions& o) {
  command
      .add_option("-o,--output", o.result,
                  "Write the result for every vertex; the name ends in .tsv, .csv or .npy")
      ->type_name("FILE")
      ->group(kOutputGroup);
  command.add_option("--top", o.top, "Print the K best as a table")
      ->type_name("K")
      ->check(greater_than_zero())
      ->group(kOutputGroup);
}

void add_output_options(CLI::App& command, OutputOptions& o) {
  const std::string group = kOutputGroup;
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

// Below this a GPU's start (a few tenths of a second) costs more than it saves.
constexpr EdgeId kWorthAGpu = EdgeId{1} << 25;

/// The first option that only a GPU gives a meaning to.
std::string first_link_option(const ExecutionOptions& o) {
  if (!o.access.empty()) return "--access";
  if (!o.zerocopy.empty()) return "--zerocopy";
  if (!o.cache.empty() && o.residency != "stream" && o.devices == 0) return "--cache";
  if (!o.cache_policy.empty()) return "--cache-policy";
  if (o.cache_bytes > 0) return "--cache-size";
  if (!o.page_move.empty()) return "--page-move";
  if (!o.technique.empty()) return "--technique";
  if (!o.advice.empty()) return "--advice";
  if (!o.prefetch.empty()) return "--prefetch";
  if (o.id_bytes > 0) return "--id-bytes";
  return {};
}

void refuse_without_effect(bool given, const std::string& option, const std::string& needs) {
  if (given)
    throw Error(ErrorCode::Usage, fmt::format("{} has no effect without {}", option, needs));
}

/// `several`: GPUs, which stream whatever is asked for.
GpuEdgeOptions gpu_edge_options(const ExecutionOptions& o, bool several) {
  const bool zerocopy = !several && (o.residency == "zerocopy" || o.residency == "auto");
  const bool managed = o.residency == "managed";
  const bool stream = several || o.residency == "stream" || o.strategy == "s";
  refuse_without_effect(!o.zerocopy.empty() && !zerocopy && !stream, "--zerocopy",
                        "--residency zerocopy or stream");
  refuse_without_effect(!o.cache.empty() && !zerocopy && !stream, "--cache",
                        "--residency zerocopy or stream");
  refuse_without_effect(o.cache == "lru" && !stream, "--cache lru", "--residency stream");
  refuse_without_effect(!o.page_move.empty() && !stream, "--page-move", "--residency stream");
  refuse_without_effect(!o.technique.empty() && !stream, "--technique", "--residency stream");
  refuse_without_effect(
      (!o.cache_policy.empty() || o.cache_bytes > 0) && (!zerocopy || o.cache == "none"),
      o.cache_bytes > 0 ? "--cache-size" : "--cache-policy", "--cache static");
  refuse_without_effect(!o.advice.empty() && !managed, "--advice", "--residency managed");
  refuse_without_effect(!o.prefetch.empty() && !managed, "--prefetch", "--residency managed");
  GpuEdgeOptions gpu;
  if (o.access == "naive") gpu.access = Access::Naive;
  if (o.access == "merged") gpu.access = Access::Merged;
  if (o.id_bytes > 0) gpu.id_bytes = o.id_bytes;
  if (o.zerocopy == "malloc") gpu.host_memory = ZeroCopyWay::Malloc;
  if (o.zerocopy == "register") gpu.host_memory = ZeroCopyWay::Register;
  if (o.zerocopy == "managed") gpu.host_memory = ZeroCopyWay::Managed;
  if (o.cache == "none") gpu.cache = CachePolicy::None;
  if (o.cache_policy == "low-degree") gpu.cache = CachePolicy::LowDegree;
  if (o.cache_policy == "high-degree") gpu.cache = CachePolicy::HighDegree;
  if (o.cache_policy == "prefix") gpu.cache = CachePolicy::Prefix;
  if (o.cache_policy == "reuse") gpu.cache = CachePolicy::Reuse;
  gpu.cache_bytes = o.cache_bytes;
  gpu.read_mostly = o.advice == "read-mostly";
  gpu.prefetch = o.prefetch == "on";
  return gpu;
}

PagingOptions paging_options(const ExecutionOptions& o) {
  PagingOptions paging;
  if (o.page_bytes > 0) paging.page_bytes = o.page_bytes;
  if (o.cache == "none") paging.cache = PageCache::None;
  if (o.cache == "static") paging.cache = PageCache::Static;
  if (o.io == "uring") paging.io.way = IoOptions::Way::Uring;
  if (o.io == "threads") paging.io.way = IoOptions::Way::Threads;
  if (o.io_depth > 0) paging.io.depth = o.io_depth;
  if (o.page_move == "copy") paging.page_move = PageMove::Copy;
  if (o.page_move == "zerocopy") paging.page_move = PageMove::InPlace;
  if (o.technique == "vertex") paging.technique = Technique::VertexCentric;
  if (o.technique == "edge") paging.technique = Technique::EdgeCentric;
  if (o.technique == "hybrid") paging.technique = Technique::Hybrid;
  paging.from_disk = !o.io.empty() || o.io_depth > 0;
  paging.ssd = o.ssd;
  paging.strategy = strategy_named(o.strategy);
  paging.chunks = o.chunks;
  if (!o.trace.empty()) paging.trace = std::make_shared<Trace>();
  return paging;
}

/// CLI11's own names the largest double, in full.
template <class Holds>
CLI::Validator number_that(Holds holds, const std::string& what) {
  return CLI::Validator(
      [holds, what](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && holds(value)
                   ? std::string()
                   : "expected a number " + what + ", found '" + text + "'";
      },
      "");
}

}  // namespace

CLI::Validator greater_than_zero() {
  return number_that([](double value) { return value > 0; }, "greater than 0");
}

CLI::Validator at_least_zero() {
  return number_that([](double value) { return value >= 0; }, "of at least 0");
}

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

CLI::Option* add_ssd(CLI::App& command, std::vector<std::string>& directories) {
  return command
      .add_option("--ssd", directories,
                  "Directories that `fathom stripe` dealt the graph's pages to, in that order; "
                  "their disks are read together")
      ->type_name("DIR")
      ->expected(1, static_cast<int>(store::kMostStripes));
}

CLI::Option* add_graph(CLI::App& command, std::string& path) {
  return command.add_option("graph", path, "A .fg file, from `fathom convert` or `generate`")
      ->type_name("G.fg")
      ->required();
}

void add_device_options(CLI::App& command, ExecutionOptions& o) {
  const std::string group = "Where it runs";
  command
      .add_option(
          "--device", o.device,
          "Which processor does the work: cpu, cuda or cuda:N, several GPUs as cuda:N,N,... (they "
          "share the pages of streamed edges), or auto (a GPU when there is one and the graph is "
          "large enough to pay for starting it)")
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
  add_size(command, "--device-memory", o.device_memory,
           "All allocations of one device together stay below it (needs a GPU or --devices)")
      ->group(group);
}

void add_execution_options(CLI::App& command, ExecutionOptions& options) {
  add_place_options(command, options);
  add_paging_options(command, options);
  add_link_options(command, options);
}

void add_algorithm_options(CLI::App& command, AlgorithmOptions& options) {
  add_graph(command, options.graph);
  add_execution_options(command, options.execution);
  add_vertex_output_options(command, options.output);
  add_output_options(command, options.output);
}

void add_edge_algorithm_options(CLI::App& command, AlgorithmOptions& options,
                                const std::string& output) {
  options.output.edges = true;
  add_graph(command, options.graph);
  add_execution_options(command, options.execution);
  command.add_option("-o,--output", options.output.result, output)
      ->type_name("FILE")
      ->group(kOutputGroup);
  add_output_options(command, options.output);
}

int cuda_device_of(const ExecutionOptions& options) {
  const auto ordinals = cuda_ordinals(options.device);
  return ordinals ? ordinals->front() : 0;
}

Context make_context(const ExecutionOptions& o, EdgeId edges, const Task& task) {
  const std::optional<std::vector<int>> ordinals = cuda_ordinals(o.device);
  if (o.device != "auto" && o.device != "cpu" && !ordinals)
    throw Error(
        ErrorCode::Usage,
        fmt::format("--device: expected auto, cpu, cuda, cuda:N or cuda:N,N,..., found '{}'",
                    o.device));
  if (ordinals && o.devices > 0)
    throw Error(ErrorCode::Usage,
                "--devices emulates devices on the cpu; it cannot go with --device " + o.device);
  const bool wants_gpu =
      o.residency == "zerocopy" || o.residency == "managed" || !first_link_option(o).empty();
  const bool may_use_gpu = o.device == "auto" && o.devices == 0;
  if (ordinals || (may_use_gpu && (wants_gpu || edges >= kWorthAGpu))) {
    CudaOptions cuda;
    if (ordinals) cuda.devices = *ordinals;
    cuda.device_memory = o.device_memory;
    cuda.threads = o.threads;
    cuda.host_memory = o.host_memory;
    cuda.task = task;
    try {
      return Context::cuda(cuda);
    } catch (const Error& e) {
      // Without a GPU the cpu does the work, unless something was asked for that only a GPU can do.
      if (ordinals || wants_gpu || e.code() != ErrorCode::Device) throw;
    }
  }
  if (wants_gpu)
    throw Error(ErrorCode::Usage,
                fmt::format("{} has no effect on the cpu", first_link_option(o).empty()
                                                               ? "--residency " + o.residency
                                                               : first_link_option(o)));
  if (o.device_memory != MemoryPool::kUnlimited && o.devices == 0)
    throw Error(
        ErrorCode::Usage,
        "--device-memory has no effect without a GPU or --devices; --host-memory bounds the "
        "host");
  return Context::cpu({o.threads, o.host_memory, o.devices, o.device_memory, task});
}

ResidencyOptions::Kind residency_named(const std::string& name) {
  using Kind = ResidencyOptions::Kind;
  if (name == "resident") return Kind::Resident;
  if (name == "zerocopy") return Kind::ZeroCopy;
  if (name == "managed") return Kind::Managed;
  return name == "stream" ? Kind::Stream : Kind::Auto;
}

Strategy strategy_named(const std::string& name) {
  if (name == "p") return Strategy::Performance;
  return name == "s" ? Strategy::Scalability : Strategy::Auto;
}

ResidencyOptions residency_options(const ExecutionOptions& o, const Context& context) {
  using Kind = ResidencyOptions::Kind;
  ResidencyOptions residency;
  residency.sweeps = o.sweeps && first_link_option(o).empty();
  residency.kind = residency_named(o.residency);
  if (residency.kind == Kind::Resident && o.devices > 0)
    throw Error(ErrorCode::Usage,
                "--residency resident has no effect with --devices: emulated devices stream");
  const bool several_gpus = context.on_gpu() && context.devices().size() > 1;
  if (context.on_gpu()) residency.gpu = gpu_edge_options(o, several_gpus);
  const bool in_chunks = context.on_gpu() && o.strategy == "s";
  const bool streams = residency.kind == Kind::Stream || o.devices > 0 || several_gpus || in_chunks;
  refuse_without_effect(o.strategy != "auto" && o.devices == 0 && !several_gpus && !in_chunks,
                        "--strategy", "--devices or --device cuda:N,N,...: nothing is shared out");
  refuse_without_effect(o.chunks > 0 && o.strategy != "s", "--chunks", "--strategy s");
  refuse_without_effect(o.page_bytes > 0 && !streams, "--page-size", "--residency stream");
  refuse_without_effect(!o.io.empty() && !streams, "--io", "--residency stream");
  refuse_without_effect(o.io_depth > 0 && !streams, "--io-depth", "--residency stream");
  refuse_without_effect(!o.ssd.empty() && !streams, "--ssd", "--residency stream");
  refuse_without_effect(!o.trace.empty() && !streams, "--trace", "--residency stream");
  if (streams) residency.paging = paging_options(o);
  const PagingOptions& paging = residency.paging;
  const bool from_disk =
      paging.from_disk || !paging.ssd.empty() || paging.trace || o.strategy == "s";
  refuse_without_effect(!o.page_move.empty() && o.strategy == "s", "--page-move",
                        "whole vertex state: strategy s copies every page");
  for (const auto& [given, name] : {std::pair{!o.zerocopy.empty(), "--zerocopy"},
                                    {!o.access.empty(), "--access"},
                                    {o.id_bytes > 0, "--id-bytes"}})
    refuse_without_effect(given && context.on_gpu() && from_disk, name,
                          "lists in host memory: --io, --io-depth, --ssd, --trace and --strategy s "
                          "have pages read from the disk");
  return residency;
}

void check_writable(const std::string& path) {
  if (!path.empty()) AtomicFile probe(path);
}

}  // namespace fathom::cli
