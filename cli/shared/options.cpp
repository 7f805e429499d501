#include "cli/shared/options.hpp"

#include <fmt/format.h>

#include <charconv>

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
  command
      .add_option("--id-bytes", o.id_bytes,
                  "Bytes of an id in the lists: 4 (default; not with 64-bit ids) or 8")
      ->check(CLI::IsMember({4, 8}))
      ->group(group);
  command
      .add_option("--id-bits", o.id_bits,
                  "Narrow resident, zerocopy and managed edges as they are placed: ids take auto "
                  "(as few bits as number the vertices), 16, 20, 24, 28 or 32 bits, weights 8 or "
                  "16 (as `fathom convert --narrow` stores them)")
      ->check(CLI::IsMember({"auto", "16", "20", "24", "28", "32"}))
      ->group(group);
  command
      .add_option("--packed", o.packed,
                  "How resident and zerocopy edges of a packed graph are read: in-place (by warps "
                  "that unpack what they walk), unpacked (as arrays), auto (in place over the link "
                  "and where they do not fit the GPU unpacked; the default)")
      ->check(CLI::IsMember({"auto", "in-place", "unpacked"}))
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
                  "Write the result for every vertex; the name ends in .tsv, .csv or .npy; - is "
                  "standard output, as .tsv")
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
  command
      .add_option("--report", o.report,
                  "Also write that JSON object to a file; to one whose name ends in .html, a page "
                  "that shows the run")
      ->type_name("FILE")
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

CLI::Option* add_moment(CLI::App& command, const std::string& name,
                        std::optional<std::uint64_t>& moment, const std::string& description) {
  const auto parse = [&moment, name](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end)
      throw CLI::ValidationError(name,
                                 "expected an integer from 0 to 2^64 - 1, found '" + text + "'");
    moment = value;
  };
  return command.add_option_function<std::string>(name, parse, description);
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
          "share the edges), or auto (a GPU when there is one and the graph is "
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

void add_filter_options(CLI::App& command, ExecutionOptions& o) {
  const std::string group = "Which edges count, of a graph in time";
  add_moment(command, "--since", o.since, "Those whose first timestamp is T or later")
      ->type_name("T")
      ->group(group);
  add_moment(command, "--until", o.until, "Those whose first timestamp is before T")
      ->type_name("T")
      ->group(group);
  add_moment(command, "--at", o.at,
             "Those that are there at T: their first timestamp is T or earlier, their second one "
             "later, or 0")
      ->type_name("T")
      ->group(group);
  command.add_option("--types", o.types, "Those of these types: numbers and ranges, as 1,2,7-9")
      ->type_name("LIST")
      ->check([](const std::string& text) {
        try {
          type_ranges(text);
        } catch (const Error& e) {
          return std::string(e.what());
        }
        return std::string();
      })
      ->group(group);
}

void add_algorithm_options(CLI::App& command, AlgorithmOptions& options) {
  add_graph(command, options.graph);
  add_filter_options(command, options.execution);
  add_execution_options(command, options.execution);
  add_vertex_output_options(command, options.output);
  add_output_options(command, options.output);
}

void add_edge_algorithm_options(CLI::App& command, AlgorithmOptions& options,
                                const std::string& output) {
  options.output.edges = true;
  add_graph(command, options.graph);
  add_filter_options(command, options.execution);
  add_execution_options(command, options.execution);
  command.add_option("-o,--output", options.output.result, output)
      ->type_name("FILE")
      ->group(kOutputGroup);
  add_output_options(command, options.output);
}

void check_writable(const std::string& path) {
  if (path == "-")
    throw Error(ErrorCode::Usage,
                "'-': only results of -o can go to standard output; a file of that name is ./-");
  if (!path.empty()) AtomicFile probe(path);
}

}  // namespace fathom::cli
