// Host memory that a GPU can load from, obtained in one of EMOGI's three ways (section 4.1), or
// unified memory that migrates.
#pragma once

#include <memory>

#include "fathom/exec/context.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/gpu_options.hpp"

namespace fathom {

class HostBlock {
 public:
  HostBlock() = default;
  /// Uninitialised. Counts against `budget` while it lives. @throws Error(DoesNotFit);
  /// Error(Device) when the driver refuses.
  HostBlock(cuda::Gpu& gpu, ZeroCopyWay way, std::size_t bytes, std::shared_ptr<MemoryPool> budget);
  /// Pins memory that is there already; null when it cannot be pinned: small or unaligned arrays,
  /// and some file systems.
  static std::unique_ptr<HostBlock> pin(const void* data, std::size_t bytes);
  /// Host memory obtained in that way with a copy of `bytes` bytes at `data`; with Register the
  /// data themselves where they can be pinned, which then outlive the block.
  static std::unique_ptr<HostBlock> holding(const Context& ctx, cuda::Gpu& gpu, ZeroCopyWay way,
                                            const void* data, std::size_t bytes);
  /// Unified memory that the driver migrates to the device on access.
  static std::unique_ptr<HostBlock> migrating(cuda::Gpu& gpu, std::size_t bytes,
                                              std::shared_ptr<MemoryPool> budget);
  ~HostBlock();
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;

  /// Makes it readable by one more GPU. @throws Error(Device)
  void map_for(const cuda::Gpu& gpu);

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }

  /// The way whose scattered reads reach farthest, by what was measured of the link, among those
  /// that this device and so many bytes allow.
  static ZeroCopyWay farthest_reaching(const cuda::Gpu& gpu, std::size_t bytes);
  /// Managed memory is never asked for beyond this: more of it than the device has free can hang
  /// some systems.
  static std::size_t most_managed();

 private:
  enum class Kind { None, Pinned, Registered, Borrowed, Managed };
  Kind kind_ = Kind::None;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::shared_ptr<MemoryPool> budget_;
};

}  // namespace fathom
