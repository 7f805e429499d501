#include "tests/cuda/zoo_on_gpus.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "fathom/residency/narrow/narrow_graph.hpp"
#include "fathom/residency/packed/packed_graph.hpp"
#include "fathom/store/narrow/narrow_image.hpp"
#include "fathom/store/packed/packed_image.hpp"

namespace fathom::testing {
namespace {

/// One case of `stride`, along diagonals of graphs, checks and configurations. No dimension is
/// shorter than the stride: each pair of two values of different dimensions is still met. The turn
/// says which one: with all turns, all cases are met once.
struct Choice {
  std::size_t stride = 1, turn = 0;

  bool takes(std::size_t graph, std::size_t check, std::size_t configuration) const {
    return (graph + check + configuration + turn) % stride == 0;
  }
  static Choice of_environment() {
    const char* const tier = std::getenv("FATHOM_GPU_TIER");
    const char* const turn = std::getenv("FATHOM_GPU_TURN");
    const std::string named = tier ? tier : "";
    return {named == "smoke"   ? std::size_t{20}
            : named == "whole" ? std::size_t{4}
                               : std::size_t{1},
            turn ? std::strtoull(turn, nullptr, 10) : 0};
  }
};

/// A denser graph than the zoo's.
zoo::RawGraph dense_graph() {
  zoo::RawGraph g{"Dense", 3000, true, zoo::random_edges(3000, 60000, 5), {}};
  for (std::uint32_t v = 0; v < g.vertices; ++v)
    for (const std::uint32_t hub : {7u, 1500u, 2999u}) {
      g.edges.emplace_back(hub, v);
      g.edges.emplace_back(v, hub);
    }
  zoo::Dice dice(11);
  for (std::size_t i = 0; i < g.edges.size(); ++i)
    g.weights.push_back(static_cast<float>(dice.roll(64)));
  return g;
}

/// A context per configuration, since making one takes longer than most cases. Kept to the end: the
/// driver is gone before statics are destroyed.
const Context& context_of(const GpuConfiguration& where) {
  static std::mutex mutex;
  static auto& contexts = *new std::map<std::string, Context>;
  const std::lock_guard lock(mutex);
  const auto found = contexts.find(where.name);
  if (found != contexts.end()) return found->second;
  CudaOptions options = where.cuda;
  options.threads = 2;  // other configurations have the other processors
  return contexts.emplace(where.name, Context::cuda(options)).first->second;
}

/// A graph in one configuration; its cases follow each other.
struct Place {
  const GpuConfiguration* where = nullptr;
  bool busy = false;
  std::optional<Graph> with_in, without_in;
};

struct Case {
  std::size_t check;
  Place* place;
  bool taken = false;
};

/// A check of the graph, and what it expects, found by the first case that needs it.
struct Prepared {
  const Check* check;
  std::once_flag once;
  std::function<void(const Placed&)> in_one;
};

std::size_t graph_index(const std::string& name) {
  static const std::vector<zoo::RawGraph> graphs = gpu_graphs();
  const auto found = std::find_if(graphs.begin(), graphs.end(),
                                  [&](const zoo::RawGraph& g) { return g.name == name; });
  return static_cast<std::size_t>(found - graphs.begin());
}

int team_size() {
  if (const char* asked = std::getenv("FATHOM_GPU_TEAM")) return std::max(1, std::atoi(asked));
  return std::clamp(worker_count(0) * 3 / 4, 1, 12);
}

void note_seconds(const std::string& graph, const char* check, const std::string& where,
                  double seconds) {
  static const char* const path = std::getenv("FATHOM_GPU_TIMES");
  if (!path) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::ofstream(path, std::ios::app)
      << graph << ',' << check << ',' << where << ',' << seconds << '\n';
}

/// The cases of one graph, dealt to a team.
class Cases {
 public:
  Cases(const KnownGraph& known, const std::vector<Check>& checks) : known_(known) {
    for (const Check& check : checks) prepared_.emplace_back().check = &check;
  }
  void add(std::size_t check, const GpuConfiguration& where) {
    auto place = std::find_if(places_.begin(), places_.end(),
                              [&](const Place& p) { return p.where == &where; });
    if (place == places_.end()) {
      place = places_.emplace(places_.end());
      place->where = &where;
    }
    cases_.push_back({check, &*place});
  }
  std::size_t size() const { return cases_.size(); }
  std::size_t places() const { return places_.size(); }

  /// One member of the team: takes cases whose place nobody uses until none is left.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto left =
          std::find_if(cases_.begin(), cases_.end(), [](const Case& c) { return !c.taken; });
      if (left == cases_.end()) return;
      const auto next = std::find_if(left, cases_.end(),
                                     [](const Case& c) { return !c.taken && !c.place->busy; });
      if (next == cases_.end()) {
        released_.wait(lock);
        continue;
      }
      Place& place = *next->place;
      next->taken = place.busy = true;
      const std::size_t check = next->check;
      lock.unlock();
      run(prepared_[check], place);
      lock.lock();
      place.busy = false;
      released_.notify_all();
    }
  }

