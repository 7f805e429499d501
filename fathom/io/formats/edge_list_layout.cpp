#include "fathom/io/formats/edge_list_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fathom/core/printable.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {
namespace {

constexpr std::string_view kSettleThird = "--third-column weight|timestamp|ignore settles it";

struct Row {
  HeadLine line;
  std::unique_ptr<std::string> text;  // what the fields point into
  Fields fields;
  std::string_view operator[](int column) const {
    return fields.field[static_cast<std::size_t>(column)];
  }
};

Separator separator_of(std::string_view line) {
  std::string outside;  // of quotes
  bool quote = false;
  for (const char c : line) {
    if (c == '"') quote = !quote;
    if (!quote) outside += c;
  }
  if (outside.find(',') != std::string::npos) return Separator::Comma;
  if (outside.find(';') != std::string::npos) return Separator::Semicolon;
  if (outside.find('\t') == std::string::npos) return Separator::Blanks;
  // Tabs and blanks mixed between numbers separate alike; between other things only tabs do.
  const std::vector<std::string_view> words = words_of(line);
  return std::all_of(words.begin(), words.end(), is_number) ? Separator::Blanks : Separator::Tab;
}

/// The head's lines with data.
std::vector<Row> rows_of(const Head& head) {
  std::vector<Row> rows;
  std::optional<Separator> separator;
  for (const HeadLine& line : lines_of(head)) {
    if (is_comment(line.text) || is_blank_line(line.text)) continue;
    if (!separator) separator = separator_of(line.text);
    Row& row = rows.emplace_back();
    row.line = line;
    row.text = std::make_unique<std::string>(line.text);
    try {
      row.fields = split(row.text->data(), row.text->data() + row.text->size(), *separator);
    } catch (const LineError& error) {
      fail_line(head.file.name, line.number, error);
    }
  }
  return rows;
}

bool integer_ids(const Row& row) {
  std::uint64_t id = 0;
  return parse_id(row[0], id) != IdText::NotANumber && parse_id(row[1], id) != IdText::NotANumber;
}

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), lower(word)) != names.end();
}

constexpr std::array<std::string_view, 14> kSourceNames = {
    "source", "src",  "from",      "fromnodeid", "from_node_id", "u",      "node1",
    "start",  "head", "source_id", "fromnode",   "id1",          "node_1", "vertex1"};
constexpr std::array<std::string_view, 18> kTargetNames = {
    "target", "dst",         "to",   "tonodeid", "to_node_id", "v",
    "node2",  "end",         "tail", "sink",     "target_id",  "tonode",
    "id2",    "destination", "dest", "dest_id",  "vertex2",    "node_2"};
constexpr std::array<std::string_view, 14> kWeightNames = {
    "weight",   "w",    "weights", "wt",  "value", "val",         "cost",
    "distance", "dist", "length",  "len", "km",    "travel_time", "duration"};
constexpr std::array<std::string_view, 6> kTimeNames = {"timestamp", "time",   "ts",
                                                        "date",      "unixts", "datetime"};

bool names_columns(const std::vector<Row>& rows) {
  if (rows.empty() || rows[0].fields.count < 2 || integer_ids(rows[0])) return false;
  if (one_of(rows[0][0], kSourceNames) && one_of(rows[0][1], kTargetNames)) {
    // Names of columns are not vertices: where they come again, they are labels.
    const auto names = [&](std::string_view label) {
      return label == rows[0][0] || label == rows[0][1];
    };
    return std::none_of(rows.begin() + 1, rows.end(),
                        [&](const Row& row) { return names(row[0]) || names(row[1]); });
  }
  if (rows.size() < 2 || rows[1].fields.count != rows[0].fields.count) return false;
  if (integer_ids(rows[1])) {
    std::uint64_t id = 0;  // a lone label among numbers is an edge
    return parse_id(rows[0][0], id) == IdText::NotANumber &&
           parse_id(rows[0][1], id) == IdText::NotANumber;
  }
  return rows[0].fields.count > 2 && !is_number(rows[0][2]) && is_number(rows[1][2]);
}

bool has_header(const std::vector<Row>& rows, const ReadOptions& options) {
  return !rows.empty() && options.header.value_or(names_columns(rows));
}

/// Seconds or milliseconds since 1970 in every row, or ever later integers: could be times.
bool could_be_times(const std::vector<Row>& rows) {
  constexpr std::size_t kEnoughToJudgeOrder = 20;
  bool epoch = true;
  bool ascending = rows.size() >= kEnoughToJudgeOrder;
  std::size_t distinct = 1;
  std::uint64_t previous = 0;
  for (const Row& row : rows) {
    std::uint64_t value = 0;
    if (parse_id(row[2], value) != IdText::Id) return false;
    const bool seconds = value >= 300'000'000 && value < 5'000'000'000;
    const bool milliseconds = value >= 300'000'000'000 && value < 5'000'000'000'000;
    epoch = epoch && (seconds || milliseconds);
    ascending = ascending && value >= previous;
    if (&row != &rows.front() && value != previous) ++distinct;
    previous = value;
  }
  return epoch || (ascending && distinct > rows.size() / 2);
}

