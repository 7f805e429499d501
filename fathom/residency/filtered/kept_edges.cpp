#include "fathom/residency/filtered/kept_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "fathom/core/bits.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/residency/filtered/kept_runs.hpp"
#include "fathom/residency/ssd/page_buffer.hpp"
#include "fathom/store/store.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom {
namespace {

using store::EdgeTimes;
using store::kBlockBytes;
using store::SectionId;

constexpr EdgeId kFilteredAtOnce = kBlockBytes / sizeof(std::uint32_t);  // a block of types
constexpr std::size_t kKeptListsAtOnce = 4096;  // vertices, a multiple of 64

/// A section of a file with fields, a checked block at a time.
class FieldBlocks {
 public:
  FieldBlocks(const store::StoreFile& file, SectionId id) : file_(file) {
    entry_ = file.layout().find(id);
    if (!entry_)
      store::throw_bad_store(file.path(), fmt::format("has no section '{}'", store::name_of(id)));
    checksums_ = file.checksums(*entry_);
  }

  /// Of the longest block.
  std::size_t most_bytes() const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(kBlockBytes, store::padded(entry_->bytes)));
  }

  template <class T>
  std::span<const T> read(std::uint64_t block, std::byte* into) const {
    const std::span bytes(into, store::block_bytes(*entry_, block));
    file_.read_at(entry_->offset + block * kBlockBytes, bytes);
    file_.check_block(*entry_, block, bytes, checksums_[block]);
    return {reinterpret_cast<const T*>(into), bytes.size() / sizeof(T)};
  }

 private:
  const store::StoreFile& file_;
  const store::SectionEntry* entry_;
  std::vector<std::uint64_t> checksums_;
};

/// Clears the bits of edges from `first` on, a multiple of 64, unless keeps(i) of the i-th of n.
template <class Keeps>
void clear_others(std::uint64_t* bits, EdgeId first, EdgeId n, const Keeps& keeps) {
  for (EdgeId i = 0; i < n; i += 64) {
    const EdgeId some = std::min<EdgeId>(64, n - i);
    std::uint64_t word = 0;
    for (EdgeId k = 0; k < some; ++k) word |= std::uint64_t{keeps(i + k)} << k;
    bits[(first + i) / 64] &= word;
  }
}

KeptEdges all_edges(const Context& ctx, EdgeId edges) {
  KeptEdges kept{Array<std::uint64_t>((edges + 63) / 64, ctx.host_memory()), edges};
  std::fill(kept.bits.begin(), kept.bits.end(), ~std::uint64_t{0});
  if (edges % 64 != 0) kept.bits[edges / 64] = (std::uint64_t{1} << edges % 64) - 1;
  return kept;
}

}  // namespace

EdgeId count_kept(const std::uint64_t* bits, EdgeId first, EdgeId last) {
  if (first >= last) return 0;
  const std::uint64_t low = ~std::uint64_t{0} << first % 64;
  const std::uint64_t high = ~std::uint64_t{0} >> (63 - (last - 1) % 64);
  const std::size_t begin = first / 64, end = (last - 1) / 64;
  if (begin == end) return count_bits(bits[begin] & low & high);
  EdgeId n = count_bits(bits[begin] & low);
  for (std::size_t word = begin + 1; word < end; ++word) n += count_bits(bits[word]);
  return n + count_bits(bits[end] & high);
}

KeptEdges kept_edges(const Context& ctx, const std::string& path, const EdgeFilter& filter) {
  const store::StoreFile file(path);
  const EdgeId edges = file.layout().header.edges;
  std::optional<FieldBlocks> types, times;
  if (!filter.types.empty()) types.emplace(file, SectionId::OutTypes);
  if (filter.reads_times()) times.emplace(file, SectionId::OutTimes);
  KeptEdges kept = all_edges(ctx, edges);
  const std::size_t each =
      std::max({types ? types->most_bytes() : 0, times ? times->most_bytes() : 0,
                std::size_t{store::kPageBytes}});
  const std::size_t room = host_room(*ctx.host_memory()) / each;
  const auto workers = static_cast<int>(
      std::clamp<std::size_t>(room, 1, static_cast<std::size_t>(worker_count(ctx.threads()))));
  Array<std::byte> block(static_cast<std::size_t>(workers) * each, ctx.host_memory());
  std::atomic<EdgeId> count{0};
  parallel_for(workers, edges, kFilteredAtOnce, [&](std::size_t first, std::size_t last, int w) {
    ctx.task().check();
    std::byte* const mine = block.data() + static_cast<std::size_t>(w) * each;
    std::uint64_t* const bits = kept.bits.data();
    if (types) {
      const auto type = types->read<std::uint32_t>(first / kFilteredAtOnce, mine);
      clear_others(bits, first, last - first, [&](EdgeId i) { return filter.keeps_type(type[i]); });
    }
    constexpr EdgeId kTimes = kBlockBytes / sizeof(EdgeTimes);
    for (EdgeId at = first; times && at < last; at += kTimes) {
      const auto time = times->read<EdgeTimes>(at / kTimes, mine);
      clear_others(bits, at, std::min<EdgeId>(kTimes, last - at),
                   [&](EdgeId i) { return filter.keeps_times(time[i].t1, time[i].t2); });
    }
    count += count_kept(bits, first, last);
  });
  kept.kept = count;
  return kept;
}

