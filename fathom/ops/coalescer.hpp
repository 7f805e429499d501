// What a GPU asks of host memory when the lanes of a warp load: a model of its coalescing unit and
// cache, after what EMOGI's traffic monitor saw on the link (section 3.3, Figure 3).
//
// An instruction's loads touch 32-byte sectors. Sectors in the cache cost nothing. Missing ones
// that adjoin within a 128-byte line travel as one request, of 32, 64, 96 or 128 bytes; a request
// never crosses a line, and instructions do not share requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/ops/link_meter.hpp"

namespace fathom {

/// Read requests over the link.
struct FATHOM_API RequestCounts {
  std::array<std::uint64_t, 4> of_size{};  // [i]: requests for 32 * (i + 1) bytes
  std::uint64_t dram_bytes = 0;            // read from host memory, in bursts of 64 bytes

  std::uint64_t total() const;
  std::uint64_t bytes() const;  // payload
  /// The fraction of the requests that are for so many bytes (32, 64, 96 or 128); 0 of none.
  double share(std::uint32_t bytes) const;
  /// The fraction of the link's bytes that packet headers take: 18 bytes per request (section 3.3).
  double header_share() const;
  RequestCounts& operator+=(const RequestCounts& other);
  friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};

/// A cache of 128-byte lines whose 32-byte sectors are filled one by one. Fully associative; a full
/// cache gives up a line chosen by a fixed sequence of random numbers, since GPUs are not strictly
/// LRU and strict LRU would lose everything as soon as one line too many is in use.
class FATHOM_API SectorCache {
 public:
  explicit SectorCache(std::size_t bytes);

  /// Fetches sectors of a line (bit i: bytes [32 i, 32 i + 32)); returns those that were missing.
  std::uint32_t fetch(std::uint64_t line, std::uint32_t sectors);
  void clear();

 private:
  struct Slot {
    std::uint64_t line;
    std::uint32_t sectors;
  };
  std::size_t capacity_;  // lines
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;
  std::uint64_t evictions_ = 0;
};

/// Counts the requests of one instruction after another.
class FATHOM_API Coalescer {
 public:
  /// `cache_bytes` 0: nothing is kept from one instruction to the next.
  explicit Coalescer(std::size_t cache_bytes) : cached_(cache_bytes > 0), cache_(cache_bytes) {}

  /// One load per entry, from the byte addresses given. Loads are aligned to their size, which is
  /// at most a sector, and at most 32.
  void issue(std::span<const std::uint64_t> addresses, RequestCounts& counts);
  void clear_cache() { cache_.clear(); }

 private:
  bool cached_;
  SectorCache cache_;
};

}  // namespace fathom
