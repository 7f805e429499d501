#include "fathom/store/narrow/narrow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kWidenGrain = std::size_t{1} << 16;
constexpr unsigned kMostIdBits = 40;

std::uint64_t mask_of(std::uint32_t bits) {
  return (std::uint64_t{1} << bits) - 1;
}

/// The 8 bytes from the one on that an entry begins in, which have all of it: up to 56 bits.
std::uint64_t entry_at(const std::uint64_t* words, std::uint64_t bit) {
  std::uint64_t bytes;
  std::memcpy(&bytes, reinterpret_cast<const std::byte*>(words) + bit / 8, sizeof(bytes));
  return bytes >> bit % 8;
}

/// Whether numbers are below `end`, all of which have less bits than a Word: a difference that is
/// negative has the highest one. Compilers make vectors of this, of maxima not without SSE4.
template <class Word, class T>
bool are_below(std::span<const T> numbers, Word end) {
  Word differences = 0;
  for (const T x : numbers) differences |= end - 1 - static_cast<Word>(x);
  return differences >> (8 * sizeof(Word) - 1) == 0;
}

}  // namespace

NarrowLayout narrow_layout(VertexId vertices, bool weighted, std::uint64_t values) {
  if (values > kMostNarrowWeights)
    throw Error(ErrorCode::Usage,
                fmt::format("narrow lists have codes for {} distinct weights; there are {}",
                            format_count(kMostNarrowWeights), format_count(values)));
  const auto needed = static_cast<unsigned>(std::bit_width(vertices > 0 ? vertices - 1 : vertices));
  unsigned id_bits = needed;
  if (needed <= 32)
    for (id_bits = 16; id_bits < needed;) id_bits += 4;
  if (id_bits > kMostIdBits)
    throw Error(ErrorCode::Usage,
                fmt::format("the ids of narrow lists have up to {} bits; those of {} vertices take "
                            "{}",
                            kMostIdBits, format_count(vertices), needed));
  NarrowLayout layout;
  layout.id_bits = static_cast<std::uint8_t>(id_bits);
  if (weighted) {
    layout.code_bits = values <= 256 ? 8 : 16;
    layout.values = static_cast<std::uint32_t>(values);
  }
  return layout;
}

void read_entries(const NarrowLayout& layout, std::span<const std::uint64_t> words, EdgeId first,
                  std::span<VertexId> target, std::span<std::uint32_t> code) {
  const std::uint32_t step = layout.entry_bits();  // 64 entries take so many words
  words = words.subspan(static_cast<std::size_t>(first / 64 * step));
  read_entries_at(layout, words.data(), first % 64 * step, target, code);
}

void read_entries_at(const NarrowLayout& layout, const std::uint64_t* words, std::uint64_t bit,
                     std::span<VertexId> target, std::span<std::uint32_t> code) {
  const std::uint32_t step = layout.entry_bits(), id_bits = layout.id_bits;
  const std::uint64_t id = mask_of(id_bits), codes = mask_of(layout.code_bits);
  if (code.empty()) {
    for (std::size_t i = 0; i < target.size(); ++i, bit += step)
      target[i] = static_cast<VertexId>(entry_at(words, bit) & id);
  } else if (target.empty()) {
    for (std::size_t i = 0; i < code.size(); ++i, bit += step)
      code[i] = static_cast<std::uint32_t>(entry_at(words, bit) >> id_bits & codes);
  } else {
    for (std::size_t i = 0; i < target.size(); ++i, bit += step) {
      const std::uint64_t entry = entry_at(words, bit);
      target[i] = static_cast<VertexId>(entry & id);
      code[i] = static_cast<std::uint32_t>(entry >> id_bits & codes);
    }
  }
}

void check_entries(const std::string& name, const NarrowLayout& layout, VertexId vertices,
                   EdgeId first, std::span<const VertexId> target,
                   std::span<const std::uint32_t> code) {
  const bool ids = layout.id_bits < 32 ? are_below(target, static_cast<std::uint32_t>(vertices))
                                       : are_below(target, static_cast<std::uint64_t>(vertices));
  if (ids && are_below(code, layout.values)) return;
  for (std::size_t i = 0; i < target.size(); ++i)
    if (target[i] >= vertices)
      throw Error(ErrorCode::BadInput, printable(fmt::format("{}: entry {} names vertex {}", name,
                                                             first + i, target[i])));
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i] >= layout.values)
      throw Error(ErrorCode::BadInput,
                  printable(fmt::format("{}: entry {} has weight code {} of {}", name, first + i,
                                        code[i], layout.values)));
}

void write_entries(const NarrowLayout& layout, std::span<const VertexId> target,
                   std::span<const std::uint32_t> code, std::span<std::uint64_t> words) {
  const std::uint32_t step = layout.entry_bits();
  std::memset(words.data(), 0, words.size_bytes());
  std::uint64_t bit = 0;
  for (std::size_t i = 0; i < target.size(); ++i, bit += step) {
    std::uint64_t entry = target[i];
    if (!code.empty()) entry |= std::uint64_t{code[i]} << layout.id_bits;
    const auto shift = static_cast<unsigned>(bit % 64);
    words[bit / 64] |= entry << shift;
    if (shift + step > 64) words[bit / 64 + 1] |= entry >> (64 - shift);
  }
}

std::uint64_t widened_bytes(const NarrowLists& lists, bool weights) {
  return lists.edges * (sizeof(VertexId) + (weights && lists.weighted() ? sizeof(Weight) : 0));
}

WidenedLists widen(const NarrowLists& lists, const std::shared_ptr<MemoryPool>& pool, int threads,
                   bool weights) {
  weights = weights && lists.weighted();
  WidenedLists wide;
  wide.target = Array<VertexId>(lists.edges, pool);
  if (weights) wide.weight = Array<Weight>(lists.edges, pool);
  parallel_for(worker_count(threads), lists.edges, kWidenGrain,
               [&](std::size_t a, std::size_t b, int) {
                 const std::span<VertexId> target(wide.target.data() + a, b - a);
                 if (!weights) return read_entries(lists.layout, lists.words, a, target, {});
                 std::uint32_t code[1024];
                 for (std::size_t at = a; at < b; at += std::size(code)) {
                   const std::size_t n = std::min(std::size(code), b - at);
                   read_entries(lists.layout, lists.words, at, target.subspan(at - a, n),
                                std::span(code, n));
                   for (std::size_t i = 0; i < n; ++i) wide.weight[at + i] = lists.values[code[i]];
                 }
               });
  return wide;
}

}  // namespace fathom::store
