// What plans say of machines and graphs that are not here. (Held against runs: budgets_test.cpp.)
#include "fathom/plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::plan {
namespace {

using testing::expect_error;

using Kind = ResidencyOptions::Kind;

GraphShape rmat(int scale) {
  generate::Spec spec;
  spec.scale = scale;
  return shape_of(spec, false);
}

PlanRequest on_gpu(const std::string& algorithm, int scale, std::uint64_t memory) {
  PlanRequest request;
  request.shape = rmat(scale);
  request.algorithm = algorithm;
  request.machine.executor = Machine::Executor::Gpu;
  request.machine.device_memory = memory;
  return request;
}

TEST(Plan, RefusesToSplitComponentsWithoutInEdgesAsTheRunDoes) {
  PlanRequest request;
  request.shape.vertices = request.shape.edges = 1 << 10;
  request.shape.has_in = false;
  request.algorithm = "cc";
  request.machine.executor = Machine::Executor::EmulatedDevices;
  request.strategy = Strategy::Scalability;
  expect_error(
      ErrorCode::Usage, [&] { make_plan(request); }, "in-edges");
  request.strategy = Strategy::Auto;
  EXPECT_EQ(make_plan(request).chunks, 0u);
}

TEST(Plan, KeepsOnAGpuWhatFitsAndStreamsOrReadsTheRest) {
  constexpr std::uint64_t kMemory = std::uint64_t{24} << 30;
  EXPECT_EQ(make_plan(on_gpu("pagerank", 24, kMemory)).residency, Kind::Resident);
  EXPECT_EQ(make_plan(on_gpu("pagerank", 28, kMemory)).residency, Kind::Stream);
  const Plan bfs = make_plan(on_gpu("bfs", 28, kMemory));
  EXPECT_EQ(bfs.residency, Kind::ZeroCopy);
  EXPECT_LE(bfs.peak_device, kMemory);
  EXPECT_GT(bfs.near_bytes, std::uint64_t{16} << 30);  // what vertex state leaves is a cache
}

TEST(Plan, HasAGpuOrientListsWhereItHasRoomForThem) {
  PlanRequest request = on_gpu("tc", 24, std::uint64_t{24} << 30);
  request.shape.directed = false;
  request.shape.edges *= 2;
  const auto oriented_by_host = [](const Plan& plan) {
    return std::any_of(plan.holdings.begin(), plan.holdings.end(),
                       [](const Holding& its) { return its.what == "oriented lists, built"; });
  };
  for (const Kind kind : {Kind::Resident, Kind::ZeroCopy}) {
    request.residency = kind;
    request.machine.device_memory = std::uint64_t{24} << 30;
    const Plan plan = make_plan(request);
    EXPECT_FALSE(oriented_by_host(plan));
    request.machine.device_memory = plan.least_device;
    EXPECT_FALSE(oriented_by_host(make_plan(request)));
    request.machine.device_memory -= 1;
    EXPECT_TRUE(oriented_by_host(make_plan(request)));
  }
  request.machine.device_memory = std::uint64_t{24} << 30;
  request.shape.directed = true;
  EXPECT_TRUE(oriented_by_host(make_plan(request)));
}

TEST(Plan, SeveralGpusHaveSharesWhereTheyFitAndStreamOtherwise) {
  constexpr std::uint64_t kMemory = std::uint64_t{24} << 30;
  PlanRequest request = on_gpu("bfs", 24, kMemory);
  const Plan one = make_plan(request);
  EXPECT_EQ(one.residency, Kind::Resident);
  request.machine.devices = 2;
  const Plan two = make_plan(request);
  EXPECT_EQ(two.residency, Kind::ZeroCopy);
  EXPECT_EQ(two.near_bytes, two.moved_bytes / 2);  // each keeps its share
  request.machine.device_memory = two.moved_bytes / 2;
  EXPECT_EQ(make_plan(request).residency, Kind::Stream);
  request.residency = Kind::ZeroCopy;
  const Plan over_links = make_plan(request);
  EXPECT_EQ(over_links.residency, Kind::ZeroCopy);
  EXPECT_LT(over_links.near_bytes, over_links.moved_bytes / 2);
  EXPECT_LE(over_links.peak_device, request.machine.device_memory);
  request.machine.device_memory = kMemory;
  for (const Kind kind : {Kind::Resident, Kind::Managed}) {
    request.residency = kind;
    expect_error(ErrorCode::Usage, [&] { make_plan(request); });
  }
  request.residency = Kind::Stream;
  request.shape.slotted = true;
  request.shape.page_bytes = std::uint64_t{1} << 20;
  EXPECT_EQ(make_plan(request).residency, Kind::Stream);
}

TEST(Plan, ReadsNarrowListsAsTheyAreButWhereTheyAreWidenedInMemory) {
  constexpr std::uint64_t kPair = sizeof(VertexId) + sizeof(Weight);
  PlanRequest request = on_gpu("sssp", 24, std::uint64_t{24} << 30);
  request.shape.weighted = true;
  const std::uint64_t edges = request.shape.edges;
  for (const Kind kind : {Kind::Resident, Kind::ZeroCopy, Kind::Managed}) {
    request.residency = kind;
    request.shape.narrow_bits = 0;
    EXPECT_EQ(make_plan(request).moved_bytes, edges * kPair);
    request.shape.narrow_bits = 32;
    const Plan narrow = make_plan(request);
    EXPECT_EQ(narrow.moved_bytes, edges * 4);
    EXPECT_LT(narrow.least_host, edges);
  }
  request.residency = Kind::Stream;
  const Plan streamed = make_plan(request);
  EXPECT_EQ(streamed.moved_bytes, edges * kPair);
  EXPECT_GE(streamed.least_host, edges * kPair);  // widened
  EXPECT_FALSE(streamed.from_disk);
  request.machine.host_memory = edges * kPair;  // but for what is beside them
  const Plan from_disk = make_plan(request);
  EXPECT_EQ(from_disk.moved_bytes, edges * 4);
  EXPECT_TRUE(from_disk.from_disk);
  EXPECT_LT(from_disk.least_host, edges);
  request.machine.host_memory = kNoLimit;
  request.machine.executor = Machine::Executor::Host;
  EXPECT_EQ(make_plan(request).moved_bytes, edges * 4);
  request.residency = Kind::Auto;
  const Plan host = make_plan(request);
  EXPECT_EQ(host.residency, Kind::Resident);
  EXPECT_FALSE(host.mapped);
  EXPECT_GE(host.least_host, edges * kPair);
  request.machine.host_memory = edges * kPair;
  const Plan within = make_plan(request);
  EXPECT_EQ(within.residency, Kind::Stream);
  EXPECT_EQ(within.moved_bytes, edges * 4);
  EXPECT_LE(within.peak_host, request.machine.host_memory);
  request.residency = Kind::Resident;
  expect_error(ErrorCode::DoesNotFit, [&] { make_plan(request); });
}

TEST(Plan, CountsTheLookAtFieldsEvenWhereAllEdgesAreKept) {
  PlanRequest request;
  request.algorithm = "degrees";
  request.machine.executor = Machine::Executor::Host;
  request.shape.vertices = 1000;
  request.shape.edges = request.shape.oriented = 1 << 20;
  const std::uint64_t without = make_plan(request).least_host;
  request.shape = filtered_shape(request.shape, request.shape.edges);
  EXPECT_FALSE(request.shape.filtered());
  const Plan looked = make_plan(request);
  EXPECT_GE(looked.least_host, (1u << 20) / 8 + (1u << 20));  // a bit each, and a block of times
  EXPECT_GT(looked.least_host, without);
  EXPECT_GE(looked.peak_host, looked.least_host);
}

TEST(Plan, TellsOfListsThatAGpuNarrowsAsItPlacesThem) {
  PlanRequest request = on_gpu("sssp", 24, std::uint64_t{24} << 30);
  request.shape.weighted = true;
  const GraphShape plain = request.shape;
  request.shape = narrowed_shape(plain, 0);
  EXPECT_EQ(request.shape.narrow_bits, 24u + 16u);  // of weights that nobody has read
  const std::uint64_t edges = plain.edges;
  for (const Kind kind : {Kind::Resident, Kind::ZeroCopy, Kind::Managed}) {
    request.residency = kind;
    EXPECT_EQ(make_plan(request).moved_bytes, edges * 5);
  }
  request.residency = Kind::Stream;  // of what the file has
  const Plan narrowed = make_plan(request);
  request.shape = plain;
  EXPECT_EQ(narrowed.moved_bytes, make_plan(request).moved_bytes);
  EXPECT_EQ(narrowed.least_host, make_plan(request).least_host);
  expect_error(
      ErrorCode::Usage, [&] { narrowed_shape(plain, 20); }, "16,777,216 vertices");
  // Triangles are counted in lists that are not.
  request.algorithm = "tc";
  request.residency = Kind::ZeroCopy;
  request.shape.has_oriented = true;
  const Plan wide = make_plan(request);
  EXPECT_GT(wide.moved_bytes, 0u);
  request.shape = narrowed_shape(request.shape, 0);
  EXPECT_EQ(make_plan(request).moved_bytes, wide.moved_bytes);
}

/// The bytes of the holding of that name; 0: there is none.
std::uint64_t held(const Plan& plan, Tier tier, const std::string& what) {
  for (const Holding& holding : plan.holdings)
    if (holding.tier == tier && holding.what == what) return holding.bytes;
  return 0;
}

TEST(Plan, ReadsPackedListsInPlaceWhereTheyDoNotFitUnpacked) {
  PlanRequest request = on_gpu("bfs", 28, std::uint64_t{40} << 30);
  request.shape.packed_bits = 14;
  const std::uint64_t edges = request.shape.edges;
  const std::uint64_t packed = edges * 14 / 8, blocks = edges / 64 * 4;
  const Plan tight = make_plan(request);
  EXPECT_EQ(tight.residency, Kind::Resident);
  EXPECT_NE(tight.reason.find("packed lists are read in place"), std::string::npos);
  EXPECT_EQ(held(tight, Tier::Device, "lists, packed in place"), packed);
  EXPECT_EQ(held(tight, Tier::Device, "where blocks of packed lists begin"), blocks);
  EXPECT_LT(tight.peak_device, request.machine.device_memory);
  EXPECT_GE(tight.least_device, packed + blocks);
  EXPECT_LT(tight.least_host, edges * 2);  // nothing is unpacked

  request.machine.device_memory = std::uint64_t{100} << 30;
  const Plan roomy = make_plan(request);
  EXPECT_EQ(roomy.residency, Kind::Resident);
  EXPECT_EQ(held(roomy, Tier::Device, "lists"), edges * sizeof(VertexId));
  EXPECT_GE(roomy.least_host, edges * sizeof(VertexId));
  request.packed = PackedReads::InPlace;
  EXPECT_EQ(held(make_plan(request), Tier::Device, "lists, packed in place"), packed);

  request.packed = PackedReads::Auto;
  request.machine.device_memory = std::uint64_t{20} << 30;
  const Plan far = make_plan(request);
  EXPECT_EQ(far.residency, Kind::ZeroCopy);
  EXPECT_GE(held(far, Tier::Host, "offsets and lists, packed in place"), packed);
  EXPECT_EQ(far.moved_bytes, packed);
  EXPECT_EQ(held(far, Tier::Device, "where blocks of packed lists begin"), blocks);
  request.packed = PackedReads::Unpacked;
  EXPECT_EQ(make_plan(request).moved_bytes, edges * sizeof(VertexId));
  request.packed = PackedReads::Auto;
  request.algorithm = "pagerank";
  EXPECT_EQ(make_plan(request).residency, Kind::ZeroCopy) << "swept, but in place";
  request.packed = PackedReads::Unpacked;
  EXPECT_EQ(make_plan(request).residency, Kind::Stream);
  request.packed = PackedReads::Auto;
  request.residency = Kind::Managed;
  EXPECT_EQ(make_plan(request).moved_bytes, edges * sizeof(VertexId));
}

TEST(Plan, NamesTheBudgetThatWouldWork) {
  PlanRequest request = on_gpu("pagerank", 30, std::uint64_t{24} << 30);
  EXPECT_GT(make_plan(request).chunks, 1u) << "vertex state can be split";
  request.strategy = Strategy::Performance;
  std::uint64_t least = 0;
  try {
    make_plan(request);
    FAIL() << "state of 2^30 vertices does not fit 24 GiB";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
    const std::string text = e.what();
    const std::size_t at = text.find('(') + 1;
    least = std::stoull(text.substr(at));
  }
  request.machine.device_memory = least;
  EXPECT_NO_THROW(make_plan(request));
  request.machine.device_memory = least - 1;
  expect_error(ErrorCode::DoesNotFit, [&] { make_plan(request); });
}

TEST(Plan, NeedsTheStateOfTheWayThatTakesLeast) {
  PlanRequest request;
  request.shape = rmat(20);
  request.algorithm = "pagerank";
  request.residency = Kind::Stream;
  request.machine.threads = 2;
  const Plan ample = make_plan(request);  // by conjugate gradients
  request.machine.host_memory = ample.least_host;
  const Plan least = make_plan(request);  // by power iteration
  EXPECT_LT(least.work.state, ample.work.state);
  EXPECT_EQ(least.least_host, ample.least_host);
  request.machine.host_memory = ample.least_host - 1;
  expect_error(ErrorCode::DoesNotFit, [&] { make_plan(request); });
}

TEST(Plan, SplitsVertexStateOverGpusAndReadsTheFile) {
  PlanRequest request = on_gpu("pagerank", 28, std::uint64_t{8} << 30);
  request.machine.host_memory = std::uint64_t{32} << 30;
  request.machine.devices = 2;
  request.strategy = Strategy::Scalability;
  const Plan two = make_plan(request);
  EXPECT_EQ(two.residency, Kind::Stream);
  EXPECT_EQ(two.chunks, 2u);
  EXPECT_TRUE(two.from_disk);
  EXPECT_LE(two.peak_device, request.machine.device_memory);
  EXPECT_LE(two.peak_host, request.machine.host_memory);
  EXPECT_GT(two.buffer_bytes, std::uint64_t{8} << 30);
  request.machine.devices = 1;
  EXPECT_GE(make_plan(request).chunks, 1u);
  request.residency = Kind::ZeroCopy;
  expect_error(ErrorCode::Usage, [&] { make_plan(request); });
  request.residency = Kind::Auto;
  request.algorithm = "tc";
  expect_error(ErrorCode::Usage, [&] { make_plan(request); });
}

TEST(Plan, ReadsFromDiskToAGpuWhatHostMemoryCannotHold) {
  PlanRequest request = on_gpu("bfs", 26, std::uint64_t{4} << 30);
  EXPECT_FALSE(make_plan(request).from_disk);
  request.machine.host_memory = std::uint64_t{6} << 30;  // and 8 GiB of lists
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.residency, Kind::Stream);
  EXPECT_TRUE(plan.from_disk);
  EXPECT_GT(plan.buffer_bytes, std::uint64_t{4} << 30);
  EXPECT_LE(plan.peak_host, request.machine.host_memory);
  EXPECT_EQ(plan.holdings.back().tier, Tier::Disk);
}

