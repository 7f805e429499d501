#include "fathom/io/table_writer.hpp"

#include <array>
#include <span>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {
namespace {

constexpr std::size_t kRowBytes = std::size_t{1} << 20;

}  // namespace

void quote_if_needed(std::string& out, std::size_t first, char separator) {
  const std::array<char, 3> breaks{separator, '\n', '\r'};
  const auto starts = [&](std::string_view with) {
    return out.compare(first, with.size(), with) == 0;
  };
  const bool plain = out.find_first_of(breaks.data(), first, breaks.size()) == std::string::npos &&
                     !starts("\"") && !starts("#") && !starts("%") && !starts("//") &&
                     !(out.size() > first && (is_blank(out[first]) || is_blank(out.back())));
  if (plain) return;
  std::string quoted = "\"";
  for (const char c : std::string_view(out).substr(first)) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  out.replace(first, std::string::npos, quoted + '"');
}

char table_separator(const std::string& path) {
  const auto ends_with = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  };
  if (ends_with(".tsv")) return '\t';
  if (ends_with(".csv")) return ',';
  throw Error(ErrorCode::Usage, "'" + path + "': a table's name must end in .tsv or .csv");
}

TableWriter::TableWriter(const std::string& path)
    : separator_(table_separator(path)), sink_(open_sink(path)) {}

TableWriter::TableWriter(std::unique_ptr<ByteSink> sink, char separator)
    : separator_(separator), sink_(std::move(sink)) {}

void TableWriter::field(std::string_view text) {
  if (in_row_) buffer_ += separator_;
  in_row_ = true;
  const std::size_t first = buffer_.size();
  buffer_ += text;
  quote_if_needed(buffer_, first, separator_);
}

void TableWriter::field(std::uint64_t number) {
  field(std::string_view(std::to_string(number)));
}

void TableWriter::end_row() {
  buffer_ += '\n';
  in_row_ = false;
  if (buffer_.size() >= kRowBytes) flush();
}

void TableWriter::commit() {
  flush();
  sink_->finish();
}

void TableWriter::flush() {
  sink_->write(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

}  // namespace fathom::io
