// The lists of a graph that changes on one GPU.
#pragma once

#include <array>

#include "fathom/dynamic/batches/batch_state.hpp"
#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/cuda/mailbox.hpp"
#include "fathom/dynamic/lists/lists_on_gpus.hpp"
#include "fathom/dynamic/pages/cuda/gpu_pages.hpp"
#include "fathom/dynamic/pages/cuda/mapped_memory.hpp"

namespace fathom::dynamic::gpu {

/// Device memory that is kept from batch to batch; its content is not.
template <class T>
class Kept {
 public:
  std::size_t size() const { return array_.size(); }
  T* at_least(const cuda::Gpu& gpu, std::size_t n) {
    if (array_.size() < n) {
      array_ = {};
      array_ = Array<T>(n + n / 8, gpu.memory());
    }
    return array_.data();
  }

 private:
  Array<T> array_;
};

/// What the changes of a batch need on the device, for each direction.
struct Work {
  std::array<Side, 2> side{};
  int sides = 0;
  struct Arrays {
    Kept<Change> change;
    Kept<TouchedList> touched;
    Kept<PageNumbers> number;
    Kept<VertexId> vertex;
    Kept<std::uint32_t> head;  // of chains; all are empty between batches
    Kept<UpdateNode> node;
    Kept<PageRequest> fresh, old;
  };
  std::array<Arrays, 2> array;
  Kept<EdgeUpdate> update;
  Kept<EdgeFields> fields;
  Kept<std::uint64_t> sort;

  void add(const cuda::Gpu& gpu, const DynamicListsRef& lists, std::size_t changes,
           std::size_t touched, SideTotals* totals);
  void make_room(const cuda::Gpu& gpu, std::size_t k, std::uint64_t fresh, std::uint64_t old);
  std::size_t bytes() const;
};

/// Which part of a graph such lists are.
enum class ListsPart {
  Whole,
  /// The out-lists, or the in-lists, of some vertices, of a graph on several GPUs: batches come
  /// with an update for each of these lists, and nothing has to be mirrored.
  Some,
};

class Lists final : public GpuLists {
 public:
  /// On one GPU of the context.
  Lists(const Context& ctx, const Device& device, const DynamicGraphOptions& options,
        const DynamicLayout& layout, const ListRoom& room, ListsPart part = ListsPart::Whole);
  ~Lists() override;

  VertexId vertices() const override { return vertices_; }
  EdgeId edges() const override { return direction_[0].edges; }
  DynamicMemory memory() const override;
  void fill(const CsrView& out, std::span<const EdgeFields> out_fields, const CsrView* in,
            std::span<const EdgeFields> in_fields, std::uint32_t epoch) override;
  bool fill_from(const GpuLists& other, std::uint32_t epoch) override;
  void set_missing(std::span<const VertexId> vertices) override;
  BatchReport apply(const ListBatch& batch) override;
  OpenChanges open_changes(const LiveRequest& request) override;
  void reserve_for_changes(std::size_t bytes) override;
  LiveCounts close_changes() override;
  void release(const std::multiset<std::uint32_t>& snapshots) noexcept override;
  ListViews views(bool in) const override { return {view(in)}; }
  DynamicEdges view(bool in) const override;
  std::vector<Array<DynamicRecord>> copy_records(bool in) const override;
  std::shared_ptr<VertexTable> vertex_table(std::span<const VertexFields> all) const override;
  std::size_t find(std::span<const Edge> edges, const EdgeAnswers& to,
                   bool on_device) const override;
  std::size_t degrees(std::span<const VertexId> vertices, EdgeId* to,
                      bool on_device) const override;
  Csr neighbors(std::span<const VertexId> vertices, bool in,
                Array<EdgeFields>* fields) const override;
  Csr to_csr(std::span<const DynamicEdges> lists, VertexId vertices,
             Array<EdgeFields>* fields) const override;
  void sort_keys(const std::uint64_t* keys, std::uint64_t* sorted, std::size_t n,
                 int bits) const override;
  void sum_up(const std::uint64_t* values, std::uint64_t* sums, std::size_t n) const override;
  /// Sums of degrees, in device memory.
  Array<EdgeId> offsets(const DynamicEdges& lists, VertexId vertices) const;
  std::unique_ptr<EdgeSource> open(const ListViews& lists, VertexId vertices, EdgeId edges,
                                   Unchanged unchanged,
                                   std::shared_ptr<const void> owner) const override;

