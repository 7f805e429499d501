#include "fathom/store/narrow/narrowing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kGroup = 64;  // entries that begin with a word, whatever their width
constexpr std::size_t kMostGroupWords = 40 + 16;
constexpr std::size_t kWeightGrain = std::size_t{1} << 18;

/// The distinct weights, numbered. @throws Error(Usage)
WeightCodes codes_of(std::span<const Weight> weight, int threads) {
  const int workers = worker_count(threads);
  std::vector<WeightCodes> found(static_cast<std::size_t>(workers));
  std::atomic<bool> few{true};
  parallel_for(workers, weight.size(), kWeightGrain, [&](std::size_t a, std::size_t b, int worker) {
    WeightCodes& its = found[static_cast<std::size_t>(worker)];
    if (few.load(std::memory_order_relaxed) && !its.add(weight.subspan(a, b - a)))
      few.store(false, std::memory_order_relaxed);
  });
  bool all = few.load();
  for (std::size_t i = 1; all && i < found.size(); ++i) all = found[0].add(found[i].values());
  if (!all)
    throw Error(ErrorCode::Usage,
                fmt::format("narrow lists have codes for {} distinct weights; there are more",
                            format_count(kMostNarrowWeights)));
  found[0].number();
  return std::move(found[0]);
}

/// narrow_layout() with ids as wide as was asked for.
NarrowLayout layout_of(VertexId vertices, bool weighted, std::uint64_t values, int id_bits) {
  NarrowLayout layout = narrow_layout(vertices, weighted, values);
  if (id_bits == 0) return layout;
  if (id_bits > 32 || id_bits < 16 || id_bits % 4 != 0)
    throw Error(ErrorCode::Usage,
                fmt::format("ids have 16, 20, 24, 28 or 32 bits in narrow lists, not {}", id_bits));
  if (id_bits < layout.id_bits)
    throw Error(ErrorCode::Usage, fmt::format("ids of {} bits do not number {} vertices, which "
                                              "take {}",
                                              id_bits, format_count(vertices), layout.id_bits));
  layout.id_bits = static_cast<std::uint8_t>(id_bits);
  return layout;
}

}  // namespace

NarrowLayout bound_of_layout(VertexId vertices, bool weighted, int id_bits) {
  return layout_of(vertices, weighted, weighted ? kMostNarrowWeights : 0, id_bits);
}

Narrowing::Narrowing(const CsrView& csr, int id_bits, int threads) {
  layout_ = bound_of_layout(csr.vertices, csr.weight != nullptr, id_bits);
  if (!csr.weight) return;
  codes_ = codes_of({csr.weight, static_cast<std::size_t>(csr.edges)}, threads);
  layout_ = layout_of(csr.vertices, true, codes_.values().size(), id_bits);
}

void Narrowing::write(const CsrView& csr, std::uint64_t first,
                      std::span<std::uint64_t> words) const {
  const std::uint64_t step = layout_.entry_bits();  // words of a group, too
  const std::uint64_t end = first + words.size();
  std::array<std::uint64_t, kMostGroupWords> whole;
  std::array<std::uint32_t, kGroup> code;
  for (std::uint64_t at = first; at < end;) {
    const std::uint64_t group = at / step, begin = group * step;
    const std::uint64_t stop = std::min(end, begin + step);
    const EdgeId edge = std::min<EdgeId>(group * kGroup, csr.edges);
    const auto count = static_cast<std::size_t>(std::min<EdgeId>(kGroup, csr.edges - edge));
    const std::span<std::uint32_t> its(code.data(), csr.weight ? count : 0);
    if (csr.weight) codes_.codes({csr.weight + edge, count}, its);
    // What the last entries leave of their group, and the word behind it, is zero.
    write_entries(layout_, {csr.target + edge, count}, its,
                  std::span(whole).first(static_cast<std::size_t>(step)));
    std::copy(whole.begin() + static_cast<std::ptrdiff_t>(at - begin),
              whole.begin() + static_cast<std::ptrdiff_t>(stop - begin),
              words.begin() + static_cast<std::ptrdiff_t>(at - first));
    at = stop;
  }
}

}  // namespace fathom::store
