#include "fathom/store/field_sections.hpp"

#include "fathom/core/parallel.hpp"
#include "fathom/core/random.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kFieldsAtOnce = std::size_t{1} << 15;

template <class T, class Read>
Array<T> read_array(std::size_t n, int threads, const std::shared_ptr<MemoryPool>& pool,
                    const Read& read) {
  Array<T> all(n, pool);
  parallel_for(threads, n, kFieldsAtOnce, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i) all[i] = read(i);
  });
  return all;
}

/// A section of what `take` takes of each of `all`.
template <class T, class All, class Take>
void write_section(StoreWriter& writer, SectionId id, std::span<const All> all, int workers,
                   const Take& take) {
  SectionStream& section = writer.section(id, all.size() * sizeof(T));
  section.append_made<T>(all.size(), workers, [&](std::uint64_t first, std::span<T> into) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = take(all[first + i]);
  });
  section.finish();
}

}  // namespace

StoredFields read_fields(Store& store, int threads, const std::shared_ptr<MemoryPool>& pool) {
  const int workers = worker_count(threads);
  const auto type = store.edge_types(workers);
  const auto time = store.edge_times(workers);
  const auto weight = store.vertex_weights(workers);
  const auto vertex_type = store.vertex_types(workers);
  return {read_array<EdgeFields>(type.size(), workers, pool,
                                 [&](std::size_t i) {
                                   return EdgeFields{type[i], time[i].t1, time[i].t2};
                                 }),
          read_array<VertexFields>(weight.size(), workers, pool, [&](std::size_t i) {
            return VertexFields{weight[i], vertex_type[i]};
          })};
}

void write_fields(StoreWriter& writer, const std::optional<std::span<const EdgeFields>>& edges,
                  std::span<const VertexFields> vertices, int workers) {
  if (edges) {
    EdgeFieldSections sections(writer, edges->size());
    sections.append(edges->size(), workers,
                    [&](std::uint64_t i) -> const EdgeFields& { return (*edges)[i]; });
    sections.finish();
  }
  if (!vertices.empty()) {
    write_section<Weight>(writer, SectionId::VertexWeights, vertices, workers,
                          [](const VertexFields& f) { return f.weight; });
    write_section<std::uint32_t>(writer, SectionId::VertexTypes, vertices, workers,
                                 [](const VertexFields& f) { return f.type; });
  }
}

StoredEdgeFields::StoredEdgeFields(const StoreFile& file)
    : types_(file, SectionId::OutTypes), times_(file, SectionId::OutTimes) {}

void StoredEdgeFields::read(EdgeId first, std::span<EdgeFields> into) {
  type_.resize(into.size());
  time_.resize(into.size());
  types_.read(first * sizeof(std::uint32_t), std::as_writable_bytes(std::span(type_)));
  times_.read(first * sizeof(EdgeTimes), std::as_writable_bytes(std::span(time_)));
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = {type_[i], time_[i].t1, time_[i].t2};
}

std::uint64_t identity_of_fields(const StoreFile& file) {
  std::uint64_t both = 0;
  for (const SectionId id : {SectionId::OutTypes, SectionId::OutTimes})
    if (const SectionEntry* const its = file.layout().find(id))
      both = mix64(both + its->checksum_hash);
  return both;
}

}  // namespace fathom::store
