#include "fathom/dynamic/lists/cuda/gpu_vertex_table.hpp"

#include <algorithm>

namespace fathom::dynamic::gpu {
namespace {

struct Said {
  VertexId vertex;
  VertexFields fields;
};

/// What a batch comes to, each vertex once.
std::vector<Said> said_by(const GraphBatch& batch) {
  std::vector<Said> said;
  said.reserve(batch.vertex_updates.size() + batch.deleted_vertices.size());
  for (const VertexUpdate& u : batch.vertex_updates) said.push_back({u.vertex, u.fields});
  for (const VertexId v : batch.deleted_vertices) said.push_back({v, {}});
  const auto before = [](const Said& a, const Said& b) { return a.vertex < b.vertex; };
  if (!std::is_sorted(said.begin(), said.end(), before))
    std::stable_sort(said.begin(), said.end(), before);
  std::size_t n = 0;
  for (const Said& s : said) {
    if (n == 0 || said[n - 1].vertex != s.vertex) ++n;
    said[n - 1] = s;
  }
  said.resize(n);
  return said;
}

}  // namespace

GpuVertexTable::GpuVertexTable(const Context& ctx, VertexId most, std::span<const VertexFields> all)
    : ctx_(ctx),
      gpu_(*ctx.devices()[0].gpu()),
      most_(most),
      fields_(gpu_, std::max<std::size_t>(1, most) * sizeof(VertexFields)) {
  fields_.grow_to(all.size_bytes());
  gpu_.copy(fields_.data(), all.data(), all.size_bytes());
  size_ = static_cast<VertexId>(all.size());
}

GpuVertexTable::~GpuVertexTable() {
  cudaSetDevice(gpu_.ordinal());
  cudaStreamSynchronize(gpu_.stream());
}

std::shared_ptr<VertexTable> GpuVertexTable::copy() const {
  auto made = std::make_shared<GpuVertexTable>(ctx_, most_, std::span<const VertexFields>());
  const std::size_t bytes = size_ * sizeof(VertexFields);
  made->fields_.grow_to(bytes);
  gpu_.copy(made->fields(), fields(), bytes);
  made->size_ = size_;
  return made;
}

void GpuVertexTable::prepare(const GraphBatch& batch, VertexId vertices) {
  fields_.grow_to(vertices * sizeof(VertexFields));
  const std::vector<Said> said = said_by(batch);
  std::vector<VertexId> vertex(said.size());
  std::vector<VertexFields> value(said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    vertex[i] = said[i].vertex;
    value[i] = said[i].fields;
  }
  Array<VertexId> its_vertex(said.size(), gpu_.memory());
  Array<VertexFields> its_value(said.size(), gpu_.memory());
  gpu_.copy(its_vertex.data(), vertex.data(), vertex.size() * sizeof(VertexId));
  gpu_.copy(its_value.data(), value.data(), value.size() * sizeof(VertexFields));
  vertex_ = std::move(its_vertex);
  value_ = std::move(its_value);
  after_ = vertices;
}

void GpuVertexTable::commit(const GraphBatch&) noexcept {
  if (after_ > size_) clear_vertex_fields(gpu_, fields(), size_, after_);
  size_ = std::max(size_, after_);
  if (vertex_.size() != 0)
    set_vertex_fields(gpu_, fields(), vertex_.data(), value_.data(), vertex_.size());
}

std::size_t GpuVertexTable::look_up(std::span<const VertexId> asked, VertexId vertices,
                                    VertexFields* to, bool on_device) const {
  if (asked.empty()) return 0;
  const std::size_t n = asked.size(), kept = on_device ? 0 : n;
  Array<VertexId> vertex(kept, gpu_.memory());
  Array<VertexFields> answer(kept, gpu_.memory());
  if (!on_device) gpu_.copy(vertex.data(), asked.data(), asked.size_bytes());
  Array<unsigned long long> bad(1, gpu_.memory());
  unsigned long long first = ~0ull;
  gpu_.copy(bad.data(), &first, sizeof(first));
  find_vertex_fields(gpu_, fields(), size_, on_device ? asked.data() : vertex.data(), n, vertices,
                     on_device ? to : answer.data(), bad.data());
  if (!on_device) gpu_.copy(to, answer.data(), n * sizeof(VertexFields));
  gpu_.copy(&first, bad.data(), sizeof(first));
  return std::min<std::size_t>(first, n);
}

bool GpuVertexTable::says_anything() const {
  if (size_ == 0) return false;
  Array<std::uint32_t> any(1, gpu_.memory());
  std::uint32_t found = 0;
  gpu_.copy(any.data(), &found, sizeof(found));
  look_for_vertex_fields(gpu_, fields(), size_, any.data());
  gpu_.copy(&found, any.data(), sizeof(found));
  return found != 0;
}

std::vector<VertexFields> GpuVertexTable::all() const {
  std::vector<VertexFields> all(size_);
  gpu_.copy(all.data(), fields(), size_ * sizeof(VertexFields));
  return all;
}

}  // namespace fathom::dynamic::gpu
