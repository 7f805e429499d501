// Every way in which a GPU can reach the edges: what the GPU's algorithm tests are run over.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <vector>

#include "fathom/residency/graph.hpp"
#include "fathom/store/packed/packed_format.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::testing {

struct GpuConfiguration {
  std::string name;
  ResidencyOptions residency;
  std::optional<store::SlottedOptions> slotted = std::nullopt;  // lists are slotted pages
  CudaOptions cuda = {};
  bool narrow = false;  // lists are narrow
  bool packed = false;  // lists are packed
};

inline void PrintTo(const GpuConfiguration& c, std::ostream* out) {
  *out << c.name;
}

/// The least that packed lists are streamed in.
inline constexpr std::size_t kPackedPage = store::packed::kGroup * sizeof(VertexId);

/// Whether a CUDA device can be used here.
inline bool gpu_present() {
  try {
    Context::cuda({});
    return true;
  } catch (const Error&) {
    return false;
  }
}

inline int gpu_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Several GPUs: devices that share the first card, each with little memory of its own, and, where
/// there are two, one on each card.
inline std::vector<GpuConfiguration> multi_gpu_configurations() {
  std::vector<GpuConfiguration> all;
  auto add = [&](std::string name, std::vector<int> devices, PagingOptions paging, PageMove move) {
    GpuConfiguration c{std::move(name), {}, std::nullopt, {}};
    c.residency.kind = ResidencyOptions::Kind::Stream;
    c.residency.paging = std::move(paging);
    c.residency.paging.page_move = move;
    c.cuda.devices = std::move(devices);
    c.cuda.device_memory = std::size_t{128} << 20;
    all.push_back(std::move(c));
  };
  PagingOptions small, one_frame;
  small.page_bytes = 1024;
  small.frames = 5;
  one_frame.page_bytes = 8192;
  one_frame.frames = 1;
  add("TwoCopy", {0, 0}, small, PageMove::Copy);
  add("TwoInPlace", {0, 0}, small, PageMove::InPlace);
  add("ThreeAuto", {0, 0, 0}, small, PageMove::Auto);
  add("ThreeOneFrame", {0, 0, 0}, one_frame, PageMove::Copy);
  add("ThreeApart", {0, 0, 0}, small, PageMove::Auto);
  all.back().cuda.peer_access = false;
  add("TwoDefault", {0, 0}, {}, PageMove::Auto);
  small.from_disk = one_frame.from_disk = true;
  add("TwoSupplied", {0, 0}, small, PageMove::Auto);
  add("ThreeSuppliedOneFrame", {0, 0, 0}, one_frame, PageMove::Auto);
  PagingOptions groups;
  groups.page_bytes = kPackedPage;
  groups.frames = 2;
  add("TwoPacked", {0, 0}, groups, PageMove::Auto);
  all.back().packed = true;
  add("ThreeSlotted", {0, 0, 0}, small, PageMove::Auto);
  all.back().slotted = store::SlottedOptions{512, 3, 3};
  const auto over_links = [&](std::string name, std::vector<int> devices, CachePolicy cache) {
    add(std::move(name), std::move(devices), {}, PageMove::Auto);
    all.back().residency.kind = ResidencyOptions::Kind::ZeroCopy;
    all.back().residency.gpu.cache = cache;
  };
  over_links("TwoOverLinks", {0, 0}, CachePolicy::None);
  over_links("ThreeOverLinks", {0, 0, 0}, CachePolicy::Auto);
  all.back().residency.gpu.cache_bytes = 4096;  // a part of the larger shares
  if (gpu_count() > 1) {
    over_links("CardsOverLinks", {0, 1}, CachePolicy::Auto);
    add("CardsCopy", {0, 1}, small, PageMove::Copy);
    add("CardsAuto", {1, 0, 1}, small, PageMove::Auto);
    add("CardsApart", {0, 1}, small, PageMove::Auto);
    all.back().cuda.peer_access = false;
    add("CardsSlotted", {0, 1}, small, PageMove::Auto);
    all.back().slotted = store::SlottedOptions{4096, 2, 2};
  }
  return all;
}

