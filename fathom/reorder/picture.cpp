// Figure 8 of HALO as SVG: who is active when.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/reorder/metrics.hpp"

namespace fathom::reorder {
namespace {

// Units of the picture. Cells, not vertices: a picture has a size whatever the graph's.
constexpr int kColumns = 600, kMostLevels = 60, kLevelHeight = 6, kTitleHeight = 22, kMargin = 10;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

/// Shares of active ids: [level or stretch of levels][column].
struct Cells {
  explicit Cells(std::span<const std::uint32_t> depth) {
    std::size_t levels = 1;
    for (const std::uint32_t d : depth)
      if (d != kUnreached) levels = std::max(levels, std::size_t{d} + 1);
    rows = std::min<std::size_t>(levels, kMostLevels);
    share.assign(rows * kColumns, 0);
    std::vector<double> ids(kColumns, 0);
    for (std::size_t v = 0; v < depth.size(); ++v) {
      const std::size_t column = v * kColumns / depth.size();
      ++ids[column];
      if (depth[v] != kUnreached) ++share[depth[v] * rows / levels * kColumns + column];
    }
    for (std::size_t i = 0; i < share.size(); ++i)
      if (ids[i % kColumns] > 0) share[i] /= ids[i % kColumns];
  }
  std::size_t rows;
  std::vector<double> share;
};

void append_panel(std::string& svg, const PictureRow& row, std::size_t top) {
  const Cells cells(row.depth);
  svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kMargin, top + 15, escaped(row.title));
  for (std::size_t level = 0; level < cells.rows; ++level)
    for (std::size_t column = 0; column < kColumns; ++column) {
      const double share = cells.share[level * kColumns + column];
      // The square root shows the few that are active in large ranges.
      if (share > 0)
        svg +=
            fmt::format("<rect x=\"{}\" y=\"{}\" width=\"1\" height=\"{}\" opacity=\"{:.2f}\"/>\n",
                        kMargin + column, top + kTitleHeight + level * kLevelHeight, kLevelHeight,
                        std::max(0.1, std::sqrt(share)));
    }
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"gray\"/>\n",
      kMargin, top + kTitleHeight, kColumns, cells.rows * kLevelHeight);
}

}  // namespace

std::string level_picture(std::span<const PictureRow> rows) {
  std::string panels;
  std::size_t top = kMargin;
  for (const PictureRow& row : rows) {
    append_panel(panels, row, top);
    top += kTitleHeight + Cells(row.depth).rows * kLevelHeight + kMargin;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n",
             kColumns + 2 * kMargin, top) +
         panels + "</svg>\n";
}

}  // namespace fathom::reorder