  cuda::Gpu& gpu() const { return gpu_; }
  /// Looks at updates in device memory, which are those of the batch. @throws Error(Usage) for one
  /// of a vertex that does not exist.
  void check_sent(const ListBatch& batch, const EdgeUpdate* update);
  class Applying;

 private:
  struct Direction {
    std::unique_ptr<MappedMemory> records;
    std::unique_ptr<MappedMemory> written;  // DynamicListsRef::written; null unless it is needed
    EdgeId edges = 0;
    DynamicRecord* record() const { return reinterpret_cast<DynamicRecord*>(records->data()); }
  };
  /// Edges that go with vertices.
  struct Implied {
    Array<Edge> edge;
    std::size_t loops = 0;
  };
  /// Lists [first, last) that are filled, in device memory; see FillList.
  struct Piece {
    VertexId first, last;
    const EdgeId* offset;
    EdgeId base;
    const VertexId* target;
    const Weight* weight;
    const EdgeFields* fields;
  };
  class NewBits;
  class Changing;
  class Filling;
  /// What kernels need that change lists themselves.
  struct Live {
    std::array<Array<std::uint32_t>, 2> lock;
    Array<LiveCounts> counts;
    Array<VertexId> fresh;
    Array<std::uint64_t> taken;
    std::size_t reused = 0;  // of fresh: those that existed before
  };
  Live live_arrays(const LiveRequest& request);
  void open_arena(std::size_t reserve);
  LiveArena live_arena();
  void wait_for_changes() const;

  int directions() const { return direction_[1].records ? 2 : 1; }
  template <class T>
  Array<T> device_array(std::size_t n) const {
    return Array<T>(n, gpu_.memory());
  }
  template <class T>
  void send(T* to, const T* from, std::size_t n) const {
    send_bytes(to, from, n * sizeof(T));
  }
  template <class T>
  void receive(T* to, const T* from, std::size_t n) const {
    if (n != 0) gpu_.receive(to, from, n * sizeof(T), ctx_.host_memory(), ctx_.threads());
  }
  /// Queues a copy; `from` may not change before the stream has done it.
  void send_bytes(void* to, const void* from, std::size_t bytes) const;
  DynamicListsRef lists(int d, std::uint32_t epoch, std::uint32_t pinned) const {
    const Direction& its = direction_[static_cast<std::size_t>(d)];
    auto* const written = pinned != 0 && its.written
                              ? reinterpret_cast<std::uint32_t*>(its.written->data())
                              : nullptr;
    return {pages_->region(), its.record(), layout_, epoch, pinned, room_, written};
  }
  DynamicEdges edges_of(int d) const {
    return {pages_->region(), direction_[d].record(), layout_, kWholeList};
  }

  /// Has records of so many lists, new ones of empty lists, and, for a batch of which a snapshot
  /// shows pages up to epoch `pinned`, room to tell such pages from others. @throws
  /// Error(DoesNotFit)
  void grow_records(std::size_t d, VertexId vertices, std::uint32_t pinned);

