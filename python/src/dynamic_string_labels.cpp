#include "dynamic_string_labels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fathom/core/parallel.hpp"

namespace fathom::python {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 12;
constexpr std::size_t kFewBytes = std::size_t{1} << 20;

}  // namespace

StringLabels::StringLabels(int threads) : DynamicLabels(threads) {
  rows_->strings = true;
  rows_->range = false;
  rows_->arena = std::make_shared<TextArena>();
}

void StringLabels::start(store::Store& store) {
  const VertexId n = store.header().vertices;
  LabelRows& rows = *rows_;
  rows.text.reserve(n);
  vertex_.reserve(n);
  for (VertexId v = 0; v < n; ++v) {
    rows.text.push_back(rows.arena->keep(store.label(v)));
    vertex_.emplace(rows.text.back(), v);
  }
  rows.indices = rows.existing = n;
}

std::vector<VertexId> StringLabels::find(const Column& column) const {
  std::vector<VertexId> vertices(static_cast<std::size_t>(column.size()));
  parallel_for(threads_, vertices.size(), kChunk, [&](std::size_t a, std::size_t b, int) {
    std::vector<std::string_view> labels(b - a);
    column.read(a, labels);
    for (std::size_t i = a; i < b; ++i) {
      const auto at = vertex_.find(labels[i - a]);
      vertices[i] = at == vertex_.end() ? kNoVertex : at->second;
    }
  });
  return vertices;
}

void StringLabels::make(std::span<const Column* const> columns,
                        std::span<std::vector<VertexId>> vertices, const DynamicGraph& graph) {
  // Unknown labels in the order in which they come, and which of them each place has.
  std::unordered_map<std::string_view, VertexId> number;
  std::vector<std::string_view> labels;
  std::vector<VertexId> at;
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t i = 0; i < vertices[c].size(); ++i) {
      if (vertices[c][i] != kNoVertex) continue;
      std::string_view label;
      columns[c]->read(i, std::span(&label, 1));
      const auto [its, added] = number.try_emplace(label, static_cast<VertexId>(labels.size()));
      if (added) labels.push_back(label);
      at.push_back(its->second);
    }
  if (labels.empty()) return;
  std::vector<VertexId> order(labels.size()), vertex(labels.size());
  std::iota(order.begin(), order.end(), VertexId{0});
  std::sort(order.begin(), order.end(),
            [&](VertexId a, VertexId b) { return labels[a] < labels[b]; });
  const std::span<const VertexId> made = next(graph, labels.size());
  label_.reserve(fresh_.size());
  vertex_.reserve(vertex_.size() + labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    vertex[order[i]] = made[i];
    label_.push_back(rows_->arena->keep(labels[order[i]]));
    vertex_.emplace(label_.back(), made[i]);
  }
  std::size_t next_unknown = 0;
  for (std::vector<VertexId>& its : vertices)
    for (VertexId& v : its)
      if (v == kNoVertex) v = vertex[at[next_unknown++]];
}

void StringLabels::prepare(std::span<const VertexId> gone) {
  if (fresh_.empty() && gone.empty()) return;
  own_rows(gone);
  if (dead_ > rows_->arena->bytes() / 2 + kFewBytes) clear_arena();
}

void StringLabels::clear_arena() {
  auto arena = std::make_shared<TextArena>();
  std::unordered_map<std::string_view, VertexId> vertex;
  vertex.reserve(vertex_.size());
  std::vector<std::string_view> text = rows_->text, labels;
  text.reserve(rows_->text.capacity());  // own_rows() has made room
  for (VertexId v = 0; v < rows_->indices; ++v) {
    text[v] = rows_->exists(v) ? arena->keep(text[v]) : std::string_view();
    if (rows_->exists(v)) vertex.emplace(text[v], v);
  }
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    labels.push_back(arena->keep(label_[i]));
    vertex.emplace(labels.back(), fresh_[i]);
  }
  rows_->arena = std::move(arena);
  rows_->text = std::move(text);
  vertex_ = std::move(vertex);
  label_ = std::move(labels);
  dead_ = 0;
}

void StringLabels::commit(std::span<const VertexId> gone) {
  if (fresh_.empty() && gone.empty()) return;
  LabelRows& rows = *rows_;
  show_fresh(rows, gone);
  for (std::size_t i = 0; i < fresh_.size(); ++i) rows.text[fresh_[i]] = label_[i];
  for (const VertexId v : gone) {
    vertex_.erase(rows.text[v]);
    dead_ += rows.text[v].size();
  }
  forget_batch();
}

void StringLabels::take_back() {
  for (const std::string_view label : label_) {
    vertex_.erase(label);
    dead_ += label.size();
  }
  forget_batch();
}

void StringLabels::forget_batch() {
  fresh_.clear();
  label_.clear();
}

}  // namespace fathom::python
