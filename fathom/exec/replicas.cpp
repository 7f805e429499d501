#include "fathom/exec/replicas.hpp"

#include <vector>

#include "fathom/exec/frontier.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/exec/cuda/merge.hpp"
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
  ReplicaGroup& group = ctx.group();
  std::vector<std::size_t> begin(static_cast<std::size_t>(group.ranks()) + 1, count * size);
  const std::size_t mine = own_first * size;
  group.all_gather(&mine, sizeof mine, begin.data());
  group.all_gather({static_cast<const std::byte*>(values) + mine, (own_last - own_first) * size},
                   begin, values);
}

std::uint64_t least_among_ranks(const Context& ctx, std::uint64_t mine) {
  ctx.group().all_reduce(&mine, 1, ScalarKind::Uint64, MergeRule::Min);
  return mine;
}

void gather_among_ranks(const Context& ctx, const void* mine, std::size_t bytes, void* all) {
  ctx.group().all_gather(mine, bytes, all);
}

}  // namespace fathom
