// AtomicRef: std::atomic_ref's interface on host threads and on the device.
//
// Written on compiler built-ins: <cuda/atomic> costs 2.4 s of nvcc time in each .cu file and
// <atomic> 0.7 s (measured, nvcc 13.0). Device scope is the whole GPU.
#pragma once

#include "fathom/core/platform.hpp"

#if !defined(__CUDA_ARCH__)
#include <sched.h>
#endif

namespace fathom {

enum class Order : int { Relaxed, Acquire, Release, AcqRel };

namespace detail {
#if defined(__CUDA_ARCH__)
// Every argument of the device built-ins must be a constant expression, hence the switch.
#define FATHOM_ATOMIC_BY_ORDER(order, CALL) \
  switch (order) {                          \
    case Order::Relaxed:                    \
      CALL(__NV_ATOMIC_RELAXED);            \
      break;                                \
    case Order::Acquire:                    \
      CALL(__NV_ATOMIC_ACQUIRE);            \
      break;                                \
    case Order::Release:                    \
      CALL(__NV_ATOMIC_RELEASE);            \
      break;                                \
    case Order::AcqRel:                     \
      CALL(__NV_ATOMIC_ACQ_REL);            \
      break;                                \
  }
#else
constexpr int host_order(Order o) {
  switch (o) {
    case Order::Relaxed:
      return __ATOMIC_RELAXED;
    case Order::Acquire:
      return __ATOMIC_ACQUIRE;
    case Order::Release:
      return __ATOMIC_RELEASE;
    default:
      return __ATOMIC_ACQ_REL;
  }
}
#endif
}  // namespace detail

/// A reference to a plain object through which it is read and written atomically. The object must
/// be naturally aligned and of 4 or 8 bytes. All accesses that race must go through AtomicRef.
template <class T>
class AtomicRef {
 public:
  FATHOM_HD explicit AtomicRef(T& object) : p_(&object) {}

  FATHOM_HD T load(Order o = Order::Relaxed) const {
    T r{};
#if defined(__CUDA_ARCH__)
    if (o == Order::Relaxed)
      __nv_atomic_load(p_, &r, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    else
      __nv_atomic_load(p_, &r, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
#elif defined(__SANITIZE_THREAD__)
    __atomic_load(p_, &r, o == Order::Relaxed ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
#else
    // A volatile read of an aligned word is a relaxed load; of a float it stays in one register,
    // which the built-in does not (8 % of PageRank).
    if (o == Order::Relaxed) return *const_cast<const volatile T*>(p_);
    __atomic_load(p_, &r, __ATOMIC_ACQUIRE);
#endif
    return r;
  }

  FATHOM_HD void store(T v, Order o = Order::Relaxed) const {
#if defined(__CUDA_ARCH__)
    if (o == Order::Relaxed)
      __nv_atomic_store(p_, &v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    else
      __nv_atomic_store(p_, &v, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
#else
    __atomic_store(p_, &v, o == Order::Relaxed ? __ATOMIC_RELAXED : __ATOMIC_RELEASE);
#endif
  }

  /// On failure `expected` receives the value found. Strong: never fails spuriously.
  FATHOM_HD bool compare_exchange(T& expected, T desired, Order o = Order::AcqRel) const {
#if defined(__CUDA_ARCH__)
    bool ok = false;
#define FATHOM_CALL(ORDER)                                                                      \
  ok = __nv_atomic_compare_exchange(p_, &expected, &desired, false, ORDER, __NV_ATOMIC_RELAXED, \
                                    __NV_THREAD_SCOPE_DEVICE)
    FATHOM_ATOMIC_BY_ORDER(o, FATHOM_CALL)
#undef FATHOM_CALL
    return ok;
#else
    return __atomic_compare_exchange(p_, &expected, &desired, false, detail::host_order(o),
                                     __ATOMIC_RELAXED);
#endif
  }

  FATHOM_HD T fetch_add(T v, Order o = Order::Relaxed) const {
#if defined(__CUDA_ARCH__)
    T r{};
#define FATHOM_CALL(ORDER) r = __nv_atomic_fetch_add(p_, v, ORDER, __NV_THREAD_SCOPE_DEVICE)
    FATHOM_ATOMIC_BY_ORDER(o, FATHOM_CALL)
#undef FATHOM_CALL
    return r;
#else
    if constexpr (T(1) / T(2) == T(0)) {  // an integer: one locked instruction
      return __atomic_fetch_add(p_, v, detail::host_order(o));
    } else {
      T old = load();
      while (!compare_exchange(old, static_cast<T>(old + v), o)) {
      }
      return old;
    }
#endif
  }

  /// Sets the bits of v and returns the old value. Integers only.
  FATHOM_HD T fetch_or(T v, Order o = Order::Relaxed) const {
#if defined(__CUDA_ARCH__)
    T r{};
#define FATHOM_CALL(ORDER) r = __nv_atomic_fetch_or(p_, v, ORDER, __NV_THREAD_SCOPE_DEVICE)
    FATHOM_ATOMIC_BY_ORDER(o, FATHOM_CALL)
#undef FATHOM_CALL
    return r;
#else
    return __atomic_fetch_or(p_, v, detail::host_order(o));
#endif
  }

  /// Keeps the bits of v and returns the old value. Integers only.
  FATHOM_HD T fetch_and(T v, Order o = Order::Relaxed) const {
#if defined(__CUDA_ARCH__)
    T r{};
#define FATHOM_CALL(ORDER) r = __nv_atomic_fetch_and(p_, v, ORDER, __NV_THREAD_SCOPE_DEVICE)
    FATHOM_ATOMIC_BY_ORDER(o, FATHOM_CALL)
#undef FATHOM_CALL
    return r;
#else
    return __atomic_fetch_and(p_, v, detail::host_order(o));
#endif
  }

  /// Stores min(old, v) and returns old. Writes only when v is smaller.
  FATHOM_HD T fetch_min(T v, Order o = Order::Relaxed) const {
    T old = load();
    while (v < old && !compare_exchange(old, v, o)) {
    }
    return old;
  }

 private:
  T* p_;
};

/// Politely waits inside a spin loop; without it two host cores can starve the thread waited for.
FATHOM_HD void pause() {
#if defined(__CUDA_ARCH__)
  __nanosleep(64);
#else
  sched_yield();
#endif
}

}  // namespace fathom
