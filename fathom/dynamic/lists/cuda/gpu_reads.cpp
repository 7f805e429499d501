// What is read of a graph that changes on a GPU: answers in bulk, copies, and what algorithms get.
#include <algorithm>
#include <utility>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"
#include "fathom/dynamic/lists/cuda/gpu_queries.hpp"
#include "fathom/dynamic/views/cuda/gpu_dynamic_source.hpp"

namespace fathom::dynamic::gpu {
namespace {

constexpr std::size_t kListsPerTask = 1024;

/// The same by target, weight and fields.
void sort_lists(Csr& csr, Array<EdgeFields>& fields, VertexId vertices, int threads) {
  parallel_for(threads, vertices, kListsPerTask, [&](std::size_t a, std::size_t b, int) {
    std::vector<ListEntry> entry;
    for (std::size_t v = a; v < b; ++v) {
      entry.clear();
      for (EdgeId e = csr.offset[v]; e < csr.offset[v + 1]; ++e)
        entry.push_back({csr.target[e], csr.weight[e], fields[e]});
      if (std::is_sorted(entry.begin(), entry.end())) continue;
      std::sort(entry.begin(), entry.end());
      EdgeId e = csr.offset[v];
      for (const ListEntry& its : entry) {
        csr.target[e] = its.target;
        csr.weight[e] = its.weight;
        fields[e++] = its.fields;
      }
    }
  });
}

/// Sorts the lists of a CSR by target and weight, where they are not.
void sort_lists(Csr& csr, VertexId vertices, int threads) {
  const bool weighted = !csr.weight.empty();
  parallel_for(threads, vertices, kListsPerTask, [&](std::size_t a, std::size_t b, int) {
    std::vector<std::pair<VertexId, Weight>> entry;
    for (std::size_t v = a; v < b; ++v) {
      VertexId* const first = csr.target.data() + csr.offset[v];
      VertexId* const last = csr.target.data() + csr.offset[v + 1];
      if (!weighted) {
        if (!std::is_sorted(first, last)) std::sort(first, last);
        continue;
      }
      Weight* const weight = csr.weight.data() + csr.offset[v];
      entry.clear();
      for (VertexId* t = first; t != last; ++t) entry.emplace_back(*t, weight[t - first]);
      if (std::is_sorted(entry.begin(), entry.end())) continue;
      std::sort(entry.begin(), entry.end());
      for (std::size_t i = 0; i < entry.size(); ++i) {
        first[i] = entry[i].first;
        weight[i] = entry[i].second;
      }
    }
  });
}

}  // namespace

/// query(questions, the first bad one) with the questions in the GPU's memory; it waits.
template <class Question, class Query>
std::size_t Lists::answer(std::span<const Question> asked, bool on_device,
                          const Query& query) const {
  if (asked.empty()) return 0;
  Array<Question> copy = device_array<Question>(on_device ? 0 : asked.size());
  if (!on_device) send(copy.data(), asked.data(), asked.size());
  Array<unsigned long long> bad = device_array<unsigned long long>(1);
  cuda::check(cudaMemsetAsync(bad.data(), 0xff, sizeof(bad[0]), gpu_.stream()), "clearing memory");
  query(on_device ? asked.data() : copy.data(), bad.data());
  unsigned long long first = 0;
  gpu_.copy(&first, bad.data(), sizeof(first));
  return std::min<std::size_t>(first, asked.size());
}

std::size_t Lists::find(std::span<const Edge> edges, const EdgeAnswers& to, bool on_device) const {
  const std::size_t n = on_device ? 0 : edges.size();
  Array<std::uint8_t> has = device_array<std::uint8_t>(to.has ? n : 0);
  Array<Weight> weight = device_array<Weight>(to.weight ? n : 0);
  Array<EdgeFields> fields = device_array<EdgeFields>(to.fields ? n : 0);
  const EdgeAnswers its = on_device ? to : EdgeAnswers{has.data(), weight.data(), fields.data()};
  return answer(edges, on_device, [&](const Edge* edge, unsigned long long* bad) {
    find_edges(gpu_, edges_of(0), edge, edges.size(), vertices_, its, bad);
    receive(to.has, has.data(), has.size());
    receive(to.weight, weight.data(), weight.size());
    receive(to.fields, fields.data(), fields.size());
  });
}

std::size_t Lists::degrees(std::span<const VertexId> vertices, EdgeId* to, bool on_device) const {
  Array<EdgeId> degree = device_array<EdgeId>(on_device ? 0 : vertices.size());
  return answer(vertices, on_device, [&](const VertexId* vertex, unsigned long long* bad) {
    find_degrees(gpu_, edges_of(0), vertex, vertices.size(), vertices_,
                 on_device ? to : degree.data(), bad);
    receive(to, degree.data(), degree.size());
  });
}

Csr Lists::neighbors(std::span<const VertexId> vertices, bool in, Array<EdgeFields>* fields) const {
  Array<VertexId> asked = device_array<VertexId>(vertices.size());
  Array<DynamicRecord> record = device_array<DynamicRecord>(vertices.size() * layout_.records());
  send(asked.data(), vertices.data(), vertices.size());
  DynamicEdges lists = edges_of(in ? 1 : 0);
  if (!vertices.empty()) pick_records(gpu_, lists, asked.data(), vertices.size(), record.data());
  lists.record = record.data();
  return to_csr({&lists, 1}, static_cast<VertexId>(vertices.size()), fields);
}

void Lists::sort_keys(const std::uint64_t* keys, std::uint64_t* sorted, std::size_t n,
                      int bits) const {
  cuda::sort_keys(scratch_, keys, sorted, n, gpu_.stream(), bits);
}

void Lists::sum_up(const std::uint64_t* values, std::uint64_t* sums, std::size_t n) const {
  cuda::exclusive_sum(scratch_, values, sums, n, gpu_.stream());
}

Array<EdgeId> Lists::offsets(const DynamicEdges& lists, VertexId vertices) const {
  Array<EdgeId> degree = device_array<EdgeId>(vertices + std::size_t{1});
  Array<EdgeId> offset = device_array<EdgeId>(vertices + std::size_t{1});
  // Of its own: snapshots are read while batches are applied.
  cuda::ArrayScratch scratch(gpu_.memory());
  list_degrees(gpu_, lists, vertices, degree.data());
  cuda::exclusive_sum(scratch, degree.data(), offset.data(), degree.size(), gpu_.stream());
  gpu_.wait();  // who reads them may do so in the stream of another context
  return offset;
}

Csr Lists::to_csr(std::span<const DynamicEdges> views, VertexId vertices,
                  Array<EdgeFields>* fields) const {
  const auto& host = ctx_.host_memory();
  const DynamicEdges& lists = views[0];
  const Array<EdgeId> offset = offsets(lists, vertices);
  Csr csr;
  csr.offset = Array<EdgeId>(vertices + std::size_t{1}, host);
  gpu_.copy(csr.offset.data(), offset.data(), offset.size() * sizeof(EdgeId));
  const EdgeId edges = csr.offset[vertices];
  csr.target = Array<VertexId>(edges, host);
  if (layout_.weighted()) csr.weight = Array<Weight>(edges, host);
  const bool fielded = fields && has_fields(layout_);
  if (fielded) *fields = Array<EdgeFields>(edges, host);
  Array<VertexId> target;
  Array<Weight> weight;
  Array<EdgeFields> its;
  for (VertexId first = 0; first < vertices;) {
    const EdgeId* const end =
        std::upper_bound(csr.offset.data() + first + 1, csr.offset.data() + vertices + 1,
                         csr.offset[first] + edges_at_once());
    const auto last = std::max(first + 1, static_cast<VertexId>(end - csr.offset.data() - 1));
    const EdgeId from = csr.offset[first], n = csr.offset[last] - from;
    if (target.size() < n) {
      target = {};
      weight = {};
      its = {};
      target = device_array<VertexId>(n);
      if (layout_.weighted()) weight = device_array<Weight>(n);
      if (fielded) its = device_array<EdgeFields>(n);
    }
    if (n != 0) {
      extract_lists(gpu_, lists, offset.data(), first, last, target.data(), weight.data(),
                    fielded ? its.data() : nullptr);
      gpu_.copy(csr.target.data() + from, target.data(), n * sizeof(VertexId));
      if (layout_.weighted())
        gpu_.copy(csr.weight.data() + from, weight.data(), n * sizeof(Weight));
      if (fielded) gpu_.copy(fields->data() + from, its.data(), n * sizeof(EdgeFields));
    }
    first = last;
  }
  if (fielded)
    sort_lists(csr, *fields, vertices, ctx_.threads());
  else
    sort_lists(csr, vertices, ctx_.threads());
  return csr;
}

std::unique_ptr<EdgeSource> Lists::open(const ListViews& lists, VertexId vertices, EdgeId edges,
                                        Unchanged unchanged,
                                        std::shared_ptr<const void> owner) const {
  return std::make_unique<Source>(*this, lists[0], vertices, edges, unchanged, std::move(owner));
}

}  // namespace fathom::dynamic::gpu
