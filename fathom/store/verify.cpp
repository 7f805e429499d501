// Structure is checked in one pass over each set of lists. That in-edges are the transpose, and
// that a graph is symmetric, is decided by hashing each edge (u, v, w) and comparing sums modulo
// 2^64: equal multisets of edges have equal sums, different ones collide with probability about
// 2^-64; and a multiset of edges has exactly one representation as lists sorted by (target,
// weight), which the pass checks too. So nothing needs to be sorted or held.
#include "fathom/store/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "fathom/core/parallel.hpp"
#include "fathom/store/edge_sums.hpp"
#include "fathom/store/narrow/mapped_narrow.hpp"
#include "fathom/store/narrow/verify_narrow.hpp"
#include "fathom/store/packed/packed_sections.hpp"
#include "fathom/store/packed/verify_packed.hpp"
#include "fathom/store/parts/part_store.hpp"
#include "fathom/store/slotted/mapped_pages.hpp"
#include "fathom/store/slotted/verify_slotted.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kVerticesAtOnce = 2048;          // vertices a worker takes at once
constexpr std::size_t kStride = std::size_t{1} << 18;  // vertices or edges between two reports

class Verifier {
 public:
  Verifier(Store& store, MappedSections& sections, int threads, const Task& task)
      : store_(store), sections_(sections), threads_(worker_count(threads)), task_(task) {}

  EdgeSums lists(const std::string& name, const CsrView& g) {
    return lists(name,
                 {g.vertices, g.edges, g.offset, g.target, g.weight, {0, g.vertices, 0, g.edges}});
  }

  /// Those that a part has.
  EdgeSums lists(const std::string& name, const PartLists& g) {
    EdgeSums sums;
    task_.begin(name, g.range.edges(), "edges");
    for (std::size_t from = g.range.first; from < g.range.last; from += kStride) {
      const std::size_t n = std::min<std::size_t>(kStride, g.range.last - from);
      sums = sums + parallel_reduce(
                        threads_, n, kVerticesAtOnce, EdgeSums{},
                        [&](std::size_t first, std::size_t last) {
                          EdgeSums part;
                          for (std::size_t v = first; v < last; ++v)
                            part = part + list(name, g, static_cast<VertexId>(from + v));
                          return part;
                        },
                        [](EdgeSums a, EdgeSums b) { return a + b; });
      task_.at(g.offset[from + n] - g.range.begin);
    }
    task_.end();
    return sums;
  }

  // The pairs are the underlying simple graph, each edge once: every pair is an edge in some
  // direction, every edge is a pair in exactly one.
  void oriented(const CsrView& o, const CsrView& out) {
    each_vertex("oriented", [&](VertexId u) {
      const EdgeId degree = o.degree(u);
      // Each target has at least as many neighbours as u, and all have 2 * edges together.
      if (degree > 0 && degree > 2 * out.edges / degree)
        fail(fmt::format("oriented: the list of vertex {} is too long", u));
      for (EdgeId e = o.offset[u]; e < o.offset[u + 1]; ++e) {
        const VertexId v = o.target[e];
        if (u == v || (e > o.offset[u] && o.target[e - 1] == v) || has(o, v, u))
          fail(fmt::format("oriented: edge {} - {} is there twice or is a loop", u, v));
        if (!has(out, u, v) && !has(out, v, u))
          fail(fmt::format("oriented: edge {} - {} is not in the graph", u, v));
      }
      for (EdgeId e = out.offset[u]; e < out.offset[u + 1]; ++e) {
        const VertexId v = out.target[e];
        if (u != v && !has(o, u, v) && !has(o, v, u))
          fail(fmt::format("oriented: edge {} - {} is missing", u, v));
      }
    });
  }

  void pairs(std::span<const TargetWeight> pair, const CsrView& out) {
    parallel_for(threads_, pair.size(), kStride, [&](std::size_t first, std::size_t last, int) {
      task_.check();
      for (std::size_t e = first; e < last; ++e)
        if (pair[e].target != out.target[e] || std::bit_cast<std::uint32_t>(pair[e].weight) !=
                                                   std::bit_cast<std::uint32_t>(out.weight[e]))
          fail(fmt::format("out.pairs: element {} differs from targets and weights", e));
    });
  }

  // An undirected edge says the same in both directions.
  void edge_fields(const CsrView& g) {
    const auto type = store_.edge_types(threads_);
    const auto time = store_.edge_times(threads_);
    if (store_.header().directed || type.empty()) return;
    const auto sums_of = [&](std::size_t first, std::size_t last) {
      EdgeSums sums;
      for (std::size_t u = first; u < last; ++u)
        for (EdgeId e = g.offset[u]; e < g.offset[u + 1]; ++e) {
          const VertexId from = static_cast<VertexId>(u), v = g.target[e];
          const auto with = [&](std::uint64_t edge) {
            return mix(mix(mix(edge + type[e]) + time[e].t1) + time[e].t2);
          };
          sums.forward += with(edge_hash(from, v, g.weight[e]));
          sums.backward += with(edge_hash(v, from, g.weight[e]));
        }
      return sums;
    };
    const EdgeSums sums =
        parallel_reduce(threads_, std::size_t{g.vertices}, kVerticesAtOnce, EdgeSums{}, sums_of,
                        [](EdgeSums a, EdgeSums b) { return a + b; });
    if (sums.forward != sums.backward)
      fail("out.types, out.times: some edge has a reverse of another type or other timestamps");
  }

