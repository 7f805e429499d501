// Edges in pages that a supply brings, as many at a time as fit: graphs larger than the memory
// kernels can reach (GTS, sections 3 and 4: topology moves, attributes stay). Here is what does not
// depend on what a page looks like; PagedSource and SlottedStreamSource know that.
//
// On the host, kernels use pages where the supply has them, while it reads others. Devices, which
// are emulated or GPUs, get copies in frames, or read in place what is not worth one: pages are
// dealt out to them in runs (strategy P, page_deal.hpp) or all go to every one (strategy S,
// sweep_split(); offsets then travel with the pages). Pages that the supply has in memory are
// served to each device by itself (stream_serve.cpp), on several GPUs by a thread each; others are
// delivered to all as they come (stream_delivery.cpp).
//
// Frames take what the device has left when a sweep begins, keep their pages from one sweep to the
// next, and give way when an algorithm allocates state; so do offsets that the run under way has
// not asked for.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/host_fences.hpp"
#include "fathom/residency/host_memory.hpp"
#include "fathom/residency/paged/frame_copies.hpp"
#include "fathom/residency/paged/frame_table.hpp"
#include "fathom/residency/paged/page_choice.hpp"
#include "fathom/residency/paged/page_deal.hpp"
#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/residency/paged/paging_options.hpp"
#include "fathom/residency/paged/split_edges.hpp"

namespace fathom {

class FATHOM_API StreamSource : public EdgeSource, public SplitEdges {
 public:
  ~StreamSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) final;
  /// Nothing: lists are split over passes.
  std::optional<AnyEdges> whole(const SweepOptions&) const final { return std::nullopt; }
  bool comes_whole() const final { return false; }
  void prepare(const Context& ctx, const SweepOptions& options) final;
  const EdgeId* offsets(const Device& device) final;
  /// Of the links of all GPUs together, where pages are in memory.
  double link_ceiling() const final;
  std::size_t cache_bytes() const final { return cache_bytes_; }
  Traffic traffic() const final;
  void report_host_memory(HostMemoryReport& report) const final;

  std::size_t least_sweep_memory() const final;

  SplitEdges* split_edges() final { return this; }
  Strategy strategy() const final { return strategy_; }
  std::uint32_t chunks_asked() const final { return options_.chunks; }
  std::size_t pages() const final { return pages_; }
  std::size_t frame_bytes(bool weights) const final;
  std::size_t table_bytes() const final;
  std::size_t held_on(const Device& device) const final;
  void begin_split(bool split) final;
  void end_split() final;
  bool was_split() const final { return was_split_; }
  const EdgeId* host_offsets() final;
  EdgeId degree_sum_on_host(const Frontier& frontier) final;
  void sweep_split(const Context& ctx, Frontier& active, const SweepOptions& options, VertexId most,
                   FunctionRef<void(const Pass&)> pass) final;

  /// Calls of `pass` so far, over all sweeps and devices.
  std::uint64_t passes() const;