/// Strategy S: chunks of vertex state, with a stream of pages for each.
inline std::vector<GpuConfiguration> split_configurations() {
  std::vector<GpuConfiguration> all;
  auto add = [&](std::string name, std::vector<int> devices, std::uint32_t chunks) {
    GpuConfiguration c{std::move(name), {}, std::nullopt, {}};
    c.residency.kind = ResidencyOptions::Kind::Stream;
    c.residency.paging.page_bytes = 1024;
    c.residency.paging.frames = 7;
    c.residency.paging.strategy = Strategy::Scalability;
    c.residency.paging.chunks = chunks;
    c.cuda.devices = std::move(devices);
    c.cuda.device_memory = std::size_t{128} << 20;
    all.push_back(std::move(c));
  };
  add("OneChunk", {0}, 0);
  add("ThreeChunks", {0}, 3);
  add("TwoDevices", {0, 0}, 0);
  add("ThreeDevicesTwice", {0, 0, 0}, 2);
  add("ThreeDevicesApart", {0, 0, 0}, 0);
  all.back().cuda.peer_access = false;
  add("Packed", {0, 0}, 2);
  all.back().packed = true;
  all.back().residency.paging.page_bytes = kPackedPage;
  add("Slotted", {0, 0}, 2);
  all.back().slotted = store::SlottedOptions{128, 3, 3};
  if (gpu_count() > 1) {
    add("Cards", {0, 1}, 0);
    add("CardsTwice", {1, 0}, 2);
    add("CardsApart", {0, 1}, 0);
    all.back().cuda.peer_access = false;
  }
  return all;
}

