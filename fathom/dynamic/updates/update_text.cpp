#include "fathom/dynamic/updates/update_text.hpp"

#include <algorithm>
#include <limits>

#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return fields;
    line.remove_prefix(first);
    const std::size_t length = std::min(line.find_first_of(kBlanks), line.size());
    fields.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
}

constexpr std::uint64_t kMostType = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostTime = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void fail_end(const std::string& expected) {
  throw io::LineError{expected, "the end of the line", ""};
}

std::uint64_t parse_number(std::string_view token, const std::string& what, std::uint64_t most) {
  std::uint64_t value = 0;
  if (io::parse_id(token, value) != io::IdText::Id || value > most)
    throw io::LineError{what + ", an integer from 0 to " + std::to_string(most), std::string(token),
                        ""};
  return value;
}

std::uint32_t parse_type(std::string_view token) {
  return static_cast<std::uint32_t>(parse_number(token, "a type", kMostType));
}

}  // namespace

std::optional<VertexId> TextBatch::find(const std::string& label) const {
  if (const auto at = now_.find(label); at != now_.end())
    return at->second == kNoVertex ? std::nullopt : std::optional(at->second);
  return labels_.find(label);
}

VertexId TextBatch::find_or_make(const std::string& label) {
  if (const auto there = find(label)) return *there;
  // Twice as many as there are now: asking costs as much as the answer is long.
  if (next_.size() == fresh_.size())
    next_ =
        graph_.next_vertices(static_cast<VertexId>(std::max<std::size_t>(64, 2 * next_.size())));
  const VertexId v = next_[fresh_.size()];
  fresh_.push_back(v);
  fresh_label_.push_back(&now_.insert_or_assign(label, v).first->first);
  return v;
}

std::string TextBatch::checked(std::string_view label) const {
  if (!labels_.acceptable(label))
    throw io::LineError{"an integer, as the labels of this graph are", std::string(label), ""};
  // Integers have one spelling here, so that 07 is 7.
  if (labels_.strings()) return std::string(label);
  std::uint64_t value = 0;
  io::parse_id(label, value);
  return std::to_string(value);
}

void TextBatch::insert_vertex(const std::string& label, const VertexFields* fields) {
  const bool there = find(label).has_value();
  const bool overwrites = graph_.state()->options.duplicates == DuplicatePolicy::Overwrite;
  if (there && !(fields && overwrites)) {
    ++without_effect_;
    return;
  }
  const VertexId v = find_or_make(label);
  if (fields) said_.push_back({v, *fields});
}

void TextBatch::add_vertex(const std::vector<std::string_view>& fields) {
  const bool insertion = fields[0] == "+v";
  const std::size_t most = insertion ? 4 : 2;
  if (fields.size() < 2) fail_end("one label after " + std::string(fields[0]));
  if (fields.size() > most)
    throw io::LineError{
        insertion ? "no more than a label, a weight and a type after +v" : "one label after -v",
        std::string(fields[most]), ""};
  if (fields.size() == 3) fail_end("a type after the weight");
  VertexFields said;
  if (fields.size() == 4) said = {io::parse_weight(fields[2]), parse_type(fields[3])};
  const std::string label = checked(fields[1]);
  if (insertion) return insert_vertex(label, fields.size() == 4 ? &said : nullptr);
  if (const auto there = find(label)) {
    gone_.push_back(*there);
    now_[label] = kNoVertex;
  } else {
    ++without_effect_;
  }
}

/// Of a line about an edge.
void TextBatch::check_count(const std::vector<std::string_view>& fields) const {
  const bool insertion = fields[0] == "+";
  const std::size_t most = !insertion || !graph_.weighted() ? 3 : graph_.semantic() ? 7 : 4;
  if (fields.size() < 3) fail_end("two labels after " + std::string(fields[0]));
  if (fields.size() > most)
    throw io::LineError{
        !insertion           ? "no more than two labels after -"
        : !graph_.weighted() ? "no weight, as this graph has none"
        : !graph_.semantic()
            ? "no more than two labels and a weight after +"
            : "no more than two labels, a weight, a type and two timestamps after +",
        std::string(fields[most]), ""};
  if (fields.size() == 5 || fields.size() == 6)
    fail_end(fields.size() == 5 ? "two timestamps after the type" : "a second timestamp");
}

void TextBatch::add_edge(const std::vector<std::string_view>& fields) {
  check_count(fields);
  const bool insertion = fields[0] == "+";
  const Weight weight = fields.size() > 3 ? io::parse_weight(fields[3]) : Weight{1};
  EdgeFields said;
  if (fields.size() == 7)
    said = {parse_type(fields[4]), parse_number(fields[5], "a timestamp", kMostTime),
            parse_number(fields[6], "a timestamp", kMostTime)};
  const std::string source = checked(fields[1]), target = checked(fields[2]);
  if (insertion) {
    const VertexId u = find_or_make(source);
    edge_.push_back(EdgeUpdate::insert(u, find_or_make(target), weight));
  } else if (const auto u = find(source), v = find(target); u && v) {
    edge_.push_back(EdgeUpdate::remove(*u, *v));
  } else {
    ++without_effect_;
    return;
  }
  if (graph_.semantic()) fields_.push_back(said);
}

void TextBatch::add(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.empty() || fields[0].front() == '#') return;
  if (fields[0] == "+v" || fields[0] == "-v")
    add_vertex(fields);
  else if (fields[0] == "+" || fields[0] == "-")
    add_edge(fields);
  else
    throw io::LineError{"+, -, +v or -v", std::string(fields[0]), ""};
  ++updates_;
}

BatchReport TextBatch::apply() const {
  const BatchReport report = graph_.apply(batch());
  change_labels();
  return report;
}

AppliedBatch TextBatch::apply_recorded() const {
  AppliedBatch applied = graph_.apply_recorded(batch());
  change_labels();
  return applied;
}

void TextBatch::change_labels() const {
  for (const VertexId v : gone_) labels_.remove(v);
  for (const auto& [label, v] : now_) {
    if (v == kNoVertex || labels_.has(v)) continue;
    labels_.set(v, label);
  }
}

}  // namespace fathom::dynamic
