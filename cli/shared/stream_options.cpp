#include "cli/shared/stream_options.hpp"

#include <charconv>
#include <filesystem>

#include "cli/shared/device_names.hpp"
#include "cli/shared/named_files.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom::cli {
namespace {

/// What is written beside the log must not take its place, nor that of the graph that it began
/// with.
void check_output_beside_log(const StreamCommand& c) {
  if (c.output.empty() || c.output == "-") return;
  if (same_file(c.output, c.log))
    throw Error(ErrorCode::Usage,
                printable(c.output) + " is the directory of the log, which no graph can replace");
  const std::filesystem::path log = place_of(c.log);
  if (!log.empty() && place_of(c.output).parent_path() == log)
    throw Error(ErrorCode::Usage, printable(c.output) + " is in the directory of the log " +
                                      printable(c.log) + ", where nothing else may be");
  if (!c.graph.empty() && same_file(c.output, c.graph))
    throw Error(ErrorCode::Usage,
                printable(c.output) + " is the graph that the log " + printable(c.log) +
                    " begins with: it is needed as it is when the same command goes on");
}

void check_log_options(const StreamCommand& c) {
  if (!c.log.empty()) {
    check_output_beside_log(c);
    if (c.resume || !c.checkpoint.empty())
      throw Error(ErrorCode::Usage,
                  "--log does what --checkpoint and --resume do, and does not go with them");
    log_options(c);
  } else if (c.sync != "1" || c.log_size != 0 || c.continued) {
    throw Error(ErrorCode::Usage,
                "--sync, --log-size and --continued have no effect without --log");
  }
}

}  // namespace

DynamicLayoutKind layout_named(const std::string& name) {
  return name == "ouro"   ? DynamicLayoutKind::Ouro
         : name == "faim" ? DynamicLayoutKind::Faim
                          : DynamicLayoutKind::Aim;
}

UpdateStrategy update_strategy_named(const std::string& name) {
  return name == "update"   ? UpdateStrategy::Update
         : name == "warp"   ? UpdateStrategy::Warp
         : name == "vertex" ? UpdateStrategy::Vertex
         : name == "sorted" ? UpdateStrategy::Sorted
                            : UpdateStrategy::Auto;
}

DynamicGraphOptions graph_options(const StreamCommand& c) {
  DynamicGraphOptions options;
  options.layout = layout_named(c.layout);
  options.allocator = page_allocator(c.allocator);
  if (c.page_bytes != 0) options.page_bytes = c.page_bytes;
  options.sorted_links = c.sorted_links;
  options.slack = c.slack;
  options.shrink_below = c.shrink_below;
  options.directed = !c.undirected;
  options.edges = c.semantic   ? EdgeKind::Semantic
                  : c.weighted ? EdgeKind::Weighted
                               : EdgeKind::Simple;
  options.structure_of_arrays = c.edges == "soa";
  options.duplicates = c.duplicates == "ignore"      ? DuplicatePolicy::Ignore
                       : c.duplicates == "overwrite" ? DuplicatePolicy::Overwrite
                                                     : DuplicatePolicy::Keep;
  options.strategy = update_strategy_named(c.update);
  options.deal_vertices = true;  // of several GPUs
  return options;
}

dynamic::UpdateLogOptions log_options(const StreamCommand& c) {
  dynamic::UpdateLogOptions options;
  const char* const end = c.sync.data() + c.sync.size();
  if (c.sync == "none") {
    options.sync_every = dynamic::kNeverSync;
  } else if (const auto [rest, error] = std::from_chars(c.sync.data(), end, options.sync_every);
             error != std::errc{} || rest != end || options.sync_every == 0 ||
             options.sync_every == dynamic::kNeverSync) {
    throw Error(ErrorCode::Usage,
                "--sync is a number of batches, from 1 on, or none, not '" + c.sync + "'");
  }
  if (c.log_size != 0) options.most_bytes = c.log_size;
  return options;
}

