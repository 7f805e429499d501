#include "fathom/io/reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fathom/io/formats/formats.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::io {
namespace {

constexpr std::array<std::pair<Format, std::string_view>, 9> kNames = {{
    {Format::Auto, "auto"},
    {Format::EdgeList, "edgelist"},
    {Format::MatrixMarket, "matrixmarket"},
    {Format::Dimacs, "dimacs"},
    {Format::Metis, "metis"},
    {Format::Gap, "gap"},
    {Format::Galois, "galois"},
    {Format::Graphalytics, "graphalytics"},
    {Format::Npz, "npz"},
}};

}  // namespace

std::string_view name_of(Format format) {
  return kNames[static_cast<std::size_t>(format)].second;
}

std::optional<Format> format_named(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& entry) { return entry.second == name; });
  if (found == kNames.end()) return std::nullopt;
  return found->first;
}

std::unique_ptr<EdgeReader> open_edges(const std::vector<std::string>& paths,
                                       const ReadOptions& options) {
  if (paths.empty()) throw Error(ErrorCode::Usage, "no input file");
  std::vector<Head> heads;
  heads.reserve(paths.size());
  if (std::count_if(paths.begin(), paths.end(), is_standard_input) > 1)
    throw Error(ErrorCode::Usage, "standard input is named twice, and can be read once");
  for (const std::string& path : paths)
    heads.push_back(look_at(open_input(path, options.task), options));
  const Format format = detect(heads, options);
  const Head& head = heads.front();
  if (heads.size() > 1 && format != Format::EdgeList && format != Format::Graphalytics)
    fail_file(heads[1].file.name, "expected one file of the format " +
                                      std::string(name_of(format)) + ", found a second");
  if (std::all_of(heads.begin(), heads.end(), [](const Head& h) { return h.content.empty(); }))
    return open_edge_list(heads, options);
  switch (format) {
    case Format::Auto:
    case Format::EdgeList:
      return open_edge_list(heads, options);
    case Format::MatrixMarket:
      return open_matrix_market(head, options);
    case Format::Dimacs:
      return open_dimacs(head, options);
    case Format::Metis:
      return open_metis(head, options);
    case Format::Graphalytics:
      return open_graphalytics(heads, options);
    case Format::Gap:
      return open_gap(head, options);
    case Format::Galois:
      return open_galois(head, options);
    case Format::Npz:
      return open_npz(head, options);
  }
  throw Error(ErrorCode::Internal, "a format without a reader");
}

bool could_be_graph(const std::string& path) {
  const Head head = look_at({path, nullptr}, {});
  return !head.content.empty() && (looks_like_text(head) || looks_like_zip(head) ||
                                   looks_like_galois(head) || looks_like_gap(head));
}

}  // namespace fathom::io
