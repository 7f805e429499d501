// Copies on a stream of their own, while kernels run on the GPU's: the host waits for neither. An
// event after each pass tells when the frames it used may be overwritten, one after each queued
// copy when what it read may be.
//
// Copies of pages are put off until there are several, since neighbours go as one: a page alone, of
// 1 MiB, runs at 48 GB/s where 16 MiB reach 55, and memory that waits to be pinned is staged best
// by several MiB. Nobody sees that: they are queued before whatever has to come after them. What is
// packed is not copied: kernels on the same stream read it in host memory and write the frames.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "fathom/core/trace.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/host_copies.hpp"
#include "fathom/residency/cuda/page_table.hpp"
#include "fathom/residency/cuda/unpacking.hpp"
#include "fathom/residency/paged/frame_copies.hpp"

namespace fathom::cuda {

class QueuedCopies final : public FrameCopies {
 public:
  /// A sweep shows each of `pages` pages at most once. @throws Error(Device)
  QueuedCopies(const Context& ctx, const Gpu& gpu, std::size_t pages, Trace* trace);
  ~QueuedCopies() override;

  void begin_sweep(std::size_t frames, const PageTable& table) override;
  void copy(std::size_t frame, std::span<const Piece> pieces) override;
  bool forward(FrameCopies& peer, std::size_t peer_frame, std::size_t frame,
               std::span<const Piece> pieces) override;
  void start() override;
  std::size_t ended(std::size_t least) override;
  std::uint64_t requests() const override { return requests_; }
  const LinkProfile* link() const override { return &gpu_.link(); }
  const std::byte* reachable(const std::byte* host, std::size_t bytes) const override;
  void show_copied() override;
  void begin_pass(const PageTable& table, std::span<const PageEntry> entries) override;
  void end_pass(std::span<const std::size_t> frames, std::size_t bytes) override;
  std::size_t passes() const override { return passes_ - 1; }
  std::size_t passes_ended(std::size_t least) override;
  void settle(bool passes) noexcept override;
  void end_sweep() override;
  void copy_in_order(void* to, const void* from, std::size_t bytes) override;
  void clear(void* at, std::size_t bytes) override;
  void fetch(void* to, const void* from, std::size_t bytes) const override {
    gpu_.copy(to, from, bytes);
  }

 private:
  /// Something between two events, for the trace.
  struct Span {
    const char* lane;
    const char* what;
    cudaEvent_t from, to;
    std::size_t bytes;
  };
  struct Queued {
    cudaEvent_t end;
    std::size_t copies;  // calls that it stands for
  };

  bool continues(std::span<const Piece> pieces) const;
  void drop_put_off() noexcept;
  void drop_events() noexcept;
  void wait_for_frames(std::span<const std::size_t> frames);
  void end_copies(std::size_t count);
  cudaEvent_t new_event(unsigned flags) const;
  cudaEvent_t take_event();
  cudaEvent_t record(cudaStream_t stream, unsigned flags) const;
  cudaEvent_t begin_span(cudaStream_t stream) const;
  void end_span(const char* lane, const char* what, cudaEvent_t from, cudaStream_t stream,
                std::size_t bytes);
  void record_pass();
  void order_kernels();

  const Gpu& gpu_;
  Trace* trace_;
  std::size_t pages_;
  PageUpdates updates_;
  HostCopies copies_;
  Unpacking unpacking_;
  std::vector<std::size_t> put_off_;  // frames of copies that are, in order
  std::vector<Transfer> transfers_;   // what goes there
  std::array<std::size_t, 2> run_{};  // in transfers_: what a neighbour's pieces may lengthen
  std::size_t bytes_put_off_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t staged_before_ = 0;  // this sweep
  cudaStream_t stream_ = nullptr;
  cudaStream_t kernels_ = nullptr;  // the GPU's
  cudaEvent_t copied_ = nullptr;
  std::vector<cudaEvent_t> spare_;   // events that may be recorded again
  std::deque<Queued> under_way_;     // in order
  std::size_t ended_ = 0;            // copies of this sweep
  std::vector<cudaEvent_t> passed_;  // [0]: the beginning of this sweep; then one per pass
  std::size_t passes_ = 0, passes_ended_ = 0;
  std::vector<std::size_t> free_at_;  // [frames]: index of the event after which it is free
  std::vector<std::vector<cudaEvent_t>> readers_;  // [frames]: copies out of it to other devices
  bool was_read_ = false;                          // some frame, in this sweep
  std::vector<std::size_t> shown_;                 // pages that the table has an entry for
  std::vector<Span> spans_;                        // of this sweep
  cudaEvent_t pass_began_ = nullptr;
  cudaEvent_t zero_ = nullptr;  // when the host's clock said start_
  Trace::Clock::time_point start_;
};

}  // namespace fathom::cuda
