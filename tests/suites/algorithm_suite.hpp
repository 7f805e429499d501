// Graph zoo x configurations: what every algorithm's suite is instantiated over.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/suites/configurations.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom::testing {

/// A graph where a configuration puts it.
inline Graph place(const Context& ctx, const Configuration& where, graph::BuiltGraph built,
                   bool directed) {
  if (where.slotted || where.packed) {
    std::optional<CsrView> in;
    if (built.in) in = built.in->view();
    return where.place(ctx, built.out.view(), in ? &*in : nullptr, directed);
  }
  const ResidencyOptions residency = where.residency_for(built.out.edges());
  return make_graph(ctx, std::move(built), directed, residency);
}
inline Graph place(const Context& ctx, const Configuration& where, const zoo::RawGraph& raw,
                   bool with_in_edges = true) {
  graph::BuiltGraph built = zoo::build(raw);
  if (!with_in_edges) built.in.reset();
  return place(ctx, where, std::move(built), raw.directed);
}

/// A graph where a configuration puts it.
struct PlacedGraph {
  Context ctx;
  Graph graph;

  PlacedGraph(const Configuration& configuration, graph::BuiltGraph built, bool directed)
      : ctx(configuration.context()),
        graph(testing::place(ctx, configuration, std::move(built), directed)) {}
  PlacedGraph(const Configuration& configuration, const zoo::RawGraph& raw)
      : PlacedGraph(configuration, zoo::build(raw), raw.directed) {}
};

inline const Configuration& plain_host() {
  static const Configuration host = cpu_configurations().front();
  return host;
}

/// A test body gets a raw graph, a configuration, and makes engine and reference graphs from them.
class AlgorithmSuite : public ::testing::TestWithParam<std::tuple<zoo::RawGraph, Configuration>> {
 protected:
  const zoo::RawGraph& raw() const { return std::get<0>(GetParam()); }
  const Configuration& configuration() const { return std::get<1>(GetParam()); }
  const reference::Graph& reference_graph() const {
    static std::map<std::string, reference::Graph> made;
    return once(made, [&] { return zoo::to_reference(raw()); });
  }

  /// What a reference finds in the graph with these arguments: once per process, for it takes
  /// longer than most of the dozens of runs that are held against it.
  template <auto kReference, class... Args>
  const auto& found_by(const Args&... args) const {
    using Found = decltype(kReference(reference_graph(), args...));
    static std::map<std::pair<std::string, std::tuple<Args...>>, std::remove_cvref_t<Found>> found;
    const std::pair key(graph_key(), std::tuple<Args...>(args...));
    const auto at = found.find(key);
    if (at != found.end()) return at->second;
    return found.emplace(key, kReference(reference_graph(), args...)).first->second;
  }

  Graph place(const Context& ctx, bool with_in_edges = true) const {
    const graph::BuiltGraph& built = built_graph();
    std::optional<CsrView> in;
    if (built.in && with_in_edges) in = built.in->view();
    return configuration().place(ctx, built.out.view(), in ? &*in : nullptr, raw().directed);
  }

 private:
  const graph::BuiltGraph& built_graph() const {
    static std::map<std::string, graph::BuiltGraph> built;
    return once(built, [&] { return zoo::build(raw()); });
  }
  /// Graphs of one name may differ in directions.
  std::string graph_key() const { return raw().name + (raw().directed ? "" : ", undirected"); }
  /// What is made of a graph once per process: a suite asks for each graph dozens of times.
  template <class T, class Make>
  const T& once(std::map<std::string, T>& made, const Make& make) const {
    const std::string key = graph_key();
    const auto found = made.find(key);
    return found != made.end() ? found->second : made.emplace(key, make()).first->second;
  }
};

inline std::string suite_name(
    const ::testing::TestParamInfo<std::tuple<zoo::RawGraph, Configuration>>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

/// For INSTANTIATE_TEST_SUITE_P, with suite_name: each graph in each configuration.
inline auto each_in_each(const std::vector<zoo::RawGraph>& graphs,
                         const std::vector<Configuration>& configurations = cpu_configurations()) {
  return ::testing::Combine(::testing::ValuesIn(graphs), ::testing::ValuesIn(configurations));
}

template <class T>
std::vector<T> to_vector(const Array<T>& a) {
  return {a.begin(), a.end()};
}

}  // namespace fathom::testing
