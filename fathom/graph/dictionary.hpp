// A dictionary of byte strings within a memory bound: string -> number in order of first arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "fathom/graph/pages.hpp"

namespace fathom::graph {

/// The first 8 bytes as a number that orders like them.
inline std::uint64_t prefix_of(std::string_view label) {
  std::uint64_t prefix = 0;
  if (!label.empty()) std::memcpy(&prefix, label.data(), std::min<std::size_t>(8, label.size()));
  return __builtin_bswap64(prefix);
}

/// Open addressing over an arena. Invariant: slots are a power of two, at least twice the entries.
class Dictionary {
 public:
  explicit Dictionary(std::size_t memory);

  /// The number of a label; nothing when it is new and does not fit any more (an empty dictionary
  /// takes any label).
  std::optional<std::uint32_t> number_of(std::string_view text);

  std::uint32_t size() const { return size_; }
  std::string_view label(std::uint32_t number) const {
    const Entry& e = entries_.data()[number];
    return {bytes_.data() + e.start, e.length};
  }

  /// The numbers in bytewise order of their labels. The dictionary then only answers label().
  std::vector<std::uint32_t> sorted();

 private:
  struct Entry {
    std::uint64_t start;
    std::uint32_t length;
    std::uint32_t hash;
  };
  // What an entry costs beside its bytes: itself, and either at most 16 bytes of slots (32 while
  // they double) or, when the slots are gone, a sort key and its place in the order.
  static constexpr std::size_t kEntryCost = sizeof(Entry) + 24;

  bool has_room(std::size_t label_bytes) const;
  void grow_slots();
  std::uint64_t slot_for(std::uint32_t hash) const { return hash & (slot_count_ - 1); }

  std::size_t memory_;
  std::uint32_t size_ = 0;
  std::uint64_t used_bytes_ = 0;
  Pages<Entry> entries_;
  Pages<char> bytes_;
  std::uint64_t slot_count_ = 0;
  Pages<std::uint32_t> slots_;  // number + 1; 0: free
};

}  // namespace fathom::graph
