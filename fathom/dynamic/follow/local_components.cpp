#include "fathom/dynamic/follow/local_components.hpp"

#include <algorithm>

#include "fathom/ops/compute.hpp"

namespace fathom::dynamic {
namespace {

// Searches may have one part in so many of the memory that there is, and there is one for so many
// vertices at most, 96 bytes for each: of more a computation takes less.
constexpr std::size_t kShareOfMemory = 16, kVerticesOfSearch = 128;
constexpr std::size_t kAlwaysSearched = 64;

std::size_t most_searches(const MemoryPool& memory, VertexId vertices) {
  return std::min(memory.available() / kShareOfMemory / sizeof(SeenRoom),
                  std::max<std::size_t>(vertices / kVerticesOfSearch, kAlwaysSearched));
}

}  // namespace

bool LocalComponents::repair(const ChangesRef& batch, const TiedLists& lists, bool directed,
                             VertexId vertices) {
  grow(vertices);
  if (!remove(batch, lists, directed)) return false;
  insert(batch);
  return true;
}

void LocalComponents::grow(VertexId vertices) {
  const VertexId before = label_.size();
  label_.grow_to(vertices, kNoVertex);
  compute(ctx_, vertices - before, [&](const Device&) {
    return LabelAlone{label_.data(), before};
  });
}

bool LocalComponents::remove(const ChangesRef& batch, const TiedLists& lists, bool directed) {
  const IsGone gone{batch.edge, directed};
  const auto count = [&](VertexId n, const auto& functor) {
    return reduce(
        ctx_, n, VertexId{0}, [&](const Device&) { return functor; }, MergeSum{});
  };
  const VertexId searches = count(batch.edges, gone);
  if (searches == 0) return true;
  const auto& memory = ctx_.devices()[0].memory();
  if (searches > most_searches(*memory, label_.size())) return false;
  Array<LocalSearch> search(searches, memory);
  Array<SeenRoom> room(searches, memory);
  Array<VertexId> begun(1, memory);
  const VertexId none = 0;
  ctx_.copy(begun.data(), &none, sizeof(none));
  const auto each = [&](VertexId n, const auto& functor) {
    compute(ctx_, n, [&](const Device&) { return functor; });
  };
  each(batch.edges, BeginSearch{gone, search.data(), begun.data()});
  const SearchNear near{lists, search.data(), room.data()};
  each(searches, near);
  if (count(searches, IsUnknown{search.data()}) != 0) return false;
  if (!tied_around(near, searches)) return false;
  carve(near, searches);
  return true;
}

/// Whether what a piece was between is tied without it.
bool LocalComponents::tied_around(const SearchNear& search, VertexId searches) {
  for (auto* values : {&outside_, &least_}) values->grow_to(label_.size(), kNoVertex);
  const PieceData pieces{outside_.data(), least_.data()};
  compute(ctx_, searches, [&](const Device&) {
    return BeginPieces{search.search, search.room, pieces};
  });
  compute(ctx_, searches, [&](const Device&) { return TieAround{search.search, pieces}; });
  Frontier all(ctx_, searches), around(ctx_, searches), apart(ctx_, searches);
  all.fill();
  filter(ctx_, all, around, [&](const Device&) { return IsToDo{search.search}; });
  if (around.empty()) return true;
  compute(ctx_, around, [&](const Device&) { return search; });
  filter(ctx_, around, apart, [&](const Device&) { return IsApart{search.search}; });
  return apart.empty();
}

void LocalComponents::carve(const SearchNear& search, VertexId searches) {
  const VertexId n = label_.size();
  Frontier aside(ctx_, n), named(ctx_, n);
  aside.begin_bitmap();
  named.begin_bitmap();
  compute(ctx_, searches, [&](const Device& d) {
    return PutAside{search.search, search.room, label_.data(), aside.bits(d), named.bits(d)};
  });
  aside.end_bitmap();
  named.end_bitmap();
  if (!named.empty()) {
    const auto left = [&](const Device& d) {
      return LeftOfLabel{label_.data(), aside.on(d).bits, named.on(d).bits};
    };
    compute(ctx_, n, [&](const Device& d) { return FindLeast{left(d), least_.data()}; });
    compute(ctx_, n, [&](const Device& d) {
      return TakeLeast{left(d), least_.data(), label_.data()};
    });
  }
  compute(ctx_, searches, [&](const Device&) {
    return LabelPiece{search.search, search.room, label_.data()};
  });
}

void LocalComponents::insert(const ChangesRef& batch) {
  const VertexId ties = reduce(
      ctx_, batch.edges, VertexId{0},
      [&](const Device&) {
        return Ties{batch.edge, label_.data()};
      },
      MergeSum{});
  if (ties == 0) return;
  compute(ctx_, batch.edges, [&](const Device&) { return TieEnds{batch.edge, label_.data()}; });
  compute(ctx_, label_.size(), [&](const Device&) { return Compress{label_.data()}; });
}

}  // namespace fathom::dynamic
