#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"

#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__device__ bool has_bit(const std::uint32_t* bits, VertexId v) {
  return (bits[v / 32] >> v % 32 & 1) != 0;
}

/// One addition for all lanes that come here together.
__device__ void note(const ImpliedEdges& implied, VertexId u, VertexId v) {
  const unsigned together = __activemask();
  const unsigned lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(together)) - 1;
  unsigned long long at = 0;
  if (static_cast<int>(lane) == leader)
    at = AtomicRef(implied.counts[0]).fetch_add(static_cast<unsigned long long>(__popc(together)));
  at = __shfl_sync(together, at, leader) +
       static_cast<unsigned long long>(__popc(together & ((1u << lane) - 1)));
  if (implied.edge)
    implied.edge[at] = {u, v};
  else if (u == v)
    AtomicRef(implied.counts[1]).fetch_add(1ull);
}

__device__ void set_bit(std::uint32_t* bits, VertexId v, bool value) {
  const AtomicRef word(bits[v / 32]);
  if (value)
    word.fetch_or(1u << v % 32);
  else
    word.fetch_and(~(1u << v % 32));
}

__global__ void __launch_bounds__(kBlock)
    mark_all(const VertexId* vertex, std::size_t n, std::uint32_t* bits, bool value) {
  for (std::size_t i = thread_index(); i < n; i += thread_count())
    if (vertex[i] != kNamedBefore) set_bit(bits, vertex[i], value);
}

__global__ void __launch_bounds__(kBlock)
    mark_all_once(VertexId* vertex, std::size_t n, std::uint32_t* bits) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const std::uint32_t bit = 1u << vertex[i] % 32;
    if ((AtomicRef(bits[vertex[i] / 32]).fetch_or(bit) & bit) != 0) vertex[i] = kNamedBefore;
  }
}

__global__ void __launch_bounds__(kBlock)
    mark_between(VertexId first, VertexId last, std::uint32_t* bits, bool value) {
  for (std::size_t v = first + thread_index(); v < last; v += thread_count())
    set_bit(bits, static_cast<VertexId>(v), value);
}

__global__ void __launch_bounds__(kBlock)
    check_all(const EdgeUpdate* update, std::size_t n, const std::uint32_t* bits, VertexId vertices,
              bool count_loops, UpdateCheck* found) {
  const auto there = [&](VertexId v) { return v < vertices && has_bit(bits, v); };
  unsigned long long loops = 0;
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const VertexId u = update[i].source, v = update[i].target;
    if (!there(u) || !there(v)) atomicMax(&found->bad, ~static_cast<unsigned long long>(i));
    loops += u == v ? 1 : 0;
  }
  if (!count_loops) return;
  loops = reduce(WarpLanes{}, loops, [](auto a, auto b) { return a + b; });
  if (threadIdx.x % 32 == 0 && loops != 0) AtomicRef(found->loops).fetch_add(loops);
}

/// body(v) by all lanes of a group for each target of a list.
template <class G, class Body>
__device__ void for_entries(const G& group, const DynamicEdges& lists, VertexId v,
                            const Body& body) {
  DynamicSpan s;
  for (auto cursor = lists.begin(v); lists.next(cursor, s);)
    for (std::uint32_t i = group.rank(); i < s.size; i += group.size()) body(s, i);
}

__global__ void __launch_bounds__(kBlock)
    imply_lists(DynamicEdges lists, const VertexId* vertex, std::size_t n, bool reversed,
                ImpliedEdges implied) {
  blocks::deal_lists(
      ThisBlock{}, n,
      [&](std::size_t i) { return vertex[i] == kNamedBefore ? 0 : lists.degree(vertex[i]); },
      [&](const auto& group, std::size_t i) {
        const VertexId v = vertex[i];
        if (v == kNamedBefore) return;
        for_entries(group, lists, v, [&](const DynamicSpan& s, std::uint32_t k) {
          if (reversed)
            note(implied, s.target(k), v);
          else
            note(implied, v, s.target(k));
        });
      });
}

