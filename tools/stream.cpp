// fathom stream: a graph that changes, by updates from a file or a pipe.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "console.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/by_label.hpp"
#include "fathom/dynamic/update_text.hpp"
#include "options.hpp"
#include "stream_checkpoint.hpp"
#include "stream_report.hpp"
#include "stream_results.hpp"
#include "update_lines.hpp"

namespace fathom::cli {
namespace {

struct StreamCommand {
  std::string graph, updates, output, checkpoint;
  std::uint64_t checkpoint_every = 0;  // batches; 0: not given
  bool resume = false;
  bool empty = false, undirected = false, weighted = false, json = false, quiet = false;
  std::size_t batch = 100000;
  std::string duplicates = "overwrite", update = "auto", edges = "aos";
  std::string layout = "ouro", allocator = "pool";
  std::uint32_t page_bytes = 0;  // 0: not given
  std::vector<std::string> every;
  int threads = 0;
  std::size_t host_memory = MemoryPool::kUnlimited;
};

DynamicGraphOptions graph_options(const StreamCommand& c) {
  DynamicGraphOptions options;
  options.layout = c.layout == "ouro"   ? DynamicLayoutKind::Ouro
                   : c.layout == "faim" ? DynamicLayoutKind::Faim
                                        : DynamicLayoutKind::Aim;
  options.allocator = page_allocator(c.allocator);
  if (c.page_bytes != 0) options.page_bytes = c.page_bytes;
  options.directed = !c.undirected;
  options.weighted = c.weighted;
  options.structure_of_arrays = c.edges == "soa";
  options.duplicates = c.duplicates == "ignore"      ? DuplicatePolicy::Ignore
                       : c.duplicates == "overwrite" ? DuplicatePolicy::Overwrite
                                                     : DuplicatePolicy::Keep;
  options.strategy = c.update == "auto"     ? UpdateStrategy::Auto
                     : c.update == "update" ? UpdateStrategy::Update
                                            : UpdateStrategy::Vertex;
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
  if (c.resume && c.empty)
    throw Error(ErrorCode::Usage, "--resume goes on from a checkpoint, and none is given");
  if (c.checkpoint_every != 0 && c.checkpoint.empty())
    throw Error(ErrorCode::Usage, "--checkpoint-every has no effect without --checkpoint");
  for (const std::string* path : {&c.output, &c.checkpoint})
    if (!path->empty()) check_writable(*path);
}

/// A stream of batches into one graph.
class Stream {
 public:
  Stream(const StreamCommand& c, Session& session)
      : c_(c),
        session_(session),
        task_(session.task(true)),
        ctx_(Context::cpu(
            {.threads = c.threads, .host_memory = c.host_memory, .devices = 0, .task = task_})),
        labels_(true),
        lines_(c.updates, task_) {
    read_every();
    DynamicGraphOptions options = graph_options(c);
    if (c.empty) {
      graph_.emplace(ctx_, options);
      at_.any_labels = true;
      return;
    }
    const auto store = store::Store::open(c.graph);
    options.directed = store->header().directed;
    options.weighted = store->header().weighted;
    const CsrView out = store->out(ctx_.threads());
    const auto in = options.directed ? store->in(ctx_.threads()) : std::nullopt;
    if (c.resume) {
      at_ = read_checkpoint(*store);
      pass_over();
    }
    labels_ = dynamic::VertexLabels(*store, at_.any_labels);
    graph_.emplace(ctx_, out, in ? &*in : nullptr, options);
  }

  void run() {
    const auto start = std::chrono::steady_clock::now();
    try {
      while (next_batch()) {
      }
    } catch (const Error& e) {
      if (e.code() == ErrorCode::Interrupted && !c_.checkpoint.empty()) save_checkpoint();
      throw;
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!c_.output.empty())
      dynamic::save(*graph_, labels_, c_.output, session_.command_line, task_);
    if (c_.json) {
      Json run{{"layout", c_.layout},
               {"allocator", c_.allocator},
               {"threads", ctx_.threads()},
               {"seconds", seconds}};
      write_out(to_text(stream_json(std::move(run), totals_, *graph_, std::move(analyses_))));
    } else if (!c_.quiet) {
      write_out(stream_summary(totals_, *graph_));
    }
  }

 private:
  void read_every() {
    if (c_.every.empty()) return;
    const std::string& count = c_.every[0];
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), every_);
    if (error != std::errc{} || end != count.data() + count.size() || every_ == 0)
      throw Error(ErrorCode::Usage, "--every begins with a number of batches, not '" + count + "'");
    for (std::size_t i = 1; i < c_.every.size(); ++i)
      algorithms_.push_back(streamed_algorithm(c_.every[i]));
    if (algorithms_.empty())
      throw Error(ErrorCode::Usage, "--every needs an algorithm after the number of batches");
  }

  /// Leaves out the lines that a checkpoint has.
  void pass_over() {
    std::string_view line;
    while (lines_.number() < at_.line)
      if (!lines_.next(line))
        throw Error(ErrorCode::Usage,
                    fmt::format("{} has {} lines, but the checkpoint was written after line {}: "
                                "--resume takes the same updates again, from the beginning",
                                lines_.name(), lines_.number(), at_.line));
  }

  void save_checkpoint() {
    write_checkpoint(c_.checkpoint, *graph_, labels_, at_, session_.command_line);
  }

