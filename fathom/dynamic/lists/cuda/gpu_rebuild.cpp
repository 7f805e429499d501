// Lists that are filled with those of another graph on the same GPU (reinitialisation of faimGraph,
// section 4.2 of Winter's thesis): extracted piece by piece into its memory, and written from
// there.
#include <algorithm>

#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"

namespace fathom::dynamic::gpu {
namespace {

/// A piece of lists, and what sorting them takes, per edge.
std::size_t bytes_per_edge(bool weights, bool fields, bool sorts) {
  const std::size_t data =
      sizeof(VertexId) + (weights ? sizeof(Weight) : 0) + (fields ? sizeof(EdgeFields) : 0);
  return sorts ? 2 * data + 6 * sizeof(std::uint64_t) : data;
}

/// Pages come on top of a piece.
EdgeId edges_of_piece(const MemoryPool& pool, std::size_t bytes) {
  constexpr EdgeId kLeast = EdgeId{1} << 16, kMost = EdgeId{1} << 26;
  return std::clamp<EdgeId>(pool.available() / 4 / bytes, kLeast, kMost);
}

}  // namespace

bool Lists::fill_from(const GpuLists& other, std::uint32_t epoch) {
  const auto* const its = dynamic_cast<const Lists*>(&other);
  if (!its) return false;
  const Lists& from = *its;
  if (from.gpu_.ordinal() != gpu_.ordinal() || from.directions() < directions()) return false;
  from.gpu_.wait();
  keep_for(from.vertices_);
  for (int d = 0; d < directions(); ++d) copy_direction(d, from, epoch);
  set_vertices(from.vertices_);
  return true;
}

void Lists::copy_direction(int d, const Lists& from, std::uint32_t epoch) {
  const VertexId vertices = from.vertices_;
  grow_records(static_cast<std::size_t>(d), vertices, 0);
  const Array<EdgeId> offset = offsets(from.edges_of(d), vertices);
  const EdgeId most = edges_of_piece(
      *gpu_.memory(), bytes_per_edge(layout_.weighted(), has_fields(layout_), sorts(from)));
  for (VertexId first = 0; first < vertices;) {
    const VertexId last = end_of_piece(offset, first, vertices, most);
    copy_piece(d, from, offset, first, last, epoch);
    first = last;
  }
  direction_[static_cast<std::size_t>(d)].edges =
      from.direction_[static_cast<std::size_t>(d)].edges;
}

void Lists::copy_piece(int d, const Lists& from, const Array<EdgeId>& offset, VertexId first,
                       VertexId last, std::uint32_t epoch) {
  const EdgeId base = read_offset(offset, first), edges = read_offset(offset, last) - base;
  const bool weights = layout_.weighted() && from.layout_.weighted();
  const bool fields = has_fields(layout_) && has_fields(from.layout_);
  ListPiece piece(gpu_, edges, weights, fields);
  if (edges != 0) {
    extract_lists(gpu_, from.edges_of(d), offset.data(), first, last, piece.target.data(),
                  weights ? piece.weight.data() : nullptr, fields ? piece.fields.data() : nullptr);
    if (sorts(from)) sort_piece(gpu_, scratch_, offset.data(), first, last, piece);
  }
  fill_with(d,
            {first, last, offset.data() + first, base, piece.target.data(),
             weights ? piece.weight.data() : nullptr, fields ? piece.fields.data() : nullptr},
            epoch);
  gpu_.wait();  // the piece goes
}

/// Linked lists are as they came, unless their links are sorted.
bool Lists::sorts(const Lists& from) const {
  return layout_.ascending() && !from.layout_.ascending();
}

EdgeId Lists::read_offset(const Array<EdgeId>& offset, VertexId v) const {
  EdgeId its = 0;
  gpu_.copy(&its, offset.data() + v, sizeof(its));
  return its;
}

/// Behind as many lists as have `most` edges together, or behind one.
VertexId Lists::end_of_piece(const Array<EdgeId>& offset, VertexId first, VertexId vertices,
                             EdgeId most) const {
  const EdgeId end = read_offset(offset, first) + most;
  VertexId last = first + 1, behind = std::min<VertexId>(vertices, first + lists_at_once());
  while (last < behind) {
    const VertexId middle = last + (behind - last + 1) / 2;
    if (read_offset(offset, middle) <= end)
      last = middle;
    else
      behind = middle - 1;
  }
  return last;
}

}  // namespace fathom::dynamic::gpu