  void vertex_fields() {
    const auto weight = store_.vertex_weights(threads_);
    const auto bad =
        std::find_if(weight.begin(), weight.end(), [](Weight w) { return !std::isfinite(w); });
    if (bad != weight.end())
      fail(fmt::format("vertices.weights: the weight of vertex {} is not finite",
                       bad - weight.begin()));
  }

  // A multiset of n vertices is a permutation when its sum of hashes is that of 0 .. n-1.
  void permutation() {
    const auto position = sections_.touch<VertexId>(SectionId::Permutation, threads_);
    std::uint64_t found = 0, expected = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      found += mix(position[i]);
      expected += mix(i);
    }
    if (found != expected) fail("permutation: a position occurs twice");
  }

  void degrees(const char* name, const DegreeSummary& stored, std::span<const EdgeId> offsets) {
    if (stored != summarize_degrees(offsets))
      fail(fmt::format("degrees: the summary of {} differs from the lists", name));
  }

  [[noreturn]] void fail(const std::string& what) const { throw_bad_store(store_.path(), what); }

 private:
  EdgeSums list(const std::string& name, const PartLists& g, VertexId u) const {
    EdgeSums sums;
    const EdgeId base = g.range.begin;
    for (EdgeId e = g.offset[u] - base; e < g.offset[u + 1] - base; ++e) {
      const VertexId v = g.target[e];
      const Weight w = g.weight ? g.weight[e] : 1;
      if (!std::isfinite(w))
        fail(fmt::format("{}: the weight of edge {} is not finite", name, base + e));
      if (e > g.offset[u] - base &&
          (g.target[e - 1] > v || (g.target[e - 1] == v && g.weight && g.weight[e - 1] > w)))
        fail(fmt::format("{}: the list of vertex {} is not sorted", name, u));
      sums.forward += edge_hash(u, v, w);
      sums.backward += edge_hash(v, u, w);
    }
    return sums;
  }

  template <class Body>
  void each_vertex(const char* phase, const Body& body) {
    const std::size_t n = store_.header().vertices;
    task_.begin(phase, n, "vertices");
    for (std::size_t from = 0; from < n; from += kStride) {
      const std::size_t count = std::min(kStride, n - from);
      parallel_for(threads_, count, kVerticesAtOnce, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t v = first; v < last; ++v) body(static_cast<VertexId>(from + v));
      });
      task_.at(from + count);
    }
    task_.end();
  }

  static bool has(const CsrView& g, VertexId u, VertexId v) {
    return std::binary_search(g.target + g.offset[u], g.target + g.offset[u + 1], v);
  }

  Store& store_;
  MappedSections& sections_;
  int threads_;
  const Task& task_;
};

}  // namespace

