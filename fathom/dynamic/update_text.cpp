#include "fathom/dynamic/update_text.hpp"

#include <algorithm>

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
  now_[label] = v;
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

void TextBatch::add_vertex(const std::vector<std::string_view>& fields) {
  if (fields.size() != 2)
    throw io::LineError{"one label after " + std::string(fields[0]),
                        fields.size() < 2 ? "the end of the line" : std::string(fields[2]), ""};
  const std::string label = checked(fields[1]);
  const auto there = find(label);
  if (fields[0] == "+v") {
    if (there)
      ++without_effect_;
    else
      find_or_make(label);
  } else if (there) {
    gone_.push_back(*there);
    now_[label] = kNoVertex;
  } else {
    ++without_effect_;
  }
}

void TextBatch::add_edge(const std::vector<std::string_view>& fields) {
  const bool insertion = fields[0] == "+";
  const std::size_t most = insertion && graph_.weighted() ? 4 : 3;
  if (fields.size() < 3)
    throw io::LineError{"two labels after " + std::string(fields[0]), "the end of the line", ""};
  if (fields.size() > most)
    throw io::LineError{!insertion          ? "no more than two labels after -"
                        : graph_.weighted() ? "no more than two labels and a weight after +"
                                            : "no weight, as this graph has none",
                        std::string(fields[most]), ""};
  const Weight weight = fields.size() == 4 ? io::parse_weight(fields[3]) : Weight{1};
  const std::string source = checked(fields[1]), target = checked(fields[2]);
  if (insertion) {
    const VertexId u = find_or_make(source);
    edge_.push_back(EdgeUpdate::insert(u, find_or_make(target), weight));
    return;
  }
  const auto u = find(source), v = find(target);
  if (u && v)
    edge_.push_back(EdgeUpdate::remove(*u, *v));
  else
    ++without_effect_;
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

BatchReport TextBatch::apply(DynamicGraph& graph, VertexLabels& labels) const {
  const BatchReport report = graph.apply(batch());
  change(labels);
  return report;
}

AppliedBatch TextBatch::apply_recorded(DynamicGraph& graph, VertexLabels& labels) const {
  AppliedBatch applied = graph.apply_recorded(batch());
  change(labels);
  return applied;
}

void TextBatch::change(VertexLabels& labels) const {
  for (const VertexId v : gone_) labels.remove(v);
  for (const auto& [label, v] : now_) {
    if (v == kNoVertex || labels.has(v)) continue;
    labels.set(v, label);
  }
}

}  // namespace fathom::dynamic
