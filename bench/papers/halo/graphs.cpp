// The graphs of `fathom bench halo`: generated, symmetrised and reordered in a scratch directory.
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX's

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "bench/papers/benchmarks.hpp"
#include "bench/papers/halo/halo.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "fathom/store/make/save.hpp"

namespace fathom::cli::halo {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Lists in one or both directions, and their offsets.
std::uint64_t list_bytes(std::uint64_t vertices, std::uint64_t edges, int directions) {
  return static_cast<std::uint64_t>(directions) *
         (edges * sizeof(VertexId) + (vertices + 1) * sizeof(EdgeId));
}

void generate_store(const Command& c, const generate::Spec& spec, const std::string& path,
                    const Scratch& scratch, const Task& task) {
  const generate::Generator generator(spec);
  scratch.need_room(list_bytes(generator.vertices(), generator.edges(), 2), "a generated graph");
  store::ConvertOptions options;
  options.undirected = false;
  options.build.duplicates = graph::Duplicates::Keep;
  options.build.threads = c.execution.threads;
  options.build.task = task;
  options.provenance = "fathom bench halo";
  store::generate(generator, path, options);
}

Subject subject_at(const Command& c, const std::string& path) {
  const auto store = store::Store::open(path);
  Subject subject;
  subject.path = path;
  subject.vertices = store->header().vertices;
  subject.edges = store->header().edges;
  subject.form = store->header().directed ? "directed" : "undirected";
  subject.store_bytes = fs::file_size(path);
  const CsrView lists{subject.vertices, subject.edges,
                      store->out_offsets(c.execution.threads).data(), nullptr, nullptr};
  subject.sources = pick_sources(lists, c.sources, c.seed);
  subject.expected.resize(subject.sources.size());
  return subject;
}

/// All edges of a CSR, some at a time.
void push_edges(const CsrView& lists, const auto& consume) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  std::vector<Edge> block;
  block.reserve(kBlock);
  for (VertexId u = 0; u < lists.vertices; ++u) {
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + std::size_t{1}]; ++e) {
      block.push_back({u, lists.target[e]});
      if (block.size() < kBlock) continue;
      consume(block, {});
      block.clear();
    }
  }
  consume(block, {});
}

}  // namespace

Scratch::Scratch(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw_io_error(directory, "create the directory", error.value());
  path_ = (fs::path(directory) / "halo-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw_io_error(directory, "create a directory in it", errno);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Scratch::need_room(std::uint64_t bytes, const std::string& what) const {
  std::error_code error;
  const fs::space_info space = fs::space(path_, error);
  if (error || space.available >= bytes) return;  // who cannot say may have it
  throw Error(ErrorCode::Io,
              fmt::format("{}: {} needs {} there, and {} are free; --work names another directory",
                          fs::path(path_).parent_path().string(), what, format_bytes(bytes),
                          format_bytes(space.available)));
}

Wanted kronecker(const Command& c, int scale) {
  Wanted wanted;
  wanted.name = fmt::format("kron{}", scale);
  wanted.spec.scale = scale;
  wanted.spec.edge_factor = c.edge_factor;
  wanted.spec.seed = c.seed;
  return wanted;
}

std::vector<Wanted> wanted_graphs(const Command& c) {
  using generate::Kind;
  const std::map<std::string, Kind> kinds{{"kron", Kind::Rmat},
                                          {"uniform", Kind::Uniform},
                                          {"grid", Kind::Grid},
                                          {"pa", Kind::PreferentialAttachment}};
  std::vector<Wanted> all;
  std::set<std::string> names;
  for (const std::string& path : c.graphs) {
    Wanted wanted;
    wanted.path = path;
    wanted.name = fs::path(path).stem().string();
    if (names.contains(wanted.name)) wanted.name = path;
    names.insert(wanted.name);
    all.push_back(wanted);
  }
  for (const std::string& kind : c.kinds) {
    Wanted wanted = kronecker(c, c.scale);
    wanted.name = fmt::format("{}{}", kind, c.scale);
    wanted.spec.kind = kinds.at(kind);
    if (kind == "grid") {
      const generate::Spec none;
      wanted.spec.scale = none.scale;
      wanted.spec.edge_factor = none.edge_factor;
      wanted.spec.rows = VertexId{1} << (c.scale / 2);
      wanted.spec.columns = VertexId{1} << (c.scale - c.scale / 2);
    }
    if (!names.insert(wanted.name).second)
      throw Error(ErrorCode::Usage, fmt::format("{} is asked for twice", wanted.name));
    all.push_back(wanted);
  }
  return all;
}

Subject first_subject(const Command& c, const Wanted& wanted, const Scratch& scratch,
                      Session& session) {
  std::string path = wanted.path;
  if (path.empty()) {
    path = scratch.path("natural.fg");
    generate_store(c, wanted.spec, path, scratch, session.task(c.quiet || c.json));
  }
  Subject subject = subject_at(c, path);
  subject.name = wanted.name;
  return subject;
}

Subject symmetrized(const Command& c, const Subject& directed, const Scratch& scratch,
                    Session& session) {
  const std::string path = scratch.path("symmetrized.fg");
  scratch.need_room(list_bytes(directed.vertices, 2 * directed.edges, 1),
                    "the symmetrized " + directed.name);
  const Task task = session.task(c.quiet || c.json);
  {
    const auto store = store::Store::open(directed.path);
    const CsrView lists = store->out(c.execution.threads);
    graph::BuildOptions build;
    build.undirected = true;
    build.in_edges = false;
    build.duplicates = graph::Duplicates::Keep;
    build.threads = c.execution.threads;
    build.memory = MemoryPool::kUnlimited;
    build.task = task;
    const graph::BuiltGraph built = graph::build(
        directed.vertices, [&](const auto& consume) { push_edges(lists, consume); }, build);
    store::SaveOptions options;
    options.directed = false;
    options.in_edges = false;
    options.provenance = "fathom bench halo";
    options.threads = c.execution.threads;
    options.task = task;
    store::save(built.out.view(), path, options);
  }
  Subject subject = subject_at(c, path);
  subject.name = directed.name;
  subject.form = "symmetrized";
  subject.sources = directed.sources;
  return subject;
}

Ordered make_ordered(const Command& c, const Subject& subject, const std::string& method,
                     VertexId samples, const Scratch& scratch, Session& session) {
  Ordered made;
  made.method = method;
  made.path = subject.path;
  if (method == "natural") return made;
  const Task task = session.task(c.quiet || c.json);
  {
    ExecutionOptions where = c.execution;
    where.devices = 0;
    if (!c.on_gpu()) where.device_memory = MemoryPool::kUnlimited;
    const LoadedGraph graph(subject.path, where, task);
    reorder::Options options = c.order;
    options.method = *reorder::method_of(method);
    options.samples = samples;
    TimedOrder timed = time_order(graph, options);
    made.order_seconds = timed.seconds;
    made.order = std::move(timed.order);
  }
  made.path = scratch.path("ordered.fg");
  fs::remove(made.path);
  // Where each vertex was before is written too.
  scratch.need_room(subject.store_bytes + subject.vertices * sizeof(VertexId),
                    subject.name + " in another order");
  store::PermuteOptions options;
  options.threads = c.execution.threads;
  options.provenance = "fathom bench halo: " + method;
  options.task = task;
  const auto start = Clock::now();
  store::permute(subject.path, made.path, made.order->positions(), options);
  made.write_seconds = seconds_since(start);
  return made;
}

}  // namespace fathom::cli::halo
