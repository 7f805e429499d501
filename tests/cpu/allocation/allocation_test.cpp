// The k-th allocation fails, for every k: an algorithm then says that it does not fit (or answers,
// where it could do without), nothing is left in any budget, and the same graph and context answer
// right afterwards. Leaks are the address sanitizer's to find.
//
// FATHOM_EVERY_ALLOCATION=1 takes every k everywhere on a small graph, and goes through the zoo;
// without, every k on the host alone, and a sample elsewhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>

#include "fathom/dynamic/views/analysis_queue.hpp"
#include "fathom/exec/device_team.hpp"
#include "tests/cpu/allocation/failing_new.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/every_algorithm.hpp"

namespace fathom {
namespace {

using testing::Answer;
using testing::Configuration;
using testing::difference;
using testing::every_algorithm;
using testing::EveryAlgorithm;
using testing::FailingAllocations;
using testing::Verifier;

bool takes_all() {
  return std::getenv("FATHOM_EVERY_ALLOCATION") != nullptr;
}

/// Where edges are while allocations fail.
struct Place {
  Configuration where;
  bool from_disk = false;
  std::uint32_t step = 24;  // of the k that are tried, about; all of them with takes_all()
  bool on_threads = false;  // is tried where threads work, too
};

void PrintTo(const Place& place, std::ostream* out) {
  *out << place.where.name;
}

Place make_place(std::string name, int devices, ResidencyOptions::Kind kind, bool slotted = false) {
  Place place;
  Configuration& c = place.where;
  c.name = std::move(name);
  c.cpu.threads = 2;
  c.cpu.devices = devices;
  if (devices > 0) c.cpu.device_memory = std::size_t{64} << 20;
  c.residency.kind = kind;
  c.residency.paging.page_bytes = 64;
  c.tenth_of_pages = kind == ResidencyOptions::Kind::Stream;
  c.slotted = slotted;
  return place;
}

std::vector<Place> places() {
  using Kind = ResidencyOptions::Kind;
  Place host = make_place("host", 0, Kind::Auto);
  host.step = 1;
  host.on_threads = true;
  std::vector<Place> all = {host, make_place("copied", 0, Kind::Resident),
                            make_place("two_devices", 2, Kind::Stream),
                            make_place("two_devices_slotted", 2, Kind::Stream, true)};
  Place split = make_place("two_devices_split", 2, Kind::Stream);
  split.where.residency.paging.strategy = Strategy::Scalability;
  split.where.residency.paging.chunks = 2;
  all.push_back(split);
  for (const IoOptions::Way way : {IoOptions::Way::Auto, IoOptions::Way::Threads}) {
    Place disk =
        make_place(way == IoOptions::Way::Auto ? "disk" : "disk_by_threads", 0, Kind::Stream);
    disk.from_disk = true;
    disk.step = 48;
    disk.on_threads = way == IoOptions::Way::Threads;
    disk.where.tenth_of_pages = false;
    disk.where.residency.paging.io.way = way;
    disk.where.residency.paging.io.depth = 3;
    disk.where.residency.paging.io.direct = false;  // thousands of runs
    all.push_back(disk);
  }
  return all;
}

/// A zoo graph in memory and in a file, and what every algorithm answers of it.
class Prepared {
 public:
  explicit Prepared(const zoo::RawGraph& raw)
      : raw_(raw), built_(zoo::build(raw)), path_(directory_.file("graph.fg")) {
    {
      store::StoreWriter writer(path_);
      writer.append_lists(store::Lists::Out, built_.out.view());
      if (built_.in) writer.append_lists(store::Lists::In, built_.in->view());
      store::Header header;
      header.vertices = raw.vertices;
      header.directed = raw.directed;
      header.symmetric = !raw.directed;
      header.policies.duplicates = graph::Duplicates::Keep;
      header.report.input_edges = raw.edges.size();
      writer.commit(header);
    }
    const Context host = Context::cpu();
    std::optional<CsrView> in;
    if (built_.in) in = built_.in->view();
    const Graph graph = make_graph(host, built_.out.view(), in ? &*in : nullptr, raw.directed);
    const Verifier verifier{host, graph};
    for (const EveryAlgorithm& algorithm : every_algorithm())
      expected_.push_back(algorithm.run(host, graph, &verifier));
  }

