// The second half of the in-memory build: buckets of edges -> CSR. Each bucket is radix-sorted in
// cache, duplicates are folded, and its lists move to their final place once all sizes are known.
// Every stage releases a bucket's memory before the next one needs its own, so that the peak is
// that of the buckets themselves.
#pragma once

#include <memory>

#include "fathom/core/task.hpp"
#include "fathom/graph/edge_buckets.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/graph/weight_fold.hpp"

namespace fathom::graph {

template <class Record>
class BucketCsr {
 public:
  BucketCsr(VertexId vertices, Duplicates duplicates, int workers, const Task& task)
      : vertices_(vertices), duplicates_(duplicates), workers_(workers), task_(task) {
    target_bits_ = vertices > 1 ? static_cast<int>(std::bit_width(vertices - 1)) : 1;
  }

  /// Empties the buckets. `targets_ascend`: within a source, targets already are in order.
  Csr build(EdgeBuckets<Record>& buckets, bool targets_ascend) {
    Csr csr;
    csr.offset = Array<EdgeId>(std::size_t{vertices_} + 1);
    csr.offset[0] = 0;
    std::size_t edges = 0;
    for (std::size_t b = 0; b < buckets.size(); ++b) edges += buckets[b].size;
    oversize_ = std::max(kLeastOversize, edges / (16 * static_cast<std::size_t>(workers_)));
    std::vector<Lists> lists(buckets.size());
    std::vector<Scratch> scratch(static_cast<std::size_t>(workers_));
    parallel_for(workers_, buckets.size(), 1, [&](std::size_t b, std::size_t, int worker) {
      if (!task_.stop_requested())
        lists[b] = sort_bucket(buckets, b, targets_ascend,
                               scratch[static_cast<std::size_t>(worker)], csr.offset.data());
    });
    scratch.clear();
    task_.check();
    place(buckets.shift(), lists, csr);
    return csr;
  }

 private:
  struct [[gnu::packed]] WeightedItem {
    std::uint64_t key;
    Weight weight;
  };
  static constexpr bool kWeighted = Record::kWeighted;
  using Item = std::conditional_t<kWeighted, WeightedItem, std::uint64_t>;
  struct Scratch {
    Pages<Item> items, other;
  };
  struct Lists {
    Pages<VertexId> target;
    Pages<Weight> weight;
    std::size_t size = 0;
  };

  static std::uint64_t key_of(const Item& item) {
    if constexpr (kWeighted)
      return item.key;
    else
      return item;
  }
  static Weight weight_of(const Item& item) {
    if constexpr (kWeighted)
      return item.weight;
    else
      return 1;
  }

  // Copies a bucket's records to `items` as (source's low bits, target) keys and releases them.
  void gather(typename EdgeBuckets<Record>::Bucket& bucket, Item* items) const {
    for (auto& chunk : bucket.chunks) {
      const Record* record = chunk.pages.data();
      for (std::size_t i = 0; i < chunk.size; ++i, ++items) {
        const std::uint64_t key = std::uint64_t{record[i].low} << target_bits_ | record[i].target;
        if constexpr (kWeighted)
          *items = {key, record[i].weight};
        else
          *items = key;
      }
      chunk.pages = {};
    }
    bucket.chunks.clear();
  }

  // Sorts a bucket, folds its duplicates and writes its sources' degrees to offset[source + 1].
  Lists sort_bucket(EdgeBuckets<Record>& buckets, std::size_t b, bool targets_ascend,
                    Scratch& scratch, EdgeId* offset) const {
    auto& bucket = buckets[b];
    const std::size_t first_source = b << buckets.shift();
    const std::size_t last_source =
        std::min<std::size_t>(vertices_, first_source + (std::size_t{1} << buckets.shift()));
    std::fill(offset + first_source + 1, offset + last_source + 1, EdgeId{0});
    if (bucket.size == 0) return {};
    if (bucket.size > oversize_) return sort_oversize(bucket, offset + first_source + 1);
    if (scratch.items.capacity() < bucket.size) {
      scratch = {};
      scratch = {Pages<Item>(bucket.size), Pages<Item>(bucket.size)};
      scratch.items.prefer_huge();
      scratch.other.prefer_huge();
    }
    gather(bucket, scratch.items.data());
    const std::uint64_t all = (std::uint64_t{1} << (target_bits_ + buckets.shift())) - 1;
    const std::uint64_t sources = all >> target_bits_ << target_bits_;
    Item* sorted =
        radix_sort(scratch.items.data(), scratch.other.data(), bucket.size,
                   targets_ascend ? sources : all, [](const Item& item) { return key_of(item); });
    return fold(sorted, bucket.size, offset + first_source + 1, [](std::size_t) {});
  }

