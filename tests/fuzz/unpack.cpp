// Any words as a group of packed ids: read within their bounds, whatever they are, and unpacked as
// another reader does; what is unpacked comes back when it is packed again. And any ids.
//
// Input: bits of an id; entries, of two bytes; how many vertices; whether words follow, ids, or the
// differences of ascending ids.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "fathom/store/packed/pack.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using namespace fathom::store::packed;
using fuzzing::require;
using Ids = std::vector<VertexId>;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kMostBits = kIdBits < 63 ? kIdBits : 63;

/// By docs/formats.md alone, never beyond a word.
class WordByWord {
 public:
  WordByWord(const Words& words, std::uint32_t id_bits) : words_(words), id_bits_(id_bits) {}

  std::optional<Ids> group(std::uint32_t entries, VertexId vertices) {
    const std::uint32_t blocks = (entries + 63) / 64;
    const std::uint64_t header = (blocks + 1) / 2 * std::uint64_t{32};
    if (words_.size() * std::uint64_t{32} < header) return {};
    std::vector<std::uint64_t> codes;
    for (std::uint32_t b = 0; b < blocks; ++b) codes.push_back(take(16));
    bit_ = header;
    Ids ids;
    for (std::uint32_t b = 0; b < blocks; ++b)
      if (!block(codes[b], std::min<std::uint32_t>(64, entries - 64 * b), ids)) return {};
    for (const VertexId id : ids)
      if (id >= vertices) return {};
    return ids;
  }

 private:
  std::uint64_t take(std::uint64_t width) {
    std::uint64_t value = 0;
    for (std::uint64_t done = 0; done < width;) {
      const std::uint64_t here = std::min(width - done, 32 - bit_ % 32);
      const std::uint64_t bits = words_[bit_ / 32] >> bit_ % 32 & ((std::uint64_t{1} << here) - 1);
      value |= bits << done;
      done += here;
      bit_ += here;
    }
    return value;
  }

  bool block(std::uint64_t code, std::uint64_t entries, Ids& ids) {
    const std::uint64_t width = code & 63, exceptions = code >> 6 & 63, spared = code >> 13;
    const bool offsets = (code >> 12 & 1) != 0;
    if (width > id_bits_ || exceptions >= entries) return false;
    if (exceptions == 0 && spared != 0) return false;
    if (exceptions > 0 && (offsets || width + spared >= id_bits_)) return false;
    const std::uint64_t fields = offsets ? entries : entries - 1;
    const std::uint64_t high_bits = exceptions > 0 ? id_bits_ - spared - width : 0;
    const std::uint64_t bits = id_bits_ + fields * width + exceptions * (6 + high_bits);
    if (bits > entries * id_bits_ || bit_ + bits > words_.size() * std::uint64_t{32}) return false;
    const std::uint64_t base = take(id_bits_);
    std::vector<std::uint64_t> field(fields);
    for (std::uint64_t& f : field) f = take(width);
    for (std::uint64_t e = 0, last = 0; e < exceptions; ++e) {
      const std::uint64_t place = take(6);
      if (place <= last || place >= entries) return false;
      field[place - 1] += take(high_bits) << width;
      last = place;
    }
    const std::uint64_t mask = (std::uint64_t{1} << id_bits_) - 1;
    if (!offsets) ids.push_back(static_cast<VertexId>(base));
    for (const std::uint64_t f : field)
      ids.push_back(static_cast<VertexId>((offsets ? base + f : ids.back() + f) & mask));
    return true;
  }

  const Words& words_;
  std::uint64_t id_bits_;
  std::uint64_t bit_ = 0;
};

/// From memory that ends behind kPadWords more, of any content.
std::optional<Ids> unpack(const Words& words, std::uint32_t id_bits, VertexId vertices,
                          std::uint32_t entries, std::uint32_t behind) {
  const auto memory = std::make_unique<std::uint32_t[]>(words.size() + kPadWords);
  std::fill_n(std::copy(words.begin(), words.end(), memory.get()), kPadWords, behind);
  const auto ids = std::make_unique<VertexId[]>(entries);
  if (!unpack_group({memory.get(), words.size()}, id_bits, vertices, {ids.get(), entries}))
    return {};
  return Ids(ids.get(), ids.get() + entries);
}

void come_back(const Ids& ids, std::uint32_t id_bits) {
  Words words{17};  // what is there stays
  pack_group(ids, id_bits, words);
  require(words.front() == 17);
  words.erase(words.begin());
  require(words.size() <= most_words(id_bits));
  const auto entries = static_cast<std::uint32_t>(ids.size());
  require(is_padded_with_zeros(words, id_bits, entries));
  const VertexId vertices = *std::max_element(ids.begin(), ids.end()) + 1;
  require(unpack(words, id_bits, vertices, entries, 0) == ids);
  require(WordByWord(words, id_bits).group(entries, vertices) == ids);
  require(!unpack(words, id_bits, vertices - 1, entries, 0));
  words.pop_back();
  require(!unpack(words, id_bits, vertices, entries, 0));
}

Words words_of(std::span<const std::uint8_t> bytes) {
  Words words;
  for (; bytes.size() >= 4; bytes = bytes.subspan(4))
    std::memcpy(&words.emplace_back(), bytes.data(), 4);
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  const std::uint32_t id_bits = 1 + input.byte() % kMostBits;
  std::uint32_t entries = input.byte();
  entries = 1 + (entries + 256u * input.byte()) % kGroup;
  const VertexId largest = std::min(mask_of(id_bits), kNoVertex - 2);
  const std::uint32_t fewer = input.byte() % id_bits;
  const unsigned how = input.byte() % 3u;
  if (how == 0) {
    const Words words = words_of(input.rest());
    const VertexId vertices = (largest >> fewer) + 1;
    const auto ids = unpack(words, id_bits, vertices, entries, 0);
    require(unpack(words, id_bits, vertices, entries, ~0u) == ids);
    require(WordByWord(words, id_bits).group(entries, vertices) == ids);
    if (ids) come_back(*ids, id_bits);
    if (ids) is_padded_with_zeros(words, id_bits, entries);
    return 0;
  }
  Ids ids;
  VertexId sum = 0;
  while (ids.size() < entries && !input.rest().empty()) {
    VertexId value = input.byte();
    if (value >= 192) value = (value - 192) << 8 | input.byte();
    if (value >= 0x3000)
      value = (value - 0x3000) << 16 | VertexId{input.byte()} << 8 | input.byte();
    sum = how == 1 ? value << fewer : sum + value;
    ids.push_back(std::min<VertexId>(sum & mask_of(id_bits), largest));
  }
  if (!ids.empty()) come_back(ids, id_bits);
  return 0;
}
