// How the lists of a hop's vertices are read: by the host, or by operators.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fathom/algorithms/neighbor_sampling/choose.hpp"
#include "fathom/algorithms/neighbor_sampling/growing_array.hpp"
#include "fathom/algorithms/neighbor_sampling/local_ids.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// A hop: lists are drawn from for each of its entries, which may repeat vertices.
struct Hop {
  ListRule rule;
  RandomStream random;                  // of this hop
  std::span<const VertexId> vertex;     // [entries]
  std::span<const std::uint32_t> tree;  // [entries]; empty: there is one
  std::span<const std::int64_t> until;  // by tree, where edges have times
  // [entries]: positions of the lists, where what is drawn of each goes, and how much that is.
  const EdgeId *first = nullptr, *degree = nullptr, *place = nullptr;
  EdgeId* count = nullptr;
  // By place: positions in the list while they are chosen, then in all lists; and the neighbours.
  EdgeId* edge = nullptr;
  VertexId* target = nullptr;

  ListToSample list(std::size_t entry) const {
    const std::uint32_t in = tree.empty() ? 0 : tree[entry];
    return {vertex[entry], first[entry], degree[entry], until.empty() ? 0 : until[in],
            RandomStream(random.at(vertex[entry]), in)};
  }
};

/// Entries of a hop that a thread takes at a time.
inline constexpr std::size_t kEntryGrain = 64;

/// What a thread needs of its own; as many as the threads that draw.
using ListChoosers = std::vector<std::unique_ptr<ListChooser>>;

/// The two steps of a hop: between them the caller makes room.
class HopReads {
 public:
  HopReads() = default;
  virtual ~HopReads() = default;
  HopReads(const HopReads&) = delete;
  HopReads& operator=(const HopReads&) = delete;

  /// Positions of the lists of the vertices of a hop.
  virtual void locate(std::span<const VertexId> vertex, EdgeId* first, EdgeId* degree) = 0;
  /// Draws from the lists that were located last; fills count, edge and target.
  virtual void draw(const Hop& hop) = 0;
};

/// `source` outlives it, and the lists stay where they are: within a run of RunLists, or for good
/// where the source has host_lists(). Null where the host does not reach the lists.
std::unique_ptr<HopReads> read_on_host(const Context& ctx, EdgeSource& source,
                                       const ListChoosers& choosers);

/// Keeps a frontier from batch to batch. Draw within a run of RunLists.
std::unique_ptr<HopReads> read_by_operators(const Context& ctx, EdgeSource& source,
                                            const ListChoosers& choosers);

/// Bytes on each device of the lists that read_by_operators() has there at a time, at least.
inline constexpr EdgeId kListsAtATime = EdgeId{1} << 20;

/// The weights of the list that a view shows of `list`, for ListChooser.
template <EdgeView E>
auto weights_of(const E& view, VertexId list) {
  return [&view, list](const auto& visit) {
    EdgeId i = 0;
    auto cursor = view.begin(list);
    for (typename E::Span s; view.next(cursor, s);)
      for (std::uint32_t j = 0; j < s.size; ++j) visit(i++, s.weight(j));
  };
}

/// For rules that read none.
inline constexpr auto kNoWeights = [](const auto&) {};

}  // namespace fathom
