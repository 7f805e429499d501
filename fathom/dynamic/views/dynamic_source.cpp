#include "fathom/dynamic/views/dynamic_source.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/batches/in_pieces.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kListsAtOnce = 1024;

/// offset[v + 1] - offset[v] is the degree of v.
Array<EdgeId> sum_degrees(const DynamicEdges& lists, std::size_t vertices, int threads,
                          const std::shared_ptr<MemoryPool>& pool) {
  Array<EdgeId> offset(vertices + 1, pool);
  offset[0] = 0;
  count_and_put<EdgeId>(
      threads, vertices,
      [&](std::size_t a, std::size_t b) {
        EdgeId sum = 0;
        for (std::size_t v = a; v < b; ++v) sum += lists.degree(v);
        return sum;
      },
      [](EdgeId) {},
      [&](std::size_t a, std::size_t b, EdgeId sum) {
        for (std::size_t v = a; v < b; ++v) offset[v + 1] = sum += lists.degree(v);
      });
  return offset;
}

/// Lists as arrays, ascending whatever order the layout keeps.
class SortingReader final : public ListReader {
 public:
  SortingReader(const DynamicEdges& edges, Unchanged unchanged)
      : edges_(edges), unchanged_(unchanged) {}

  EdgeId degree(VertexId v) override { return edges_.degree(v); }
  void read(VertexId v, FunctionRef<void(const PlainSpan&)> span) override {
    unchanged_.check();
    entry_.clear();
    DynamicSpan s;
    for (auto cursor = edges_.begin(v); edges_.next(cursor, s);)
      for (std::uint32_t i = 0; i < s.size; ++i) entry_.emplace_back(s.target(i), s.weight(i));
    if (entry_.empty()) return;
    std::sort(entry_.begin(), entry_.end());
    target_.clear();
    weight_.clear();
    for (const auto& [t, w] : entry_) {
      target_.push_back(t);
      weight_.push_back(w);
    }
    span({target_.data(), edges_.layout.weighted() ? weight_.data() : nullptr,
          static_cast<std::uint32_t>(target_.size())});
  }

 private:
  DynamicEdges edges_;
  Unchanged unchanged_;
  std::vector<std::pair<VertexId, Weight>> entry_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

/// Of each edge in the order of to_csr().
Array<EdgeFields> sorted_fields(const DynamicEdges& edges, const Array<EdgeId>& offset, int threads,
                                const std::shared_ptr<MemoryPool>& pool) {
  const std::size_t vertices = offset.size() - 1;
  Array<EdgeFields> fields(offset[vertices], pool);
  parallel_for(threads, vertices, kListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    std::vector<ListEntry> entry;
    for (std::size_t v = a; v < b; ++v) {
      entry.clear();
      each_entry(edges, static_cast<VertexId>(v), [&](const ListEntry& e) { entry.push_back(e); });
      std::sort(entry.begin(), entry.end());
      for (std::size_t i = 0; i < entry.size(); ++i) fields[offset[v] + i] = entry[i].fields;
    }
  });
  return fields;
}

}  // namespace

Csr to_csr(const DynamicEdges& edges, VertexId vertices, int threads,
           const std::shared_ptr<MemoryPool>& pool, Array<EdgeFields>* fields) {
  Csr csr;
  csr.offset = sum_degrees(edges, vertices, threads, pool);
  csr.target = Array<VertexId>(csr.offset[vertices], pool);
  if (edges.layout.weighted()) csr.weight = Array<Weight>(csr.offset[vertices], pool);
  parallel_for(threads, vertices, kListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    SortingReader reader(edges, {});
    for (std::size_t v = a; v < b; ++v)
      reader.read(static_cast<VertexId>(v), [&](const PlainSpan& s) {
        std::copy_n(s.target_at, s.size, csr.target.data() + csr.offset[v]);
        if (s.weight_at) std::copy_n(s.weight_at, s.size, csr.weight.data() + csr.offset[v]);
      });
  });
  if (fields && has_fields(edges.layout)) *fields = sorted_fields(edges, csr.offset, threads, pool);
  return csr;
}

Array<EdgeFields> reverse_fields(const CsrView& out, const CsrView& in,
                                 std::span<const EdgeFields> fields, int threads,
                                 const std::shared_ptr<MemoryPool>& pool) {
  Array<EdgeFields> reversed(in.edges, pool);
  std::atomic<bool> differs{false};
  // Several edges from u to v stand in the same order in both lists.
  const auto fill = [&](VertexId v) {
    EdgeId first = in.offset[v];  // of those from one source
    for (EdgeId e = first; e < in.offset[v + std::size_t{1}]; ++e) {
      const VertexId u = in.target[e];
      if (u != in.target[first]) first = e;
      const VertexId* const end = out.target + out.offset[u + std::size_t{1}];
      const VertexId* const at = std::lower_bound(out.target + out.offset[u], end, v) + (e - first);
      if (at >= end || *at != v)
        differs = true;
      else
        reversed[e] = fields[static_cast<std::size_t>(at - out.target)];
    }
  };
  parallel_for(threads, in.vertices, kListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t v = a; v < b; ++v) fill(static_cast<VertexId>(v));
  });
  if (differs) throw Error(ErrorCode::Usage, "the in-lists are not the transpose of the lists");
  return reversed;
}

void Unchanged::check() const {
  if (version && version->load(std::memory_order_acquire) != seen)
    throw Error(ErrorCode::Usage,
                "the graph has changed since graph() was called: call it again, or take a "
                "snapshot");
}

std::optional<AnyEdges> DynamicSource::whole(const SweepOptions& options) const {
  unchanged_.check();
  DynamicEdges edges = edges_;
  edges.limit = options.first;
  return edges;
}

void DynamicSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                          FunctionRef<void(const Pass&)> pass) {
  if (!active.empty()) pass({ctx.devices()[0], *whole(options), 0, vertices()});
}

void DynamicSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  unchanged_.check();
  if (csr_.offset.empty()) csr_ = to_csr(edges_, vertices(), threads_, pool_);
  const FlatEdges all{csr_.offset.data(), csr_.target.data(), nullptr, 0, kWholeList};
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

const EdgeId* DynamicSource::offsets(const Device&) {
  unchanged_.check();
  if (offset_.empty()) offset_ = sum_degrees(edges_, vertices(), threads_, pool_);
  return offset_.data();
}

std::unique_ptr<ListReader> DynamicSource::read_lists() {
  return std::make_unique<SortingReader>(edges_, unchanged_);
}

}  // namespace fathom::dynamic
