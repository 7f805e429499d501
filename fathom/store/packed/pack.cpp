#include "fathom/store/packed/pack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace fathom::store::packed {
namespace {

/// Appends fields of bits, the lowest first.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint32_t>& words) : words_(words) {}
  void put(std::uint64_t value, std::uint32_t width) {
    for (std::uint32_t done = 0; done < width;) {
      const std::uint32_t take = std::min(width - done, kWordBits - used_);
      word_ |= static_cast<std::uint32_t>(value >> done) << used_;
      used_ += take;
      done += take;
      if (used_ == kWordBits) flush();
    }
  }
  void finish() {
    if (used_ > 0) flush();
  }

 private:
  void flush() {
    words_.push_back(word_);
    word_ = used_ = 0;
  }
  std::vector<std::uint32_t>& words_;
  std::uint32_t word_ = 0, used_ = 0;
};

/// The differences of a block's neighbours, modulo 2^id_bits; [0] is not used.
using Differences = std::array<VertexId, kBlock>;

std::uint32_t width_of(VertexId value) {
  return static_cast<std::uint32_t>(std::bit_width(value));
}

/// The cheaper of both ways. Of differences the best width is found by counting how many are how
/// wide: what lies behind a list's end, where ids fall, is nearly always an exception.
Block choose(std::span<const VertexId> ids, std::uint32_t id_bits, VertexId base,
             const Differences& difference) {
  const auto entries = static_cast<std::uint32_t>(ids.size());
  const VertexId largest = *std::max_element(ids.begin(), ids.end());
  const Block offsets{width_of(largest - base), 0, true, 0};
  std::array<std::uint32_t, kIdBits + 1> so_wide{};
  for (std::uint32_t i = 1; i < entries; ++i) ++so_wide[width_of(difference[i])];
  std::uint32_t widest = id_bits;
  while (widest > 0 && so_wide[widest] == 0) --widest;
  Block best{widest};
  std::uint32_t exceptions = 0, least = best.bits(entries, id_bits);
  const std::uint32_t spared = std::min(id_bits - widest, kMostSpared);
  for (std::uint32_t width = widest; width-- > 0;) {
    exceptions += so_wide[width + 1];
    const Block block{width, exceptions, false, spared};
    if (const std::uint32_t bits = block.bits(entries, id_bits); bits < least) {
      best = block;
      least = bits;
    }
  }
  return offsets.bits(entries, id_bits) < least ? offsets : best;
}

/// Loads that may begin at any byte; reads no more than kPadWords behind the field.
VertexId field_at(const std::uint32_t* words, std::uint64_t bit, std::uint32_t width) {
#if FATHOM_VERTEX_BITS == 64
  return read_bits(words, bit, width);
#else
  std::uint64_t value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(words) + bit / 8, sizeof value);
  return static_cast<VertexId>(value >> (bit % 8)) & mask_of(width);
#endif
}

bool unpack_differences(const std::uint32_t* words, std::uint64_t bit, const Block& block,
                        std::uint32_t id_bits, std::span<VertexId> ids) {
  const VertexId mask = mask_of(id_bits);
  ids[0] = read_bits(words, bit, id_bits);
  bit += id_bits;
  for (std::size_t i = 1; i < ids.size(); ++i, bit += block.width)
    ids[i] = field_at(words, bit, block.width);
  for (std::uint32_t e = 0, last = 0; e < block.exceptions; ++e) {
    const auto place = static_cast<std::uint32_t>(read_bits(words, bit, kPlaceBits));
    if (place <= last || place >= ids.size()) return false;  // they ascend
    ids[place] |= read_bits(words, bit + kPlaceBits, block.high_bits(id_bits)) << block.width;
    bit += block.exception_bits(id_bits);
    last = place;
  }
  VertexId sum = ids[0];
  for (std::size_t i = 1; i < ids.size(); ++i) ids[i] = sum = (sum + ids[i]) & mask;
  return true;
}

