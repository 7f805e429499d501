#include "fathom/algorithms/described/set_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "fathom/core/units.hpp"

namespace fathom {
namespace {

constexpr std::size_t kShownSizes = 5;

}  // namespace

std::vector<std::uint64_t> largest_sizes(std::span<const VertexId> label) {
  std::vector<VertexId> size(label.size(), 0);
  for (const VertexId its : label) ++size[its];
  std::erase(size, VertexId{0});
  const std::size_t shown = std::min(size.size(), kShownSizes);
  std::partial_sort(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(shown), size.end(),
                    std::greater<>());
  return {size.begin(), size.begin() + static_cast<std::ptrdiff_t>(shown)};
}

std::string sizes_line(const std::vector<std::uint64_t>& sizes, std::uint64_t sets) {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : ", ") + format_count(size);
  if (text.empty()) return "";
  return fmt::format("  sizes: {}{}\n", text, sets > sizes.size() ? ", ..." : "");
}

}  // namespace fathom
