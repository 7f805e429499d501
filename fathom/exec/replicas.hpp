// Replicas of an array, one on each of several GPUs, made equal without the host: the peer-to-peer
// merge of GTS, section 4.1, but for its master. Each device merges its share of the elements of
// all replicas (reduce-scatter) and hands the result to all (all-gather), so that every link
// between devices carries the same, and none waits for one device.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/merge_rules.hpp"

namespace fathom {

class Frontier;

/// Makes replica[d][0 .. count), on devices()[d], equal by the rule, values combined in the order
/// of the devices. With `touched` only at its vertices, one element each; elsewhere they are equal
/// already. In stream order. Returns false, with nothing done, where there are not several GPUs,
/// and for ScalarKind::Other.
/// Cost: for N devices each reads and writes (N - 1) / N of an array over its links.
FATHOM_API bool merge_on_gpus(const Context& ctx, std::span<void* const> replica, std::size_t count,
                              ScalarKind kind, MergeRule rule, const Frontier* touched = nullptr);

/// For a rule of an algorithm's own: join(first device, from, begin, n) starts kernels that combine
/// `from`, elements [begin, begin + n) of another replica, into the first one; those of all other
/// replicas are shown. Then the others become copies of the first. `size`: bytes of an element.
/// Returns false, with nothing done, where there are not several GPUs.
using JoinReplica =
    FunctionRef<void(const Device& first, const void* from, std::size_t begin, std::size_t n)>;
FATHOM_API bool merge_into_first(const Context& ctx, std::span<void* const> replica,
                                 std::size_t count, std::size_t size, JoinReplica join);

/// Makes values[0 .. count), in the memory of the one GPU that each rank has, the same on all ranks
/// of the context's group, by NCCL, in stream order; Or: of whole words of 64 bits. False, with
/// nothing done, where ranks have no GPU or several, NCCL is not there or not wanted, for what NCCL
/// has no rule for, and for arrays that are small enough for the host. With `touched`, which all
/// ranks know, only at its vertices, or, where these are many and the rule is no sum, everywhere;
/// false for many that are summed.
FATHOM_API bool merge_ranks_on_gpus(const Context& ctx, void* values, std::size_t count,
                                    ScalarKind kind, MergeRule rule,
                                    const Frontier* touched = nullptr);
/// The same for a rule of an algorithm's own; join() as in merge_into_first(). Results are the same
/// on all ranks.
FATHOM_API bool join_ranks_on_gpus(const Context& ctx, void* values, std::size_t count,
                                   std::size_t size, JoinReplica join);
/// The same of what share_among_ranks() does.
FATHOM_API bool share_ranks_on_gpus(const Context& ctx, void* values, std::size_t count,
                                    std::size_t size, std::size_t own_first, std::size_t own_last);
/// Each rank has a list, and all are shown those of the others: fill(at, most) writes up to `most`
/// items of `size` bytes to `at`, in the memory of the rank's one device, and returns how many
/// there are; take(from, count) reads those of another rank, in that memory. By NCCL where that
/// merges arrays of `most` items, otherwise by the host. False on all ranks, with nothing taken,
/// where one has more than there is room for: `most` items, or fewer.
using FillList = FunctionRef<std::size_t(void* at, std::size_t most)>;
using TakeList = FunctionRef<void(const void* from, std::size_t count)>;
FATHOM_API bool give_among_ranks(const Context& ctx, std::size_t size, std::size_t most,
                                 FillList fill, TakeList take);
/// Makes values[0 .. count), in host memory, the same on all ranks of the context's group: by a
/// rule, or a join of the caller's for elements of `size` bytes.
FATHOM_API void merge_among_ranks(const Context& ctx, void* values, std::size_t count,
                                  ScalarKind kind, MergeRule rule);
using JoinArrays = FunctionRef<void(void* into, const void* from, std::size_t n)>;
FATHOM_API void join_among_ranks(const Context& ctx, void* values, std::size_t count,
                                 std::size_t size, JoinArrays join);
/// values[0 .. count), elements of `size` bytes in host memory, of which each rank has written
/// those at `own`, ranges of consecutive ranks that follow each other: now all have all.
FATHOM_API void share_among_ranks(const Context& ctx, void* values, std::size_t count,
                                  std::size_t size, std::size_t own_first, std::size_t own_last);
/// Every rank's value of a type without pointers, combined in the order of the ranks.
FATHOM_API void gather_among_ranks(const Context& ctx, const void* mine, std::size_t bytes,
                                   void* all);
/// The least of what the ranks have. What an algorithm does next must be the same on all of them:
/// what depends on the memory there is, is asked for so.
FATHOM_API std::uint64_t least_among_ranks(const Context& ctx, std::uint64_t mine);
/// Whether fits(device) holds for every device of every rank.
template <class Fits>
bool fits_on_all(const Context& ctx, const Fits& fits) {
  bool all = true;
  for (const Device& device : ctx.devices()) all = all && fits(device);
  return least_among_ranks(ctx, all ? 1 : 0) == 1;
}
template <class T>
T sum_among_ranks(const Context& ctx, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto ranks = static_cast<std::size_t>(ctx.ranks());
  if (ranks == 1) return mine;
  std::vector<T> all(ranks);
  gather_among_ranks(ctx, &mine, sizeof(T), all.data());
  T total = all[0];
  for (std::size_t r = 1; r < ranks; ++r) total = total + all[r];
  return total;
}

}  // namespace fathom
