// All algorithms on GPUs, against the independent reference; results also pass their certificate on
// the CPU.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "tests/cuda/zoo_on_gpus.hpp"
#include "tests/reference/bfs.hpp"

namespace fathom::on_gpus {

using testing::Check;
using testing::KnownGraph;
using testing::Placed;
using InOne = std::function<void(const Placed&)>;

// Each in the file of its name.
std::vector<Check> path_checks();
std::vector<Check> rank_checks();
std::vector<Check> component_checks();
std::vector<Check> neighborhood_checks();
std::vector<Check> community_checks();
std::vector<Check> part_checks();
/// Of algorithms whose state can be split, where it is.
std::vector<Check> split_checks();

template <class T>
std::vector<T> to_vector(const Array<T>& a) {
  return {a.begin(), a.end()};
}

/// The host's side of a check: certificates run on it.
inline Context one_thread() {
  CpuOptions options;
  options.threads = 1;
  return Context::cpu(options);
}

inline std::vector<std::uint32_t> depths_from(const KnownGraph& known, VertexId source) {
  std::vector<std::uint32_t> depths;
  for (const std::int32_t d : reference::bfs_depths(known.oracle, {source}))
    depths.push_back(static_cast<std::uint32_t>(d));
  return depths;
}

/// What is expected from each source.
template <class Find>
auto from_each(std::span<const VertexId> sources, const Find& find) {
  std::map<VertexId, decltype(find(VertexId{}))> expected;
  for (const VertexId source : sources) expected.emplace(source, find(source));
  return expected;
}

}  // namespace fathom::on_gpus
