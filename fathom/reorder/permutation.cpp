#include "fathom/reorder/permutation.hpp"

#include <numeric>
#include <string>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom::reorder {
namespace {

constexpr std::size_t kPairsAtOnce = std::size_t{1} << 14;

[[noreturn]] void refuse(VertexId place, std::size_t n) {
  throw Error(ErrorCode::Usage, "not a permutation of " + std::to_string(n) +
                                    " vertices: " + std::to_string(place) +
                                    (place < n ? " occurs twice" : " is out of range"));
}

}  // namespace

Permutation::Permutation(Array<VertexId> position) : position_(std::move(position)) {
  std::vector<bool> taken(position_.size(), false);
  for (const VertexId p : position_) {
    if (p >= position_.size() || taken[p]) refuse(p, position_.size());
    taken[p] = true;
  }
}

Permutation Permutation::identity(VertexId n) {
  Array<VertexId> position(n);
  std::iota(position.begin(), position.end(), VertexId{0});
  return {std::move(position), Unchecked{}};
}

Permutation Permutation::from_order(std::span<const VertexId> order, int threads) {
  Array<VertexId> position(order.size(), kNoVertex);
  VertexId refused = kNoVertex;
  parallel_for(worker_count(threads), order.size(), kPairsAtOnce,
               [&](std::size_t first, std::size_t last, int) {
                 for (std::size_t i = first; i < last; ++i) {
                   VertexId free = kNoVertex;
                   if (order[i] >= order.size() ||
                       !AtomicRef(position[order[i]])
                            .compare_exchange(free, static_cast<VertexId>(i), Order::Relaxed))
                     AtomicRef(refused).fetch_min(order[i]);
                 }
               });
  if (refused != kNoVertex) refuse(refused, order.size());
  return {std::move(position), Unchecked{}};
}

Permutation Permutation::then(const Permutation& next, int threads) const {
  if (next.size() != size())
    throw Error(ErrorCode::Usage, "permutations of " + std::to_string(size()) + " and of " +
                                      std::to_string(next.size()) + " vertices do not compose");
  Array<VertexId> position(size());
  parallel_for(worker_count(threads), size(), kPairsAtOnce,
               [&](std::size_t first, std::size_t last, int) {
                 for (std::size_t v = first; v < last; ++v) position[v] = next[position_[v]];
               });
  return {std::move(position), Unchecked{}};
}

}  // namespace fathom::reorder
