// An array from a memory pool that grows: what a sampler keeps from batch to batch.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "fathom/core/array.hpp"
#include "fathom/core/error.hpp"

namespace fathom {

/// Invariant: size() <= the room there is, which never shrinks.
template <class T>
class GrowingArray {
 public:
  explicit GrowingArray(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}

  std::size_t size() const { return size_; }
  T* data() { return room_.data(); }
  const T* data() const { return room_.data(); }
  T& operator[](std::size_t i) { return room_[i]; }
  const T& operator[](std::size_t i) const { return room_[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

  void clear() { size_ = 0; }
  /// Elements that there were stay; others are uninitialised.
  void resize(std::size_t size) {
    if (size > room_.size()) grow(size);
    size_ = size;
  }
  void push(T value) {
    if (size_ == room_.size()) grow(size_ + 1);
    room_[size_++] = value;
  }

 private:
  static constexpr std::size_t kMost = (~std::size_t{0} >> 1) / sizeof(T);

  void grow(std::size_t least) {
    if (least > kMost)
      throw Error(ErrorCode::DoesNotFit, "a batch of more edges than any memory holds");
    Array<T> larger(std::max(least, std::min(kMost, size_ + size_ / 2 + 64)), pool_);
    std::copy_n(room_.data(), size_, larger.data());
    room_ = std::move(larger);
  }

  std::shared_ptr<MemoryPool> pool_;
  Array<T> room_;
  std::size_t size_ = 0;
};

}  // namespace fathom