__global__ void __launch_bounds__(kBlock)
    search_references(DynamicEdges lists, VertexId vertices, ImpliedEdges implied) {
  blocks::deal_lists(
      ThisBlock{}, vertices, [&](std::size_t v) { return lists.degree(v); },
      [&](const auto& group, std::size_t u) {
        for_entries(group, lists, static_cast<VertexId>(u),
                    [&](const DynamicSpan& s, std::uint32_t k) {
                      const VertexId v = s.target(k);
                      if (has_bit(implied.goes, v)) note(implied, static_cast<VertexId>(u), v);
                    });
      });
}

__global__ void __launch_bounds__(kBlock) imply_updates(const EdgeUpdate* update, std::size_t n,
                                                        VertexId vertices, ImpliedEdges implied) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const EdgeUpdate e = update[i];
    if (e.source >= vertices || e.target >= vertices) continue;
    if (has_bit(implied.goes, e.source) || has_bit(implied.goes, e.target))
      note(implied, e.source, e.target);
  }
}

__global__ void __launch_bounds__(kBlock)
    find_all(DynamicEdges lists, const Edge* edge, std::size_t n, VertexId vertices, EdgeAnswers to,
             unsigned long long* bad) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const Edge e = edge[i];
    if (e.source >= vertices || e.target >= vertices) {
      atomicMin(bad, static_cast<unsigned long long>(i));
      continue;
    }
    const FoundEdge found = find_edge(lists, e.source, e.target);
    if (to.has) to.has[i] = found.found ? 1 : 0;
    if (to.weight) to.weight[i] = found.found ? found.weight : nanf("");
  }
}

__global__ void __launch_bounds__(kBlock)
    find_all_degrees(DynamicEdges lists, const VertexId* vertex, std::size_t n, VertexId vertices,
                     EdgeId* degree, unsigned long long* bad) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    if (vertex[i] < vertices)
      degree[i] = lists.degree(vertex[i]);
    else
      atomicMin(bad, static_cast<unsigned long long>(i));
  }
}

__global__ void __launch_bounds__(kBlock)
    find_all_fields(DynamicEdges lists, const Edge* edge, std::size_t n, VertexId vertices,
                    EdgeFields* found, unsigned long long* bad) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const Edge e = edge[i];
    if (e.source < vertices && e.target < vertices)
      found[i] = has_fields(lists.layout) ? find_fields(lists, e.source, e.target) : EdgeFields{};
    else
      atomicMin(bad, static_cast<unsigned long long>(i));
  }
}

__global__ void __launch_bounds__(kBlock)
    take_degrees(DynamicEdges lists, std::size_t n, EdgeId* offset) {
  for (std::size_t i = thread_index(); i <= n; i += thread_count())
    offset[i] = i < n ? lists.degree(i) : 0;
}

__global__ void __launch_bounds__(kBlock)
    take_records(DynamicEdges lists, const VertexId* vertex, std::size_t n, DynamicRecord* to) {
  const std::size_t each = lists.layout.records();
  for (std::size_t i = thread_index(); i < n * each; i += thread_count())
    to[i] = lists.record[vertex[i / each] * each + i % each];
}

__global__ void __launch_bounds__(kBlock)
    extract_all(DynamicEdges lists, const EdgeId* offset, VertexId first, VertexId last,
                VertexId* target, Weight* weight, EdgeFields* fields) {
  blocks::deal_lists(
      ThisBlock{}, last - first, [&](std::size_t i) { return lists.degree(first + i); },
      [&](const auto& group, std::size_t i) {
        const auto v = static_cast<VertexId>(first + i);
        EdgeId at = offset[v] - offset[first];
        DynamicSpan s;
        for (auto cursor = lists.begin(v); lists.next(cursor, s); at += s.size)
          for (std::uint32_t k = group.rank(); k < s.size; k += group.size()) {
            target[at + k] = s.target(k);
            if (weight) weight[at + k] = s.weight(k);
            if (fields) fields[at + k] = edge_fields(s, k);
          }
      });
}

