#include "fathom/algorithms/described/hop_table.hpp"

#include <fmt/format.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

std::vector<std::uint64_t> hop_counts(std::span<const std::uint32_t> hops) {
  std::vector<std::uint64_t> count;
  for (const std::uint32_t h : hops) {
    if (h == kUnreached) continue;
    if (h >= count.size()) count.resize(h + std::size_t{1});
    ++count[h];
  }
  return count;
}

std::string hop_table(const std::string& heading, std::span<const std::uint64_t> counts) {
  constexpr std::size_t kShown = 24;  // long paths: the first and the last
  std::string table = fmt::format("  {:>5}  {:>15}\n", heading, "vertices");
  for (std::size_t h = 0; h < counts.size(); ++h) {
    if (counts.size() > 2 * kShown && h == kShown) {
      table += fmt::format("  {:>5}  {:>15}\n", "...", "...");
      h = counts.size() - kShown;
    }
    table += fmt::format("  {:>5}  {:>15}\n", h, format_count(counts[h]));
  }
  return table;
}

}  // namespace fathom