void unpack_offsets(const std::uint32_t* words, std::uint64_t bit, const Block& block,
                    std::uint32_t id_bits, std::span<VertexId> ids) {
  const VertexId base = read_bits(words, bit, id_bits), mask = mask_of(id_bits);
  bit += id_bits;
  for (std::size_t i = 0; i < ids.size(); ++i, bit += block.width)
    ids[i] = (base + field_at(words, bit, block.width)) & mask;
}

}  // namespace

void pack_group(std::span<const VertexId> ids, std::uint32_t id_bits,
                std::vector<std::uint32_t>& words) {
  const VertexId mask = mask_of(id_bits);
  const auto entries = static_cast<std::uint32_t>(ids.size());
  const std::uint32_t blocks = blocks_in(entries);
  const std::size_t header = words.size();
  words.resize(header + header_words(blocks));
  BitWriter bits(words);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const auto its = ids.subspan(std::size_t{b} * kBlock, entries_of(b, entries));
    Differences difference{};
    for (std::size_t i = 1; i < its.size(); ++i) difference[i] = (its[i] - its[i - 1]) & mask;
    const VertexId smallest = *std::min_element(its.begin(), its.end());
    const Block block = choose(its, id_bits, smallest, difference);
    words[header + b / 2] |= std::uint32_t{block.code()} << (b % 2 * 16);
    bits.put(block.offsets ? smallest : its[0], id_bits);
    for (std::size_t i = block.offsets ? 0 : 1; i < its.size(); ++i)
      bits.put((block.offsets ? its[i] - smallest : difference[i]) & mask_of(block.width),
               block.width);
    if (block.exceptions == 0) continue;
    for (std::size_t i = 1; i < its.size(); ++i) {
      const VertexId high = block.width < kIdBits ? difference[i] >> block.width : 0;
      if (high == 0) continue;
      bits.put(i, kPlaceBits);
      bits.put(high, block.high_bits(id_bits));
    }
  }
  bits.finish();
}

bool unpack_group(std::span<const std::uint32_t> words, std::uint32_t id_bits, VertexId vertices,
                  std::span<VertexId> ids) {
  const auto entries = static_cast<std::uint32_t>(ids.size());
  const std::uint32_t blocks = blocks_in(entries);
  if (words.size() < header_words(blocks)) return false;
  const std::uint64_t end = words.size() * std::uint64_t{kWordBits};
  std::uint64_t bit = header_words(blocks) * std::uint64_t{kWordBits};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const auto its = ids.subspan(std::size_t{b} * kBlock, entries_of(b, entries));
    const std::uint16_t code = code_at(words.data(), b);
    const auto count = static_cast<std::uint32_t>(its.size());
    if (!Block::is_sound(code, count, id_bits)) return false;
    const Block block = Block::of(code);
    const std::uint64_t next = bit + block.bits(count, id_bits);
    if (next > end) return false;
    if (block.offsets)
      unpack_offsets(words.data(), bit, block, id_bits, its);
    else if (!unpack_differences(words.data(), bit, block, id_bits, its))
      return false;
    bit = next;
  }
  VertexId largest = 0;
  for (const VertexId id : ids) largest = std::max(largest, id);
  return largest < vertices;
}

bool is_padded_with_zeros(std::span<const std::uint32_t> words, std::uint32_t id_bits,
                          std::uint32_t entries) {
  const std::uint32_t blocks = blocks_in(entries);
  std::uint64_t bit = header_words(blocks) * std::uint64_t{kWordBits};
  for (std::uint32_t b = 0; b < blocks; ++b)
    bit += Block::of(code_at(words.data(), b)).bits(entries_of(b, entries), id_bits);
  auto word = static_cast<std::size_t>(bit / kWordBits);
  if (const auto used = bit % kWordBits; used > 0)
    if (words[word++] >> used != 0) return false;
  const bool odd_header_ends = blocks % 2 == 0 || words[blocks / 2] >> 16 == 0;
  return odd_header_ends && std::all_of(words.begin() + static_cast<std::ptrdiff_t>(word),
                                        words.end(), [](std::uint32_t w) { return w == 0; });
}

}  // namespace fathom::store::packed
