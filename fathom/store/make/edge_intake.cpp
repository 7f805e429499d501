#include "fathom/store/make/edge_intake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/core/parallel_each.hpp"

namespace fathom::store {

void EdgeIntake::take(std::span<const io::EdgeBatch> batches) {
  for (const io::EdgeBatch& batch : batches) add_vertices(batch);
  const std::size_t edges = cut(batches);
  if (edges_.size() < edges) {
    edges_ = {};
    edges_ = Array<Edge>(edges);
    weights_ = {};
    weights_ = Array<Weight>(traits_.weighted ? edges : 0);
  }
  parallel_each(workers_, pieces_.size(), [&](std::size_t p, int) {
    Piece& piece = pieces_[p];
    if (traits_.declared_vertices)
      move_declared(piece);
    else
      move_any(piece);
    if (traits_.weighted)
      std::copy_n(piece.batch->weight.begin() + static_cast<std::ptrdiff_t>(piece.first),
                  piece.last - piece.first, weights_.begin() + piece.place);
  });
  for (const Piece& piece : pieces_) {
    if (piece.bad < piece.last) {
      if (!traits_.declared_vertices) throw TooSparse();
      const std::uint64_t u = piece.batch->source[piece.bad], v = piece.batch->target[piece.bad];
      refuse(u - traits_.first_id >= *traits_.declared_vertices ? u : v);
    }
    ids_.reach(piece.end);
  }
  builder_.push(edges_.span().first(edges), weights_.span().first(traits_.weighted ? edges : 0));
}

std::size_t EdgeIntake::cut(std::span<const io::EdgeBatch> batches) {
  constexpr std::size_t kPiece = std::size_t{1} << 13;
  std::size_t place = 0;
  pieces_.clear();
  for (const io::EdgeBatch& batch : batches)
    for (std::size_t first = 0; first < batch.source.size(); first += kPiece) {
      const std::size_t last = std::min(batch.source.size(), first + kPiece);
      pieces_.push_back({&batch, first, last, place});
      place += last - first;
    }
  return place;
}

void EdgeIntake::add_vertices(const io::EdgeBatch& batch) {
  for (const std::uint64_t id : batch.vertex) {
    if (id >= ids_.capacity()) [[unlikely]]
      throw TooSparse();
    ids_.add(id);
    ids_.reach(id + 1);
  }
}

void EdgeIntake::move_declared(Piece& piece) {
  const std::uint64_t first = traits_.first_id, declared = *traits_.declared_vertices;
  const std::uint64_t* const source = piece.batch->source.data();
  const std::uint64_t* const target = piece.batch->target.data();
  Edge* edge = edges_.data() + piece.place;
  std::uint64_t largest = 0;
  for (std::size_t i = piece.first; i < piece.last; ++i) {
    // Wraps below `first`: out of range as well.
    const std::uint64_t u = source[i] - first, v = target[i] - first;
    largest = std::max({largest, u, v});
    *edge++ = {static_cast<VertexId>(u), static_cast<VertexId>(v)};
  }
  if (largest < declared) return;
  piece.bad = piece.first;
  while (std::max(source[piece.bad] - first, target[piece.bad] - first) < declared) ++piece.bad;
}

void EdgeIntake::move_any(Piece& piece) {
  const std::uint64_t* const source = piece.batch->source.data();
  const std::uint64_t* const target = piece.batch->target.data();
  Edge* edge = edges_.data() + piece.place;
  std::uint64_t largest = 0;
  for (std::size_t i = piece.first; i < piece.last; ++i) {
    const std::uint64_t u = source[i], v = target[i], larger = std::max(u, v);
    if (larger >= ids_.capacity()) [[unlikely]] {
      piece.bad = i;
      return;
    }
    ids_.add(u);
    ids_.add(v);
    largest = std::max(largest, larger);
    *edge++ = {static_cast<VertexId>(u), static_cast<VertexId>(v)};
  }
  piece.end = largest + 1;
}

void EdgeIntake::refuse(std::uint64_t id) const {
  throw Error(ErrorCode::BadInput,
              fmt::format("{}: expected vertices from {} on, {} of them, found '{}'", name_,
                          traits_.first_id, *traits_.declared_vertices, id));
}

}  // namespace fathom::store