  const std::string& name() const { return raw_.name; }
  const Answer& expected(std::size_t algorithm) const { return expected_[algorithm]; }

  Graph put(const Context& ctx, const Place& place) const {
    if (place.from_disk) return load(ctx, path_, place.where.residency);
    std::optional<CsrView> in;
    if (built_.in) in = built_.in->view();
    Configuration where = place.where;
    if (raw_.edges.size() > 1000) where.residency.paging.page_bytes = 2048;
    return where.place(ctx, built_.out.view(), in ? &*in : nullptr, raw_.directed);
  }

 private:
  zoo::RawGraph raw_;
  graph::BuiltGraph built_;
  store::TemporaryDirectory directory_;
  std::string path_;
  std::vector<Answer> expected_;
};

struct Tally {
  std::uint64_t failed = 0, answered = 0;
} all_of_them;

class Allocations : public ::testing::TestWithParam<Place> {
 protected:
  static void TearDownTestSuite() {
    std::cout << all_of_them.failed + all_of_them.answered
              << " allocations failed: " << all_of_them.failed << " runs did not fit, "
              << all_of_them.answered << " answered all the same\n";
  }

  static bool splits() {
    return GetParam().where.residency.paging.strategy == Strategy::Scalability;
  }

  /// With its certificate where lists are whole, as certificates read them.
  static Answer run(const EveryAlgorithm& algorithm, const Context& ctx, const Graph& graph) {
    const Verifier verifier{ctx, graph};
    return algorithm.run(ctx, graph, splits() ? nullptr : &verifier);
  }

  /// Fails allocation `k`. False: there were fewer.
  bool fail(const Prepared& graph, std::size_t number, std::uint64_t k, bool lasting) {
    const EveryAlgorithm& algorithm = every_algorithm()[number];
    const std::string what = graph.name() + ", " + algorithm.name + ", allocation " +
                             std::to_string(k) + (lasting ? " and all after it" : "");
    const Context ctx = GetParam().where.context();
    bool was_asked = false, fits = false;
    {
      std::optional<Graph> placed;
      std::string fault;
      try {
        const FailingAllocations failing(k, lasting);
        struct Asked {
          bool& was;
          std::uint64_t k;
          ~Asked() { was = FailingAllocations::asked() >= k; }
        } asked{was_asked, k};
        placed = graph.put(ctx, GetParam());
        const Answer answer = run(algorithm, ctx, *placed);
        fits = difference(algorithm, answer, graph.expected(number)).empty();
        if (!fits) fault = "a wrong answer";
      } catch (const Error& error) {
        if (error.code() != ErrorCode::DoesNotFit) fault = error.what();
      } catch (const std::bad_alloc&) {
      } catch (const std::exception& error) {
        fault = error.what();
      }
      EXPECT_EQ(fault, "") << what;
      if (!was_asked) return false;
      ++(fits ? all_of_them.answered : all_of_them.failed);
      if (!placed) placed = graph.put(ctx, GetParam());
      EXPECT_EQ(difference(algorithm, run(algorithm, ctx, *placed), graph.expected(number)), "")
          << "after " << what;
    }
    EXPECT_EQ(ctx.host_memory()->used(), 0u) << what;
    for (const Device& device : ctx.devices()) EXPECT_EQ(device.memory()->used(), 0u) << what;
    return true;
  }

  void fail_each(const Prepared& graph, std::uint32_t step) {
    for (std::size_t a = 0; a < every_algorithm().size(); ++a) {
      if (splits() && !every_algorithm()[a].splits) continue;
      zoo::Dice dice(a + 1);
      for (std::uint64_t k = 1 + dice.roll(step); !HasFailure();) {
        if (!fail(graph, a, k, false)) break;
        if (dice.roll(4) == 0 || takes_all()) fail(graph, a, k, true);
        k += step == 1 ? 1 : 1 + dice.roll(2 * step);
      }
    }
  }