TEST(Plan, SlottedStoresReachAGpuThroughTheBufferOfPages) {
  PlanRequest request = on_gpu("bfs", 26, std::uint64_t{4} << 30);
  EXPECT_EQ(make_plan(request).residency, Kind::ZeroCopy);
  request.shape.slotted = true;
  request.shape.page_bytes = std::uint64_t{1} << 20;
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.residency, Kind::Stream);
  EXPECT_TRUE(plan.from_disk);
  request.machine.device_memory = plan.least_device;
  EXPECT_GE(make_plan(request).peak_device, plan.least_device);
  request.residency = Kind::ZeroCopy;
  expect_error(ErrorCode::Usage, [&] { make_plan(request); });
}

TEST(Plan, CountsWideIdsOfGraphsTooLargeForNarrowOnes) {
  EXPECT_EQ(rmat(31).id_bytes, sizeof(VertexId));
  EXPECT_EQ(rmat(32).id_bytes, 8u);
  EXPECT_EQ(rmat(32).vertices, std::uint64_t{1} << 32);
  const Plan plan = make_plan(on_gpu("pagerank", 32, std::uint64_t{1} << 40));
  EXPECT_EQ(plan.moved_bytes, (std::uint64_t{1} << 32) * 32 * 8);
}

TEST(Plan, StreamsOnTheHostWhatItsMemoryCannotHold) {
  PlanRequest request;
  request.shape = rmat(24);
  request.algorithm = "cc";
  request.machine.physical_memory = std::uint64_t{8} << 30;
  EXPECT_TRUE(make_plan(request).mapped);
  request.machine.physical_memory = std::uint64_t{1} << 30;
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.residency, Kind::Stream);
  EXPECT_NE(plan.reason.find("do not fit"), std::string::npos);
}

