#include "cli/shared/execution.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/shared/device_names.hpp"
#include "cli/shared/ranks/ranks.hpp"

namespace fathom::cli {
namespace {

// Below this a GPU's start (a few tenths of a second) costs more than it saves.
constexpr EdgeId kWorthAGpu = EdgeId{1} << 25;

/// The first option that only a GPU gives a meaning to.
std::string first_link_option(const ExecutionOptions& o) {
  if (!o.access.empty()) return "--access";
  if (!o.packed.empty()) return "--packed";
  if (!o.zerocopy.empty()) return "--zerocopy";
  if (!o.cache.empty() && o.residency != "stream" && o.devices == 0) return "--cache";
  if (!o.cache_policy.empty()) return "--cache-policy";
  if (o.cache_bytes > 0) return "--cache-size";
  if (!o.page_move.empty()) return "--page-move";
  if (!o.technique.empty()) return "--technique";
  if (!o.advice.empty()) return "--advice";
  if (!o.prefetch.empty()) return "--prefetch";
  if (o.id_bytes > 0) return "--id-bytes";
  if (!o.id_bits.empty()) return "--id-bits";
  return {};
}

void refuse_without_effect(bool given, const std::string& option, const std::string& needs) {
  if (given)
    throw Error(ErrorCode::Usage, fmt::format("{} has no effect without {}", option, needs));
}

/// `several`: GPUs, which stream whatever is asked for.
GpuEdgeOptions gpu_edge_options(const ExecutionOptions& o, bool several) {
  const bool over_link = o.residency == "zerocopy" || o.residency == "auto";
  const bool zerocopy = !several && over_link;
  const bool managed = o.residency == "managed";
  const bool wide = o.id_bytes > GpuEdgeOptions::kPlainIdBytes;
  const bool stream = several || o.residency == "stream" || o.strategy == "s";
  refuse_without_effect(!o.packed.empty() && (several || stream || managed), "--packed",
                        "--residency resident, zerocopy or auto, on one GPU");
  refuse_without_effect(o.packed == "in-place" && wide, "--id-bytes 8", "--packed unpacked");
  refuse_without_effect(!o.id_bits.empty() && (several || stream), "--id-bits",
                        "--residency resident, zerocopy, managed or auto, on one GPU");
  refuse_without_effect(!o.id_bits.empty() && wide, "--id-bits", "--id-bytes 4");
  refuse_without_effect(!o.zerocopy.empty() && !zerocopy && !stream, "--zerocopy",
                        "--residency zerocopy or stream");
  refuse_without_effect(!o.cache.empty() && !zerocopy && !stream, "--cache",
                        "--residency zerocopy or stream");
  refuse_without_effect(o.cache == "lru" && !stream, "--cache lru", "--residency stream");
  refuse_without_effect(!o.page_move.empty() && !stream, "--page-move", "--residency stream");
  refuse_without_effect(!o.technique.empty() && !stream, "--technique", "--residency stream");
  refuse_without_effect(
      (!o.cache_policy.empty() || o.cache_bytes > 0) && (!over_link || o.cache == "none"),
      o.cache_bytes > 0 ? "--cache-size" : "--cache-policy", "--cache static");
  refuse_without_effect(!o.advice.empty() && !managed, "--advice", "--residency managed");
  refuse_without_effect(!o.prefetch.empty() && !managed, "--prefetch", "--residency managed");
  GpuEdgeOptions gpu;
  if (o.access == "naive") gpu.access = Access::Naive;
  if (o.access == "merged") gpu.access = Access::Merged;
  if (o.id_bytes > 0) gpu.id_bytes = o.id_bytes;
  gpu.id_bits = id_bits_named(o.id_bits);
  gpu.packed = packed_named(o.packed);
  if (o.zerocopy == "malloc") gpu.host_memory = ZeroCopyWay::Malloc;
  if (o.zerocopy == "register") gpu.host_memory = ZeroCopyWay::Register;
  if (o.zerocopy == "managed") gpu.host_memory = ZeroCopyWay::Managed;
  if (o.cache == "none") gpu.cache = CachePolicy::None;
  if (o.cache_policy == "low-degree") gpu.cache = CachePolicy::LowDegree;
  if (o.cache_policy == "high-degree") gpu.cache = CachePolicy::HighDegree;
  if (o.cache_policy == "prefix") gpu.cache = CachePolicy::Prefix;
  if (o.cache_policy == "reuse") gpu.cache = CachePolicy::Reuse;
  gpu.cache_bytes = o.cache_bytes;
  gpu.read_mostly = o.advice == "read-mostly";
  gpu.prefetch = o.prefetch == "on";
  return gpu;
}

PagingOptions paging_options(const ExecutionOptions& o) {
  PagingOptions paging;
  if (o.page_bytes > 0) paging.page_bytes = o.page_bytes;
  if (o.cache == "none") paging.cache = PageCache::None;
  if (o.cache == "static") paging.cache = PageCache::Static;
  if (o.io == "uring") paging.io.way = IoOptions::Way::Uring;
  if (o.io == "threads") paging.io.way = IoOptions::Way::Threads;
  if (o.io_depth > 0) paging.io.depth = o.io_depth;
  if (o.page_move == "copy") paging.page_move = PageMove::Copy;
  if (o.page_move == "zerocopy") paging.page_move = PageMove::InPlace;
  if (o.technique == "vertex") paging.technique = Technique::VertexCentric;
  if (o.technique == "edge") paging.technique = Technique::EdgeCentric;
  if (o.technique == "hybrid") paging.technique = Technique::Hybrid;
  paging.from_disk = !o.io.empty() || o.io_depth > 0;
  paging.ssd = o.ssd;
  paging.strategy = strategy_named(o.strategy);
  paging.chunks = o.chunks;
  if (!o.trace.empty()) paging.trace = std::make_shared<Trace>();
  return paging;
}

}  // namespace

int cuda_device_of(const ExecutionOptions& options) {
  const auto ordinals = cuda_ordinals(options.device);
  return ordinals ? ordinals->front() : 0;
}

Context make_context(const ExecutionOptions& o, EdgeId edges, const Task& task) {
  const std::optional<std::vector<int>> ordinals = cuda_ordinals(o.device);
  if (o.device != "auto" && o.device != "cpu" && !ordinals)
    throw Error(
        ErrorCode::Usage,
        fmt::format("--device: expected auto, cpu, cuda, cuda:N or cuda:N,N,..., found '{}'",
                    o.device));
  const int threads = o.threads > 0 ? o.threads : threads_of_rank(*o.group);
  if (ordinals && o.devices > 0)
    throw Error(ErrorCode::Usage,
                "--devices emulates devices on the cpu; it cannot go with --device " + o.device);
  const bool wants_gpu =
      o.residency == "zerocopy" || o.residency == "managed" || !first_link_option(o).empty();
  const bool may_use_gpu = o.device == "auto" && o.devices == 0;
  if (ordinals || (may_use_gpu && (wants_gpu || edges >= kWorthAGpu))) {
    CudaOptions cuda;
    // Ranks of a machine deal its cards out unless they are named.
    const bool dealt = !ordinals || (o.device == "cuda" && o.group->ranks() > 1);
    if (!dealt) cuda.devices = *ordinals;
    cuda.device_memory = o.device_memory;
    cuda.threads = threads;
    cuda.group = o.group;
    cuda.host_memory = o.host_memory;
    cuda.task = task;
    try {
      return Context::cuda(cuda);
    } catch (const Error& e) {
      // Without a GPU the cpu does the work, unless something was asked for that only a GPU can do.
      if (ordinals || wants_gpu || e.code() != ErrorCode::Device) throw;
    }
  }
  if (wants_gpu)
    throw Error(ErrorCode::Usage,
                fmt::format("{} has no effect on the cpu", first_link_option(o).empty()
                                                               ? "--residency " + o.residency
                                                               : first_link_option(o)));
  if (o.device_memory != MemoryPool::kUnlimited && o.devices == 0)
    throw Error(
        ErrorCode::Usage,
        "--device-memory has no effect without a GPU or --devices; --host-memory bounds the "
        "host");
  return Context::cpu({threads, o.host_memory, o.devices, o.device_memory, task, o.group});
}

std::optional<int> id_bits_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == "auto" ? 0 : std::stoi(name);
}