  // A bucket that has much of the graph (a hub): sorted where it lies, since a second copy would
  // break the promise about peak memory, and returned page by page as its lists appear.
  Lists sort_oversize(typename EdgeBuckets<Record>::Bucket& bucket, EdgeId* degree) const {
    Pages<Item> items(bucket.size);
    gather(bucket, items.data());
    Item* const end = items.data() + bucket.size;
    if (kWeighted && duplicates_ == Duplicates::First)
      std::stable_sort(items.data(), end,
                       [](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
    else
      std::sort(items.data(), end, [](const Item& a, const Item& b) {
        return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : weight_of(a) < weight_of(b);
      });
    return fold(items.data(), bucket.size, degree,
                [&](std::size_t done) { items.release_prefix(done); });
  }

  // `sorted` by key; adds each kept edge to degree[its source's low bits]. Calls done(count) now
  // and then: the first `count` items are not needed any more.
  template <class Done>
  Lists fold(Item* sorted, std::size_t n, EdgeId* degree, const Done& done) const {
    Lists lists{Pages<VertexId>(n), Pages<Weight>(kWeighted ? n : 0), 0};
    const std::uint64_t target_mask = (std::uint64_t{1} << target_bits_) - 1;
    std::size_t kept = 0;
    auto keep = [&](std::uint64_t key, Weight w) {
      lists.target.data()[kept] = static_cast<VertexId>(key & target_mask);
      if constexpr (kWeighted) lists.weight.data()[kept] = w;
      ++kept;
      ++degree[key >> target_bits_];
    };
    constexpr std::size_t kDoneEvery = std::size_t{1} << 20;
    std::size_t next_done = kDoneEvery;
    WeightFold weight(duplicates_);
    for (std::size_t i = 0; i < n;) {
      if (i >= next_done) [[unlikely]] {
        done(i);
        next_done = i + kDoneEvery;
      }
      const std::uint64_t key = key_of(sorted[i]);
      std::size_t end = i + 1;
      while (end < n && key_of(sorted[end]) == key) ++end;
      if (kWeighted && end - i > 1 && duplicates_ != Duplicates::First)
        std::sort(sorted + i, sorted + end,
                  [](const Item& a, const Item& b) { return weight_of(a) < weight_of(b); });
      if (duplicates_ == Duplicates::Keep) {
        for (; i < end; ++i) keep(key, weight_of(sorted[i]));
        continue;
      }
      weight.start(weight_of(sorted[i]));
      while (++i < end) weight.add(weight_of(sorted[i]));
      keep(key, kWeighted ? weight.get() : 1);
    }
    lists.size = kept;
    return lists;
  }

  // Moves every bucket's lists to their place and turns the degrees into offsets.
  void place(int shift, std::vector<Lists>& lists, Csr& csr) const {
    std::vector<EdgeId> base(lists.size() + 1, 0);
    for (std::size_t b = 0; b < lists.size(); ++b) base[b + 1] = base[b] + lists[b].size;
    csr.target = Array<VertexId>(base.back());
    if constexpr (kWeighted) csr.weight = Array<Weight>(base.back());
    parallel_for(workers_, lists.size(), 1, [&](std::size_t b, std::size_t, int) {
      const std::size_t size = lists[b].size;
      std::copy_n(lists[b].target.data(), size, csr.target.data() + base[b]);
      if constexpr (kWeighted)
        std::copy_n(lists[b].weight.data(), size, csr.weight.data() + base[b]);
      lists[b] = {};
      const std::size_t first = b << shift;
      const std::size_t last = std::min<std::size_t>(vertices_, first + (std::size_t{1} << shift));
      EdgeId at = base[b];
      for (std::size_t v = first; v < last; ++v) csr.offset[v + 1] = at += csr.offset[v + 1];
    });
  }

  static constexpr std::size_t kLeastOversize = std::size_t{1} << 18;

  VertexId vertices_;
  Duplicates duplicates_;
  int workers_;
  int target_bits_;
  std::size_t oversize_ = 0;  // buckets of more edges are sorted in place
  Task task_;
};

}  // namespace fathom::graph
