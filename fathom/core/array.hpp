// Array: an owning, fixed-size, uninitialised array from a memory pool.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "fathom/core/memory_pool.hpp"

namespace fathom {

/// Movable, not copyable. Elements are trivially copyable and start out uninitialised unless a
/// fill value is given. Counts against its pool's budget while it lives.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  Array() = default;
  explicit Array(std::size_t size, std::shared_ptr<MemoryPool> pool = MemoryPool::unlimited())
      : pool_(std::move(pool)),
        data_(static_cast<T*>(pool_->allocate(size * sizeof(T)))),
        size_(size) {}
  Array(std::size_t size, T fill, std::shared_ptr<MemoryPool> pool = MemoryPool::unlimited())
      : Array(size, std::move(pool)) {
    std::fill_n(data_, size_, fill);
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  ~Array() {
    if (data_) pool_->release(data_, size_ * sizeof(T));
  }

  static Array copy_of(std::span<const T> values,
                       std::shared_ptr<MemoryPool> pool = MemoryPool::unlimited()) {
    Array a(values.size(), std::move(pool));
    std::copy(values.begin(), values.end(), a.begin());
    return a;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }
  operator std::span<const T>() const { return span(); }  // NOLINT(google-explicit-constructor)

  void swap(Array& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  std::shared_ptr<MemoryPool> pool_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fathom
