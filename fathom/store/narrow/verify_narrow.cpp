#include "fathom/store/narrow/verify_narrow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/store/section_hash.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 14;  // edges that a worker takes at once

class NarrowVerifier {
 public:
  NarrowVerifier(const std::string& path, const std::string& name, const NarrowLists& lists)
      : path_(path), name_(name), lists_(lists) {}

  ListsContent run(int threads, const Task& task) {
    const int workers = worker_count(threads);
    const std::size_t batch = 4 * kPart * static_cast<std::size_t>(workers);
    ListsContent content;
    SectionHash targets, weights;
    task.begin(name_, lists_.edges, "edges");
    target_.assign(1, 0);  // entry 0 is the edge before the batch
    weight_.assign(1, 1);
    for (EdgeId first = 0; first < lists_.edges; first += batch) {
      const auto count = static_cast<std::size_t>(std::min<EdgeId>(batch, lists_.edges - first));
      target_.resize(count + 1);
      weight_.resize(count + 1, 1);
      parallel_for(workers, count, kPart, [&](std::size_t a, std::size_t b, int) {
        read(first + a, std::span(target_).subspan(a + 1, b - a),
             std::span(weight_).subspan(a + 1, b - a));
      });
      content.sums =
          content.sums + parallel_reduce(
                             workers, count, kPart, EdgeSums{},
                             [&](std::size_t a, std::size_t b) { return walk(first, a, b); },
                             [](EdgeSums a, EdgeSums b) { return a + b; });
      targets.append(std::as_bytes(std::span(target_).subspan(1)));
      if (lists_.weighted()) weights.append(std::as_bytes(std::span(weight_).subspan(1)));
      target_[0] = target_.back();
      weight_[0] = weight_.back();
      task.at(first + count);
    }
    task.end();
    content.targets_hash = targets.finish();
    if (lists_.weighted()) content.weights_hash = weights.finish();
    return content;
  }

 private:
  void read(EdgeId first, std::span<VertexId> target, std::span<Weight> weight) const {
    if (!lists_.weighted()) return read_entries(lists_.layout, lists_.words, first, target, {});
    std::vector<std::uint32_t> code(target.size());
    read_entries(lists_.layout, lists_.words, first, target, code);
    for (std::size_t i = 0; i < code.size(); ++i) weight[i] = lists_.values[code[i]];
  }

  // Edges first + a to first + b.
  EdgeSums walk(EdgeId first, std::size_t a, std::size_t b) const {
    EdgeSums sums;
    const EdgeId* const offset = lists_.offset;
    // The vertex whose list has the first of them.
    auto u = static_cast<VertexId>(
        std::upper_bound(offset, offset + lists_.vertices + 1, first + a) - offset - 1);
    for (std::size_t i = a; i < b; ++i) {
      while (first + i >= offset[u + 1]) ++u;
      const VertexId before = target_[i], v = target_[i + 1];
      const Weight w = weight_[i + 1];
      if (first + i > offset[u] && (before > v || (before == v && weight_[i] > w)))
        throw_bad_store(path_, fmt::format("{}: the list of vertex {} is not sorted", name_, u));
      sums.forward += edge_hash(u, v, w);
      sums.backward += edge_hash(v, u, w);
    }
    return sums;
  }

  const std::string& path_;
  const std::string& name_;
  const NarrowLists& lists_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

}  // namespace

ListsContent verify_narrow(const std::string& path, const std::string& name,
                           const NarrowLists& lists, int threads, const Task& task) {
  return NarrowVerifier(path, name, lists).run(threads, task);
}

}  // namespace fathom::store
