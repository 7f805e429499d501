// Edges in pages that a supply brings, as many at a time as fit: graphs larger than the memory
// kernels can reach (GTS, sections 3 and 4: topology moves, attributes stay). Here is what does not
// depend on what a page looks like; PagedSource and SlottedStreamSource know that.
//
// On the host, kernels use pages where the supply has them, while it reads others. Devices get
// copies in frames: pages are dealt out to them in turn (strategy P). Frames take what the device
// has left when a sweep begins, keep their pages from one sweep to the next, and give way when an
// algorithm allocates state.
#pragma once

#include <memory>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/page_supply.hpp"
#include "fathom/residency/paging_options.hpp"

namespace fathom {

class FATHOM_API StreamSource : public EdgeSource {
 public:
  ~StreamSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) final;
  /// Nothing: lists are split over passes.
  std::optional<AnyEdges> whole(const SweepOptions&) const final { return std::nullopt; }
  const EdgeId* offsets(const Device& device) final;
  std::size_t cache_bytes() const final { return cache_bytes_; }
  Traffic traffic() const final;

  std::size_t pages() const { return pages_; }
  /// Calls of `pass` so far, over all sweeps and devices.
  std::uint64_t passes() const { return passes_; }

 protected:
  static constexpr std::size_t kNoPage = ~std::size_t{0};

  /// A page that the next pass shows, in memory that its kernels reach.
  struct Shown {
    std::size_t page;
    const std::byte* data;
    const std::byte* weight_data;  // null: not wanted, or in `data` too
  };

  /// The context outlives the source. The derived class calls load_offsets().
  /// @throws Error(DoesNotFit) when a few bytes per page do not fit a device.
  StreamSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
               const PagingOptions& options);

  // What is particular to a layout. Kernels of a device call the first two.
  /// Sets the bit of each page that the first `first` edges of an active vertex are on.
  virtual void mark_pages(const Device& device, const FrontierRef& active, EdgeId first,
                          std::uint64_t* wanted) = 0;
  /// Writes where pages are into the tables that views read, or (`there` false) that they are
  /// nowhere.
  virtual void set_pages(const Device& device, const std::vector<Shown>& pages, bool there) = 0;
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

  /// Copies the offsets to each device, and shows them to `also`. @throws what the supply throws;
  /// Error(DoesNotFit).
  void load_offsets(FunctionRef<void(std::size_t first, std::span<const EdgeId>)> also);
  EdgeId offset_at(VertexId v) const;

  /// Frames of one device: one block, which sweep_pairs() may use otherwise.
  struct Replica {
    const Device* device = nullptr;
    int cache_handle = 0;
    Array<EdgeId> offset;
    Array<std::uint64_t> wanted;  // a bit per page, set by a kernel
    std::size_t frames = 0;
    Array<std::byte> data;
    Array<std::byte> weight_data;  // empty until a sweep wants weights that have pages
    // Host side, [frames].
    std::vector<std::size_t> page_in_frame;
    std::vector<std::uint8_t> has_weights;
    std::size_t next_frame = 0;  // where the replacement hand stands
  };
  /// Takes at most `bytes` for frames, but one at least.
  void obtain_frames(Replica& replica, bool weights, std::size_t bytes);
  static void release_frames(Replica& replica);

  const Context* ctx_;
  std::unique_ptr<PageSupply> supply_;
  const bool in_place_;
  const std::size_t pages_;
  std::vector<Replica> replica_;
  Traffic traffic_;
  std::uint64_t passes_ = 0;
  bool sweeping_ = false;  // frames in use do not give way

 private:
  std::vector<std::size_t> wanted_pages(const Context& ctx, Replica& replica,
                                        const Frontier& active, EdgeId first);
  void sweep_in_place(const Context& ctx, const std::vector<std::size_t>& wanted,
                      const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  void sweep_frames(const Context& ctx, Replica& replica, const std::vector<std::size_t>& wanted,
                    const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  Shown in_frame(const Replica& replica, std::size_t frame, bool weights) const;
  void fill(const Context& ctx, Replica& replica, const SuppliedPage& page, std::size_t frame);
  void show(const Context& ctx, Replica& replica, const std::vector<Shown>& pages,
            const SweepOptions& options, FunctionRef<void(const Pass&)> pass);

  std::size_t frames_asked_;
  std::size_t cache_bytes_ = 0;
  std::shared_ptr<Trace> trace_;
};

}  // namespace fathom