/// Threads for lists that are dealt to groups.
std::size_t by_tile(std::size_t lists) {
  return lists * kTileLanes;
}

}  // namespace

void mark_vertices(cuda::Gpu& gpu, const VertexId* vertex, std::size_t n, std::uint32_t* bits,
                   bool value) {
  mark_all<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(vertex, n, bits, value);
}
void mark_once(cuda::Gpu& gpu, VertexId* vertex, std::size_t n, std::uint32_t* bits) {
  mark_all_once<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(vertex, n, bits);
}
void mark_range(cuda::Gpu& gpu, VertexId first, VertexId last, std::uint32_t* bits, bool value) {
  mark_between<<<blocks_for(gpu, last - first), kBlock, 0, gpu.stream()>>>(first, last, bits,
                                                                           value);
}
void check_updates(cuda::Gpu& gpu, const EdgeUpdate* update, std::size_t n,
                   const std::uint32_t* bits, VertexId vertices, bool count_loops,
                   UpdateCheck* found) {
  check_all<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(update, n, bits, vertices, count_loops,
                                                             found);
}
void imply_from_lists(cuda::Gpu& gpu, const DynamicEdges& lists, const VertexId* vertex,
                      std::size_t n, bool reversed, const ImpliedEdges& implied) {
  imply_lists<<<blocks_for(gpu, by_tile(n)), kBlock, 0, gpu.stream()>>>(lists, vertex, n, reversed,
                                                                        implied);
}
void imply_by_search(cuda::Gpu& gpu, const DynamicEdges& lists, VertexId vertices,
                     const ImpliedEdges& implied) {
  search_references<<<blocks_for(gpu, by_tile(vertices)), kBlock, 0, gpu.stream()>>>(
      lists, vertices, implied);
}
void imply_from_updates(cuda::Gpu& gpu, const EdgeUpdate* update, std::size_t n, VertexId vertices,
                        const ImpliedEdges& implied) {
  imply_updates<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(update, n, vertices, implied);
}

void find_edges(cuda::Gpu& gpu, const DynamicEdges& lists, const Edge* edge, std::size_t n,
                VertexId vertices, const EdgeAnswers& to, unsigned long long* bad) {
  const unsigned blocks = blocks_for(gpu, n);
  if (to.has || to.weight)
    find_all<<<blocks, kBlock, 0, gpu.stream()>>>(lists, edge, n, vertices, to, bad);
  if (to.fields)
    find_all_fields<<<blocks, kBlock, 0, gpu.stream()>>>(lists, edge, n, vertices, to.fields, bad);
}
void find_degrees(cuda::Gpu& gpu, const DynamicEdges& lists, const VertexId* vertex, std::size_t n,
                  VertexId vertices, EdgeId* degree, unsigned long long* bad) {
  find_all_degrees<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(lists, vertex, n, vertices,
                                                                    degree, bad);
}
void list_degrees(cuda::Gpu& gpu, const DynamicEdges& lists, std::size_t n, EdgeId* offset) {
  take_degrees<<<blocks_for(gpu, n + 1), kBlock, 0, gpu.stream()>>>(lists, n, offset);
}
void pick_records(cuda::Gpu& gpu, const DynamicEdges& lists, const VertexId* vertex, std::size_t n,
                  DynamicRecord* to) {
  take_records<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(lists, vertex, n, to);
}
void extract_lists(cuda::Gpu& gpu, const DynamicEdges& lists, const EdgeId* offset, VertexId first,
                   VertexId last, VertexId* target, Weight* weight, EdgeFields* fields) {
  extract_all<<<blocks_for(gpu, by_tile(last - first)), kBlock, 0, gpu.stream()>>>(
      lists, offset, first, last, target, weight, fields);
}

}  // namespace fathom::dynamic::gpu
