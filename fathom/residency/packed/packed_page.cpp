#include "fathom/residency/packed/packed_page.hpp"

#include <algorithm>
#include <array>

#include "fathom/core/parallel.hpp"
#include "fathom/store/packed/pack.hpp"

namespace fathom {

using store::packed::kGroup;

namespace {

/// Memory of a run may end at a border: what lies close before it is unpacked from a copy, behind
/// which more can be read.
bool unpack_run_group(std::span<const std::uint32_t> words, std::uint64_t end,
                      const PackedPage& page, std::span<VertexId> ids) {
  using namespace store::packed;
  if (end % kBorderWords != 0 && end % kBorderWords + kPadWords <= kBorderWords)
    return unpack_group(words, page.id_bits, page.vertices, ids);
  std::array<std::uint32_t, 2 * most_words(kIdBits) + kPadWords> copy;
  if (words.size() + kPadWords > copy.size()) return false;  // an index that nobody has checked
  std::fill_n(std::copy(words.begin(), words.end(), copy.begin()), kPadWords, 0);
  return unpack_group(std::span<const std::uint32_t>(copy).first(words.size()), page.id_bits,
                      page.vertices, ids);
}

}  // namespace

void PackedPage::decode_targets(int threads, VertexId* into) const {
  constexpr std::size_t kGroupsAtOnce = 16;
  std::uint64_t first = 0;  // group of the run
  for (const PackedRun& run : runs) {
    parallel_for(threads, run.groups, kGroupsAtOnce, [&](std::size_t from, std::size_t to, int) {
      for (std::size_t g = from; g < to; ++g) {
        const std::uint64_t group = first + g, place = index[group];
        const std::uint64_t end = store::packed::end_of_group(place, index[group + 1]);
        const std::span words(run.words + (place - run.first_word),
                              static_cast<std::size_t>(end - place));
        const std::span ids(into + group * kGroup, entries_of(group));
        if (!unpack_run_group(words, end, *this, ids))
          store::throw_bad_group(*name, first_group + group);
      }
    });
    first += run.groups;
  }
}

void PackedPage::decode_weights(int threads, Weight* into) const {
  constexpr std::size_t kGrain = std::size_t{1} << 15;
  const EdgeId first = first_group * kGroup;
  parallel_for(threads, entries, kGrain, [&](std::size_t from, std::size_t to, int) {
    if (!store::unpack_weights(weights, from, std::span(into + from, to - from)))
      store::throw_bad_code(*name, first + from, first + to);
  });
}

}  // namespace fathom
