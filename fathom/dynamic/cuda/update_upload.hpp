// Updates in host memory on their way to a GPU: all host threads fill pinned memory, piece by
// piece, while the pieces before are copied.
#pragma once

#include "fathom/dynamic/update.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

class UpdateUpload {
 public:
  UpdateUpload(const Context& ctx, cuda::Gpu& gpu) : ctx_(ctx), gpu_(gpu) {}
  ~UpdateUpload();
  UpdateUpload(const UpdateUpload&) = delete;
  UpdateUpload& operator=(const UpdateUpload&) = delete;

  /// Queues copies of n updates to device memory; they may not change before the stream has done
  /// them. Pinned memory is copied from directly. Returns how many are loops, if `count_loops`.
  /// @throws Error(Device)
  std::size_t send(const EdgeUpdate* from, std::size_t n, EdgeUpdate* to, bool count_loops);

 private:
  // Pinned memory is taken in halves: one is filled while the other is still copied. Pieces are
  // small enough that 100,000 updates keep a dozen threads busy.
  static constexpr std::size_t kHalf = std::size_t{8} << 20, kPiece = std::size_t{128} << 10;

  bool staged();
  std::size_t send_part(const EdgeUpdate* from, std::size_t n, EdgeUpdate* to, bool count_loops);

  const Context& ctx_;
  cuda::Gpu& gpu_;
  std::byte* memory_ = nullptr;
  cudaEvent_t sent_[2] = {};
  int next_ = 0;
};

}  // namespace fathom::dynamic::gpu
