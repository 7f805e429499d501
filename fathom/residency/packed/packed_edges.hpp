// The view of packed lists (docs/formats.md, "Packed lists") that the lanes of a warp unpack
// together, a block of up to 64 edges a span, into their registers: lane r has edges r and r + 32.
//
// Only words are read from where lists are: where a block begins, and how it is coded, is in two
// tables that a GPU keeps in its own memory (packed_places.hpp), so that a block costs one round of
// reads over the link, of one line or two. Each group of 1024 edges has its place, and thereby its
// own memory: what of a graph is kept nearer is a matter of what the table of places says
// (docs/adr/0034).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/core/lanes.hpp"
#include "fathom/residency/edge_cursor.hpp"
#include "fathom/residency/narrow/narrow_edges.hpp"
#include "fathom/store/packed/packed_format.hpp"

namespace fathom {

/// The words of a block, dealt out to the lanes of a warp. All lanes of it call everything.
class BlockWords {
 public:
  static constexpr std::uint32_t kLanes = 32;
  /// A block has no more bits than its ids have unpacked, and may begin anywhere in a word.
  static constexpr std::uint32_t kMost = store::packed::kBlock * (kIdBits / 32) + 1;

  template <LaneGroup G>
  FATHOM_HD BlockWords(const G& g, const std::uint32_t* from, std::uint32_t count) : count_(count) {
    for (std::uint32_t k = 0; k < kHeld; ++k) {
      const std::uint32_t j = k * kLanes + g.rank();
      held_[k] = j < count ? from[j] : 0;
    }
  }
  /// A number of `width` bits from bit `bit` on, which lanes may ask for each its own.
  template <LaneGroup G>
  FATHOM_HD VertexId bits(const G& g, std::uint32_t bit, std::uint32_t width) const {
    const std::uint32_t j = bit / 32, shift = bit % 32;
    const std::uint32_t low = word(g, j), middle = word(g, j + 1);
    VertexId value = detail::funnel_right(low, middle, shift);
    if constexpr (sizeof(VertexId) > 4)
      value |= static_cast<VertexId>(detail::funnel_right(middle, word(g, j + 2), shift))
               << (kIdBits - 32);
    return value & store::packed::mask_of(width);
  }

 private:
  static constexpr std::uint32_t kHeld = (kMost + kLanes - 1) / kLanes;

  template <LaneGroup G>
  FATHOM_HD std::uint32_t word(const G& g, std::uint32_t j) const {
    std::uint32_t its = g.shfl(held_[0], j % kLanes);
    for (std::uint32_t k = 1; k < kHeld; ++k) {
      if (count_ <= k * kLanes) break;  // the same for all lanes
      const std::uint32_t other = g.shfl(held_[k], j % kLanes);
      if (j / kLanes == k) its = other;
    }
    return its;
  }

  std::uint32_t held_[kHeld];
  std::uint32_t count_;
};

/// A block that was unpacked. A group of lanes that has a member `last` pointing to one, each lane
/// to its own, need not unpack it again for the next of the lists that lie in it.
struct UnpackedBlock {
  EdgeId number = ~EdgeId{0};            // among all; none
  VertexId id[2] = {};                   // of entries rank and rank + 32
  const std::byte* weight_at = nullptr;  // of the first; null: every weight is 1
};

/// Edges of one block; each lane has its own two of the block's ids.
struct PackedSpan {
  VertexId id[2] = {};                   // of entries rank and rank + 32 of the block
  const std::byte* weight_at = nullptr;  // of the block's first; null: every weight is 1
  const Weight* values = nullptr;        // of codes
  const std::uint32_t* words = nullptr;  // that were read for it
  std::uint32_t word_count = 0;          // 0: the block was there
  std::uint32_t size = 0;
  std::uint8_t first = 0;  // the span's first entry in the block
  std::uint8_t code_bytes = 0;

