// The full check of lists that are read a piece of positions at a time, whatever their layout.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fathom/core/parallel.hpp"
#include "fathom/core/task.hpp"
#include "fathom/store/section_hash.hpp"

namespace fathom::store {

/// What lists are checked by.
struct CheckedLists {
  const std::string& path;  // of the file, and
  const std::string& name;  // "out-edges": for messages
  VertexId vertices;
  EdgeId edges;
  const EdgeId* offset;  // [vertices + 1]
  bool weighted;
};

/// Lists sorted by (target, weight), weights finite. read(first, target, weight) gives positions
/// from `first` on, a multiple of `grain`, to so many targets (no more than `grain`), and their
/// weights where there are any; by many threads. Memory: some megabytes.
/// @throws Error(BadInput) at the first thing wrong.
template <class Read>
ListsContent verify_positions(const CheckedLists& lists, std::size_t grain, int threads,
                              const Task& task, const Read& read) {
  constexpr std::size_t kEdgesOfWorker = std::size_t{1} << 16;
  const int workers = worker_count(threads);
  const std::size_t batch = kEdgesOfWorker * static_cast<std::size_t>(workers);
  std::vector<VertexId> target(1);  // entry 0 is the edge before the batch
  std::vector<Weight> weight(lists.weighted ? 1 : 0);
  const auto fail = [&](std::string_view subject, VertexId u, std::string_view fault) {
    throw_bad_store(lists.path,
                    fmt::format("{}: {} of vertex {} is not {}", lists.name, subject, u, fault));
  };
  const auto walk = [&](EdgeId begin, std::size_t from, std::size_t to) {
    EdgeSums sums;
    const EdgeId* const offset = lists.offset;
    // The vertex whose list has the first of them.
    auto u = static_cast<VertexId>(
        std::upper_bound(offset, offset + lists.vertices + 1, begin + from) - offset - 1);
    for (std::size_t i = from; i < to; ++i) {
      while (offset[u + 1] <= begin + i) ++u;
      const VertexId before = target[i], v = target[i + 1];
      const Weight w = weight.empty() ? 1 : weight[i + 1];
      if (!std::isfinite(w)) fail("a weight", u, "finite");
      if (begin + i > offset[u] &&
          (before > v || (before == v && !weight.empty() && weight[i] > w)))
        fail("the list", u, "sorted");
      sums.forward += edge_hash(u, v, w);
      sums.backward += edge_hash(v, u, w);
    }
    return sums;
  };
  ListsContent content;
  SectionHash targets, weights;
  task.begin(lists.name, lists.edges, "edges");
  for (EdgeId first = 0; first < lists.edges; first += batch) {
    const auto count = static_cast<std::size_t>(std::min<EdgeId>(batch, lists.edges - first));
    target.resize(count + 1);
    weight.resize(lists.weighted ? count + 1 : 0);
    const auto its = std::span(target).subspan(1);
    const auto its_weights = std::span(weight).subspan(weight.empty() ? 0 : 1);
    parallel_for(workers, count, grain, [&](std::size_t from, std::size_t to, int) {
      read(first + from, its.subspan(from, to - from),
           its_weights.empty() ? its_weights : its_weights.subspan(from, to - from));
    });
    content.sums =
        content.sums + parallel_reduce(
                           workers, count, std::size_t{1} << 14, EdgeSums{},
                           [&](std::size_t from, std::size_t to) { return walk(first, from, to); },
                           [](EdgeSums a, EdgeSums b) { return a + b; });
    targets.append(std::as_bytes(its));
    weights.append(std::as_bytes(its_weights));
    target[0] = target.back();
    if (!weight.empty()) weight[0] = weight.back();
    task.at(first + count);
  }
  task.end();
  content.targets_hash = targets.finish();
  if (lists.weighted) content.weights_hash = weights.finish();
  return content;
}

}  // namespace fathom::store
