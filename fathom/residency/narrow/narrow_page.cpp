#include "fathom/residency/narrow/narrow_page.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"

namespace fathom {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 15;  // entries that a thread takes
constexpr std::size_t kAtOnce = 1024;                 // of those, while they are near

}  // namespace

/// From entry number `entry` of the section on; one of both may be empty.
void NarrowPage::read(EdgeId entry, std::span<VertexId> target,
                      std::span<std::uint32_t> code) const {
  const std::uint32_t step = layout.entry_bits();
  const std::size_t count = std::max(target.size(), code.size());
  for (std::size_t at = 0; at < count;) {
    const std::uint64_t bit = (entry + at) * step, word = bit / 64;
    const NarrowRun* const behind =
        std::upper_bound(runs.data(), runs.data() + runs.size(), word,
                         [](std::uint64_t w, const NarrowRun& run) { return w < run.first_word; });
    const NarrowRun& run = behind[-1];
    const std::uint64_t last = run.first_word + run.count - 1;
    const bool more = behind != runs.data() + runs.size();
    const std::uint64_t border[] = {run.words[run.count - 1], more ? behind->words[0] : 0};
    // Entries that begin in its last word are in that and the next; all others within the run.
    const std::uint64_t* const words = word == last ? border : run.words;
    const std::uint64_t first_word = word == last ? last : run.first_word;
    const std::uint64_t end = (word == last ? last + 1 : last) * 64;
    const auto some =
        std::min<std::size_t>(count - at, static_cast<std::size_t>((end - bit + step - 1) / step));
    store::read_entries_at(layout, words, bit - first_word * 64,
                           target.empty() ? target : target.subspan(at, some),
                           code.empty() ? code : code.subspan(at, some));
    at += some;
  }
}

void NarrowPage::decode_targets(int threads, VertexId* into) const {
  parallel_for(threads, entries, kGrain, [&](std::size_t from, std::size_t to, int) {
    for (; from < to; from += kAtOnce) {
      const std::span target(into + from, std::min(kAtOnce, to - from));
      read(first + from, target, {});
      store::check_entries(*name, layout, vertices, first + from, target, {});
    }
  });
}

void NarrowPage::decode_weights(int threads, Weight* into) const {
  parallel_for(threads, entries, kGrain, [&](std::size_t from, std::size_t to, int) {
    std::uint32_t codes[kAtOnce];
    for (; from < to; from += kAtOnce) {
      const std::span code(codes, std::min(kAtOnce, to - from));
      read(first + from, {}, code);
      store::check_entries(*name, layout, vertices, first + from, {}, code);
      for (std::size_t i = 0; i < code.size(); ++i) into[from + i] = values[code[i]];
    }
  });
}

std::size_t NarrowPage::bytes() const {
  const std::uint64_t step = layout.entry_bits();
  return static_cast<std::size_t>(((first + entries) * step + 7) / 8 - first * step / 8);
}

}  // namespace fathom