KeptEdges kept_of_fields(const Context& ctx, std::span<const EdgeFields> fields,
                         const EdgeFilter& filter) {
  KeptEdges kept = all_edges(ctx, fields.size());
  std::atomic<EdgeId> count{0};
  parallel_for(ctx.threads(), fields.size(), kFilteredAtOnce,
               [&](std::size_t first, std::size_t last, int) {
                 clear_others(kept.bits.data(), first, last - first,
                              [&](EdgeId i) { return filter.keeps(fields[first + i]); });
                 count += count_kept(kept.bits.data(), first, last);
               });
  kept.kept = count;
  return kept;
}

KeptEdges kept_in_edges(const Context& ctx, const std::string& path, const KeptEdges& kept,
                        std::span<const EdgeId> in_offset) {
  const store::StoreFile file(path);
  const FieldBlocks targets(file, SectionId::OutTargets);
  const EdgeId edges = file.layout().header.edges;
  KeptEdges reversed{Array<std::uint64_t>((edges + 63) / 64, std::uint64_t{0}, ctx.host_memory()),
                     kept.kept};
  // Edges come by ascending source, as they stand in every in-list; several from u to v stand in
  // the same order in both.
  auto next = Array<EdgeId>::copy_of(in_offset, ctx.host_memory());  // where in-lists go on
  Array<std::byte> block(targets.most_bytes(), ctx.host_memory());
  const auto refuse = [&] {
    store::throw_bad_store(path, "its in-lists are not the transpose of its lists");
  };
  constexpr EdgeId kTargets = kBlockBytes / sizeof(VertexId);
  for (EdgeId first = 0; first < edges; first += kTargets) {
    ctx.task().check();
    const auto target = targets.read<VertexId>(first / kTargets, block.data());
    const EdgeId some = std::min<EdgeId>(kTargets, edges - first);
    for (EdgeId i = 0; i < some; ++i) {
      const std::size_t v = target[i];
      if (v + 1 >= in_offset.size() || next[v] == in_offset[v + 1]) refuse();
      const EdgeId at = next[v]++;
      if (kept.keeps(first + i)) reversed.bits[at / 64] |= std::uint64_t{1} << at % 64;
    }
  }
  return reversed;
}

Array<EdgeId> kept_offsets(const Context& ctx, const KeptEdges& kept, const EdgeId* offset,
                           VertexId vertices) {
  const std::size_t n = vertices;
  const std::uint64_t* const bits = kept.bits.data();
  Array<EdgeId> mine(n + 1, ctx.host_memory());
  std::vector<EdgeId> before((n + kKeptListsAtOnce - 1) / kKeptListsAtOnce + 1, 0);
  parallel_for(ctx.threads(), n, kKeptListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    before[a / kKeptListsAtOnce + 1] = count_kept(bits, offset[a], offset[b]);
  });
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  parallel_for(ctx.threads(), n, kKeptListsAtOnce, [&](std::size_t a, std::size_t b, int) {
    EdgeId at = before[a / kKeptListsAtOnce];
    for (std::size_t v = a; v < b; ++v) {
      mine[v] = at;
      at += count_kept(bits, offset[v], offset[v + 1]);
    }
  });
  mine[n] = kept.kept;
  return mine;
}

Csr kept_lists(const Context& ctx, const KeptEdges& kept, const CsrView& all, bool weights) {
  Csr csr;
  csr.offset = kept_offsets(ctx, kept, all.offset, all.vertices);
  csr.target = Array<VertexId>(kept.kept, ctx.host_memory());
  if (weights && all.weight) csr.weight = Array<Weight>(kept.kept, ctx.host_memory());
  parallel_for(
      ctx.threads(), all.vertices, kKeptListsAtOnce, [&](std::size_t a, std::size_t b, int) {
        ctx.task().check();
        EdgeId at = csr.offset[a];
        each_kept_run(kept.bits.data(), all.offset[a], all.offset[b], [&](EdgeId first, EdgeId n) {
          std::copy_n(all.target + first, n, csr.target.data() + at);
          if (!csr.weight.empty()) std::copy_n(all.weight + first, n, csr.weight.data() + at);
          at += n;
        });
      });
  return csr;
}

}  // namespace fathom
