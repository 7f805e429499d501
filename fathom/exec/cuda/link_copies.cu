// Copies by the copy engines: one at a time, and in chunks over several streams.
#include "fathom/exec/cuda/link_parts.cuh"

namespace fathom::link {
namespace {

constexpr std::size_t kStreams = 8;
constexpr std::array<std::uint64_t, 5> kChunks = {kMiB / 16, kMiB / 4, kMiB, 4 * kMiB, 16 * kMiB};

class ChunkedCopy {
 public:
  /// GB/s of a copy in chunks, from the first one's start to the last one's end.
  double rate(Timing& timing, std::byte* to, const std::byte* from, std::uint64_t bytes,
              std::uint64_t chunk) {
    const auto run = [&](int) {
      return timing.seconds([&] { copy(timing.begin(), to, from, bytes, chunk); });
    };
    run(0);
    return gigabytes(bytes) / timing.median(run);
  }

 private:
  void copy(cudaEvent_t begin, std::byte* to, const std::byte* from, std::uint64_t bytes,
            std::uint64_t chunk) {
    for (const Stream& stream : streams_)
      check(cudaStreamWaitEvent(stream, begin, 0), "order streams");
    for (std::uint64_t at = 0; at < bytes; at += chunk)
      check(cudaMemcpyAsync(to + at, from + at, std::min(chunk, bytes - at), cudaMemcpyHostToDevice,
                            streams_[at / chunk % kStreams]),
            "copy to the device");
    for (std::size_t i = 0; i < kStreams; ++i) {
      copied_[i].record(streams_[i]);
      check(cudaStreamWaitEvent(cudaStream_t{}, copied_[i], 0), "order streams");
    }
  }

  std::array<Stream, kStreams> streams_;
  std::array<Event, kStreams> copied_;
};

double copy_rate(Timing& timing, void* to, const void* from, std::uint64_t bytes,
                 cudaMemcpyKind kind) {
  const auto run = [&](int) {
    return timing.seconds(
        [&] { check(cudaMemcpyAsync(to, from, bytes, kind, cudaStream_t{}), "copy"); });
  };
  run(0);
  return gigabytes(bytes) / timing.median(run);
}

}  // namespace

LinkProfile::Copies measure_copies(Timing& timing, std::uint64_t bytes, int device) {
  const DeviceMemory memory(bytes);
  LinkProfile::Copies copies;
  {
    const HostRegion pinned(ZeroCopyWay::Malloc, bytes, device);
    auto* const host = static_cast<std::byte*>(pinned.on_host());
    ChunkedCopy chunked;
    for (const std::uint64_t chunk : kChunks)
      copies.chunked.push_back({chunk, chunked.rate(timing, memory.data(), host, bytes, chunk)});
    copies.to_device = copy_rate(timing, memory.data(), host, bytes, cudaMemcpyHostToDevice);
    copies.to_host = copy_rate(timing, host, memory.data(), bytes, cudaMemcpyDeviceToHost);
  }
  const std::uint64_t part = bytes / 2;  // the driver stages it on one host thread: slower
  const MappedMemory pageable(part);
  copies.pageable_to_device =
      copy_rate(timing, memory.data(), pageable.data(), part, cudaMemcpyHostToDevice);
  copies.pageable_to_host =
      copy_rate(timing, pageable.data(), memory.data(), part, cudaMemcpyDeviceToHost);
  return copies;
}

}  // namespace fathom::link
