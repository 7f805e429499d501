// What is said of vertices, in the memory of the GPU that has their lists.
#pragma once

#include "fathom/dynamic/pages/cuda/mapped_memory.hpp"
#include "fathom/dynamic/vertex_table.hpp"
#include "fathom/exec/context.hpp"

namespace fathom::dynamic::gpu {

/// Invariants: fields_ has room for size_ vertices, and for after_ once a batch is prepared.
class GpuVertexTable final : public VertexTable {
 public:
  /// Of up to `most` vertices. @throws Error(DoesNotFit)
  GpuVertexTable(const Context& ctx, VertexId most, std::span<const VertexFields> all);
  ~GpuVertexTable() override;

  std::size_t size() const override { return size_; }
  std::size_t bytes() const override { return fields_.device_bytes(); }
  std::shared_ptr<VertexTable> copy() const override;
  void prepare(const GraphBatch& batch, VertexId vertices) override;
  void commit(const GraphBatch& batch) noexcept override;
  std::size_t look_up(std::span<const VertexId> asked, VertexId vertices, VertexFields* to,
                      bool on_device) const override;
  bool says_anything() const override;
  std::vector<VertexFields> all() const override;

 private:
  VertexFields* fields() const { return reinterpret_cast<VertexFields*>(fields_.data()); }

  const Context& ctx_;
  cuda::Gpu& gpu_;
  const VertexId most_;
  MappedMemory fields_;
  VertexId size_ = 0;
  // Of the batch under way, or of the last one, whose kernels may still read them.
  Array<VertexId> vertex_;
  Array<VertexFields> value_;
  VertexId after_ = 0;
};

// Queue their kernels.
/// Nothing is said of vertices [first, last).
void clear_vertex_fields(cuda::Gpu& gpu, VertexFields* fields, VertexId first, VertexId last);
/// Each vertex is named once.
void set_vertex_fields(cuda::Gpu& gpu, VertexFields* fields, const VertexId* vertex,
                       const VertexFields* value, std::size_t n);
/// `size`: the vertices that have an entry. *bad as find_edges() leaves it.
void find_vertex_fields(cuda::Gpu& gpu, const VertexFields* fields, VertexId size,
                        const VertexId* vertex, std::size_t n, VertexId vertices, VertexFields* to,
                        unsigned long long* bad);
/// Sets *any where an entry says something.
void look_for_vertex_fields(cuda::Gpu& gpu, const VertexFields* fields, VertexId size,
                            std::uint32_t* any);

}  // namespace fathom::dynamic::gpu