TEST(Plan, RefusesWhatNoMachineHas) {
  PlanRequest request;
  request.shape = rmat(10);
  request.algorithm = "pagerank";
  request.residency = Kind::ZeroCopy;
  expect_error(ErrorCode::Usage, [&] { make_plan(request); });
  request.residency = Kind::Auto;
  request.algorithm = "sort";
  expect_error(ErrorCode::Usage, [&] { make_plan(request); });
  request.algorithm = "sssp";  // without weights every edge has length 1
  EXPECT_FALSE(make_plan(request).work.weights);
  generate::Spec grid;
  grid.kind = generate::Kind::Grid;
  expect_error(ErrorCode::Usage, [&] { shape_of(grid, false); });
}

Workload workload(std::string_view algorithm, const GraphShape& shape,
                  const OptionValues* options = nullptr) {
  return workload_of(algorithm, shape, options, true);
}

TEST(Workload, ReadsWhatAlgorithmsSayTheyRead) {
  GraphShape shape = rmat(10);
  shape.directed = true;
  EXPECT_FALSE(workload("degrees", shape).out_lists);
  EXPECT_TRUE(workload("degrees", shape).in_offsets);
  for (const char* const walk : {"pagerank", "rwr"}) {
    EXPECT_FALSE(workload(walk, shape).out_lists);
    EXPECT_TRUE(workload(walk, shape).in_lists);
  }
  EXPECT_TRUE(workload("bfs", shape).out_lists);
  EXPECT_DOUBLE_EQ(workload("cc", shape).share.low, 2. / 32);
  EXPECT_DOUBLE_EQ(workload("cc", shape).share.high, 2. / 32 + 2);
  shape.has_in = false;
  for (const char* const name : {"degrees", "pagerank", "rwr"}) {
    EXPECT_TRUE(workload(name, shape).out_lists);
    EXPECT_FALSE(workload(name, shape).in_offsets);
  }
  EXPECT_EQ(workload("tc", shape).kind, Reads::Kind::Traversal);
  EXPECT_EQ(workload("degrees", shape).kind, Reads::Kind::Unknown);
  EXPECT_FALSE(workload("tc", shape).out_lists);
  EXPECT_FALSE(workload("tc", shape).mutual_lists);
  EXPECT_TRUE(workload("lcc", shape).mutual_lists);
  shape.directed = false;
  EXPECT_FALSE(workload("lcc", shape).mutual_lists);
}

