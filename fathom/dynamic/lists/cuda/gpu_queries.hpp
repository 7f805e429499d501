// Reading lists of a graph that changes on a GPU, as functions that queue their kernels.
#pragma once

#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/lists_on_gpus.hpp"
#include "fathom/dynamic/update.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

/// In place of a vertex that is named again.
inline constexpr VertexId kNamedBefore = ~VertexId{0};

/// Vertices that go, and where the edges that go with them are counted and written.
struct ImpliedEdges {
  const std::uint32_t* goes;   // a bit per vertex
  unsigned long long* counts;  // [2]: edges, and loops among them
  Edge* edge;                  // null: they are counted only
};

void mark_vertices(cuda::Gpu& gpu, const VertexId* vertex, std::size_t n, std::uint32_t* bits,
                   bool value = true);
/// The same, and makes those kNamedBefore whose bits are set already.
void mark_once(cuda::Gpu& gpu, VertexId* vertex, std::size_t n, std::uint32_t* bits);
void mark_range(cuda::Gpu& gpu, VertexId first, VertexId last, std::uint32_t* bits, bool value);
/// Looks for updates of vertices that are out of range or have no bit.
void check_updates(cuda::Gpu& gpu, const EdgeUpdate* update, std::size_t n,
                   const std::uint32_t* bits, VertexId vertices, bool count_loops,
                   UpdateCheck* found);
/// The lists of those vertices, if they are any; `reversed`: they are in-lists.
void imply_from_lists(cuda::Gpu& gpu, const DynamicEdges& lists, const VertexId* vertex,
                      std::size_t n, bool reversed, const ImpliedEdges& implied);
/// Edges to them, wherever they are (section 4.2.4).
void imply_by_search(cuda::Gpu& gpu, const DynamicEdges& lists, VertexId vertices,
                     const ImpliedEdges& implied);
/// Edges of the batch itself whose endpoints are below `vertices`.
void imply_from_updates(cuda::Gpu& gpu, const EdgeUpdate* update, std::size_t n, VertexId vertices,
                        const ImpliedEdges& implied);

// Of questions about vertices from `vertices` on, the index of the first becomes *bad, if it is
// less; they are not answered.
void find_edges(cuda::Gpu& gpu, const DynamicEdges& lists, const Edge* edge, std::size_t n,
                VertexId vertices, const EdgeAnswers& to, unsigned long long* bad);
void find_degrees(cuda::Gpu& gpu, const DynamicEdges& lists, const VertexId* vertex, std::size_t n,
                  VertexId vertices, EdgeId* degree, unsigned long long* bad);
/// offset[i] = degree of list i, for i < n; offset[n] = 0.
void list_degrees(cuda::Gpu& gpu, const DynamicEdges& lists, std::size_t n, EdgeId* offset);
void pick_records(cuda::Gpu& gpu, const DynamicEdges& lists, const VertexId* vertex, std::size_t n,
                  DynamicRecord* to);
/// Copies lists [first, last) to target[offset[v] - offset[first] ...), in the order in which they
/// are stored; `weight` and `fields` may be null.
void extract_lists(cuda::Gpu& gpu, const DynamicEdges& lists, const EdgeId* offset, VertexId first,
                   VertexId last, VertexId* target, Weight* weight, EdgeFields* fields);

/// Edges of some lists side by side, in device memory.
struct ListPiece {
  Array<VertexId> target;
  Array<Weight> weight;      // or empty
  Array<EdgeFields> fields;  // or empty

  ListPiece(const cuda::Gpu& gpu, EdgeId edges, bool weights, bool with_fields)
      : target(edges, gpu.memory()),
        weight(weights ? edges : 0, gpu.memory()),
        fields(with_fields ? edges : 0, gpu.memory()) {}
};
/// Sorts each of lists [first, last), which extract_lists() has written, by target.
void sort_piece(cuda::Gpu& gpu, cuda::ArrayScratch& scratch, const EdgeId* offset, VertexId first,
                VertexId last, ListPiece& piece);

}  // namespace fathom::dynamic::gpu