bool third_is_weight(const Head& head, const std::vector<Row>& rows, const Row* header,
                     const ReadOptions& options) {
  const Row& first = rows.front();
  if (options.third_column != ThirdColumn::Auto)
    return options.third_column == ThirdColumn::Weight && first.fields.count > 2;
  if (first.fields.count == 2) return false;
  const auto refuse = [&](const std::string& expected, std::string_view found) {
    std::string hint(kSettleThird);
    constexpr std::size_t kMostOfName = 60;
    const auto name = [&](int i) { return printable((*header)[i].substr(0, kMostOfName)); };
    if (header && header->fields.count > 2)
      hint = fmt::format("the third of the columns {}, {} and {}; {}", name(0), name(1), name(2),
                         kSettleThird);
    fail_line(head.file.name, first.line.number, {expected, std::string(found), hint});
  };
  if (first.fields.count > 4) refuse("2 to 4 columns", first.line.text);
  if (first.fields.count == 4) {
    if (!is_number(first[2]) || !is_number(first[3]))
      refuse("source, target, weight and time in four columns", first.line.text);
    return true;
  }
  if (header && one_of((*header)[2], kTimeNames)) return false;
  if (header && one_of((*header)[2], kWeightNames)) return true;
  if (could_be_times(rows)) refuse("a third column that cannot be a timestamp", first[2]);
  try {
    parse_weight(first[2]);
  } catch (const LineError& error) {
    refuse(error.expected, error.found);
  }
  return true;
}

bool labels_are_strings(const std::vector<Row>& rows, const ReadOptions& options) {
  if (options.labels != LabelMode::Auto) return options.labels == LabelMode::Strings;
  for (const Row& row : rows)
    if (!integer_ids(row)) return true;
  return false;
}

/// The quote that ends the quoted field at `p`.
char* closing_quote(char* p, char* end) {
  for (char* at = p + 1; at != end; ++at) {
    if (is_control(*at)) throw LineError{"text", std::string(at, end), ""};
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') return at;
    ++at;
  }
  throw LineError{"a closing quote", std::string(p, end), ""};
}

/// KONECT files begin with "% sym|asym|bip <kind of weights>".
std::optional<bool> konect_directed(const Head& head) {
  const std::vector<HeadLine> lines = lines_of(head);
  if (lines.empty()) return std::nullopt;
  const std::vector<std::string_view> words = words_of(lines[0].text);
  if (words.size() < 3 || words[0] != "%") return std::nullopt;
  if (words[1] == "bip")
    fail_line(head.file.name, 1,
              {"a network of one kind of vertices", std::string(lines[0].text),
               "in a bipartite KONECT file the ids of both sides overlap; renumber one side and "
               "remove this line"});
  if (words[1] == "sym") return false;
  if (words[1] == "asym") return true;
  return std::nullopt;
}

}  // namespace

Fields split(char* begin, char* end, Separator separator) {
  Fields fields;
  const bool blanks = separator == Separator::Blanks;
  const auto skip_blanks = [&](char*& p) {
    while (p != end && (*p == ' ' || (*p == '\t' && separator != Separator::Tab))) ++p;
  };
  const auto add = [&](std::string_view field) {
    if (fields.count < Fields::kKept) fields.field[static_cast<std::size_t>(fields.count)] = field;
    ++fields.count;
  };
  char* p = begin;
  skip_blanks(p);
  while (p != end) {
    char* const first = p;
    char* last = first;
    if (*p == '"') {
      p = closing_quote(p, end);
      for (char* from = first + 1; from != p; ++from) {
        if (*from == '"') ++from;  // a doubled quote is one
        *last++ = *from;
      }
      ++p;
      add({first, static_cast<std::size_t>(last - first)});
      if (p != end && !is_blank(*p) && (blanks || *p != static_cast<char>(separator)))
        throw LineError{"a separator after a quoted field", std::string(p, end), ""};
      skip_blanks(p);
    } else {
      while (p != end && (blanks ? !is_blank(*p) : *p != static_cast<char>(separator))) {
        if (is_control(*p)) throw LineError{"text", std::string(p, end), ""};
        ++p;
      }
      last = p;
      while (last != first && is_blank(last[-1])) --last;
      add({first, static_cast<std::size_t>(last - first)});
    }
    skip_blanks(p);
    if (!blanks && p != end) {
      ++p;  // the separator
      skip_blanks(p);
      if (p == end) add({});
    }
  }
  return fields;
}

EdgeListLayout layout_of(const Head& head, const ReadOptions& options) {
  EdgeListLayout layout;
  layout.directed = konect_directed(head);
  std::vector<Row> rows = rows_of(head);
  std::optional<Row> header;
  if (rows.empty()) return layout;
  layout.separator = separator_of(rows[0].line.text);
  if (has_header(rows, options)) {
    header = std::move(rows.front());
    rows.erase(rows.begin());
    if (rows.empty()) return layout;
  }
  layout.columns = rows[0].fields.count;
  if (layout.columns < 2)
    fail_line(head.file.name, rows[0].line.number,
              {"two columns at least (source and target)", std::string(rows[0].line.text), ""});
  layout.string_labels = labels_are_strings(rows, options);
  layout.weighted = third_is_weight(head, rows, header ? &*header : nullptr, options);
  return layout;
}

std::optional<HeadLine> header_line(const Head& head, const ReadOptions& options) {
  const std::vector<Row> rows = rows_of(head);
  if (!has_header(rows, options)) return std::nullopt;
  return rows.front().line;
}

}  // namespace fathom::io