 private:
  void run(Prepared& prepared, Place& place) {
    SCOPED_TRACE(prepared.check->name + (" in " + place.where->name));
    const auto began = std::chrono::steady_clock::now();
    try {
      std::call_once(prepared.once, [&] { prepared.in_one = prepared.check->prepare(known_); });
      const Context& ctx = context_of(*place.where);
      if (!place.with_in) {
        place.with_in.emplace(known_.place(ctx, *place.where, true));
        place.without_in.emplace(known_.place(ctx, *place.where, false));
      }
      prepared.in_one({known_, *place.where, ctx, *place.with_in, *place.without_in});
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
    note_seconds(known_.raw.name, prepared.check->name, place.where->name, seconds.count());
  }

  const KnownGraph& known_;
  std::deque<Prepared> prepared_;
  std::deque<Place> places_;
  std::vector<Case> cases_;
  std::mutex mutex_;
  std::condition_variable released_;
};

}  // namespace

Graph KnownGraph::place(const Context& ctx, const ResidencyOptions& options, bool in_edges) const {
  std::optional<CsrView> in;
  if (built.in && in_edges) in = built.in->view();
  return make_graph(ctx, built.out.view(), in ? &*in : nullptr, raw.directed, options);
}

Graph KnownGraph::place(const Context& ctx, const GpuConfiguration& where, bool in_edges) const {
  if (where.narrow) {
    struct Narrow {
      store::NarrowImage out, in;
    };
    auto narrow = std::make_shared<Narrow>();
    narrow->out = store::narrowed(built.out.view());
    const bool with_in = built.in && in_edges;
    if (with_in) narrow->in = store::narrowed(built.in->view());
    return make_graph(ctx, narrow->out.lists, with_in ? &narrow->in.lists : nullptr, raw.directed,
                      where.residency, narrow);
  }
  if (where.packed) {
    struct Packed {
      store::PackedImage out, in;
    };
    auto packed = std::make_shared<Packed>();
    packed->out = store::pack(built.out.view());
    const bool with_in = built.in && in_edges;
    if (with_in) packed->in = store::pack(built.in->view());
    return make_graph(ctx, packed->out.lists, with_in ? &packed->in.lists : nullptr, raw.directed,
                      where.residency, packed);
  }
  if (!where.slotted) return place(ctx, where.residency, in_edges);
  struct Pages {
    store::SlottedImage out, in;
  };
  auto pages = std::make_shared<Pages>();
  pages->out = store::paginate(built.out.view(), *where.slotted);
  const bool with_in = built.in && in_edges;
  if (with_in) pages->in = store::paginate(built.in->view(), *where.slotted);
  return make_graph(ctx, pages->out.lists, with_in ? &pages->in.lists : nullptr, raw.directed,
                    where.residency, pages);
}

std::vector<VertexId> KnownGraph::some_sources() const {
  std::vector<VertexId> sources;
  for (const VertexId v : {VertexId{0}, VertexId{raw.vertices / 3}, VertexId{raw.vertices - 1}})
    if (v < raw.vertices) sources.push_back(v);
  return sources;
}

std::vector<zoo::RawGraph> gpu_graphs() {
  std::vector<zoo::RawGraph> all = zoo::all_graphs();
  // Each vertex of a path or a cycle is a superstep, of which a GPU's take long: the beginning of a
  // second word of a bitmap is enough.
  for (zoo::RawGraph& g : all) {
    if (g.name != "Path" && g.name != "Cycle" && g.name != "DirectedCycle") continue;
    g.vertices = 67;
    g.edges = zoo::path_edges(g.vertices);
    if (g.name != "Path") g.edges.emplace_back(g.vertices - 1, 0);
  }
  all.push_back(dense_graph());
  return all;
}

void run_everywhere(const zoo::RawGraph& graph, const std::vector<Check>& checks,
                    const std::vector<GpuConfiguration>& configurations) {
  const Choice choice = Choice::of_environment();
  const char* const only = std::getenv("FATHOM_GPU_ONLY");
  const KnownGraph known(graph);
  Cases cases(known, checks);
  const std::size_t g = graph_index(graph.name);
  // Each configuration begins with another check: all of them meet a handle that is new.
  for (std::size_t k = 0; k < checks.size(); ++k)
    for (std::size_t c = 0; c < configurations.size(); ++c) {
      const std::size_t check = (k + c) % checks.size();
      if (!choice.takes(g, check, c)) continue;
      const std::string name = checks[check].name + (" in " + configurations[c].name);
      if (only && name.find(only) == std::string::npos) continue;
      cases.add(check, configurations[c]);
    }
  std::vector<std::jthread> team;
  const auto most = std::min(cases.places(), static_cast<std::size_t>(team_size()));
  for (std::size_t t = 1; t < most; ++t) team.emplace_back([&] { cases.work(); });
  cases.work();
  team.clear();
  ::testing::Test::RecordProperty("cases", static_cast<int>(cases.size()));
}

}  // namespace fathom::testing