  /// Entry i, of a lane for which i is rank - lead() modulo 32.
  FATHOM_HD VertexId target(std::size_t i) const { return first + i < 32 ? id[0] : id[1]; }
  FATHOM_HD Weight weight(std::size_t i) const {
    if (!weight_at) return Weight{1};
    if (code_bytes == 0) return reinterpret_cast<const Weight*>(weight_at)[first + i];
    if (code_bytes == 1) return values[static_cast<std::uint8_t>(weight_at[first + i])];
    return values[reinterpret_cast<const std::uint16_t*>(weight_at)[first + i]];
  }
  /// So that lanes come to the entries that they have.
  FATHOM_HD std::uint32_t lead() const { return first % 32u; }

  // What is read (link_meter.hpp): the words once, weights with each round.
  FATHOM_HD bool reads_words() const { return word_count > 0; }
  FATHOM_HD std::uintptr_t first_word_byte() const {
    return reinterpret_cast<std::uintptr_t>(words);
  }
  FATHOM_HD std::uintptr_t last_word_byte() const {
    return reinterpret_cast<std::uintptr_t>(words + word_count) - 1;
  }
  FATHOM_HD std::uintptr_t weight_address(std::size_t i) const {
    const std::uint32_t bytes = code_bytes > 0 ? code_bytes : sizeof(Weight);
    return reinterpret_cast<std::uintptr_t>(weight_at + (first + i) * bytes);
  }
  FATHOM_HD bool weights_apart() const { return weight_at != nullptr; }
};

/// Invariants: tables are those of checked lists, so that blocks lie within the words whatever
/// these have become. A group that is near has the weights of its 1024 positions in front of its
/// words, when `near_weights` says so.
struct PackedEdges {
  static constexpr std::uint64_t kNear = std::uint64_t{1} << 63;  // set in places within `near`
  static constexpr std::uint32_t kStartShift = 16;                // in an element of `block`

  const EdgeId* offset = nullptr;
  const std::uint32_t* words = nullptr;
  const std::uint32_t* near = nullptr;
  const std::uint64_t* place = nullptr;  // [groups]: a group's first word
  // [blocks]: the code, and above it the bit of its group that the block begins with.
  const std::uint32_t* block = nullptr;
  const std::byte* weight = nullptr;  // values, or codes; null: every weight is 1
  const Weight* values = nullptr;     // of codes
  EdgeId edges = 0;
  std::uint32_t id_bits = 0;
  std::uint8_t code_bytes = 0;  // of a weight: 1 or 2; 0: they are as they are
  bool near_weights = false;
  EdgeId limit = kWholeList;  // show at most so many edges of each list

  using Cursor = EdgeCursor;
  using Span = PackedSpan;
  FATHOM_HD Cursor begin(VertexId v) const { return detail::list_of(offset, v, limit); }

  /// The next span of a list. Collective: the 32 lanes of a group come with the same cursor.
  template <LaneGroup G>
  FATHOM_HD bool next(const G& g, Cursor& c, Span& s) const {
    if (c.pos == c.end) return false;
    const EdgeId number = c.pos / store::packed::kBlock, begin = number * store::packed::kBlock;
    const EdgeId left = edges - begin;
    const std::uint32_t entries =
        left < store::packed::kBlock ? static_cast<std::uint32_t>(left) : store::packed::kBlock;
    const EdgeId end = c.end < begin + entries ? c.end : begin + entries;
    s.first = static_cast<std::uint8_t>(c.pos - begin);
    s.size = static_cast<std::uint32_t>(end - c.pos);
    s.code_bytes = code_bytes;
    s.values = values;
    s.word_count = 0;
    if constexpr (requires { g.last->number; }) {
      if (g.last->number != number) *g.last = unpacked(g, number, entries, s);
      show(*g.last, s);
    } else {
      show(unpacked(g, number, entries, s), s);
    }
    c.pos = end;
    return true;
  }

 private:
  /// Of the block that begins at a position; `ahead`: those of its group are in front of its words.
  FATHOM_HD const std::byte* weights_of(const std::uint32_t* group, bool ahead,
                                        EdgeId begin) const {
    if (!weight) return nullptr;
    const std::size_t bytes = code_bytes > 0 ? code_bytes : sizeof(Weight);
    if (!ahead) return weight + begin * bytes;
    return reinterpret_cast<const std::byte*>(group) -
           (store::packed::kGroup - begin % store::packed::kGroup) * bytes;
  }