void check_options(const StreamCommand& c) {
  if (c.empty != c.graph.empty())
    throw Error(ErrorCode::Usage, c.empty ? "--empty starts without a graph, but one is given"
                                          : "a graph is needed to start with, or --empty");
  if (!c.empty && (c.undirected || c.weighted))
    throw Error(ErrorCode::Usage,
                "--undirected and --weighted go with --empty: a graph says itself what it is");
  if (c.page_bytes != 0 && c.layout == "ouro")
    throw Error(ErrorCode::Usage,
                "--page-bytes goes with --layout faim and aim: ouro has pages of all sizes");
  if (c.sorted_links && c.layout != "faim")
    throw Error(ErrorCode::Usage,
                "--sorted-links goes with --layout faim: lists of ouro ascend anyway, and those of "
                "aim have gaps that insertions fill in any order");
  if (c.incremental && c.every.empty())
    throw Error(ErrorCode::Usage, "--incremental has no effect without --every");
  const std::string& device = c.execution.device;
  const bool gpu = device != "cpu";
  const auto ordinals = gpu ? cuda_ordinals(device) : std::nullopt;
  if (gpu && !ordinals)
    throw Error(ErrorCode::Usage,
                "--device: expected cpu, cuda, cuda:N or cuda:N,N,..., found '" + device + "'");
  if (c.incremental && ordinals && ordinals->size() > 1)
    throw Error(ErrorCode::Usage,
                "--incremental follows lists in one memory: it goes with one GPU or the cpu");
  if (!gpu && page_allocator(c.allocator) == PageAllocator::Cuda)
    throw Error(ErrorCode::Usage, "--allocator cuda goes with --device cuda");
  if (!gpu && c.execution.device_memory != MemoryPool::kUnlimited)
    throw Error(ErrorCode::Usage, "--device-memory goes with --device cuda");
  if (gpu && c.expire)
    throw Error(ErrorCode::Usage,
                "--expire looks at the timestamps of a graph in host memory: it goes with "
                "--device cpu");
  if (c.expire && c.empty && !c.semantic)
    throw Error(ErrorCode::Usage,
                "--expire goes by timestamps: a graph that begins --empty has them with "
                "--semantic");
  if (c.resume && c.empty)
    throw Error(ErrorCode::Usage, "--resume goes on from a checkpoint, and none is given");
  if (c.checkpoint_every != 0 && c.checkpoint.empty())
    throw Error(ErrorCode::Usage, "--checkpoint-every has no effect without --checkpoint");
  check_log_options(c);
  for (const std::string* path : {&c.output, &c.checkpoint})
    if (!path->empty()) check_writable(*path);
}