  /// Of the batch under way, and of the one after it.
  Totals* totals() const { return const_cast<Totals*>(totals_.data()) + turn_; }
  Totals* next_totals() const { return const_cast<Totals*>(totals_.data()) + (1 - turn_); }
  /// A batch begins.
  void clear_totals();
  void wait() const;
  void wait_for_totals() const;
  template <class Question, class Query>
  std::size_t answer(std::span<const Question> asked, bool on_device, const Query& query) const;
  std::uint32_t* exists() const { return reinterpret_cast<std::uint32_t*>(exists_.data()); }
  Array<VertexId> on_device(std::span<const VertexId> vertices) const;
  void mark(const Array<VertexId>& vertices, bool value) const;
  /// The updates in device memory.
  const EdgeUpdate* sent(const ListBatch& batch);
  /// Besides, they are checked, and their loops are counted in an undirected graph.
  const EdgeUpdate* bring(const ListBatch& batch, std::size_t& loops);
  /// What the changes of a semantic graph refer to, in device memory.
  UpdateData data_of(const ListBatch& batch, const EdgeUpdate* updates);
  /// Of what the last wait found; `update`: the updates, where the GPU reads them.
  void check(const ListBatch& batch, const EdgeUpdate* update) const;
  Implied implied_by(const ListBatch& batch, const EdgeUpdate* updates,
                     Array<VertexId>& vertex) const;
  /// Whether a batch is planned without sorting it whole.
  bool suits_chains(const ListBatch& batch) const;
  /// Room for `changes`, of up to `touched` lists.
  Work::Arrays& add_side(int d, const ListBatch& batch, const UpdateData& data, std::size_t changes,
                         std::size_t touched);
  cuda::Staging* ring_for(const ListBatch& batch) const;
  void chain_in_pieces(cuda::Staging& ring, const ListBatch& batch, ChainedUpdates updates);
  /// Plan all changes. Return how many there may be in each direction.
  std::size_t plan_by_chains(const ListBatch& batch);
  std::size_t plan_by_sorting(const ListBatch& batch, Array<VertexId>& deleted);
  Rooms rooms(const Work& work) const;
  void assign_pages(Work& work);
  void queue_commit();
  const SideTotals& found_of(const Side& side) const;
  BatchFinding wait_for_finding(Work& work);
  void make_room(Work& work);
  void check_lengths() const;
  void give_up(const Work& work) noexcept;
  BatchReport take_in() noexcept;
  /// Plans lists that are filled, and finds their pages. @throws Error(DoesNotFit)
  void plan_to_fill(Work& work, const EdgeId* offset, VertexId first);
  /// Of a graph of so many vertices.
  void keep_for(VertexId vertices);
  /// How many of so many bytes each, up to `most`, are worked on at a time: in a sixteenth of the
  /// device's budget.
  std::size_t at_once(std::size_t bytes_each, std::size_t most) const;
  VertexId lists_at_once() const;
  /// Edges of which lists are filled, or extracted, at a time.
  EdgeId edges_at_once() const;
  void expect_pages(const CsrView& csr, std::uint64_t* bytes) const;
  void fill_direction(int d, const CsrView& csr, std::span<const EdgeFields> fields,
                      std::uint32_t epoch);
  void fill_piece(int d, const CsrView& csr, std::span<const EdgeFields> fields, VertexId first,
                  VertexId last, std::uint32_t epoch);
  void fill_with(int d, const Piece& piece, std::uint32_t epoch);
  void set_vertices(VertexId vertices);
  void copy_direction(int d, const Lists& from, std::uint32_t epoch);
  void copy_piece(int d, const Lists& from, const Array<EdgeId>& offset, VertexId first,
                  VertexId last, std::uint32_t epoch);
  bool sorts(const Lists& from) const;
  // Of sums of degrees in device memory.
  EdgeId read_offset(const Array<EdgeId>& offset, VertexId v) const;
  VertexId end_of_piece(const Array<EdgeId>& offset, VertexId first, VertexId vertices,
                        EdgeId most) const;
  void forget_epochs();
  std::uint64_t retiring() const;
  void make_room_for_retired(std::uint64_t more);

  const Context& ctx_;
  cuda::Gpu& gpu_;
  DynamicLayout layout_;
  ListRoom room_;
  VertexId most_vertices_;
  bool directed_;
  bool mirrors_;  // updates are of both directions
  DuplicatePolicy duplicates_;
  UpdateStrategy strategy_;
  std::unique_ptr<GpuPages> pages_;
  MappedMemory exists_;  // a bit per vertex
  Work work_;
  std::array<Direction, 2> direction_;
  VertexId vertices_ = 0;
  Array<Totals> totals_;  // [2], which take turns
  int turn_ = 0;
  bool next_is_clear_ = false;
  Mailbox<Totals> found_;
  mutable cuda::ArrayScratch scratch_;
  Array<RetiredPage> retired_;
  Array<std::uint32_t> retired_count_;  // on the device; at most most_retired_
  std::uint64_t most_retired_ = 0;
  Live live_;
  Array<LiveArenaState> arena_;  // once there has been a phase of changes
  mutable std::uint64_t waits_ = 0;
  std::uint32_t longest_ = 0;  // changes of one list in the last batch that changed any
};

}  // namespace fathom::dynamic::gpu