  /// Reads and applies a batch; false when there was nothing left.
  bool next_batch() {
    dynamic::TextBatch batch(*graph_, labels_);
    std::string_view line;
    bool more = true;
    while (batch.updates() < c_.batch && (more = lines_.next(line))) {
      try {
        batch.add(line);
      } catch (const io::LineError& e) {
        io::fail_line(lines_.name(), lines_.number(), e);
      }
    }
    if (batch.updates() == 0) return false;
    task_.check();
    totals_.add(batch, batch.apply(*graph_, labels_), graph_->memory());
    at_.line = lines_.number();
    const std::uint64_t interval = c_.checkpoint_every == 0 ? 1 : c_.checkpoint_every;
    if (!c_.checkpoint.empty() && totals_.batches % interval == 0) save_checkpoint();
    if (every_ != 0 && totals_.batches % every_ == 0) analyse();
    return more;
  }

  void analyse() {
    const StreamedResult results(ctx_, *graph_, labels_);
    Json at{{"batch", totals_.batches},
            {"vertices", graph_->existing_vertices()},
            {"edges", graph_->edges()},
            {"results", Json::array()}};
    for (const StreamedAlgorithm& a : algorithms_) {
      const Json result = results.run(a);
      if (!c_.json && !c_.quiet)
        print("batch {}: {}\n", format_count(totals_.batches), line_of(result));
      at["results"].push_back(result);
    }
    if (!c_.json && !c_.quiet) flush_out();
    if (c_.json) analyses_.push_back(std::move(at));
  }

  const StreamCommand& c_;
  Session& session_;
  Task task_;
  Context ctx_;
  dynamic::VertexLabels labels_;
  std::optional<DynamicGraph> graph_;
  UpdateLines lines_;
  std::uint64_t every_ = 0;
  std::vector<StreamedAlgorithm> algorithms_;
  Checkpoint at_;
  StreamTotals totals_;
  Json analyses_ = Json::array();
};

}  // namespace

void add_stream(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "stream", "Apply insertions and deletions of edges and vertices to a graph, in batches");
  auto c = std::make_shared<StreamCommand>();
  command->add_option("graph", c->graph, "The graph to start with")->type_name("G.fg");
  command->add_flag("--empty", c->empty, "Start without any vertex");
  command->add_option("--updates", c->updates, "Where the updates are; - is standard input")
      ->type_name("FILE")
      ->required();
  command->add_option("--batch", c->batch, "Apply so many updates at a time")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 28))
      ->capture_default_str();
  command->add_flag("--undirected", c->undirected, "With --empty: edges have no direction");
  command->add_flag("--weighted", c->weighted, "With --empty: edges have weights");
  command
      ->add_option("--duplicates", c->duplicates,
                   "What becomes of the insertion of an edge that is there")
      ->check(CLI::IsMember({"ignore", "overwrite", "keep"}))
      ->capture_default_str();
  command
      ->add_option("--update", c->update,
                   "Who looks for a batch's edges: each update, or a worker per list")
      ->check(CLI::IsMember({"auto", "update", "vertex"}))
      ->capture_default_str();
  command
      ->add_option("--layout", c->layout,
                   "Lists each on one page (ouro), or on linked pages of one size, which come back "
                   "(faim) or stay with their list (aim)")
      ->check(CLI::IsMember({"ouro", "faim", "aim"}))
      ->capture_default_str();
  command
      ->add_option("--page-bytes", c->page_bytes,
                   "Size of linked pages, a power of two; 128 if not given")
      ->type_name("N");
  std::vector<std::string> allocators;
  for (const PageAllocator a : page_allocators()) allocators.emplace_back(name_of(a));
  command
      ->add_option("--allocator", c->allocator,
                   "Pages come from a pool, or from one of the managers of `bench memory`; cuda is "
                   "the one of GPUs")
      ->check(CLI::IsMember(allocators))
      ->capture_default_str();
  command
      ->add_option("--edges", c->edges,
                   "Weights beside their targets (aos) or behind all of a list (soa)")
      ->check(CLI::IsMember({"aos", "soa"}))
      ->capture_default_str();
  command
      ->add_option("--every", c->every,
                   "After every N batches run cc, pagerank, tc, kcore, bfs:LABEL or sssp:LABEL")
      ->type_name("N ALGORITHM");
  command->add_option("-o,--output", c->output, "Write the graph as it is in the end")
      ->type_name("OUT.fg");
  command
      ->add_option("--checkpoint", c->checkpoint,
                   "Write the graph after every batch, and on Ctrl-C, for --resume")
      ->type_name("FILE.fg");
  command
      ->add_option("--checkpoint-every", c->checkpoint_every,
                   "Write checkpoints after every N batches only, and on Ctrl-C")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  command->add_flag("--resume", c->resume,
                    "The graph is a checkpoint: leave out the updates that it has");
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("-q,--quiet", c->quiet, "Print nothing");
  add_threads(*command, c->threads);
  add_size(*command, "--host-memory", c->host_memory, "Limit of the graph and the batches");
  command->footer(
      "Updates, one per line: '+ u v [w]' inserts an edge, and its endpoints if need be; '- u v'\n"
      "removes every edge from u to v; '+v u' and '-v u' insert and remove a vertex; '#' begins a\n"
      "comment. The result is that of the lines one after the other. A batch that is malformed or\n"
      "does not fit is refused whole, and nothing is written.\n\n"
      "Examples:\n"
      "  fathom stream graph.fg --updates day.txt -o tomorrow.fg\n"
      "  fathom stream --empty --undirected --updates edges.txt --batch 1000 --every 10 cc tc\n"
      "  fathom stream graph.fg --updates long.txt --checkpoint half.fg -o out.fg\n"
      "  fathom stream half.fg --resume --updates long.txt --checkpoint half.fg -o out.fg\n"
      "  tail -f log | fathom stream graph.fg --updates - --batch 100 --every 1 pagerank");
  command->callback([c, &session] {
    session.command = [c, &session] {
      check_options(*c);
      Stream(*c, session).run();
    };
  });
}

}  // namespace fathom::cli
