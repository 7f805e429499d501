#include "fathom/store/export/graph_file.hpp"

#include <algorithm>

namespace fathom::store {

std::optional<GraphFormat> graph_format_named(std::string_view name) {
  const auto found = std::find(kGraphFormats.begin(), kGraphFormats.end(), name);
  if (found == kGraphFormats.end()) return std::nullopt;
  return static_cast<GraphFormat>(found - kGraphFormats.begin());
}

std::optional<GraphFile> graph_file_of(std::string_view path) {
  const io::CompressedName name = io::compression_of(path);
  const std::size_t dot = name.rest.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const auto format = graph_format_named(name.rest.substr(dot + 1));
  if (!format) return std::nullopt;
  return GraphFile{*format, name.compression};
}

}  // namespace fathom::store