  /// `count` of the allocations that each algorithm makes, drawn.
  void fail_some(const Prepared& graph, std::uint32_t count) {
    for (std::size_t a = 0; a < every_algorithm().size(); ++a) {
      if (splits() && !every_algorithm()[a].splits) continue;
      const Context ctx = GetParam().where.context();
      std::uint64_t all = 0;
      {
        const FailingAllocations counting;
        const Graph placed = graph.put(ctx, GetParam());
        run(every_algorithm()[a], ctx, placed);
        all = FailingAllocations::asked();
      }
      zoo::Dice dice(a + 1);
      for (std::uint32_t i = 0; i < count && !HasFailure(); ++i)
        fail(graph, a, 1 + dice.roll(static_cast<std::uint32_t>(all)), i % 4 == 3);
    }
  }
};

TEST_P(Allocations, AnyMayFailOfEveryAlgorithmOnASmallGraph) {
  fail_each(Prepared(zoo::weighted(zoo::multi_edges(), zoo::Weights::Positive)),
            takes_all() ? 1 : GetParam().step);
}

TEST_P(Allocations, AnyMayFailOfEveryAlgorithmWhereThreadsWork) {
  if (!GetParam().on_threads && !takes_all()) GTEST_SKIP() << "FATHOM_EVERY_ALLOCATION=1";
  fail_some(Prepared(zoo::weighted(zoo::rmat(false), zoo::Weights::Fraction)),
            takes_all() ? 40 : 1);
}

TEST_P(Allocations, AnyMayFailOfEveryAlgorithmOnTheZoo) {
  if (!takes_all()) GTEST_SKIP() << "takes long: FATHOM_EVERY_ALLOCATION=1";
  for (const zoo::RawGraph& raw : zoo::all_graphs())
    if (raw.vertices > 0) fail_some(Prepared(raw), 20);
}

INSTANTIATE_TEST_SUITE_P(Places, Allocations, ::testing::ValuesIn(places()),
                         [](const auto& p) { return p.param.where.name; });

TEST(ADeviceTeam, WithoutMemoryForItsThreadsEndsThoseThatRun) {
  for (std::uint64_t k = 1;; ++k) {
    std::uint64_t asked = 0;
    try {
      const FailingAllocations failing(k);
      DeviceTeam team(4);
      asked = FailingAllocations::asked();
    } catch (const std::bad_alloc&) {
      asked = k;
    }
    if (asked < k) break;
  }
}

TEST(ARecordedBatch, IsAppliedAndToldOrNeither) {
  CpuOptions cpu;
  cpu.threads = 2;
  const Context ctx = Context::cpu(cpu);
  for (const bool directed : {false, true}) {
    std::vector<EdgeUpdate> updates;
    for (VertexId v = 0; v < 60; ++v) updates.push_back(EdgeUpdate::insert(v, (v * 7 + 1) % 60));
    const std::vector<VertexId> gone{3, 4};
    for (std::uint64_t k = 1;; ++k) {
      DynamicGraph graph(ctx, {.directed = directed, .memory = 1 << 22, .most_vertices = 100});
      graph.apply({50, {}, {}});
      std::optional<AppliedBatch> applied;
      std::uint64_t asked = 0;
      try {
        const FailingAllocations failing(k);
        applied = graph.apply_recorded({10, updates, gone});
        asked = FailingAllocations::asked();
      } catch (const std::bad_alloc&) {
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::DoesNotFit) << e.what();
      }
      ASSERT_EQ(graph.batches(), applied ? 2u : 1u) << "allocation " << k;
      if (applied && asked < k) break;
    }
  }
}

TEST(AnAnalysisQueue, WithoutMemoryForItsWorkersEndsThoseThatRun) {
  for (std::uint64_t k = 1;; ++k) {
    std::uint64_t asked = 0;
    try {
      const FailingAllocations failing(k);
      AnalysisQueue queue({.workers = 3});
      asked = FailingAllocations::asked();
    } catch (const std::bad_alloc&) {
      asked = k;
    }
    if (asked < k) break;
  }
}

}  // namespace
}  // namespace fathom
