#include "fathom/exec/replicas.hpp"

#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/merge.hpp"
#include "fathom/exec/nccl/cuda/nccl_library.hpp"
#include "fathom/exec/nccl/cuda/rank_collectives.hpp"
#endif

namespace fathom {
namespace {

#if FATHOM_WITH_CUDA
std::vector<cuda::Replica> replicas_of(const Context& ctx, std::span<void* const> data,
                                       const Frontier* touched = nullptr) {
  std::vector<cuda::Replica> all;
  for (const Device& device : ctx.devices())
    all.push_back({device.gpu(), static_cast<std::byte*>(data[all.size()]),
                   touched ? touched->on(device).bits : nullptr});
  return all;
}
#endif

#if FATHOM_WITH_CUDA
/// Of which a message by the host is sooner there.
constexpr std::size_t kFewBytes = std::size_t{1} << 16;

/// Connected, or null. The same on all ranks.
cuda::RankCollectives* connected_ranks(const Context& ctx, std::size_t bytes) {
  if (ctx.ranks() == 1 || !ctx.on_gpu() || bytes < kFewBytes) return nullptr;
  cuda::RankCollectives* const ranks = ctx.devices()[0].gpu()->rank_collectives();
  return ranks && ranks->ready() ? ranks : nullptr;
}
#endif

/// Where the values of each rank begin, in bytes, and all end.
std::vector<std::size_t> begins_of(ReplicaGroup& group, std::size_t mine, std::size_t end) {
  std::vector<std::size_t> begin(static_cast<std::size_t>(group.ranks()) + 1, end);
  group.all_gather(&mine, sizeof mine, begin.data());
  return begin;
}

bool several_gpus(const Context& ctx) {
  return ctx.on_gpu() && ctx.devices().size() > 1;
}

}  // namespace

bool merge_on_gpus(const Context& ctx, [[maybe_unused]] std::span<void* const> replica,
                   std::size_t count, ScalarKind kind, [[maybe_unused]] MergeRule rule,
                   const Frontier* touched) {
  if (!several_gpus(ctx) || kind == ScalarKind::Other) return false;
  // A list on GPUs is empty: nothing was touched.
  if (count == 0 || (touched && touched->form() == Frontier::Form::List)) return true;
#if FATHOM_WITH_CUDA
  cuda::merge(replicas_of(ctx, replica, touched), count, kind, rule);
#endif
  return true;
}

bool merge_into_first(const Context& ctx, [[maybe_unused]] std::span<void* const> replica,
                      std::size_t count, [[maybe_unused]] std::size_t size,
                      [[maybe_unused]] JoinReplica join) {
  if (!several_gpus(ctx)) return false;
  if (count == 0) return true;
#if FATHOM_WITH_CUDA
  const std::vector<cuda::Replica> all = replicas_of(ctx, replica);
  cuda::show_to_first(all, count, size, [&](const void* from, std::size_t begin, std::size_t n) {
    join(ctx.devices()[0], from, begin, n);
  });
  cuda::copy_first_to_all(all, count * size);
#endif
  return true;
}

bool merge_ranks_on_gpus([[maybe_unused]] const Context& ctx, [[maybe_unused]] void* values,
                         [[maybe_unused]] std::size_t count, [[maybe_unused]] ScalarKind kind,
                         [[maybe_unused]] MergeRule rule,
                         [[maybe_unused]] const Frontier* touched) {
#if FATHOM_WITH_CUDA
  const bool bits = rule == MergeRule::Or && kind == ScalarKind::Uint64;
  if (!bits && !cuda::NcclLibrary::knows(kind, rule)) return false;
  if (cuda::RankCollectives* const ranks = connected_ranks(ctx, count * bytes_of(kind))) {
    if (touched && !bits && touched->form() == Frontier::Form::Bitmap &&
        ranks->all_reduce_touched(values, touched->size(), touched->on(ctx.devices()[0]).bits,
                                  (std::size_t{touched->universe()} + 63) / 64, kind, rule))
      return true;
    if (touched && rule == MergeRule::Sum) return false;
    if (bits)
      ranks->unite(static_cast<std::uint64_t*>(values), count);
    else
      ranks->all_reduce(values, count, kind, rule);
    return true;
  }
#endif
  return false;
}

bool join_ranks_on_gpus([[maybe_unused]] const Context& ctx, [[maybe_unused]] void* values,
                        [[maybe_unused]] std::size_t count, [[maybe_unused]] std::size_t size,
                        [[maybe_unused]] JoinReplica join) {
#if FATHOM_WITH_CUDA
  if (cuda::RankCollectives* const ranks = connected_ranks(ctx, count * size)) {
    ranks->join(values, count, size, [&](const void* from, std::size_t begin, std::size_t n) {
      join(ctx.devices()[0], from, begin, n);
    });
    return true;
  }
#endif
  return false;
}

bool share_ranks_on_gpus([[maybe_unused]] const Context& ctx, [[maybe_unused]] void* values,
                         [[maybe_unused]] std::size_t count, [[maybe_unused]] std::size_t size,
                         [[maybe_unused]] std::size_t own_first,
                         [[maybe_unused]] std::size_t own_last) {
#if FATHOM_WITH_CUDA
  if (cuda::RankCollectives* const ranks = connected_ranks(ctx, count * size)) {
    ranks->share(values, begins_of(ctx.group(), own_first * size, count * size));
    return true;
  }
#endif
  return false;
}

namespace {

/// give_among_ranks() by way of the host.
bool give_by_host(const Context& ctx, std::size_t size, std::size_t most, FillList fill,
                  TakeList take) {
  ReplicaGroup& group = ctx.group();
  Array<std::byte> list;  // this rank's, then those of the others in turn
  try {
    list = Array<std::byte>(most * size, ctx.devices()[0].memory());
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;  // the others have to hear of it
  }
  const bool fits = list.size() == most * size;
  const std::size_t count = fits ? fill(list.data(), most) : 0;
  if (least_among_ranks(ctx, fits && count <= most ? 1 : 0) == 0) return false;
  Array<std::byte> mine(count * size, ctx.host_memory());
  if (count > 0) ctx.copy(mine.data(), list.data(), mine.size());
  const Pieces all = group.all_gather(mine.span(), ctx.host_memory());
  for (int r = 0; r < group.ranks(); ++r) {
    const std::span<const std::byte> its = all.of(r);
    if (r == group.rank() || its.empty()) continue;
    ctx.copy(list.data(), its.data(), its.size());
    take(list.data(), its.size() / size);
  }
  return true;
}

}  // namespace

bool give_among_ranks(const Context& ctx, std::size_t size, std::size_t most, FillList fill,
                      TakeList take) {
#if FATHOM_WITH_CUDA
  if (cuda::RankCollectives* const ranks = connected_ranks(ctx, most * size))
    return ranks->give(size, most, fill, take);
#endif
  return give_by_host(ctx, size, most, fill, take);
}

void merge_among_ranks(const Context& ctx, void* values, std::size_t count, ScalarKind kind,
                       MergeRule rule) {
  ctx.group().all_reduce(values, count, kind, rule);
}

void join_among_ranks(const Context& ctx, void* values, std::size_t count, std::size_t size,
                      JoinArrays join) {
  ctx.group().join(values, count, size, join, ctx.host_memory());
}

void share_among_ranks(const Context& ctx, void* values, std::size_t count, std::size_t size,
                       std::size_t own_first, std::size_t own_last) {
  const std::size_t mine = own_first * size;
  const std::vector<std::size_t> begin = begins_of(ctx.group(), mine, count * size);
  ctx.group().all_gather(
      {static_cast<const std::byte*>(values) + mine, (own_last - own_first) * size}, begin, values);
}

std::uint64_t least_among_ranks(const Context& ctx, std::uint64_t mine) {
  ctx.group().all_reduce(&mine, 1, ScalarKind::Uint64, MergeRule::Min);
  return mine;
}

void gather_among_ranks(const Context& ctx, const void* mine, std::size_t bytes, void* all) {
  ctx.group().all_gather(mine, bytes, all);
}

}  // namespace fathom
