#include "fathom/store/packed/verify_packed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fathom/core/parallel.hpp"
#include "fathom/store/packed/pack.hpp"
#include "fathom/store/section_hash.hpp"

namespace fathom::store {
namespace {

class PackedVerifier {
 public:
  PackedVerifier(const std::string& path, const std::string& name, const PackedLists& lists)
      : path_(path), name_(name), lists_(lists) {}

  ListsContent run(int threads, const Task& task) {
    const int workers = worker_count(threads);
    const EdgeId batch = EdgeId{64} * packed::kGroup * static_cast<EdgeId>(workers);
    ListsContent content;
    SectionHash targets, weights;
    task.begin(name_, lists_.edges, "edges");
    for (EdgeId first = 0; first < lists_.edges; first += batch) {
      const auto count = static_cast<std::size_t>(std::min(batch, lists_.edges - first));
      begin_ = first;
      target_.resize(count + 1);  // entry 0 is the one before the batch
      weight_.resize(lists_.weights ? count + 1 : 0);
      const auto target = std::span(target_).subspan(1);
      const auto weight = weight_.empty() ? std::span<Weight>() : std::span(weight_).subspan(1);
      parallel_for(workers, count, packed::kGroup, [&](std::size_t from, std::size_t to, int) {
        unpack_edges(lists_, first + from, target.subspan(from, to - from),
                     weight.empty() ? weight : weight.subspan(from, to - from));
        check_padding((first + from) / packed::kGroup);
      });
      content.sums = content.sums + parallel_reduce(
                                        workers, count, kEdgesAtOnce, EdgeSums{},
                                        [&](std::size_t from, std::size_t to) {
                                          return walk(first + from, first + to);
                                        },
                                        [](EdgeSums a, EdgeSums b) { return a + b; });
      targets.append(std::as_bytes(target));
      target_[0] = target_.back();
      if (lists_.weights) {
        weights.append(std::as_bytes(weight));
        weight_[0] = weight_.back();
      }
      task.at(first + count);
    }
    task.end();
    const std::uint64_t end = lists_.index.back();
    if (std::any_of(lists_.words + end, lists_.words + end + packed::kPadWords,
                    [](std::uint32_t word) { return word != 0; }))
      fail("there is something behind the last group");
    content.targets_hash = targets.finish();
    if (lists_.weights) content.weights_hash = weights.finish();
    return content;
  }

 private:
  static constexpr std::size_t kEdgesAtOnce = std::size_t{1} << 15;

  void check_padding(std::uint64_t group) const {
    const std::uint64_t first = lists_.index[group], next = lists_.index[group + 1];
    const std::span words(lists_.words + first, static_cast<std::size_t>(next - first));
    if (!packed::is_padded_with_zeros(words, lists_.layout.id_bits, lists_.entries_of(group)))
      fail(fmt::format("group {}: there is something behind its last block", group));
  }

  // Edges of the batch.
  EdgeSums walk(EdgeId first, EdgeId last) const {
    const EdgeId* const end = lists_.offset + lists_.vertices + 1;
    auto u = static_cast<VertexId>(std::upper_bound(lists_.offset, end, first) - lists_.offset - 1);
    EdgeSums sums;
    for (EdgeId e = first; e < last; ++e) {
      while (lists_.offset[u + 1] <= e) ++u;
      const auto at = static_cast<std::size_t>(e - begin_) + 1;
      const VertexId v = target_[at];
      const Weight w = weight_.empty() ? 1 : weight_[at];
      if (!std::isfinite(w)) fail(fmt::format("a weight of vertex {} is not finite", u));
      if (e > lists_.offset[u] &&
          (target_[at - 1] > v ||
           (target_[at - 1] == v && !weight_.empty() && weight_[at - 1] > w)))
        fail(fmt::format("the list of vertex {} is not sorted", u));
      sums.forward += edge_hash(u, v, w);
      sums.backward += edge_hash(v, u, w);
    }
    return sums;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw_bad_store(path_, fmt::format("{}: {}", name_, what));
  }

  const std::string& path_;
  const std::string& name_;
  const PackedLists& lists_;
  EdgeId begin_ = 0;  // of the batch
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

}  // namespace

ListsContent verify_packed(const std::string& path, const std::string& name,
                           const PackedLists& lists, int threads, const Task& task) {
  return PackedVerifier(path, name, lists).run(threads, task);
}

}  // namespace fathom::store
