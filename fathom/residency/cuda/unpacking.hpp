// Packed pages put off until there are several, then unpacked by kernels that read host memory; by
// the host, where a GPU does not reach it.
#pragma once

#include <string>
#include <vector>

#include "fathom/exec/cuda/host_copies.hpp"
#include "fathom/residency/cuda/unpack_pages.hpp"
#include "fathom/residency/paged/frame_copies.hpp"

namespace fathom::cuda {

/// One thread at a time.
class Unpacking {
 public:
  Unpacking(const Context& ctx, const Gpu& gpu);
  ~Unpacking();
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  /// Of packed targets or weights, which stay until they were queued and what was queued has ended.
  /// The bytes that are read of them.
  std::size_t put_off(const FrameCopies::Piece& piece);
  /// Queues what was put off. @throws Error(DoesNotFit) where values of codes do not fit the
  /// device; Error(BadInput) for what the host unpacks.
  void queue(cudaStream_t stream, HostCopies& copies);
  /// Forgets what was put off.
  void drop() noexcept;
  /// Waits for what was queued since the last call, if anything was.
  /// @throws Error(BadInput) where some of it could not be unpacked.
  void check_faults(cudaStream_t stream);

 private:
  template <class T>
  const T* reached(const T* at, std::size_t count) const;
  bool put_off_targets(const FrameCopies::Piece& piece);
  bool put_off_codes(const FrameCopies::Piece& piece);
  void obtain_fault();
  void unpack_on_host(cudaStream_t stream, HostCopies& copies);
  const Weight* values_of(cudaStream_t stream, const store::PackedWeights& weights,
                          HostCopies& copies);

  const Context& ctx_;
  const Gpu& gpu_;
  std::vector<UnpackRun> runs_;
  std::vector<FrameCopies::Piece> codes_, on_host_;
  std::vector<std::byte> unpacked_;
  const PackedPage* page_ = nullptr;  // one of those put off: they have widths in common
  std::string name_;                  // of their section
  Array<Weight> values_;              // on the device
  const Weight* values_from_ = nullptr;
  unsigned long long* fault_ = nullptr;  // in pinned memory
  bool queued_ = false;                  // since faults were looked at
};

}  // namespace fathom::cuda
