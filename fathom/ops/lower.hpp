// lower(): the minimum of a shared word, by an instruction of its own where a GPU has one.
#pragma once

#include <type_traits>

#include "fathom/core/atomic.hpp"

namespace fathom {

/// Stores min(old, v) in `object` and returns old; writes only when v is smaller. Numbers that are
/// no NaN. All accesses that race must be atomic.
///
/// A GPU has this for integers alone, and floating-point numbers of one sign are ordered as their
/// bits are: positive ones as signed integers, which every negative one stays below; negative ones
/// as unsigned integers, downwards. In place of comparing and swapping it does not wait for others
/// that lower the same word.
template <class T>
FATHOM_HD T lower(T& object, T v) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_floating_point_v<T>) {
    const T old = AtomicRef(object).load();
    if (!(v < old)) return old;
    using Signed = std::conditional_t<sizeof(T) == 4, int, long long>;
    using Unsigned = std::make_unsigned_t<Signed>;
    v += T{0};  // -0 becomes 0
    if (v >= 0)
      return __builtin_bit_cast(
          T, atomicMin(reinterpret_cast<Signed*>(&object), __builtin_bit_cast(Signed, v)));
    return __builtin_bit_cast(
        T, atomicMax(reinterpret_cast<Unsigned*>(&object), __builtin_bit_cast(Unsigned, v)));
  } else {
    return AtomicRef(object).fetch_min(v);
  }
#else
  return AtomicRef(object).fetch_min(v);
#endif
}

}  // namespace fathom
