#include "fathom/io/formats/lines_reader.hpp"

#include <fmt/format.h>

#include "fathom/io/numbers.hpp"

namespace fathom::io {

LinesReader::LinesReader(InputTraits traits, TextBody body, std::unique_ptr<LineParser> parser,
                         const ReadOptions& options)
    : traits_(std::move(traits)),
      body_(std::move(body)),
      parser_(std::move(parser)),
      options_(options) {}

void LinesReader::read(EdgeSink sink) {
  options_.task.begin("reading", traits_.bytes, "B");
  std::uint64_t entries = 0;
  parse_lines(body_, *parser_, options_, 0, [&](std::span<const EdgeBatch> batches) {
    for (const EdgeBatch& batch : batches) entries += batch.source.size();
    sink(batches);
  });
  check_entries(body_.file.name, traits_, entries);
  options_.task.end();
}

void check_entries(const std::string& path, const InputTraits& traits, std::uint64_t found) {
  if (traits.declared_edges && *traits.declared_edges != found)
    fail_file(path, fmt::format("expected {} entries as the header says, found {}",
                                *traits.declared_edges, found));
}

std::uint64_t id_within(std::string_view token, std::uint64_t first, std::uint64_t count) {
  std::uint64_t id = 0;
  if (parse_id(token, id) != IdText::Id || id < first || id - first >= count)
    throw LineError{count == 0 ? std::string("no vertex id, as there are no vertices")
                               : fmt::format("a vertex id in {}..{}", first, first + (count - 1)),
                    std::string(token), ""};
  return id;
}

std::uint64_t count_or_fail(std::string_view token, const char* what) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  std::uint64_t count = 0;
  if (parse_id(token, count) != IdText::Id || count > kMost)
    throw LineError{what, std::string(token), ""};
  return count;
}

}  // namespace fathom::io