void add_stream_options(CLI::App& command, StreamCommand& c) {
  command.add_option("graph", c.graph, "The graph to start with")->type_name("G.fg");
  command.add_flag("--empty", c.empty, "Start without any vertex");
  command.add_option("--updates", c.updates, "Where the updates are; - is standard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--batch", c.batch, "Apply so many updates at a time")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 28))
      ->capture_default_str();
  command.add_flag("--undirected", c.undirected, "With --empty: edges have no direction");
  command.add_flag("--weighted", c.weighted, "With --empty: edges have weights");
  command.add_flag(
      "--semantic", c.semantic,
      "Edges have weights, types and two timestamps; a graph whose edges had them when "
      "it was written keeps them anyway");
  command
      .add_option("--duplicates", c.duplicates,
                  "What becomes of the insertion of an edge that is there")
      ->check(CLI::IsMember({"ignore", "overwrite", "keep"}))
      ->capture_default_str();
  command
      .add_option(
          "--update", c.update,
          "Who looks for a batch's edges: each update (on a GPU a thread, or a warp), or a "
          "worker per list (on a GPU without sorting the whole batch, or with sorted after that)")
      ->check(CLI::IsMember({"auto", "update", "warp", "vertex", "sorted"}))
      ->capture_default_str();
  command
      .add_option("--layout", c.layout,
                  "Lists each on one page (ouro), or on linked pages of one size, which come back "
                  "(faim) or stay with their list (aim)")
      ->check(CLI::IsMember({"ouro", "faim", "aim"}))
      ->capture_default_str();
  command
      .add_option("--page-bytes", c.page_bytes,
                  "Size of linked pages, a power of two; 128 if not given")
      ->type_name("N");
  command.add_flag("--sorted-links", c.sorted_links,
                   "With --layout faim: lists ascend over all of their pages");
  std::vector<std::string> allocators;
  for (const PageAllocator a : page_allocators()) allocators.emplace_back(name_of(a));
  command
      .add_option("--allocator", c.allocator,
                  "Pages come from a pool, from one of the managers of `bench memory`, or, with "
                  "--device cuda, from CUDA's own malloc (cuda)")
      ->check(CLI::IsMember(allocators))
      ->capture_default_str();
  command
      .add_option("--slack", c.slack,
                  "With --layout ouro: a list that grows out of its page gets one for this share "
                  "more than it needs")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 8.0))
      ->capture_default_str();
  command
      .add_option(
          "--shrink-below", c.shrink_below,
          "With --layout ouro: a list keeps its page while it fills more than this share of "
          "it")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  command
      .add_option("--edges", c.edges,
                  "Weights, types and timestamps beside their targets (aos) or behind all of a "
                  "list (soa)")
      ->check(CLI::IsMember({"aos", "soa"}))
      ->capture_default_str();
  command
      .add_option("--every", c.every,
                  "After every N batches run cc, pagerank, tc, kcore, bfs:LABEL or sssp:LABEL")
      ->type_name("N ALGORITHM");
  add_moment(command, "--expire", c.expire,
             "After every batch, and at first, remove the edges whose first timestamp is more than "
             "this before the newest of the graph")
      ->type_name("WINDOW");
  command.add_flag(
      "--incremental", c.incremental,
      "With --every: bring results up to date with each batch instead of computing them "
      "anew (on a GPU cc, pagerank and bfs alone)");
  command.add_option("-o,--output", c.output, "Write the graph as it is in the end")
      ->type_name("OUT.fg");
  command
      .add_option("--checkpoint", c.checkpoint,
                  "Write the graph after every batch, and on Ctrl-C, for --resume")
      ->type_name("FILE.fg");
  command
      .add_option("--checkpoint-every", c.checkpoint_every,
                  "Write checkpoints after every N batches only, and on Ctrl-C")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  command.add_flag("--resume", c.resume,
                   "The graph is a checkpoint: leave out the updates that it has");
  command
      .add_option(
          "--log", c.log,
          "Lose nothing: write every batch to a log in this directory before it counts; the "
          "same command goes on after a crash")
      ->check(CLI::Validator(
          [](const std::string& name) {
            return std::string(name.empty() ? "needs the name of a directory" : "");
          },
          "", "not empty"))
      ->type_name("DIR");
  command
      .add_option("--sync", c.sync,
                  "With --log: batches count once they are on the disk, after every N of them, or "
                  "(none) as soon as the system has them")
      ->type_name("N|none")
      ->capture_default_str();
  add_size(
      command, "--log-size", c.log_size,
      "With --log: write the graph anew and begin the log again when the log is longer; 64 MiB, "
      "or the size of the graph if that is more, if not given");
  command.add_flag(
      "--continued", c.continued,
      "With --log: the updates go on where the log ends, instead of from the beginning");
  command.add_flag("--json", c.json, "Print one JSON object");
  command.add_flag("-q,--quiet", c.quiet, "Print nothing");
  c.execution.device = "cpu";
  command
      .add_option(
          "--device", c.execution.device,
          "Where the graph lies and changes: cpu, cuda, cuda:N, or cuda:N,N,... to which vertices "
          "are dealt out")
      ->type_name("DEVICE")
      ->capture_default_str();
  add_threads(command, c.execution.threads);
  add_size(command, "--host-memory", c.execution.host_memory, "Limit of the graph and the batches");
  add_size(command, "--device-memory", c.execution.device_memory,
           "With --device cuda: limit of the graph, the batches and the algorithms on the GPU");
  command.footer(
      "Updates, one per line: '+ u v [w [type t1 t2]]' inserts an edge, and its endpoints if need\n"
      "be; '- u v' removes every edge from u to v; '+v u [weight type]' and '-v u' insert and "
      "remove\n"
      "a vertex; '#' begins a comment. Weights are 1 where there are none, types and timestamps "
      "0.\n"
      "The result is that of the lines one after the other. A batch that is malformed or does not\n"
      "fit is refused whole, and nothing is written. Updates may be binary too, as `fathom "
      "convert`\n"
      "makes them of lines: they are read faster.\n\n"
      "Examples:\n"
      "  fathom stream graph.fg --updates day.txt -o tomorrow.fg\n"
      "  fathom stream --empty --undirected --updates edges.txt --batch 1000 --every 10 cc tc\n"
      "  fathom stream graph.fg --updates day.fgu --device cuda --batch 1000000 -o tomorrow.fg\n"
      "  fathom stream graph.fg --updates long.txt --checkpoint half.fg -o out.fg\n"
      "  fathom stream half.fg --resume --updates long.txt --checkpoint half.fg -o out.fg\n"
      "  fathom stream graph.fg --updates long.txt --log long.log -o out.fg\n"
      "  fathom stream graph.fg --updates calls.txt --expire 86400 --every 10 cc -o today.fg\n"
      "  tail -f log | fathom stream graph.fg --updates - --batch 100 --every 1 pagerank");
}

}  // namespace fathom::cli