 protected:
  /// The context outlives the source. The derived class calls load_offsets().
  /// @throws Error(DoesNotFit) when a few bytes per page do not fit a device.
  StreamSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
               const PagingOptions& options);

  // What is particular to a layout.
  /// Sets the bit of each page that the first `first` edges of an active vertex are on: in the
  /// memory of a GPU in stream order, else at once, as a kernel of the device. `device` null: the
  /// host does, with its offsets.
  virtual void mark_pages(const Device* device, const FrontierRef& active, EdgeId first,
                          std::uint64_t* wanted) = 0;
  /// lines[p] += the 128-byte lines of page p that the first `first` entries of the active
  /// vertices' lists touch, at most `most` of each list: as mark_pages() otherwise. Lists that
  /// share a line count it twice. Pages that are not dealt to the device need no count.
  virtual void count_lines(const Device& device, const FrontierRef& active, EdgeId first,
                           std::uint32_t most, std::uint32_t* lines) = 0;
  /// prepare() for a run that asks for hints, where pages are in memory. None by default.
  virtual void prepare_hints() {}
  /// What kernels look pages up by; its weights are null unless these are wanted in pages.
  virtual PageTable page_table(const Device& device, bool weights) = 0;
  virtual std::size_t layout_table_bytes() const = 0;
  /// The view of the pages that are there.
  virtual AnyEdges view(const Device& device, const SweepOptions& options) = 0;
  /// Vertices with edges on a page: [first_on(p), end_of(p)); both ascend.
  virtual VertexId first_on(std::size_t page) const = 0;
  virtual VertexId end_of(std::size_t page) const = 0;

  /// For mark_pages(), from any thread.
  static void mark_page(std::uint64_t* wanted, std::uint64_t page) {
    const AtomicRef word(wanted[page / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (page % 64);
    if ((word.load() & bit) == 0) word.fetch_or(bit);
  }

  /// For count_lines(), from any thread: the lines that bytes [first, last) of a page touch.
  static void add_lines(std::uint32_t& lines, std::uint64_t first, std::uint64_t last,
                        std::uint32_t most) {
    AtomicRef(lines).fetch_add(lines_of(first, last, most));
  }

  /// Copies the offsets to each device, and shows them to `also`. @throws what the supply throws;
  /// Error(DoesNotFit).
  void load_offsets(FunctionRef<void(std::size_t first, std::span<const EdgeId>)> also);
  EdgeId offset_at(VertexId v);
  /// For what cannot be done where vertex state is split. @throws Error(Usage)
  void refuse_if_split() const;

  /// What a device has of these edges. Frames: one block, which sweep_pairs() may use otherwise.
  struct DevicePages {
    const Device* device = nullptr;
    int frames_handle = -1, offsets_handle = -1, hints_handle = -1;  // of what gives way; none
    Array<EdgeId> offset;         // [vertices + 1]; empty: not there, or not now
    Array<EdgeId> shown;          // where state is split: those of the vertices of a pass
    VertexId first_shown = 0;     // whose offset is shown[0]
    Array<VertexId> hint;         // [vertices]; empty: there are none
    Array<std::uint64_t> wanted;  // a bit per page, set by a kernel
    FrameTable table;
    Array<std::byte> data;
    Array<std::byte> weight_data;           // empty until a sweep wants weights that have pages
    std::vector<std::uint8_t> has_weights;  // [frames]: the page came with its weights
    std::unique_ptr<FrameCopies> copies;
    // Of pages that are read in place.
    Array<std::uint32_t> lines;            // [pages]; empty: none is
    Array<unsigned long long> link_count;  // [2]: requests and bytes, by a GPU's kernels
    std::optional<PageChoice> choice;      // none: every page that can be
    Traffic traffic;
    std::uint64_t passes = 0;
    bool sweeping = false;  // what is in use does not give way

    std::uint32_t turn = 0;  // among the replicas of all ranks: whose pages these are
  };
  /// Takes at most room() bytes for frames, but one at least. What frames had until now is free
  /// then. Called for one device, by its thread. `most`: frames that are of use; 0: one for each
  /// page that the device may be shown.
  void obtain_frames(DevicePages& d, bool weights, FunctionRef<std::size_t()> room,
                     std::size_t most = 0);
  /// After frames were obtained, by one thread.
  void note_cache_bytes();
  std::size_t frame_room(const DevicePages& d) const;
  /// Loads the offsets onto devices that have none. @throws Error(DoesNotFit)
  void need_offsets();
  /// What of the offsets is there, or will be, stays until the run ends. Outside of a run: nothing.
  void keep_offsets_in_run();
  /// The same while the result lives, in a run or not; offsets_held() needs them, too.
  using Holds = std::vector<std::shared_ptr<const void>>;
  [[nodiscard]] Holds hold_offsets() const;
  [[nodiscard]] Holds offsets_held();
  static void release_frames(DevicePages& d);
  DevicePages& on(const Device& device) {
    return devices_[static_cast<std::size_t>(device.index())];
  }
  /// Whether pages are served out of memory; otherwise they are brought.
  bool serves() const { return supply_->in_memory() && !options_.from_disk; }
  /// Has pages where devices can copy them from, and with `whole` read all of them in place.
  void make_ready(bool weights, bool whole);

  const Context* ctx_;
  std::unique_ptr<PageSupply> supply_;
  HostFences fences_;   // memory of the supply's
  const bool on_host_;  // kernels use pages where the supply has them
  const std::size_t pages_;
  const PageDeal deal_;
  std::vector<DevicePages> devices_;

 private:
  using Pages = std::vector<std::size_t>;
  using Entries = std::vector<PageEntry>;
  /// nextPIDSet of a device: ascending, and lines[p] > 0 of each page: so many are wanted of it.
  struct Wanted {
    Pages pages;
    std::vector<std::uint32_t> lines;
  };
  /// Shows a device pages that are in its frames.
  using ShowFrames = FunctionRef<void(DevicePages& d, const Pages& pages)>;
  /// Shows a device pages that are elsewhere, where it reads them in place.
  using ShowInPlace = FunctionRef<void(DevicePages& d, const Entries& pages)>;
  class Delivery;  // of pages to frames

  void prepare_devices();
  void enter_host_memory();
  /// Leaves pools and context.
  void withdraw() noexcept;

  /// Makes ready what count_lines() writes to, if pages may be read in place.
  void prepare_in_place(DevicePages& d);
  /// Whether pages are read in place that could be copied, whatever costs less.
  bool reads_all_in_place() const {
    return options_.page_move == PageMove::InPlace && strategy_ != Strategy::Scalability &&
           !supply_->encoded();
  }
  Wanted wanted_pages(DevicePages& d, const Frontier& active, const SweepOptions& options);
  Pages wanted_pages_on_host(const Context& ctx, const Frontier& active, EdgeId first);
  void sweep_on_host(const Context& ctx, const Pages& wanted, const SweepOptions& options,
                     FunctionRef<void(const Pass&)> pass);

  /// Brings the pages that each device wants into its frames, and shows them in batches: first
  /// those that are there. Those that cost less so are read in place instead.
  void deliver(const Context& ctx, const std::vector<Wanted>& wanted, const SweepOptions& options,
               ShowFrames show_frames, ShowInPlace show_pages_in_place);
  /// The same for one device, by its thread, of pages that are in memory.
  void serve(DevicePages& d, const Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass);
  /// What of the supply's memory the device's kernels can read now.
  struct Reach;
  Reach reach_of(const DevicePages& d, bool weights) const;
  void copy_and_show(DevicePages& d, const Pages& pages, bool weights, ShowFrames show_these);
  /// The copies of a page to a frame: of its data, and of its weights if they are wanted.
  struct FramePieces {
    std::array<FrameCopies::Piece, 2> piece;
    std::size_t count;
    std::span<const FrameCopies::Piece> span() const { return {piece.data(), count}; }
  };
  FramePieces pieces_of(DevicePages& d, std::size_t frame, const SuppliedPage& page,
                        bool weights) const;
  static std::vector<Pages> batches_of(const Pages& pages, std::size_t most);
  static void count_in_place(DevicePages& d, std::uint32_t lines, const SuppliedPage& page,
                             bool weights);

  void show(DevicePages& d, const Entries& pages, bool in_place, const SweepOptions& options,
            FunctionRef<void(const Pass&)> pass);
  void show_frames(DevicePages& d, const Pages& pages, const SweepOptions& options,
                   FunctionRef<void(const Pass&)> pass);
  void show_split(const Context& ctx, DevicePages& d, const Entries& pages,
                  const SweepOptions& options, VertexId most, Technique technique,
                  FunctionRef<void(const Pass&)> pass);
  void pin(bool weights);
  /// Calls show(technique, those of the pages), once or twice.
  void by_technique(const Entries& pages, FunctionRef<void(Technique, const Entries&)> show) const;
  /// Of pages that are in frames.
  Entries entries_of(const DevicePages& d, const Pages& pages, bool weights) const;
  static Pages frames_of(const DevicePages& d, const Entries& pages);

  Strategy strategy_;
  bool split_ = false, was_split_ = false;
  Array<EdgeId> host_offset_;
  PagingOptions options_;
  bool asked_to_pin_[2] = {};             // the supply's pages, and those of weights
  std::vector<const std::byte*> pinned_;  // what of them is
  std::size_t cache_bytes_ = 0;
};

}  // namespace fathom
