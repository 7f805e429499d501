#include "fathom/residency/cuda/unpacking.hpp"

#include <algorithm>
#include <utility>

namespace fathom::cuda {

using store::packed::kGroup;

namespace {

/// GPUs have pages of narrow lists decoded on the host.
const PackedPage& packed_page(const FrameCopies::Piece& piece) {
  return static_cast<const PackedPage&>(*piece.encoded);
}

}  // namespace

Unpacking::~Unpacking() {
  if (fault_) cudaFreeHost(fault_);
}

/// Where the device reads host memory; null: it does not.
template <class T>
const T* Unpacking::reached(const T* at, std::size_t count) {
  if (count == 0 || HostCopies::staged(at, count * sizeof(T))) return nullptr;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, at), "asking whose memory it is");
  return attributes.type == cudaMemoryTypeHost ? static_cast<const T*>(attributes.devicePointer)
                                               : nullptr;
}

template <class T>
const T* Unpacking::on_device(Copied<T>& copied, std::span<const T> from, cudaStream_t stream,
                              HostCopies& copies) {
  if (copied.from != from.data() || copied.here.size() != from.size()) {
    check(cudaStreamSynchronize(stream), "waiting for kernels that read what goes");
    copied.here = Array<T>(from.size(), gpu_.memory());
    // The memory is ready for the GPU's stream.
    check(cudaStreamSynchronize(gpu_.stream()), "waiting for memory");
    copies.queue(stream, copied.here.data(), from.data(), from.size_bytes());
    copied.from = from.data();
  }
  return copied.here.data();
}

std::size_t Unpacking::put_off(const FrameCopies::Piece& piece) {
  pieces_.push_back(piece);
  return piece.weights ? piece.encoded->weight_bytes() : piece.encoded->bytes();
}

void Unpacking::obtain_fault() {
  if (fault_) return;
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(*fault_), cudaHostAllocMapped), "allocating pinned memory");
  fault_ = static_cast<unsigned long long*>(memory);
  *fault_ = 0;
}

void Unpacking::queue(cudaStream_t stream, HostCopies& copies) {
  if (pieces_.empty()) return;
  gpu_.activate();
  obtain_fault();
  queued_ = true;
  const PackedPage& any = packed_page(pieces_.front());
  name_ = *any.name;
  UnpackRuns runs{};
  for (const FrameCopies::Piece& piece : pieces_) {
    if (piece.weights)
      add_weights(piece, stream, copies);
    else
      add_targets(piece, runs, stream, copies);
  }
  unpack(runs, any, stream);
  pieces_.clear();
}

void Unpacking::unpack(UnpackRuns& runs, const PackedPage& page, cudaStream_t stream) {
  unpack_runs(stream, runs, page.id_bits, page.vertices, fault_);
  runs.count = 0;
}

void Unpacking::add_targets(const FrameCopies::Piece& piece, UnpackRuns& runs, cudaStream_t stream,
                            HostCopies& copies) {
  const PackedPage& page = packed_page(piece);
  const std::uint64_t* const index =
      on_device(index_, page.whole_index, stream, copies) + (page.index - page.whole_index.data());
  std::uint64_t group = 0;
  for (const PackedRun& run : page.runs) {
    const std::uint64_t last = group + run.groups, first = group * kGroup;
    const auto words = static_cast<std::size_t>(
        store::packed::end_of_group(page.index[last - 1], page.index[last]) - run.first_word);
    const std::uint32_t* at = reached(run.words, words);
    const bool beside = !at;
    if (beside) {
      unpack(runs, page, stream);
      at = reinterpret_cast<const std::uint32_t*>(
          brought(run.words, words * sizeof(std::uint32_t), stream, copies));
    }
    add_run(runs, {at, index + group, run.first_word, static_cast<VertexId*>(piece.to) + first,
                   std::min<std::uint64_t>(last * kGroup, page.entries) - first,
                   page.first_group + group});
    if (beside || runs.count == UnpackRuns::kMost) unpack(runs, page, stream);
    group = last;
  }
}

void Unpacking::add_weights(const FrameCopies::Piece& piece, cudaStream_t stream,
                            HostCopies& copies) {
  const PackedPage& page = packed_page(piece);
  const store::PackedWeights& weights = page.weights;
  if (weights.code_bytes == 0)
    return copies.queue(stream, piece.to, weights.at, page.weight_bytes());
  const Weight* const values = on_device(values_, weights.values, stream, copies);
  const std::byte* codes = reached(weights.at, page.weight_bytes());
  if (!codes) codes = brought(weights.at, page.weight_bytes(), stream, copies);
  unpack_codes(stream, codes, weights.code_bytes, values,
               static_cast<std::uint32_t>(weights.values.size()), page.entries,
               static_cast<Weight*>(piece.to), fault_);
}

/// Copies host memory beside the frames, where it stays until the next call of this.
const std::byte* Unpacking::brought(const void* from, std::size_t bytes, cudaStream_t stream,
                                    HostCopies& copies) {
  if (beside_.size() < bytes) {
    check(cudaStreamSynchronize(stream), "waiting for kernels that read what goes");
    beside_ = {};
    beside_ = Array<std::byte>(bytes, gpu_.memory());
    check(cudaStreamSynchronize(gpu_.stream()), "waiting for memory");
  }
  copies.queue(stream, beside_.data(), from, bytes);
  return beside_.data();
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