TEST(Workload, FollowsTheAlgorithmsOptions) {
  const GraphShape shape = rmat(10);
  OptionValues centrality(find_algorithm("bc")->options);
  EXPECT_EQ(workload("bc", shape, &centrality).share.high, 2 * 1024);  // from every vertex
  centrality.set_count("k", 8);
  EXPECT_EQ(workload("bc", shape, &centrality).share.high, 16);
  OptionValues search(find_algorithm("bfs")->options);
  const double without = workload("bfs", shape, &search).state;
  search.set_flag("parents");
  EXPECT_GT(workload("bfs", shape, &search).state, without);
  OptionValues walk(find_algorithm("pagerank")->options);
  walk.set_count("max-iter", 3);
  EXPECT_EQ(workload("pagerank", shape, &walk).supersteps.high, 3);
}

/// With each option that is a flag, a number or a word set to something else than its default.
template <class Visit>
void for_each_change(const Algorithm& algorithm, const Visit& visit) {
  using enum OptionInfo::Kind;
  for (const OptionInfo& option : algorithm.options) {
    OptionValues values(algorithm.options);
    if (option.kind == Flag) values.set_flag(option.name);
    if (option.kind == Count) {
      values.set_count(option.name, 2);
      visit(option, values);
      values.set_count(option.name, option.count > 1 ? option.count / 2 : 6);
    }
    if (option.kind == Real) values.set_real(option.name, option.real / 1e6);
    if (option.kind != Mode) visit(option, values);
    for (const std::string_view choice : option.choices) {
      values.set_mode(option.name, std::string(choice));
      visit(option, values);
    }
  }
}

