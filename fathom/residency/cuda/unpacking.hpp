// Packed pages put off until there are several, then unpacked by kernels, which read pinned host
// memory over the link, and what is not pinned after it was copied beside the frames.
#pragma once

#include <string>
#include <vector>

#include "fathom/exec/cuda/host_copies.hpp"
#include "fathom/residency/cuda/unpack_pages.hpp"
#include "fathom/residency/paged/frame_copies.hpp"

namespace fathom::cuda {

/// One thread and one stream at a time.
class Unpacking {
 public:
  explicit Unpacking(const Gpu& gpu) : gpu_(gpu) {}
  ~Unpacking();
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  /// Of packed targets or weights, which stay until they were queued and what was queued has ended.
  /// @returns the bytes that are read of them.
  std::size_t put_off(const FrameCopies::Piece& piece);
  /// Queues what was put off. The first time the index goes to the device, 8 bytes per 1024 edges,
  /// and values of codes do. @throws Error(DoesNotFit)
  void queue(cudaStream_t stream, HostCopies& copies);
  /// Forgets what was put off.
  void drop() noexcept { pieces_.clear(); }
  /// Waits for what was queued since the last call, if anything was.
  /// @throws Error(BadInput) where some of it could not be unpacked.
  void check_faults(cudaStream_t stream);

 private:
  /// A copy on the device of something that does not change.
  template <class T>
  struct Copied {
    const T* from = nullptr;
    Array<T> here;
  };
  template <class T>
  static const T* reached(const T* at, std::size_t count);
  template <class T>
  const T* on_device(Copied<T>& copied, std::span<const T> from, cudaStream_t stream,
                     HostCopies& copies);
  void obtain_fault();
  void add_targets(const FrameCopies::Piece& piece, UnpackRuns& runs, cudaStream_t stream,
                   HostCopies& copies);
  void add_weights(const FrameCopies::Piece& piece, cudaStream_t stream, HostCopies& copies);
  void unpack(UnpackRuns& runs, const PackedPage& page, cudaStream_t stream);
  const std::byte* brought(const void* from, std::size_t bytes, cudaStream_t stream,
                           HostCopies& copies);

  const Gpu& gpu_;
  std::vector<FrameCopies::Piece> pieces_;
  Copied<std::uint64_t> index_;
  Copied<Weight> values_;
  Array<std::byte> beside_;              // of what is not pinned, one run at a time
  std::string name_;                     // of the section of what was queued
  unsigned long long* fault_ = nullptr;  // in pinned memory
  bool queued_ = false;                  // since faults were looked at
};

}  // namespace fathom::cuda