  FATHOM_HD static void show(const UnpackedBlock& block, Span& s) {
    s.id[0] = block.id[0];
    s.id[1] = block.id[1];
    s.weight_at = block.weight_at;
  }

  /// The block, and in the span what is read for it.
  template <LaneGroup G>
  FATHOM_HD UnpackedBlock unpacked(const G& g, EdgeId number, std::uint32_t entries,
                                   Span& s) const {
    const std::uint64_t at = place[number / store::packed::kBlocks];
    const std::uint32_t its = block[number];
    const bool is_near = (at & kNear) != 0;
    const std::uint32_t* const group = (is_near ? near : words) + (at & ~kNear);
    const auto code = store::packed::Block::of(static_cast<std::uint16_t>(its));
    const std::uint32_t bit = its >> kStartShift;
    s.words = group + bit / 32;
    s.word_count = (bit % 32 + code.bits(entries, id_bits) + 31) / 32;
    UnpackedBlock found;
    found.number = number;
    found.weight_at = weights_of(group, is_near && near_weights, number * store::packed::kBlock);
    const BlockWords bits(g, s.words, s.word_count);
    unpack(g, bits, bit % 32, code, entries, found.id);
    return found;
  }

  /// The entries of a block that begins at bit `bit` of `words`.
  template <LaneGroup G>
  FATHOM_HD void unpack(const G& g, const BlockWords& from, std::uint32_t bit,
                        const store::packed::Block& code, std::uint32_t entries,
                        VertexId (&id)[2]) const {
    const std::uint32_t rank = g.rank();
    const VertexId base = from.bits(g, bit, id_bits), mask = store::packed::mask_of(id_bits);
    bit += id_bits;
    if (code.offsets) {
      id[0] = (base + from.bits(g, bit + rank * code.width, code.width)) & mask;
      id[1] = (base + from.bits(g, bit + (rank + 32) * code.width, code.width)) & mask;
      return;
    }
    // Field i belongs to entry i + 1, and the base to the first.
    const VertexId field = from.bits(g, bit + (rank > 0 ? rank - 1 : 0) * code.width, code.width);
    VertexId low = rank > 0 ? field : base;
    VertexId high = from.bits(g, bit + (rank + 31) * code.width, code.width);
    if (code.exceptions > 0)
      add_exceptions(g, from, bit + (entries - 1) * code.width, code, low, high);
    id[0] = sum_up_to(g, low) & mask;
    id[1] = (sum_up_to(g, high) + shuffle(g, id[0], 31)) & mask;
  }

  /// Lane e reads exceptions e and e + 32; then they go to the lanes whose differences they are of.
  template <LaneGroup G>
  FATHOM_HD void add_exceptions(const G& g, const BlockWords& from, std::uint32_t bit,
                                const store::packed::Block& code, VertexId& low,
                                VertexId& high) const {
    const std::uint32_t each = code.exception_bits(id_bits), rank = g.rank();
    for (std::uint32_t first = 0; first < code.exceptions; first += 32) {
      const std::uint32_t mine = bit + (first + rank) * each;
      const auto where = static_cast<std::uint32_t>(from.bits(g, mine, store::packed::kPlaceBits));
      const VertexId value = from.bits(g, mine + store::packed::kPlaceBits, code.high_bits(id_bits))
                             << code.width;
      const std::uint32_t rest = code.exceptions - first, count = rest < 32 ? rest : 32;
      for (std::uint32_t e = 0; e < count; ++e) {
        const std::uint32_t to = g.shfl(where, e);
        const VertexId its = shuffle(g, value, e);
        if (to == rank) low += its;
        if (to == rank + 32) high += its;
      }
    }
  }

  /// Of the values of this lane and all lower ones, modulo the ids' range.
  template <LaneGroup G>
  FATHOM_HD static VertexId sum_up_to(const G& g, VertexId mine) {
    for (std::uint32_t step = 1; step < 32; step *= 2) {
      const std::uint32_t rank = g.rank();
      const VertexId lower = shuffle(g, mine, (rank - step) & 31);
      if (rank >= step) mine += lower;
    }
    return mine;
  }
};

}  // namespace fathom