namespace {

void require_symmetry(Verifier& verifier, const Header& header, const EdgeSums& sums) {
  if (header.symmetric && sums.forward != sums.backward)
    verifier.fail("marked as symmetric, but some edge has no reverse of equal weight");
}

void require_transpose(Verifier& verifier, const EdgeSums& in, const EdgeSums& out) {
  if (in.backward != out.forward)
    verifier.fail("the in-edges are not the transpose of the out-edges");
}

void verify_csr(Store& store, MappedSections& sections, Verifier& verifier, int threads) {
  const CsrView out = store.out(threads);
  const EdgeSums sums = verifier.lists("out-edges", out);
  verifier.degrees("out-edges", store.out_degrees(), store.out_offsets(threads));
  require_symmetry(verifier, store.header(), sums);
  verifier.edge_fields(out);
  if (store.header().has_in_edges) {
    // Not store.in(), which answers with the out-edges of symmetric graphs.
    CsrView in{out.vertices, out.edges,
               sections.touch<EdgeId>(SectionId::InOffsets, threads).data(),
               sections.touch<VertexId>(SectionId::InTargets, threads).data(), nullptr};
    if (out.weight) in.weight = sections.touch<Weight>(SectionId::InWeights, threads).data();
    require_transpose(verifier, verifier.lists("in-edges", in), sums);
  }
  if (const auto pairs = store.interleaved(threads); !pairs.empty()) verifier.pairs(pairs, out);
  if (const auto oriented = store.oriented(threads)) {
    verifier.lists("oriented lists", *oriented);
    verifier.oriented(*oriented, out);
  }
}

/// What of a graph is in a part: its symmetry, and whether in-edges are the transpose, its other
/// parts would have to say (verify_parts()).
void verify_lists_of_part(PartStore& store, MappedSections& sections, Verifier& verifier,
                          int threads) {
  verifier.lists("out-edges", store.part_out(threads));
  verifier.degrees("out-edges", store.out_degrees(), store.out_offsets(threads));
  if (!store.header().has_in_edges) return;
  // Not store.part_in(), which answers with the out-edges of symmetric graphs.
  PartLists in = store.part_out(threads);
  in.offset = sections.touch<EdgeId>(SectionId::InOffsets, threads).data();
  in.target = sections.touch<VertexId>(SectionId::InTargets, threads).data();
  if (in.weight) in.weight = sections.touch<Weight>(SectionId::InWeights, threads).data();
  in.range = store.part()->in;
  verifier.lists("in-edges", in);
}

/// Of out-lists that are not in CSR: what is not seen list by list.
void require_content(Store& store, MappedSections& sections, Verifier& verifier, int threads,
                     const ListsContent& out) {
  const Header& header = store.header();
  verifier.degrees("out-edges", store.out_degrees(), store.out_offsets(threads));
  require_symmetry(verifier, header, out.sums);
  if (fingerprint_of(sections.layout(), out.targets_hash, out.weights_hash) != header.fingerprint)
    verifier.fail("the fingerprint does not match the lists");
}

// In-lists are those of the file: a store answers with the out-lists of symmetric graphs.

void verify_pages(Store& store, MappedSections& sections, Verifier& verifier, int threads,
                  const Task& task) {
  const ListsContent out =
      verify_slotted(store.path(), "out-edges", *store.slotted_out(threads), threads, task);
  require_content(store, sections, verifier, threads, out);
  if (store.header().has_in_edges) {
    MappedPages pages(sections, *store.header().slotted, SectionId::InOffsets, SectionId::InRvt,
                      SectionId::InPages);
    const ListsContent in =
        verify_slotted(store.path(), "in-edges", pages.lists(threads), threads, task);
    require_transpose(verifier, in.sums, out.sums);
  }
  if (const auto oriented = store.oriented(threads)) {
    verifier.lists("oriented lists", *oriented);
    const Csr lists = unpack(*store.slotted_out(threads));
    verifier.oriented(*oriented, lists.view());
  }
}

void verify_entries(Store& store, MappedSections& sections, Verifier& verifier, int threads,
                    const Task& task) {
  const NarrowLists lists = *store.narrow_out(threads);
  const ListsContent out = verify_narrow(store.path(), "out-edges", lists, threads, task);
  require_content(store, sections, verifier, threads, out);
  if (store.header().has_in_edges) {
    MappedNarrow narrow(sections, *store.header().narrow, SectionId::InOffsets,
                        SectionId::InEntries);
    const ListsContent in =
        verify_narrow(store.path(), "in-edges", narrow.lists(threads), threads, task);
    require_transpose(verifier, in.sums, out.sums);
  }
  if (const auto oriented = store.oriented(threads)) {
    verifier.lists("oriented lists", *oriented);
    const WidenedLists wide = widen(lists, MemoryPool::unlimited(), threads, false);
    verifier.oriented(*oriented,
                      {lists.vertices, lists.edges, lists.offset, wide.target.data(), nullptr});
  }
}

void verify_groups(Store& store, MappedSections& sections, Verifier& verifier, int threads,
                   const Task& task) {
  const PackedLists lists = *store.packed_out(threads);
  const ListsContent out = verify_packed(store.path(), "out-edges", lists, threads, task);
  require_content(store, sections, verifier, threads, out);
  if (store.header().has_in_edges) {
    const PackedLists in_lists =
        mapped_packed(sections, *store.header().packed, PackedSectionIds::of(false), threads);
    const ListsContent in = verify_packed(store.path(), "in-edges", in_lists, threads, task);
    require_transpose(verifier, in.sums, out.sums);
  }
  if (const auto oriented = store.oriented(threads)) {
    verifier.lists("oriented lists", *oriented);
    const Csr whole = unpack(lists, threads, MemoryPool::unlimited());
    verifier.oriented(*oriented, whole.view());
  }
}

}  // namespace

void verify_store(Store& store, MappedSections& sections, LabelTable& labels, int threads,
                  const Task& task) {
  sections.check_all(threads, task);
  Verifier verifier(store, sections, threads, task);
  if (store.header().slotted)
    verify_pages(store, sections, verifier, threads, task);
  else if (store.header().packed)
    verify_groups(store, sections, verifier, threads, task);
  else if (store.header().narrow)
    verify_entries(store, sections, verifier, threads, task);
  else if (sections.layout().part)
    verify_lists_of_part(dynamic_cast<PartStore&>(store), sections, verifier, threads);
  else
    verify_csr(store, sections, verifier, threads);
  if (store.header().has_in_edges)
    verifier.degrees("in-edges", *store.in_degrees(),
                     sections.touch<EdgeId>(SectionId::InOffsets, threads));
  verifier.vertex_fields();
  verifier.permutation();
  labels.verify(task);
}

}  // namespace fathom::store
