#include "fathom/store/make/list_sections.hpp"

#include "fathom/core/units.hpp"
#include "fathom/graph/edge_record.hpp"
#include "fathom/graph/external_sort.hpp"
#include "fathom/graph/list_writer.hpp"

namespace fathom::store {

ListSections::ListSections(StoreWriter& writer, Lists lists, VertexId vertices, bool weighted,
                           int workers)
    : writer_(writer), lists_(lists), vertices_(vertices), weighted_(weighted), workers_(workers) {}

// Always in this order: the order of opening decides the places in the file.
void ListSections::open() {
  if (offset_) return;
  auto bytes = [&](std::size_t element) -> std::optional<std::uint64_t> {
    if (!edges_) return std::nullopt;
    return *edges_ * element;
  };
  const SectionId offsets = lists_ == Lists::Out  ? SectionId::OutOffsets
                            : lists_ == Lists::In ? SectionId::InOffsets
                                                  : SectionId::OrientedOffsets;
  const SectionId targets = lists_ == Lists::Out  ? SectionId::OutTargets
                            : lists_ == Lists::In ? SectionId::InTargets
                                                  : SectionId::OrientedTargets;
  offset_ = &writer_.section(offsets, (std::uint64_t{vertices_} + 1) * sizeof(EdgeId));
  target_ = &writer_.section(targets, bytes(sizeof(VertexId)));
  if (weighted_)
    weight_ = &writer_.section(lists_ == Lists::Out ? SectionId::OutWeights : SectionId::InWeights,
                               bytes(sizeof(Weight)));
}

void ListSections::offsets(std::span<const EdgeId> offset) {
  open();
  offset_->append(offset);
}

void ListSections::edges(std::span<const VertexId> target, std::span<const Weight> weight) {
  open();
  target_->append(target);
  if (weight_) weight_->append(weight);
  written_ += target.size();
}

void ListSections::parts(std::span<const graph::EdgePart> parts) {
  std::vector<EdgeId> before{0};  // edges of the parts before; one more entry
  for (const graph::EdgePart& part : parts) before.push_back(before.back() + part.target.size());
  // Copies the edges from `first` on out of the parts they lie in.
  const auto copy = [&](EdgeId first, auto into, auto column) {
    auto p = static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), first) -
                                      before.begin() - 1);
    for (std::size_t skip = first - before[p]; !into.empty(); skip = 0, ++p) {
      const auto values = column(parts[p]).subspan(skip);
      const std::size_t n = std::min(values.size(), into.size());
      std::copy_n(values.begin(), n, into.begin());
      into = into.subspan(n);
    }
  };
  make_edges(
      before.back(), workers_,
      [&](EdgeId first, std::span<VertexId> target) {
        copy(first, target, [](const graph::EdgePart& part) { return part.target; });
      },
      [&](EdgeId first, std::span<Weight> weight) {
        copy(first, weight, [](const graph::EdgePart& part) { return part.weight; });
      });
}

void ListSections::finish() {
  open();
  offset_->finish();
  target_->finish();
  if (weight_) weight_->finish();
}

void write_oriented_lists(StoreWriter& writer, VertexId vertices, bool symmetric,
                          const graph::BuildOptions& options) {
  using graph::PlainRecord;
  const std::size_t degree_bytes = vertices * sizeof(VertexId);
  if (degree_bytes > options.memory / 2)
    throw Error(ErrorCode::DoesNotFit, "the degrees of " + format_count(vertices) +
                                           " vertices need " + format_bytes(2 * degree_bytes) +
                                           "; only " + format_bytes(options.memory) + " are left");
  options.task.begin("orienting edges", 0, "edges");
  graph::Pages<VertexId> degrees(vertices);  // untouched pages are zero
  VertexId* degree = degrees.data();

  // All edges of the underlying undirected graph in order, from both ends, without repetition.
  std::optional<graph::ExternalSorter<PlainRecord, graph::EdgeOrder>> both;
  if (!symmetric) {
    both.emplace(graph::EdgeOrder{true},
                 graph::SortOptions{options.memory - degree_bytes, options.temp_directory,
                                    options.threads, options.task});
    each_out_edge(writer, [&](VertexId u, VertexId v) {
      both->push({u, v});
      both->push({v, u});
    });
    both->finish();
    both->take_scratch();
  }
  auto each_simple_edge = [&](const auto& edge) {
    PlainRecord last{kNoVertex, kNoVertex};
    std::uint64_t done = 0;
    auto visit = [&](VertexId u, VertexId v) {
      if (++done % (1 << 20) == 0) options.task.at(done);
      if (u == v || (u == last.source && v == last.target)) return;
      last = {u, v};
      edge(u, v);
    };
    if (!both) return each_out_edge(writer, visit);
    both->for_each([&](std::span<const PlainRecord> piece) {
      for (const PlainRecord& r : piece) visit(r.source, r.target);
    });
  };
  each_simple_edge([&](VertexId u, VertexId) { ++degree[u]; });
  ListSections sections(writer, Lists::Oriented, vertices, false);
  graph::ListWriter lists(sections, false);
  each_simple_edge([&](VertexId u, VertexId v) {
    if (degree[u] < degree[v] || (degree[u] == degree[v] && u < v)) lists.add(u, v, 1);
  });
  lists.finish(vertices, options.task);
  options.task.end();
}

}  // namespace fathom::store
