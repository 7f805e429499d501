// Edges partitioned by the high bits of their source while they stream in, 6 bytes each (10 with
// a weight) in graphs of up to 2^26 vertices: the first pass of a radix sort, after which every
// bucket is sorted in a core's cache. Input order is kept within a bucket, for any number of
// threads.
#pragma once

#include <bit>
#include <vector>

#include "fathom/core/parallel_each.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/graph/pages.hpp"

namespace fathom::graph {

template <class Low>
struct [[gnu::packed]] BucketRecord {
  static constexpr bool kWeighted = false;
  Low low;  // the source's bits below the bucket number
  VertexId target;
  BucketRecord(Low l, VertexId t, Weight) : low(l), target(t) {}
  Weight get_weight() const { return 1; }
};

template <class Low>
struct [[gnu::packed]] WeightedBucketRecord {
  static constexpr bool kWeighted = true;
  Low low;
  VertexId target;
  Weight weight;
  WeightedBucketRecord(Low l, VertexId t, Weight w) : low(l), target(t), weight(w) {}
  Weight get_weight() const { return weight; }
};

template <class Record>
class EdgeBuckets {
 public:
  // 1024 open output lines and pages per core: within the second-level cache and TLB.
  static constexpr int kBucketBits = 10;
  // Sources of a bucket, as a power of two, at least: each has pages of its own, which cost a small
  // graph more than its edges do.
  static constexpr int kLeastShift = 6;

  EdgeBuckets(VertexId vertices, int workers) : workers_(workers) {
    const int id_bits = vertices > 1 ? static_cast<int>(std::bit_width(vertices - 1)) : 1;
    shift_ = std::max(kLeastShift, id_bits - kBucketBits);
    if (vertices > 0) buckets_.resize((std::size_t{vertices - 1} >> shift_) + 1);
    histogram_.resize(buckets_.size() * static_cast<std::size_t>(workers));
    cursor_.resize(histogram_.size());
  }

  struct Chunk {
    Pages<Record> pages;
    std::size_t size = 0;
  };
  struct Bucket {
    std::vector<Chunk> chunks;
    std::size_t size = 0;
  };

  std::size_t size() const { return buckets_.size(); }
  Bucket& operator[](std::size_t b) { return buckets_[b]; }
  /// Sources of bucket b are [b << shift(), (b + 1) << shift()).
  int shift() const { return shift_; }

  /// Appends the edges of items [0, n). visit(first, last, piece, edge) calls edge(source, target,
  /// weight) for each edge of the items in order; it is called twice, concurrently for disjoint
  /// ranges; the second time with piece < 0.
  template <class Visit>
  void append(std::size_t n, const Visit& visit) {
    // Below this many items per piece, clearing and summing the histograms dominates.
    constexpr std::size_t kLeastPiece = std::size_t{1} << 15;
    const std::size_t pieces =
        std::clamp<std::size_t>(n / kLeastPiece, 1, static_cast<std::size_t>(workers_));
    const std::size_t piece_size = (n + pieces - 1) / pieces;
    parallel_pieces(workers_, n, piece_size, [&](std::size_t first, std::size_t last, int) {
      const std::size_t piece = first / piece_size;
      std::uint32_t* count = histogram_.data() + piece * size();
      std::fill_n(count, size(), 0u);
      visit(first, last, static_cast<int>(piece),
            [&](VertexId u, VertexId, Weight) { ++count[u >> shift_]; });
    });
    reserve(pieces);
    parallel_pieces(workers_, n, piece_size, [&](std::size_t first, std::size_t last, int) {
      Record** at = cursor_.data() + first / piece_size * size();
      const VertexId mask = static_cast<VertexId>((std::uint64_t{1} << shift_) - 1);
      visit(first, last, -1, [&](VertexId u, VertexId v, Weight w) {
        *at[u >> shift_]++ = Record(static_cast<decltype(Record::low)>(u & mask), v, w);
      });
    });
  }

 private:
  // Gives each piece its place: one chunk per bucket holds what all pieces of a call add to it.
  // The end of a chunk that is too small stays unwritten, hence costs no memory.
  void reserve(std::size_t pieces) {
    constexpr std::size_t kLeastChunk = (std::size_t{64} << 10) / sizeof(Record);
    constexpr std::size_t kMostChunk = (std::size_t{4} << 20) / sizeof(Record);
    parallel_for(workers_, size(), 64, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t b = first; b < last; ++b) {
        std::size_t total = 0;
        for (std::size_t p = 0; p < pieces; ++p) total += histogram_[p * size() + b];
        if (total == 0) continue;
        Bucket& bucket = buckets_[b];
        if (bucket.chunks.empty() ||
            bucket.chunks.back().pages.capacity() - bucket.chunks.back().size < total) {
          const std::size_t grown = std::clamp(bucket.size / 4, kLeastChunk, kMostChunk);
          bucket.chunks.push_back({Pages<Record>(std::max(total, grown)), 0});
        }
        Chunk& chunk = bucket.chunks.back();
        for (std::size_t p = 0; p < pieces; ++p) {
          cursor_[p * size() + b] = chunk.pages.data() + chunk.size;
          chunk.size += histogram_[p * size() + b];
        }
        bucket.size += total;
      }
    });
  }

  int workers_;
  int shift_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> histogram_;  // [piece][bucket]; a piece is far below 2^32 edges
  std::vector<Record*> cursor_;           // [piece][bucket]
};

}  // namespace fathom::graph
