#include "dynamic_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include "fathom/core/error.hpp"

namespace fathom::python {
namespace {

constexpr std::size_t kTextBlock = std::size_t{1} << 16;

/// Sorted, where all but the last part is as a rule.
template <class Less>
void sort_behind(std::vector<VertexId>& vertices, const Less& less) {
  const auto unsorted = std::is_sorted_until(vertices.begin(), vertices.end(), less);
  std::sort(unsorted, vertices.end(), less);
  std::inplace_merge(vertices.begin(), unsorted, vertices.end(), less);
}

}  // namespace

std::string_view TextArena::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > left_) {
    left_ = std::max(kTextBlock, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    at_ = blocks_.back().get();
    bytes_ += left_;
  }
  std::memcpy(at_, text.data(), text.size());
  const std::string_view kept(at_, text.size());
  at_ += text.size();
  left_ -= text.size();
  return kept;
}

LabelRows::LabelRows(const LabelRows& other)
    : strings(other.strings),
      range(other.range),
      complete(other.complete),
      base(other.base),
      indices(other.indices),
      existing(other.existing),
      integer(other.integer),
      text(other.text),
      known(other.known),
      arena(other.arena) {}

bool LabelRows::less(VertexId a, VertexId b) const {
  return strings ? text[a] < text[b] : integer[a] < integer[b];
}

const store::FirstOrder& LabelRows::order() const {
  const std::lock_guard lock(mutex_);
  if (order_) return *order_;
  if (range) return order_.emplace();
  std::vector<VertexId> vertices;
  vertices.reserve(existing);
  for (VertexId v = 0; v < indices; ++v)
    if (exists(v)) vertices.push_back(v);
  const auto before = [this](VertexId a, VertexId b) { return less(a, b); };
  if (existing == indices && std::is_sorted(vertices.begin(), vertices.end(), before))
    return order_.emplace();
  sort_behind(vertices, before);
  store::FirstOrder order;
  order.vertex = Array<VertexId>::copy_of(vertices);
  order.row = Array<VertexId>(indices, kNoVertex);
  for (std::size_t row = 0; row < vertices.size(); ++row)
    order.row[vertices[row]] = static_cast<VertexId>(row);
  return order_.emplace(std::move(order));
}

VertexId LabelRows::vertex_of(VertexId row) const {
  const store::FirstOrder& its = order();
  return its.natural() ? row : its.vertex[row];
}

VertexId LabelRows::row_of(VertexId vertex) const {
  const store::FirstOrder& its = order();
  return its.natural() ? vertex : its.row[vertex];
}

std::string LabelRows::label(VertexId vertex) const {
  return strings ? std::string(text[vertex]) : std::to_string(integer_of(vertex));
}

std::optional<VertexId> LabelRows::find(std::string_view label) const {
  std::uint64_t value = 0;
  if (!strings) {
    const char* const end = label.data() + label.size();
    const auto [at, error] = std::from_chars(label.data(), end, value);
    if (error != std::errc{} || at != end) return std::nullopt;
    if (range)
      return value >= base && value - base < indices
                 ? std::optional(static_cast<VertexId>(value - base))
                 : std::nullopt;
  }
  VertexId first = 0, last = existing;
  while (first < last) {
    const VertexId middle = first + (last - first) / 2;
    const VertexId v = vertex_of(middle);
    if (strings ? text[v] < label : integer[v] < value)
      first = middle + 1;
    else
      last = middle;
  }
  if (first == existing) return std::nullopt;
  const VertexId v = vertex_of(first);
  return (strings ? text[v] == label : integer[v] == value) ? std::optional(first) : std::nullopt;
}

std::vector<std::vector<VertexId>> DynamicLabels::coming(std::span<const Column* const> columns,
                                                         const DynamicGraph& graph) {
  std::vector<std::vector<VertexId>> vertices;
  for (const Column* const column : columns) vertices.push_back(find(*column));
  make(columns, vertices, graph);
  return vertices;
}

std::span<const VertexId> DynamicLabels::next(const DynamicGraph& graph, std::size_t count) {
  const std::size_t before = fresh_.size();
  if (count > kNoVertex - before)
    throw Error(ErrorCode::DoesNotFit, fmt::format("{} vertices at once are too many", count));
  fresh_ = graph.next_vertices(static_cast<VertexId>(before + count));
  return std::span(fresh_).subspan(before);
}

LabelRows& DynamicLabels::own_rows(std::span<const VertexId> gone) {
  if (rows_.use_count() > 1) rows_ = std::make_shared<LabelRows>(*rows_);
  std::atomic_thread_fence(std::memory_order_acquire);  // of those that have given it back
  LabelRows& rows = *rows_;
  VertexId after = rows.indices;
  for (const VertexId v : fresh_) after = std::max(after, v + 1);
  if (rows.complete && !gone.empty()) {
    rows.known.assign(rows.indices, 1);
    rows.complete = false;
  }
  const auto room = [&](auto& values) {
    if (values.capacity() < after) values.reserve(std::max<std::size_t>(after, 2 * values.size()));
  };
  if (rows.strings) room(rows.text);
  if (!rows.strings && !rows.range) room(rows.integer);
  if (!rows.complete) room(rows.known);
  rows.forget_order();
  return rows;
}

void DynamicLabels::show_fresh(LabelRows& rows, std::span<const VertexId> gone) const {
  for (const VertexId v : fresh_) rows.indices = std::max(rows.indices, v + 1);
  if (rows.strings) rows.text.resize(rows.indices);
  if (!rows.strings && !rows.range) rows.integer.resize(rows.indices);
  rows.existing += static_cast<VertexId>(fresh_.size());
  rows.existing -= static_cast<VertexId>(gone.size());
  if (rows.complete) return;
  rows.known.resize(rows.indices);
  for (const VertexId v : fresh_) rows.known[v] = 1;
  for (const VertexId v : gone) rows.known[v] = 0;
}

}  // namespace fathom::python
