// A priority queue for keys that never fall below the one that was taken last, as those of searches
// by distance: nothing is compared until it is about to be taken (Ahuja, Mehlhorn, Orlin and
// Tarjan, "Faster algorithms for the shortest path problem", JACM 37, 1990).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fathom::dynamic {

/// Cost of a value: constant to push, and at most a move for each bit of its key to be taken.
template <class Value>
class RadixHeap {
 public:
  using Key = std::uint32_t;

  bool empty() const { return size_ == 0; }
  /// Values that there is room for.
  std::size_t capacity() const {
    std::size_t all = 0;
    for (const Bucket& bucket : bucket_) all += bucket.capacity();
    return all;
  }

  /// `key`: at least that of what was taken last, unless the heap is empty.
  void push(Key key, const Value& value) {
    if (size_++ == 0) last_ = 0;
    bucket_of(key).emplace_back(key, value);
  }
  /// All values of the least key, in the place of what is in `values`. There is one.
  Key take_least(std::vector<Value>& values) {
    if (bucket_[0].empty()) divide_first();
    values.clear();
    for (const auto& entry : bucket_[0]) values.push_back(entry.second);
    size_ -= values.size();
    bucket_[0].clear();
    return last_;
  }
  /// Forgets all of them, and gives their memory back.
  void clear() {
    for (Bucket& bucket : bucket_) bucket = Bucket();
    size_ = 0;
  }

 private:
  using Bucket = std::vector<std::pair<Key, Value>>;

  /// Keys that have the highest bit in which they differ from last_ in common.
  Bucket& bucket_of(Key key) {
    return bucket_[static_cast<std::size_t>(std::bit_width(key ^ last_))];
  }
  /// The least key becomes last_, and what shares its bucket moves to lower ones.
  void divide_first() {
    Bucket& first =
        *std::ranges::find_if(bucket_, [](const Bucket& bucket) { return !bucket.empty(); });
    last_ = std::ranges::min_element(first, {}, &Bucket::value_type::first)->first;
    for (const auto& entry : first) bucket_of(entry.first).push_back(entry);
    first.clear();
  }

  std::array<Bucket, 33> bucket_;
  Key last_ = 0;  // at most every key that is there
  std::size_t size_ = 0;
};

}  // namespace fathom::dynamic