inline std::vector<GpuConfiguration> gpu_configurations() {
  using Kind = ResidencyOptions::Kind;
  std::vector<GpuConfiguration> all;
  auto add = [&](std::string name, Kind kind, auto change) {
    GpuConfiguration c{std::move(name), {}, std::nullopt, {}};
    c.residency.kind = kind;
    c.residency.gpu.cache = CachePolicy::None;
    change(c.residency.gpu);
    all.push_back(std::move(c));
  };
  auto same = [](GpuEdgeOptions&) {};
  // Tiny pages, so that hubs have large ones.
  for (const auto& [name, pages] : {std::pair{"SlottedThree", store::SlottedOptions{128, 3, 3}},
                                    {"SlottedTwo", {4096, 2, 2}},
                                    {"SlottedFourTwo", {4096, 4, 2}},
                                    {"SlottedTwoFour", {64, 2, 4}}}) {
    add(name, Kind::Resident, same);
    all.back().slotted = pages;
  }
  add("Resident", Kind::Resident, same);
  auto add_narrow = [&](std::string name, Kind kind, const auto& change) {
    add("Narrow" + std::move(name), kind, change);
    all.back().narrow = true;
  };
  add_narrow("Resident", Kind::Resident, same);
  add_narrow("ZeroCopy", Kind::ZeroCopy, [](GpuEdgeOptions& o) { o.cache = CachePolicy::None; });
  add_narrow("ZeroCopyNaive", Kind::ZeroCopy, [](GpuEdgeOptions& o) { o.access = Access::Naive; });
  add_narrow("ZeroCopyMerged", Kind::ZeroCopy,
             [](GpuEdgeOptions& o) { o.access = Access::Merged; });
  add_narrow("ZeroCopyAllCached", Kind::ZeroCopy, same);
  for (const auto& [name, policy] : {std::pair{"LowDegree", CachePolicy::LowDegree},
                                     {"HighDegree", CachePolicy::HighDegree},
                                     {"Reuse", CachePolicy::Reuse}})
    add_narrow(std::string("Cached") + name, Kind::ZeroCopy, [policy = policy](GpuEdgeOptions& o) {
      o.cache = policy;
      o.cache_bytes = 8000;
    });
  add_narrow("Managed", Kind::Managed, same);
  add_narrow("Streamed", Kind::Stream, same);
  auto add_packed = [&](std::string name, Kind kind, std::size_t frames, bool from_disk) {
    add("Packed" + std::move(name), kind, same);
    all.back().packed = true;
    PagingOptions& paging = all.back().residency.paging;
    paging.page_bytes = kPackedPage;
    paging.frames = frames;
    paging.from_disk = from_disk;
  };
  add_packed("Resident", Kind::Resident, 0, false);
  add_packed("ZeroCopy", Kind::ZeroCopy, 0, false);
  all.back().residency.gpu.packed = PackedReads::Unpacked;
  add_packed("Streamed", Kind::Stream, 3, false);
  add_packed("StreamedOneFrame", Kind::Stream, 1, false);
  add_packed("Supplied", Kind::Stream, 2, true);
  auto add_in_place = [&](std::string name, Kind kind, const auto& change) {
    add("PackedInPlace" + std::move(name), kind, change);
    all.back().packed = true;
    all.back().residency.gpu.packed = PackedReads::InPlace;
  };
  add_in_place("Resident", Kind::Resident, same);
  add_in_place("ZeroCopy", Kind::ZeroCopy, same);
  add_in_place("Registered", Kind::ZeroCopy,
               [](GpuEdgeOptions& o) { o.host_memory = ZeroCopyWay::Register; });
  add_in_place("Auto", Kind::Auto, [](GpuEdgeOptions& o) { o.cache = CachePolicy::Auto; });
  add_in_place("AllCached", Kind::ZeroCopy,
               [](GpuEdgeOptions& o) { o.cache = CachePolicy::LowDegree; });
  for (const auto& [name, policy] : {std::pair{"LowDegree", CachePolicy::LowDegree},
                                     {"HighDegree", CachePolicy::HighDegree},
                                     {"Prefix", CachePolicy::Prefix}})
    add_in_place(std::string("Cached") + name, Kind::ZeroCopy,
                 [policy = policy](GpuEdgeOptions& o) {
                   o.cache = policy;
                   o.cache_bytes = 8000;
                 });
  add("ResidentWide", Kind::Resident, [](GpuEdgeOptions& o) { o.id_bytes = 8; });
  const auto narrow_all = [](GpuEdgeOptions& o) { o.id_bits = 0; };
  add("ResidentNarrowed", Kind::Resident, narrow_all);
  add("ZeroCopyNarrowed", Kind::ZeroCopy, narrow_all);
  add("ManagedNarrowed", Kind::Managed, [](GpuEdgeOptions& o) { o.id_bits = 28; });
  add("CachedNarrowed", Kind::ZeroCopy, [](GpuEdgeOptions& o) {
    o.id_bits = 20;
    o.cache = CachePolicy::Reuse;
    o.cache_bytes = 16000;
  });
  add("ZeroCopyMalloc", Kind::ZeroCopy,
      [](GpuEdgeOptions& o) { o.host_memory = ZeroCopyWay::Malloc; });
  add("ZeroCopyRegister", Kind::ZeroCopy,
      [](GpuEdgeOptions& o) { o.host_memory = ZeroCopyWay::Register; });
  add("ZeroCopyManaged", Kind::ZeroCopy,
      [](GpuEdgeOptions& o) { o.host_memory = ZeroCopyWay::Managed; });
  add("ZeroCopyNaive", Kind::ZeroCopy, [](GpuEdgeOptions& o) {
    o.access = Access::Naive;
    o.interleave = false;
  });
  add("ZeroCopyMergedWide", Kind::ZeroCopy, [](GpuEdgeOptions& o) {
    o.access = Access::Merged;
    o.id_bytes = 8;
  });
  for (const auto& [name, policy] : {std::pair{"LowDegree", CachePolicy::LowDegree},
                                     {"HighDegree", CachePolicy::HighDegree},
                                     {"Prefix", CachePolicy::Prefix}})
    add(std::string("Cached") + name, Kind::ZeroCopy, [policy = policy](GpuEdgeOptions& o) {
      o.cache = policy;
      o.cache_bytes = 16000;
    });
  // Pages of 256 edges, so that small graphs have several, in few frames.
  auto add_stream = [&](std::string name, std::size_t frames, PageMove move, PageCache cache) {
    add("Stream" + std::move(name), Kind::Stream, same);
    all.back().residency.paging = {frames > 1 ? 1024u : 8192u, frames, cache};
    all.back().residency.paging.page_move = move;
  };
  add_stream("Copy", 7, PageMove::Copy, PageCache::Lru);
  add_stream("CopyOneFrame", 1, PageMove::Copy, PageCache::Lru);
  add_stream("CopyStatic", 20, PageMove::Copy, PageCache::Static);
  add_stream("CopyForget", 5, PageMove::Copy, PageCache::None);
  add_stream("InPlace", 3, PageMove::InPlace, PageCache::Lru);
  add_stream("Auto", 40, PageMove::Auto, PageCache::Lru);
  add("StreamDefault", Kind::Stream, same);
  // The same through a supply, as from a disk.
  auto add_supplied = [&](std::string name, std::size_t frames, PageCache cache) {
    add("Supplied" + std::move(name), Kind::Stream, same);
    PagingOptions& paging = all.back().residency.paging;
    paging.page_bytes = frames > 1 ? 1024 : 8192;
    paging.frames = frames;
    paging.cache = cache;
    paging.from_disk = true;
  };
  add_supplied("SevenFrames", 7, PageCache::Lru);
  add_supplied("OneFrame", 1, PageCache::Lru);
  add_supplied("Static", 20, PageCache::Static);
  add_supplied("Forget", 5, PageCache::None);
  add("SuppliedDefault", Kind::Stream, same);
  all.back().residency.paging.from_disk = true;
  add("SlottedStream", Kind::Stream, same);
  all.back().slotted = store::SlottedOptions{512, 3, 3};
  all.back().residency.paging.frames = 7;
  add("SlottedStreamTwo", Kind::Stream, same);
  all.back().slotted = store::SlottedOptions{4096, 2, 2};
  add("CachedReuse", Kind::ZeroCopy, [](GpuEdgeOptions& o) {
    o.cache = CachePolicy::Reuse;
    o.cache_bytes = 16000;
  });
  add("Managed", Kind::Managed, same);
  add("ManagedReadMostly", Kind::Managed, [](GpuEdgeOptions& o) {
    o.read_mostly = true;
    o.prefetch = true;
  });
  return all;
}

}  // namespace fathom::testing
