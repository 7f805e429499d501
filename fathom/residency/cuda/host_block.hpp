// Host memory that a GPU can load from, obtained in one of EMOGI's three ways (section 4.1), or
// unified memory that migrates. How long each takes: docs/adr/0014.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/pinned_pieces.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/residency/host_memory.hpp"

namespace fathom {

class HostBlock {
 public:
  /// Writes bytes [first, last) to `to`; from several threads. Borders are multiples of 1 MiB.
  using Fill = FunctionRef<void(std::size_t first, std::size_t last, std::byte* to)>;

  /// Obtained in that way and filled; readable by the GPU when it returns. Counts against the
  /// host's budget while it lives. With Register, memory is pinned behind the threads that fill it;
  /// where the driver refuses, cudaMallocHost takes its place.
  /// @throws Error(DoesNotFit); Error(Device) when the driver refuses; Error(Interrupted).
  static std::unique_ptr<HostBlock> filled(const Context& ctx, cuda::Gpu& gpu, ZeroCopyWay way,
                                           std::size_t bytes, Fill fill);
  /// The same with a copy of `bytes` bytes at `data`.
  static std::unique_ptr<HostBlock> holding(const Context& ctx, cuda::Gpu& gpu, ZeroCopyWay way,
                                            const void* data, std::size_t bytes);
  /// Pins memory that is there already, piece by piece behind its first use: see pinned(). Null
  /// when it cannot be pinned: small or unaligned arrays, and some file systems. The memory
  /// outlives it, and counts against no budget.
  static std::unique_ptr<HostBlock> pin(const cuda::Gpu& gpu, const void* data, std::size_t bytes);
  /// For kernels to read over the link: in the way that was asked for or else farthest_reaching().
  /// `there`: where the host has the same bytes, which are then pinned where that is the way, or
  /// null.
  static std::unique_ptr<HostBlock> over_link(const Context& ctx, cuda::Gpu& gpu,
                                              std::optional<ZeroCopyWay> asked, const void* there,
                                              std::size_t bytes, Fill fill);
  /// Unified memory that the driver migrates to the device on access.
  static std::unique_ptr<HostBlock> migrating(cuda::Gpu& gpu, std::size_t bytes,
                                              std::shared_ptr<MemoryPool> budget);
  /// Waits for a piece that is being pinned.
  ~HostBlock();
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;

  /// Makes it readable by one more GPU. @throws Error(Device)
  void map_for(const cuda::Gpu& gpu);

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// From its beginning, the bytes that kernels may read now.
  std::size_t reach() const { return pieces_ ? pieces_->pinned() : bytes_; }
  /// Whether kernels may read these bytes of it now.
  bool pinned(std::size_t first, std::size_t bytes) const { return first + bytes <= reach(); }
  /// Waits until kernels may read all of it. False: the driver refuses some. @throws
  /// Error(Interrupted)
  bool wait(const Task& task);

  /// As the device's page tables are concerned.
  ZeroCopyWay way() const { return way_; }
  HostMemoryBlock report() const;
  /// For the report.
  void note(const std::string& what) { note_ += (note_.empty() ? "" : "; ") + what; }
  /// The driver's words, where wait() says no.
  std::string refusal() const { return pieces_ ? pieces_->refusal() : ""; }

  /// The way whose scattered reads reach farthest, by what was measured of the link, among those
  /// that this device and so many bytes allow; cudaMallocHost, which is slow, only when asked for.
  /// `note`: what is lost where it is not the best of all, or empty.
  struct Choice {
    ZeroCopyWay way;
    std::string note;
  };
  static Choice farthest_reaching(const cuda::Gpu& gpu, std::size_t bytes);

 private:
  enum class Kind { None, Pinned, Registered, Borrowed, Managed };

  HostBlock() = default;
  void obtain(cuda::Gpu& gpu, ZeroCopyWay way, std::size_t bytes,
              const std::shared_ptr<MemoryPool>& budget);
  void fill_all(const Context& ctx, Fill fill);
  bool fill_and_pin(const Context& ctx, Fill fill);

  Kind kind_ = Kind::None;
  ZeroCopyWay way_ = ZeroCopyWay::Malloc;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::shared_ptr<MemoryPool> budget_;
  std::shared_ptr<PinnedPieces> pieces_;  // of Registered and Borrowed
  double seconds_ = 0;                    // that callers waited
  std::string note_;
};

}  // namespace fathom
