#include "fathom/residency/cuda/unpacking.hpp"

#include <algorithm>
#include <utility>

namespace fathom::cuda {

using store::packed::kGroup;

Unpacking::Unpacking(const Context& ctx, const Gpu& gpu) : ctx_(ctx), gpu_(gpu) {}

Unpacking::~Unpacking() {
  if (fault_) cudaFreeHost(fault_);
}

/// Where the device reads host memory; null: it does not.
template <class T>
const T* Unpacking::reached(const T* at, std::size_t count) const {
  if (HostCopies::staged(at, count * sizeof(T))) return nullptr;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, at), "asking whose memory it is");
  return attributes.type == cudaMemoryTypeHost ? static_cast<const T*>(attributes.devicePointer)
                                               : nullptr;
}

std::size_t Unpacking::put_off(const FrameCopies::Piece& piece) {
  gpu_.activate();
  page_ = piece.packed;
  if (piece.weights ? !put_off_codes(piece) : !put_off_targets(piece)) on_host_.push_back(piece);
  return piece.weights ? piece.packed->weight_bytes() : piece.packed->bytes();
}

bool Unpacking::put_off_targets(const FrameCopies::Piece& piece) {
  const PackedPage& page = *piece.packed;
  const std::size_t before = runs_.size();
  const std::uint64_t* const index =
      reached(page.index, static_cast<std::size_t>(page.groups()) + 1);
  std::uint64_t group = 0;
  for (const PackedRun& run : page.runs) {
    const std::uint64_t last = group + run.groups;
    const std::uint64_t words =
        store::packed::end_of_group(page.index[last - 1], page.index[last]) - run.first_word;
    const std::uint32_t* const at =
        index ? reached(run.words, static_cast<std::size_t>(words)) : nullptr;
    if (!at) {
      runs_.resize(before);
      return false;
    }
    const std::uint64_t first = group * kGroup;
    const std::uint64_t end = std::min<std::uint64_t>(last * kGroup, page.entries);
    runs_.push_back({at, index + group, run.first_word, static_cast<VertexId*>(piece.to) + first,
                     end - first, page.first_group + group});
    group = last;
  }
  return true;
}

bool Unpacking::put_off_codes(const FrameCopies::Piece& piece) {
  const PackedPage& page = *piece.packed;
  if (page.weights.code_bytes == 0 || !reached(page.weights.at, page.weight_bytes())) return false;
  codes_.push_back(piece);
  return true;
}

void Unpacking::obtain_fault() {
  if (fault_) return;
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(*fault_), cudaHostAllocMapped), "allocating pinned memory");
  fault_ = static_cast<unsigned long long*>(memory);
  *fault_ = 0;
}

void Unpacking::queue(cudaStream_t stream, HostCopies& copies) {
  if (runs_.empty() && codes_.empty() && on_host_.empty()) return;
  gpu_.activate();
  obtain_fault();
  name_ = *page_->name;
  queued_ = true;
  UnpackRuns some{};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    add_run(some, runs_[i]);
    if (some.count < UnpackRuns::kMost && i + 1 < runs_.size()) continue;
    unpack_runs(stream, some, page_->id_bits, page_->vertices, fault_);
    some.count = 0;
  }
  for (const FrameCopies::Piece& piece : codes_) {
    const store::PackedWeights& weights = piece.packed->weights;
    unpack_codes(stream, reached(weights.at, piece.packed->weight_bytes()), weights.code_bytes,
                 values_of(stream, weights, copies),
                 static_cast<std::uint32_t>(weights.values.size()), piece.packed->entries,
                 static_cast<Weight*>(piece.to), fault_);
  }
  unpack_on_host(stream, copies);
  drop();
}

void Unpacking::unpack_on_host(cudaStream_t stream, HostCopies& copies) {
  for (const FrameCopies::Piece& piece : on_host_) {
    unpacked_.resize(piece.bytes);
    if (piece.weights)
      unpack_page_weights(*piece.packed, ctx_.threads(),
                          reinterpret_cast<Weight*>(unpacked_.data()));
    else
      unpack_targets(*piece.packed, ctx_.threads(), reinterpret_cast<VertexId*>(unpacked_.data()));
    copies.queue(stream, piece.to, unpacked_.data(), piece.bytes);
    check(cudaStreamSynchronize(stream), "waiting for a copy");
  }
}

const Weight* Unpacking::values_of(cudaStream_t stream, const store::PackedWeights& weights,
                                   HostCopies& copies) {
  if (values_from_ == weights.values.data()) return values_.data();
  values_ = Array<Weight>(weights.values.size(), gpu_.memory());
  copies.queue(stream, values_.data(), weights.values.data(), weights.values.size_bytes());
  values_from_ = weights.values.data();
  return values_.data();
}

void Unpacking::drop() noexcept {
  runs_.clear();
  codes_.clear();
  on_host_.clear();
}

void Unpacking::check_faults(cudaStream_t stream) {
  if (!queued_) return;
  queued_ = false;
  check(cudaStreamSynchronize(stream), "waiting for pages that are unpacked");
  const unsigned long long fault = std::exchange(*fault_, 0ull);
  if (fault == 0) return;
  if (fault == ~0ull)
    throw Error(ErrorCode::BadInput, name_ + ": the weight of an edge has no value");
  store::throw_bad_group(name_, fault - 1);
}

}  // namespace fathom::cuda
