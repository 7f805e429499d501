#include "fathom/dynamic/vertex_table.hpp"

#include <algorithm>

namespace fathom::dynamic {
namespace {

class HostVertexTable final : public VertexTable {
 public:
  explicit HostVertexTable(std::span<const VertexFields> all) : fields_(all.begin(), all.end()) {}

  std::size_t size() const override { return fields_.size(); }
  std::size_t bytes() const override { return fields_.capacity() * sizeof(VertexFields); }
  std::shared_ptr<VertexTable> copy() const override {
    return std::make_shared<HostVertexTable>(fields_);
  }

  void prepare(const GraphBatch&, VertexId vertices) override {
    if (fields_.capacity() < vertices)
      fields_.reserve(std::max<std::size_t>(vertices, fields_.size() * 2));
    after_ = vertices;
  }
  void commit(const GraphBatch& batch) noexcept override {
    fields_.resize(after_);
    for (const VertexUpdate& u : batch.vertex_updates) fields_[u.vertex] = u.fields;
    for (const VertexId v : batch.deleted_vertices) fields_[v] = {};
  }

  std::size_t look_up(std::span<const VertexId> asked, VertexId vertices, VertexFields* to,
                      bool) const override {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] >= vertices) return i;
      to[i] = asked[i] < fields_.size() ? fields_[asked[i]] : VertexFields{};
    }
    return asked.size();
  }
  bool says_anything() const override {
    return std::any_of(fields_.begin(), fields_.end(),
                       [](const VertexFields& f) { return !(f == VertexFields{}); });
  }
  std::vector<VertexFields> all() const override { return fields_; }

 private:
  std::vector<VertexFields> fields_;
  VertexId after_ = 0;
};

}  // namespace

std::shared_ptr<VertexTable> make_host_vertex_table(std::span<const VertexFields> all) {
  return std::make_shared<HostVertexTable>(all);
}

}  // namespace fathom::dynamic
