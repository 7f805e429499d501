// Property: a random edge list printed in any text format reads back the same, whatever the size
// of the blocks it is cut into, the number of threads and the compression.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/cpu/io/io_testing.hpp"

namespace fathom::io {
namespace {

struct RandomEdge {
  std::uint64_t source, target;
  Weight weight;
};

rc::Gen<std::uint64_t> id_below(std::uint64_t n) {
  return rc::gen::inRange<std::uint64_t>(0, n);
}

rc::Gen<std::vector<RandomEdge>> edges_below(std::uint64_t n) {
  return rc::gen::container<std::vector<RandomEdge>>(rc::gen::map(
      rc::gen::tuple(id_below(n), id_below(n), rc::gen::inRange(0, 1000)), [](const auto& t) {
        return RandomEdge{std::get<0>(t), std::get<1>(t), static_cast<Weight>(std::get<2>(t)) / 8};
      }));
}

/// Options with a random block size and team, and `text` compressed in a random way.
struct Delivery {
  ReadOptions options;
  std::string content;
};

Delivery random_delivery(const std::string& text, Format format) {
  Delivery delivery;
  delivery.options.format = format;
  delivery.options.header = false;
  delivery.options.third_column = ThirdColumn::Weight;
  delivery.options.threads = *rc::gen::inRange(1, 4);
  delivery.options.buffer_bytes = *rc::gen::inRange<std::size_t>(1, 4000);
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      delivery.content = text;
      break;
    case 1:
      delivery.content = gzipped(text);
      break;
    default:
      delivery.content = zstandard(text);
  }
  return delivery;
}

std::string end_of_line() {
  return *rc::gen::element<std::string>("\n", "\r\n", " \n", "\t\r\n");
}

void check(const Delivery& delivery, const std::vector<RandomEdge>& edges, bool weighted,
           std::uint64_t first_id) {
  Loaded::Edges wanted;
  for (const RandomEdge& e : edges)
    wanted.emplace_back(std::to_string(e.source + first_id), std::to_string(e.target + first_id),
                        weighted ? e.weight : 1);
  const Loaded got = read_text(delivery.content, delivery.options);
  RC_ASSERT(got.edges == wanted);
}

RC_GTEST_PROP(RoundTrip, EdgeListOfIntegers, ()) {
  const auto edges = *edges_below(*rc::gen::element<std::uint64_t>(2, 1000, ~std::uint64_t{0}));
  const bool weighted = *rc::gen::arbitrary<bool>();
  const std::string separator = *rc::gen::element<std::string>(" ", "\t", ",", ";", " , ", "  ");
  const std::string end = end_of_line();
  std::string text;
  for (const RandomEdge& e : edges) {
    if (*rc::gen::inRange(0, 8) == 0)
      text += *rc::gen::element<std::string>("# c\n", "\n", "% 1 2\n");
    text += fmt::format("{}{}{}", e.source, separator, e.target);
    if (weighted) text += fmt::format("{}{}", separator, e.weight);
    text += end;
  }
  if (!text.empty() && *rc::gen::arbitrary<bool>()) text.pop_back();
  check(random_delivery(text, Format::EdgeList), edges, weighted, 0);
}

RC_GTEST_PROP(RoundTrip, EdgeListOfStrings, ()) {
  using Labels = std::vector<std::pair<std::string, std::string>>;
  const auto label =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('!', '\x7e')));
  const auto labels = *rc::gen::container<Labels>(rc::gen::pair(label, label));
  const bool quote = *rc::gen::arbitrary<bool>();
  const auto spelled = [&](const std::string& text) {
    const bool special = text.find_first_of(",;\"#%/") != std::string::npos;
    if (!quote && !special) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  std::string text;
  Loaded::Edges wanted;
  for (const auto& [source, target] : labels) {
    text += spelled(source) + "\t" + spelled(target) + "\n";
    wanted.emplace_back(source, target, 1);
  }
  Delivery delivery = random_delivery(text, Format::EdgeList);
  delivery.options.labels = LabelMode::Strings;
  RC_ASSERT(read_text(delivery.content, delivery.options).edges == wanted);
}

RC_GTEST_PROP(RoundTrip, MatrixMarket, ()) {
  const auto edges = *edges_below(50);
  const bool weighted = *rc::gen::arbitrary<bool>();
  const std::string end = end_of_line();
  std::string text = fmt::format("%%MatrixMarket matrix coordinate {} general{}% c\n50 50 {}{}",
                                 weighted ? "real" : "pattern", end, edges.size(), end);
  for (const RandomEdge& e : edges) {
    text += fmt::format("{} {}", e.source + 1, e.target + 1);
    if (weighted) text += fmt::format(" {}", e.weight);
    text += end;
  }
  check(random_delivery(text, Format::Auto), edges, weighted, 1);
}

RC_GTEST_PROP(RoundTrip, Dimacs, ()) {
  const auto edges = *edges_below(50);
  std::string text = fmt::format("c x\np sp 50 {}\n", edges.size());
  for (const RandomEdge& e : edges)
    text += fmt::format("a {} {} {}{}", e.source + 1, e.target + 1, e.weight, end_of_line());
  check(random_delivery(text, Format::Auto), edges, true, 1);
}

RC_GTEST_PROP(RoundTrip, Metis, ()) {
  constexpr std::uint64_t kVertices = 20;
  auto edges = *edges_below(kVertices);
  if (edges.size() % 2 == 1) edges.pop_back();  // METIS counts each edge twice
  std::stable_sort(edges.begin(), edges.end(),
                   [](const RandomEdge& a, const RandomEdge& b) { return a.source < b.source; });
  const bool weighted = *rc::gen::arbitrary<bool>(), vertex_weights = *rc::gen::arbitrary<bool>();
  const std::string end = end_of_line();
  std::string text = fmt::format("{} {} {}{}{}", kVertices, edges.size() / 2,
                                 vertex_weights ? "1" : "0", weighted ? "1" : "0", end);
  auto next = edges.begin();
  for (std::uint64_t v = 0; v < kVertices; ++v) {
    if (vertex_weights) text += "7 ";
    for (; next != edges.end() && next->source == v; ++next) {
      text += fmt::format("{} ", next->target + 1);
      if (weighted) text += fmt::format("{} ", next->weight);
    }
    text += end;
  }
  check(random_delivery(text, Format::Metis), edges, weighted, 1);
}

}  // namespace
}  // namespace fathom::io
