// The order that packs best is found by trying, and measured as the file will have it.
#include "fathom/reorder/choose_order.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fathom/generate/generate.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "tests/cpu/store/sample.hpp"

namespace fathom::reorder {
namespace {

class ChooseOrder : public ::testing::Test {
 protected:
  std::string made(generate::Spec spec, bool directed = false) const {
    store::ConvertOptions options;
    options.undirected = options.build.undirected = !directed;
    const std::string path = directory_.file("graph.fg");
    store::generate(generate::Generator(spec), path, options);
    return path;
  }
  /// Bits per id of words and index, as a file packed in that order has them.
  double bits_in_file(const std::string& path, const Permutation& order, bool in = true) const {
    store::PermuteOptions options;
    options.packed = true;
    const std::string packed = directory_.file("packed.fg");
    store::permute(path, packed, order.positions(), options);
    std::uint64_t bytes = 0, edges = 0;
    const auto file = store::Store::open(packed);
    for (const store::SectionInfo& s : file->sections()) {
      if (!s.name.starts_with("out.packed") && !(in && s.name.starts_with("in.packed"))) continue;
      bytes += s.bytes;
      if (!s.name.ends_with("index")) edges += file->header().edges;
    }
    return static_cast<double>(bytes) * 8 / static_cast<double>(edges);
  }
  store::TemporaryDirectory directory_;
};

TEST_F(ChooseOrder, TakesDegreesForKroneckerGraphsAndSaysTheBits) {
  generate::Spec spec;
  spec.scale = 14;
  const std::string path = made(spec);
  const Context ctx = Context::cpu({});
  const Graph graph = load(ctx, path);
  const Choice chosen = choose_order(ctx, graph, {});
  EXPECT_EQ(chosen.method, Method::DegreeNeighbors);
  const Permutation by_id = make_order(ctx, graph, {.method = Method::Degree});
  EXPECT_LT(chosen.bits, packed_bits(ctx, graph, by_id));
  EXPECT_LT(chosen.bits, .9 * chosen.natural_bits);
  EXPECT_NEAR(chosen.bits, bits_in_file(path, chosen.order), .02);
  EXPECT_NEAR(chosen.natural_bits, bits_in_file(path, Permutation::identity(graph.vertices())),
              .02);
}

TEST_F(ChooseOrder, CountsBothDirectionsOfADirectedGraph) {
  generate::Spec spec;
  spec.scale = 13;
  const std::string path = made(spec, true);
  const Context ctx = Context::cpu({});
  const Graph graph = load(ctx, path);
  const Permutation by_degree = make_order(ctx, graph, {.method = Method::Degree});
  EXPECT_NEAR(packed_bits(ctx, graph, by_degree), bits_in_file(path, by_degree), .02);
  EXPECT_GT(std::abs(bits_in_file(path, by_degree) - bits_in_file(path, by_degree, false)), .03);
}

TEST_F(ChooseOrder, LeavesUniformGraphsAndNothingAsTheyAre) {
  generate::Spec spec;
  spec.kind = generate::Kind::Uniform;
  spec.scale = 12;
  const Context ctx = Context::cpu({});
  const Choice uniform = choose_order(ctx, load(ctx, made(spec)), {});
  EXPECT_EQ(uniform.method, Method::Natural);
  EXPECT_EQ(uniform.bits, uniform.natural_bits);
  Csr none;
  none.offset = Array<EdgeId>(1, EdgeId{0});
  const CsrView view = none.view();
  EXPECT_EQ(choose_order(ctx, make_graph(ctx, view, nullptr, false), {}).bits, 0);
}

}  // namespace
}  // namespace fathom::reorder
