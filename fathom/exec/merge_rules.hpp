// By what rule replicas of vertex state become equal, and what their elements are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fathom/core/platform.hpp"

namespace fathom {

// A rule combines two values, or (an algorithm's own) two whole arrays:
// `void operator()(T* into, const T* from, std::size_t n)`; where it has device code also
// `static bool on_gpus(const Context&, std::span<T* const> replica, std::size_t n)` and
// `static bool on_ranks(const Context&, T* values, std::size_t n)`.
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

constexpr std::size_t bytes_of(ScalarKind kind) {
  return kind == ScalarKind::Uint64 || kind == ScalarKind::Double ? 8 : 4;
}

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

/// The rule by its name, of those that have one.
template <class Merge>
constexpr bool has_rule() {
  return std::is_same_v<Merge, MergeSum> || std::is_same_v<Merge, MergeOr> ||
         std::is_same_v<Merge, MergeMin>;
}
template <class Merge>
constexpr MergeRule rule_of() {
  return std::is_same_v<Merge, MergeSum>  ? MergeRule::Sum
         : std::is_same_v<Merge, MergeOr> ? MergeRule::Or
                                          : MergeRule::Min;
}

}  // namespace fathom