TEST(Workload, ChangesWithTheOptionsThatSaySoAlone) {
  for (const Algorithm* const algorithm : described_algorithms()) {
    std::set<std::string_view> changing, planned;
    for (const bool directed : {false, true})
      for (const bool whole : {false, true}) {
        GraphShape shape = rmat(10);
        shape.directed = directed;
        shape.weighted = true;
        shape.two_paths = 4 * static_cast<double>(shape.edges);
        const Workload standard = workload_of(algorithm->name, shape, nullptr, whole);
        for_each_change(*algorithm, [&](const OptionInfo& option, const OptionValues& values) {
          if (workload_of(algorithm->name, shape, &values, whole) != standard)
            changing.insert(option.name);
          if (option.planned) planned.insert(option.name);
        });
      }
    EXPECT_EQ(changing, planned) << algorithm->name;
  }
}

TEST(Workload, ExpectsAsManyIterationsAsAlphaNeeds) {
  EXPECT_EQ(most_iterations(.5, .25, 100), 3u);  // 2, 1, 1/2, 1/4
  EXPECT_EQ(most_iterations(.85, 1e-6, 100), 90u);
  EXPECT_EQ(most_iterations(.85, 1e-6, 10), 10u);
  EXPECT_EQ(most_iterations(.85, 0, 20), 20u);
  EXPECT_EQ(most_iterations(1, 1e-6, 20), 20u);
}

}  // namespace
}  // namespace fathom::plan
