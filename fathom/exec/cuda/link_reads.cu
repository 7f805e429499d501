// Reads of host memory by kernels: in order, at random and in sparse ascending sweeps over regions
// of growing size (the translation reach), and through page faults.
#include <cuda_runtime.h>

#include "fathom/exec/cuda/link_kernels.cuh"
#include "fathom/exec/cuda/link_parts.cuh"

namespace fathom::link {
namespace {

const std::uint32_t* words_of(const void* memory) {
  return static_cast<const std::uint32_t*>(memory);
}

/// The first item of a run, so that runs read different parts.
std::uint64_t start(int run, std::uint64_t total, std::uint64_t items) {
  return (total - items) / Timing::kRuns * static_cast<std::uint64_t>(run);
}

}  // namespace

Reader::Reader(Timing& timing, int device, bool quick)
    : timing_(timing), device_(device), quick_(quick), sink_(sizeof(std::uint32_t)) {
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device),
        "tell the device's size");
}

unsigned Reader::blocks(int per_multiprocessor) const {
  return static_cast<unsigned>(multiprocessors_ * per_multiprocessor);
}

std::uint64_t Reader::sample(std::uint64_t region, std::uint64_t item_bytes) const {
  return std::min(region, quick_ ? kGiB / 8 : kGiB / 2) / item_bytes;
}

/// GB/s of reading `most` items, or fewer where that would take long.
double Reader::rate(std::uint64_t most, std::uint64_t item_bytes, const Launch& launch) {
  const double patience = quick_ ? 0.01 : 0.04;  // seconds a run
  const std::uint64_t first = std::max<std::uint64_t>(most / 16, 1);
  const double seconds = timing_.seconds([&] { launch(Timing::kRuns, first); });
  const double affordable = static_cast<double>(first) * patience / std::max(seconds, 1e-9);
  const std::uint64_t items =
      affordable >= static_cast<double>(most)
          ? most
          : std::max(static_cast<std::uint64_t>(affordable), first / 16 + 1);
  const double median =
      timing_.median([&](int run) { return timing_.seconds([&] { launch(run, items); }); });
  return gigabytes(items * item_bytes) / median;
}

/// The link needs some 800 lines under way (51 GB/s at 2 us). Four blocks per multiprocessor are
/// well above that, and keep an ascending sweep a narrow window.
template <class Lines>
void Reader::read(const std::uint32_t* words, const Lines& lines, std::uint64_t count) {
  read_lines<<<blocks(4), kBlockThreads>>>(words, lines, count, sink());
}

LinkProfile::InOrder Reader::in_order(ZeroCopyWay way, const HostRegion& memory) {
  const std::uint32_t* const words = words_of(memory.on_device());
  const std::uint64_t lines = memory.bytes() / kLineBytes - 1;  // room for the last one's offset
  const auto rate_at = [&](std::uint64_t offset) {
    return rate(sample(lines * kLineBytes, kLineBytes), kLineBytes,
                [&](int run, std::uint64_t items) {
                  read(words + offset, ConsecutiveLines{start(run, lines, items)}, items);
                });
  };
  LinkProfile::InOrder row{way, 0, 0, 0};
  row.aligned = rate_at(0);
  row.misaligned = rate_at(32 / sizeof(std::uint32_t));
  const std::uint64_t pieces = memory.bytes() / kPieceBytes;
  row.strided =
      rate(sample(memory.bytes(), kPieceBytes), kPieceBytes, [&](int run, std::uint64_t items) {
        read_pieces<<<blocks(8), kBlockThreads>>>(words + start(run, pieces, items) * kPieceWords,
                                                  items, sink());
      });
  return row;
}

LinkProfile::Reach Reader::reach(ZeroCopyWay way, const HostRegion& memory, std::uint64_t region) {
  const std::uint32_t* const words = words_of(memory.on_device());
  const std::uint64_t lines = region / kLineBytes, most = sample(region, kLineBytes);
  LinkProfile::Reach row{way, region, 0, {}};
  row.random = rate(most, kLineBytes, [&](int run, std::uint64_t items) {
    read(words, RandomLines{lines, static_cast<std::uint64_t>(run)}, items);
  });
  for (std::size_t i = 0; i < kSweepStrides.size(); ++i)
    row.ascending[i] = rate(most, kLineBytes, [&](int run, std::uint64_t items) {
      const std::uint64_t stride = kSweepStrides[i];
      read(words, SparseLines{lines / stride, stride, start(run, lines, items)}, items);
    });
  return row;
}

/// Each run begins with every page on the host and none on the device.
double Reader::cold_seconds(bool read_mostly, const ManagedMemory& memory,
                            const std::function<void(int)>& launch) {
  return timing_.median([&](int run) {
    advise(memory.data(), memory.bytes(), cudaMemAdviseUnsetReadMostly, device_);
    bring_home(memory.data(), memory.bytes());
    if (read_mostly) advise(memory.data(), memory.bytes(), cudaMemAdviseSetReadMostly, device_);
    return timing_.seconds([&] { launch(run); });
  });
}

LinkProfile::Unified Reader::unified(bool read_mostly, const ManagedMemory& memory) {
  const std::uint32_t* const words = words_of(memory.data());
  const std::uint64_t lines = memory.bytes() / kLineBytes, pages = memory.bytes() / 4096;
  LinkProfile::Unified row{read_mostly, memory.bytes(), 0, 0};
  row.sequential = gigabytes(memory.bytes()) / cold_seconds(read_mostly, memory, [&](int) {
                     read(words, ConsecutiveLines{0}, lines);
                   });
  row.random = gigabytes(pages * kLineBytes) / cold_seconds(read_mostly, memory, [&](int run) {
                 read(words, RandomLines{lines, static_cast<std::uint64_t>(run)}, pages);
               });
  return row;
}

}  // namespace fathom::link
