// Replicas of an array, one on each of several GPUs, made equal without the host: the peer-to-peer
// merge of GTS, section 4.1, but for its master. Each device merges its share of the elements of
// all replicas (reduce-scatter) and hands the result to all (all-gather), so that every link
// between devices carries the same, and none waits for one device.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

class Frontier;

// Merge rules. A rule combines two values, or (an algorithm's own) two whole arrays:
// `void operator()(T* into, const T* from, std::size_t n)`; where it has device code also
// `static bool on_gpus(const Context&, std::span<T* const> replica, std::size_t n)`.
struct MergeMin {
  template <class T>
  FATHOM_HD T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct MergeSum {
  template <class T>
  FATHOM_HD T operator()(T a, T b) const {
    return a + b;
  }
};
struct MergeOr {
  template <class T>
  FATHOM_HD T operator()(T a, T b) const {
    return a | b;
  }
};
/// Every device computes the same values; there is nothing to merge.
struct MergeNone {};

enum class MergeRule { Min, Sum, Or };
enum class ScalarKind { Int32, Uint32, Uint64, Float, Double, Other };

template <class T>
constexpr ScalarKind scalar_kind() {
  if constexpr (std::is_same_v<T, float>) return ScalarKind::Float;
  if constexpr (std::is_same_v<T, double>) return ScalarKind::Double;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? ScalarKind::Int32 : ScalarKind::Uint32;
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) == 8)
    return ScalarKind::Uint64;
  return ScalarKind::Other;
}

/// What an element is made of: itself, or the `Scalar`s that its type names.
template <class T>
struct ScalarOf {
  using type = T;
  static constexpr std::size_t kCount = 1;
};
template <class T>
requires requires {
  typename T::Scalar;
}
struct ScalarOf<T> {
  using type = typename T::Scalar;
  static constexpr std::size_t kCount = sizeof(T) / sizeof(type);
};

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

}  // namespace fathom