PackedReads packed_named(const std::string& name) {
  if (name == "in-place") return PackedReads::InPlace;
  return name == "unpacked" ? PackedReads::Unpacked : PackedReads::Auto;
}

ResidencyOptions::Kind residency_named(const std::string& name) {
  using Kind = ResidencyOptions::Kind;
  if (name == "resident") return Kind::Resident;
  if (name == "zerocopy") return Kind::ZeroCopy;
  if (name == "managed") return Kind::Managed;
  return name == "stream" ? Kind::Stream : Kind::Auto;
}

Strategy strategy_named(const std::string& name) {
  if (name == "p") return Strategy::Performance;
  return name == "s" ? Strategy::Scalability : Strategy::Auto;
}

ResidencyOptions residency_options(const ExecutionOptions& o, const Context& context) {
  using Kind = ResidencyOptions::Kind;
  ResidencyOptions residency;
  residency.sweeps = o.sweeps && first_link_option(o).empty();
  residency.kind = residency_named(o.residency);
  if (residency.kind == Kind::Resident && o.devices > 0)
    throw Error(ErrorCode::Usage,
                "--residency resident has no effect with --devices: emulated devices stream");
  const bool several_gpus = context.on_gpu() && context.devices().size() > 1;
  if (context.on_gpu()) residency.gpu = gpu_edge_options(o, several_gpus);
  const bool in_chunks = context.on_gpu() && o.strategy == "s";
  const bool streams = residency.kind == Kind::Stream || o.devices > 0 || several_gpus || in_chunks;
  refuse_without_effect(o.strategy != "auto" && o.devices == 0 && !several_gpus && !in_chunks,
                        "--strategy", "--devices or --device cuda:N,N,...: nothing is shared out");
  refuse_without_effect(o.chunks > 0 && o.strategy != "s", "--chunks", "--strategy s");
  refuse_without_effect(o.page_bytes > 0 && !streams, "--page-size", "--residency stream");
  refuse_without_effect(!o.io.empty() && !streams, "--io", "--residency stream");
  refuse_without_effect(o.io_depth > 0 && !streams, "--io-depth", "--residency stream");
  refuse_without_effect(!o.ssd.empty() && !streams, "--ssd", "--residency stream");
  refuse_without_effect(!o.trace.empty() && !streams, "--trace", "--residency stream");
  if (streams) residency.paging = paging_options(o);
  const PagingOptions& paging = residency.paging;
  const bool from_disk =
      paging.from_disk || !paging.ssd.empty() || paging.trace || o.strategy == "s";
  refuse_without_effect(!o.page_move.empty() && o.strategy == "s", "--page-move",
                        "whole vertex state: strategy s copies every page");
  for (const auto& [given, name] : {std::pair{!o.zerocopy.empty(), "--zerocopy"},
                                    {!o.access.empty(), "--access"},
                                    {o.id_bytes > 0, "--id-bytes"}})
    refuse_without_effect(given && context.on_gpu() && from_disk, name,
                          "lists in host memory: --io, --io-depth, --ssd, --trace and --strategy s "
                          "have pages read from the disk");
  return residency;
}

EdgeFilter filter_of(const ExecutionOptions& o) {
  if (o.since && o.until && *o.since > *o.until)
    throw Error(ErrorCode::Usage, fmt::format("--since {} --until {}: the window ends before it "
                                              "begins",
                                              *o.since, *o.until));
  EdgeFilter filter{o.since, o.until, o.at, {}};
  if (!o.types.empty()) filter.types = type_ranges(o.types);
  return filter;
}

}  // namespace fathom::cli
