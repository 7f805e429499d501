// The lists of a graph that changes on several GPUs: vertex v is dealt to device v modulo their
// number, which has its lists in its memory. A batch goes to every device, which takes out of it
// what changes its own lists; all of them apply their part of it, or none.
#pragma once

#include "fathom/dynamic/batches/cuda/split_updates.hpp"
#include "fathom/dynamic/lists/cuda/gpu_lists.hpp"

namespace fathom::dynamic::gpu {

class DealtLists final : public GpuLists {
 public:
  /// On all GPUs of the context.
  DealtLists(const Context& ctx, const DynamicGraphOptions& options, const DynamicLayout& layout,
             const ListRoom& room);

  VertexId vertices() const override { return share_[0].side[0]->vertices(); }
  EdgeId edges() const override;
  DynamicMemory memory() const override;
  void fill(const CsrView& out, std::span<const EdgeFields> out_fields, const CsrView* in,
            std::span<const EdgeFields> in_fields, std::uint32_t epoch) override;
  bool fill_from(const GpuLists&, std::uint32_t) override { return false; }
  void set_missing(std::span<const VertexId> vertices) override;
  BatchReport apply(const ListBatch& batch) override;
  OpenChanges open_changes(const LiveRequest& request) override;
  void reserve_for_changes(std::size_t bytes) override;
  LiveCounts close_changes() override;
  void release(const std::multiset<std::uint32_t>& snapshots) noexcept override;
  ListViews views(bool in) const override;
  DynamicEdges view(bool) const override { return {}; }
  std::vector<Array<DynamicRecord>> copy_records(bool in) const override;
  std::shared_ptr<VertexTable> vertex_table(std::span<const VertexFields> all) const override;
  std::size_t find(std::span<const Edge> edges, const EdgeAnswers& to,
                   bool on_device) const override;
  std::size_t degrees(std::span<const VertexId> vertices, EdgeId* to,
                      bool on_device) const override;
  void sort_keys(const std::uint64_t* keys, std::uint64_t* sorted, std::size_t n,
                 int bits) const override;
  void sum_up(const std::uint64_t* values, std::uint64_t* sums, std::size_t n) const override;
  Csr neighbors(std::span<const VertexId> vertices, bool in,
                Array<EdgeFields>* fields) const override;
  Csr to_csr(std::span<const DynamicEdges> lists, VertexId vertices,
             Array<EdgeFields>* fields) const override;
  std::unique_ptr<EdgeSource> open(const ListViews& lists, VertexId vertices, EdgeId edges,
                                   Unchanged unchanged,
                                   std::shared_ptr<const void> owner) const override;

 private:
  /// What a device has.
  struct Share {
    const Device* device;
    std::vector<std::unique_ptr<Lists>> side;  // out-lists; and in-lists, where they are kept
    // Of a batch, kept from one to the next: as it came, and what of it changes each side.
    Kept<EdgeUpdate> whole;
    Kept<EdgeFields> fields;
    std::array<Kept<EdgeUpdate>, 2> update{};
    std::array<Kept<EdgeFields>, 2> update_fields{};
    Kept<std::uint64_t> flag, place;
    std::unique_ptr<cuda::ArrayScratch> scratch;
    std::array<ListBatch, 2> batch{};

    std::size_t batch_bytes() const;
    void forget_batch();
  };
  struct Trimming;

  bool owns(const Share& share, VertexId v) const {
    return v % share_.size() == static_cast<std::size_t>(share.device->index());
  }
  Share& on(const Device& device) const { return share_[static_cast<std::size_t>(device.index())]; }
  void bring(Share& share, const ListBatch& batch) const;
  void split(Share& share, const ListBatch& batch, std::size_t side) const;
  void fill_side(std::size_t side, const CsrView& csr, std::span<const EdgeFields> fields,
                 std::uint32_t epoch);
  template <class Extract>
  Csr joined(VertexId lists, Array<EdgeFields>* fields, const Extract& extract) const;

  const Context& ctx_;
  bool directed_;
  mutable std::vector<Share> share_;  // by device
};

}  // namespace fathom::dynamic::gpu
