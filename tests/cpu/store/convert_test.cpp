#include "fathom/store/make/convert.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

constexpr std::size_t kLeastMemory = std::size_t{32} << 20;

// A directory of its own for each test, removed with everything in it.
class Convert : public ::testing::Test {
 public:
  Convert() {
    std::string name = (std::filesystem::temp_directory_path() / "fathom-test-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~Convert() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

 private:
  std::filesystem::path directory_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using LabelledEdge = std::tuple<std::string, std::string, Weight>;

// The out- or in-lists with the caller's labels, source first.
std::vector<LabelledEdge> edges_of(Store& store, bool in) {
  const CsrView g = in ? *store.in() : store.out();
  std::vector<LabelledEdge> edges;
  for (VertexId v = 0; v < g.vertices; ++v)
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e) {
      const std::string a = store.label(v), b = store.label(g.target[e]);
      const Weight w = g.weight ? g.weight[e] : 1;
      edges.emplace_back(in ? LabelledEdge(b, a, w) : LabelledEdge(a, b, w));
    }
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::shared_ptr<Store> open_verified(const std::string& path) {
  auto store = Store::open(path);
  store->verify(1, {});
  return store;
}

TEST_F(Convert, keeps_integer_ids_that_cover_zero_to_n) {
  const std::string input = write("a.txt", "# a comment\n0 1\n1 2\n2 2\n0 1\n");
  ConvertOptions options;
  options.provenance = "test";
  const Header header = convert({input}, path("a.fg"), options);
  EXPECT_EQ(header.labels, LabelKind::Identity);
  EXPECT_EQ(header.vertices, 3u);
  EXPECT_EQ(header.edges, 3u);
  EXPECT_TRUE(header.directed);
  EXPECT_TRUE(header.has_in_edges);
  EXPECT_EQ(header.report.input_edges, 4u);
  EXPECT_EQ(header.report.duplicates_merged, 1u);
  EXPECT_EQ(header.report.loops_seen, 1u);
  auto store = open_verified(path("a.fg"));
  const std::vector<LabelledEdge> expected = {{"0", "1", 1}, {"1", "2", 1}, {"2", "2", 1}};
  EXPECT_EQ(edges_of(*store, false), expected);
  EXPECT_EQ(edges_of(*store, true), expected);
  EXPECT_EQ(store->header().provenance, "test");
  EXPECT_EQ(files(), 2u);
}

TEST_F(Convert, stores_ids_that_begin_elsewhere_as_an_offset) {
  const Header header = convert({write("a.txt", "5 6\n6 7\n")}, path("a.fg"), {});
  EXPECT_EQ(header.labels, LabelKind::Offset);
  EXPECT_EQ(header.label_base, 5u);
  auto store = open_verified(path("a.fg"));
  EXPECT_EQ(edges_of(*store, false), (std::vector<LabelledEdge>{{"5", "6", 1}, {"6", "7", 1}}));
}

TEST_F(Convert, numbers_sparse_and_huge_ids_in_numeric_order) {
  const std::vector<LabelledEdge> small = {{"10", "9", 1}, {"9", "700", 1}};
  convert({write("a.txt", "10 9\n9 700\n")}, path("a.fg"), {});
  auto store = open_verified(path("a.fg"));
  EXPECT_EQ(store->header().labels, LabelKind::Integers);
  EXPECT_EQ(edges_of(*store, false), small);
  EXPECT_EQ(store->find("9"), VertexId{0});
  const std::vector<LabelledEdge> huge = {{"10", "9", 1}, {"9", "18446744073709551614", 1}};
  convert({write("b.txt", "10 9\n9 18446744073709551614\n")}, path("b.fg"), {});
  store = open_verified(path("b.fg"));
  EXPECT_EQ(store->header().labels, LabelKind::Integers);
  EXPECT_EQ(edges_of(*store, false), huge);
  EXPECT_EQ(store->find("18446744073709551614"), VertexId{2});
}

TEST_F(Convert, numbers_strings_in_bytewise_order) {
  convert({write("a.txt", "zsh libc6\nbash libc6\nbash a\n")}, path("a.fg"), {});
  auto store = open_verified(path("a.fg"));
  EXPECT_EQ(store->header().labels, LabelKind::Strings);
  EXPECT_EQ(store->find("a"), VertexId{0});
  EXPECT_EQ(store->find("zsh"), VertexId{3});
  EXPECT_EQ(
      edges_of(*store, false),
      (std::vector<LabelledEdge>{{"bash", "a", 1}, {"bash", "libc6", 1}, {"zsh", "libc6", 1}}));
}

TEST_F(Convert, expands_a_symmetric_matrix_and_keeps_isolated_vertices) {
  const std::string input = write("a.mtx",
                                  "%%MatrixMarket matrix coordinate real symmetric\n"
                                  "4 4 3\n1 1 5\n2 1 0.5\n3 2 2\n");
  const Header header = convert({input}, path("a.fg"), {});
  EXPECT_FALSE(header.directed);
  EXPECT_TRUE(header.symmetric);
  EXPECT_EQ(header.vertices, 4u);
  EXPECT_EQ(header.report.reverse_edges_added, 2u);
  auto store = open_verified(path("a.fg"));
  const std::vector<LabelledEdge> expected = {
      {"1", "1", 5}, {"1", "2", .5f}, {"2", "1", .5f}, {"2", "3", 2}, {"3", "2", 2}};
  EXPECT_EQ(edges_of(*store, false), expected);
  ConvertOptions directed;
  directed.undirected = false;
  EXPECT_TRUE(convert({input}, path("b.fg"), directed).directed);
  EXPECT_EQ(edges_of(*open_verified(path("b.fg")), true), expected);
}

TEST_F(Convert, makes_an_edge_list_undirected_only_when_asked) {
  const std::string input = write("a.txt", "0 1\n1 2\n");
  EXPECT_FALSE(convert({input}, path("a.fg"), {}).symmetric);
  ConvertOptions options;
  options.undirected = true;
  const Header header = convert({input}, path("a.fg"), options);
  EXPECT_FALSE(header.directed);
  EXPECT_EQ(header.edges, 4u);
  EXPECT_FALSE(header.has_in_edges);
  const Header found = convert({write("b.txt", "0 1\n1 0\n")}, path("b.fg"), {});
  EXPECT_TRUE(found.directed);
  EXPECT_TRUE(found.symmetric);
}

TEST_F(Convert, does_not_double_the_edges_of_a_file_that_has_both_directions) {
  ConvertOptions options;
  options.read.format = io::Format::Metis;
  options.build.duplicates = graph::Duplicates::Keep;
  const Header header = convert({write("a.graph", "3 2\n2\n1 3\n2\n")}, path("a.fg"), options);
  EXPECT_FALSE(header.directed);
  EXPECT_EQ(header.edges, 4u);
}

TEST_F(Convert, makes_empty_graphs_of_empty_files) {
  const Header header = convert({write("a.txt", "")}, path("a.fg"), {});
  EXPECT_EQ(header.vertices, 0u);
  EXPECT_EQ(header.edges, 0u);
  open_verified(path("a.fg"));
}

TEST_F(Convert, leaves_nothing_behind_when_it_fails) {
  const std::string input = write("a.txt", "0 1\n1 oops\n");
  ConvertOptions options;
  options.read.labels = io::LabelMode::None;
  expect_error(ErrorCode::BadInput, [&] { convert({input}, path("a.fg"), options); });
  const std::string good = write("a.txt", "0 1\n");
  std::stop_source stop;
  stop.request_stop();
  options.build.task.stop = stop.get_token();
  expect_error(ErrorCode::Interrupted, [&] { convert({good}, path("a.fg"), options); });
  options = {};
  options.build.memory = 1000;
  expect_error(ErrorCode::DoesNotFit, [&] { convert({good}, path("a.fg"), options); });
  options = {};
  options.interleave_weights = true;
  expect_error(ErrorCode::Usage, [&] { convert({good}, path("a.fg"), options); });
  EXPECT_EQ(files(), 1u);
}

TEST_F(Convert, writes_interleaved_weights_and_oriented_lists_when_asked) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("{} {} {}\n", random() % 200, random() % 200, i % 50);
  for (const bool undirected : {false, true}) {
    ConvertOptions options;
    options.read.third_column = io::ThirdColumn::Weight;
    options.undirected = undirected;
    options.build.in_edges = false;
    options.interleave_weights = true;
    options.triangle_lists = true;
    convert({write("a.txt", text)}, path("a.fg"), options);
    auto store = open_verified(path("a.fg"));
    const CsrView out = store->out();
    const auto pairs = store->interleaved();
    ASSERT_EQ(pairs.size(), out.edges);
    for (EdgeId e = 0; e < out.edges; ++e) {
      EXPECT_EQ(pairs[e].target, out.target[e]);
      EXPECT_EQ(pairs[e].weight, out.weight[e]);
    }
    const Csr in = graph::transpose(out);
    const CsrView in_view = in.view();
    const Csr expected = graph::orient_by_degree(out, &in_view);
    const CsrView oriented = *store->oriented();
    EXPECT_TRUE(std::equal(expected.offset.begin(), expected.offset.end(), oriented.offset));
    ASSERT_EQ(oriented.edges, expected.edges());
    EXPECT_TRUE(std::equal(expected.target.begin(), expected.target.end(), oriented.target));
  }
}

TEST_F(Convert, writes_the_same_bytes_for_any_threads_and_memory) {
  std::mt19937_64 random(9);
  std::string integers, strings;
  for (int i = 0; i < 100'000; ++i) {
    // Beyond the bitmap of the small bound, within that of the large one.
    const auto u = random() % 30000 * 10'007, v = random() % 30000 * 10'007;
    const auto w = random() % 9;
    integers += fmt::format("{} {} {}\n", u, v, w);
    strings += fmt::format("v{} v{} {}\n", u, v, w);
  }
  for (const std::string& text : {integers, strings}) {
    const std::string input = write("a.txt", text);
    std::set<std::string> outputs;
    for (const int threads : {1, 2})
      for (const std::size_t memory : {kLeastMemory, std::size_t{1} << 30}) {
        ConvertOptions options;
        options.read.third_column = io::ThirdColumn::Weight;
        options.read.threads = options.build.threads = threads;
        options.build.memory = memory;
        options.build.duplicates = graph::Duplicates::First;
        convert({input}, path("a.fg"), options);
        open_verified(path("a.fg"));
        outputs.insert(bytes_of(path("a.fg")));
      }
    EXPECT_EQ(outputs.size(), 1u);
  }
}

// The graph as the in-memory build has it.
graph::BuiltGraph built_in_memory(const generate::Generator& generator,
                                  const ConvertOptions& options) {
  std::vector<Edge> edges(generator.edges());
  std::vector<Weight> weights(generator.weighted() ? edges.size() : 0);
  generator.fill(0, edges, weights);
  graph::BuildOptions build = options.build;
  build.undirected = options.undirected.value_or(false);
  build.weighted = generator.weighted();
  return graph::build(
      generator.vertices(), [&](const auto& consume) { consume(edges, weights); }, build);
}

void expect_same(const Csr& expected, const CsrView& found) {
  ASSERT_EQ(found.vertices, expected.vertices());
  ASSERT_EQ(found.edges, expected.edges());
  EXPECT_TRUE(std::equal(expected.offset.begin(), expected.offset.end(), found.offset));
  EXPECT_TRUE(std::equal(expected.target.begin(), expected.target.end(), found.target));
  if (!expected.weight.empty()) {
    EXPECT_TRUE(std::equal(expected.weight.begin(), expected.weight.end(), found.weight));
  }
}

// Every bound, by ranges (one, several) or by external sort, gives one file, and the graph that the
// in-memory build gives.
void expect_one_file(const Convert& test, const generate::Spec& spec, ConvertOptions options) {
  const generate::Generator generator(spec);
  std::set<std::string> outputs;
  for (const int threads : {1, 3})
    for (const std::size_t memory : {kLeastMemory, std::size_t{1} << 30}) {
      options.build.threads = threads;
      options.build.memory = memory;
      generate(generator, test.path("a.fg"), options);
      outputs.insert(bytes_of(test.path("a.fg")));
    }
  EXPECT_EQ(outputs.size(), 1u);
  const auto store = open_verified(test.path("a.fg"));
  const graph::BuiltGraph built = built_in_memory(generator, options);
  expect_same(built.out, store->out());
  EXPECT_EQ(store->header().has_in_edges, built.in.has_value());
  if (built.in) expect_same(*built.in, *store->in());
  const graph::BuildReport& report = store->header().report;
  EXPECT_EQ(report.input_edges, built.report.input_edges);
  EXPECT_EQ(report.loops_seen, built.report.loops_seen);
  EXPECT_EQ(report.loops_dropped, built.report.loops_dropped);
  EXPECT_EQ(report.duplicates_merged, built.report.duplicates_merged);
  EXPECT_EQ(report.reverse_edges_added, built.report.reverse_edges_added);
  EXPECT_EQ(store->header().symmetric, built.report.happens_symmetric);
}

TEST_F(Convert, writes_generated_graphs_alike_for_any_threads_and_memory) {
  for (const bool undirected : {false, true})
    for (const bool simple : {false, true}) {
      generate::Spec spec;
      spec.scale = 15;
      spec.edge_factor = 30;
      spec.kind = simple ? generate::Kind::Rmat : generate::Kind::WattsStrogatz;
      if (undirected != simple) spec.weights.emplace();
      ConvertOptions options;
      options.undirected = undirected;
      options.build.duplicates = simple ? graph::Duplicates::Min : graph::Duplicates::Keep;
      options.build.loops = simple ? graph::Loops::Drop : graph::Loops::Keep;
      options.interleave_weights = spec.weights.has_value();
      expect_one_file(*this, spec, options);
    }
}

TEST_F(Convert, generates_hubs_alike_when_the_memory_bound_is_too_small_for_them) {
  generate::Spec spec;
  spec.scale = 13;
  spec.edge_factor = 120;
  spec.a = .97;
  spec.b = spec.c = .01;  // most edges are in one list
  spec.weights.emplace();
  for (const auto duplicates : {graph::Duplicates::Keep, graph::Duplicates::Sum}) {
    ConvertOptions options;
    options.build.duplicates = duplicates;
    expect_one_file(*this, spec, options);
  }
}

// What the children of the tests below do, in a process that is theirs alone: started with
// FATHOM_TEST_CHILD="generate <output>", "convert <output> <input>" or "paginate <output> <input>",
// and FATHOM_TEST_MEMORY.
TEST(ConvertChild, DISABLED_runs) {
  std::istringstream command(std::getenv("FATHOM_TEST_CHILD"));
  std::string verb, output, input;
  command >> verb >> output >> input;
  ConvertOptions options;
  options.build.memory = std::stoull(std::getenv("FATHOM_TEST_MEMORY"));
  options.build.threads = options.read.threads = 2;
  if (verb == "generate") {
    generate::Spec spec;
    spec.kind = generate::Kind::Uniform;
    spec.scale = 20;
    spec.edge_factor = 14;
    generate(generate::Generator(spec), output, options);
  } else {
    if (verb == "paginate") options.slotted = SlottedOptions{};
    convert({input}, output, options);
  }
  // The peak of this program image; getrusage would count the parent's before exec, too.
  std::ifstream file("/proc/self/status");
  std::size_t peak_kib = 0;
  for (std::string word; file >> word;)
    if (word == "VmHWM:") file >> peak_kib;
  EXPECT_GT(peak_kib, 0u);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(peak_kib * 1024, options.build.memory + options.build.memory / 10);
#endif
}

pid_t start_child(const std::string& command, std::size_t memory) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setenv("FATHOM_TEST_CHILD", command.c_str(), 1);
  ::setenv("FATHOM_TEST_MEMORY", std::to_string(memory).c_str(), 1);
  ::execl("/proc/self/exe", "test", "--gtest_filter=ConvertChild.*",
          "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
  ::_exit(127);
}

TEST_F(Convert, stays_within_the_memory_bound_when_the_graph_is_several_times_larger) {
  const std::size_t kMemory = kLeastMemory;
  int status = 0;
  ::waitpid(start_child("generate " + path("a.fg"), kMemory), &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(std::filesystem::file_size(path("a.fg")), 4 * kMemory);
  ::waitpid(start_child("paginate " + path("p.fg") + " " + path("a.fg"), kMemory), &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(std::filesystem::file_size(path("p.fg")), 4 * kMemory);
}

TEST_F(Convert, stays_within_the_memory_bound_while_it_reads_text) {
  std::ofstream file(path("a.txt"));
  for (std::uint64_t i = 0; i < 600'000; ++i)
    file << "vertex-" << (i * 2654435761u) % 1'000'003 << " vertex-" << i % 999'983 << '\n';
  file.close();
  int status = 0;
  ::waitpid(start_child("convert " + path("a.fg") + " " + path("a.txt"), kLeastMemory), &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Convert, leaves_only_whole_files_when_it_is_killed_at_random_moments) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += fmt::format("{} {}\n", i * 7919 % 50'021, i % 1000);
  const std::string command = "convert " + path("a.fg") + " " + write("a.txt", text);
  auto start = [&] { return start_child(command, std::size_t{1} << 30); };
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  ::waitpid(start(), &status, 0);
  ASSERT_EQ(status, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  std::mt19937 random(1);
  int killed = 0;
  for (int i = 0; i < 50; ++i) {
    std::filesystem::remove(path("a.fg"));
    const pid_t child = start();
    ::usleep(static_cast<useconds_t>(random() % static_cast<std::uint64_t>(whole.count() + 1)));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    if (std::filesystem::exists(path("a.fg"))) {
      EXPECT_NO_THROW(open_verified(path("a.fg")));
    }
  }
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace fathom::store
