// Any words as narrow entries, from any of them on, in memory that ends anywhere between words:
// read within their bounds and as another reader does, or refused for the ids and codes that are
// wrong. What is read comes back when it is written again.
//
// Input: bits of an id, of a code; how many vertices; weights; the entry that the page begins with;
// words of each run but the last, up to a zero; words.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "fathom/residency/narrow/narrow_page.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using fuzzing::require;
using Words = std::vector<std::uint64_t>;

/// By docs/formats.md alone, a bit at a time.
std::uint64_t bits_of(const Words& words, std::uint64_t first, std::uint32_t count) {
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    bits |= (words[(first + i) / 64] >> (first + i) % 64 & 1) << i;
  return bits;
}

/// Memory that ends with its last word.
struct Run {
  std::unique_ptr<std::uint64_t[]> memory;
  NarrowRun run;

  Run(const Words& words, std::uint64_t first, std::uint64_t count)
      : memory(std::make_unique<std::uint64_t[]>(count)), run{memory.get(), first, count} {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first), count, memory.get());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  constexpr std::array<std::uint8_t, 8> kIdWidths{16, 20, 24, 28, 32, 33, 37, 40};
  NarrowPage page;
  page.layout.id_bits = kIdWidths[input.byte() % (kIdBits == 64 ? 8u : 5u)];
  page.layout.code_bits = std::array<std::uint8_t, 3>{0, 8, 16}[input.byte() % 3u];
  const std::uint64_t most = std::uint64_t{1} << page.layout.id_bits;
  page.vertices = static_cast<VertexId>(
      std::min<std::uint64_t>(most >> input.byte() % 8u, std::uint64_t{kNoVertex} - 1));
  std::vector<Weight> values(page.layout.weighted() ? 1 + 257u * input.byte() : 0);
  values.resize(std::min<std::size_t>(values.size(), std::size_t{1} << page.layout.code_bits));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Weight>(i) * .5f;
  page.layout.values = static_cast<std::uint32_t>(values.size());
  page.values = values;
  page.first = input.byte();
  std::vector<std::uint64_t> lengths;
  while (const std::uint8_t length = input.byte()) lengths.push_back(length);
  Words words;
  for (auto bytes = input.rest(); bytes.size() >= 8; bytes = bytes.subspan(8))
    std::memcpy(&words.emplace_back(), bytes.data(), 8);

  const std::uint32_t step = page.layout.entry_bits();
  const std::uint64_t all = words.size() * std::uint64_t{64} / step;
  if (all <= page.first) return 0;
  page.entries = static_cast<std::size_t>(all - page.first);
  std::vector<Run> memory;
  std::vector<NarrowRun> runs;
  const std::uint64_t end = (all * step + 63) / 64;
  for (std::uint64_t at = page.first * step / 64, i = 0; at < end; ++i) {
    const std::uint64_t count = i < lengths.size() ? std::min(lengths[i], end - at) : end - at;
    memory.emplace_back(words, at, count);
    runs.push_back(memory.back().run);
    at += count;
  }
  page.runs = runs;
  const std::string name = "a.fg: section 'out.entries'";
  page.name = &name;

  std::vector<VertexId> ids;
  std::vector<std::uint32_t> codes;
  bool good_ids = true, good_codes = true;
  for (std::uint64_t e = page.first; e < all; ++e) {
    const std::uint64_t id = bits_of(words, e * step, page.layout.id_bits);
    ids.push_back(static_cast<VertexId>(id));
    good_ids = good_ids && id < page.vertices;
    if (!page.layout.weighted()) continue;
    codes.push_back(static_cast<std::uint32_t>(
        bits_of(words, e * step + page.layout.id_bits, page.layout.code_bits)));
    good_codes = good_codes && codes.back() < page.layout.values;
  }
  std::vector<VertexId> target(page.entries);
  require(fuzzing::accepted([&] { page.decode_targets(1, target.data()); }) == good_ids);
  require(!good_ids || target == ids);
  if (page.layout.weighted()) {
    std::vector<Weight> weight(page.entries);
    require(fuzzing::accepted([&] { page.decode_weights(1, weight.data()); }) == good_codes);
    for (std::size_t i = 0; good_codes && i < codes.size(); ++i)
      require(weight[i] == values[codes[i]]);
  }
  const std::size_t count = ids.size();
  Words again((count * step + 63) / 64 + 1);
  store::write_entries(page.layout, ids, codes, std::span(again).first(again.size() - 1));
  std::vector<std::uint32_t> code(codes.size());
  store::read_entries(page.layout, again, 0, target, code);
  require(target == ids && code == codes);
  return 0;
}
