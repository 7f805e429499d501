// Labels that are integers: a range of them as long as they are one, else a hash table.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

#include "dynamic_string_labels.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/labels/label_map.hpp"
#include "fathom/store/first_order.hpp"

namespace fathom::python {
namespace {

using dynamic::LabelSlot;
using dynamic::LabelTable;

constexpr std::size_t kChunk = std::size_t{1} << 14;

/// The labels at places without a vertex.
std::vector<std::uint64_t> unknown_labels(std::span<const Column* const> columns,
                                          std::span<std::vector<VertexId>> vertices) {
  std::vector<std::uint64_t> unknown, labels(kChunk);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::vector<VertexId>& its = vertices[c];
    for (std::size_t a = 0; a < its.size(); a += kChunk) {
      const std::size_t n = std::min(kChunk, its.size() - a);
      const auto first = its.begin() + static_cast<std::ptrdiff_t>(a);
      const auto none = std::find(first, first + static_cast<std::ptrdiff_t>(n), kNoVertex);
      if (none == first + static_cast<std::ptrdiff_t>(n)) continue;
      columns[c]->read(a, std::span(labels).first(n));
      for (auto i = static_cast<std::size_t>(none - first); i < n; ++i)
        if (its[a + i] == kNoVertex) unknown.push_back(labels[i]);
    }
  }
  return unknown;
}

/// Each once, ascending.
std::vector<std::uint64_t> distinct(std::span<const std::uint64_t> labels, int threads) {
  std::vector<LabelSlot> slots(std::bit_ceil(std::max<std::size_t>(64, labels.size() * 3 / 2)));
  const LabelTable table = LabelTable::of(slots.data(), slots.size());
  std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(worker_count(threads)));
  parallel_for(threads, labels.size(), kChunk, [&](std::size_t a, std::size_t b, int worker) {
    auto& its = found[static_cast<std::size_t>(worker)];
    for (std::size_t i = a; i < b; ++i)
      if (table.insert(labels[i], 0)) its.push_back(labels[i]);
  });
  std::vector<std::uint64_t> all = std::move(found[0]);
  for (std::size_t i = 1; i < found.size(); ++i)
    all.insert(all.end(), found[i].begin(), found[i].end());
  std::sort(all.begin(), all.end());
  return all;
}

class IntegerLabels final : public DynamicLabels {
 public:
  explicit IntegerLabels(const Context& ctx) : DynamicLabels(ctx.threads()), ctx_(ctx) {}

  void start(std::uint64_t base, VertexId vertices) {
    base_ = rows_->base = base;
    indices_ = rows_->indices = rows_->existing = vertices;
  }
  void start(std::vector<std::uint64_t> labels) {
    rows_->range = false;
    rows_->indices = rows_->existing = indices_ = static_cast<VertexId>(labels.size());
    std::vector<VertexId> vertices(labels.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = static_cast<VertexId>(v);
    map_.emplace(ctx_);
    map_->insert(labels, vertices);
    rows_->integer = std::move(labels);
  }

  std::optional<LabelNames> names() const override {
    return map_ ? map_->names() : LabelNames{{nullptr, 0, 0}, base_, indices_};
  }
  std::vector<VertexId> find(const Column& column) const override {
    const auto n = static_cast<std::size_t>(column.size());
    std::vector<std::uint64_t> labels(map_ ? n : 0);
    std::vector<VertexId> vertices(map_ ? 0 : n);
    parallel_for(threads_, n, kChunk, [&](std::size_t a, std::size_t b, int) {
      if (map_) return column.read(a, std::span(labels).subspan(a, b - a));
      std::uint64_t chunk[kChunk];
      column.read(a, std::span(chunk).first(b - a));
      for (std::size_t i = a; i < b; ++i) {
        const std::uint64_t v = chunk[i - a] - base_;  // wraps below
        vertices[i] = v < indices_ ? static_cast<VertexId>(v) : kNoVertex;
      }
    });
    return map_ ? map_->find(labels) : std::move(vertices);
  }

  void prepare(std::span<const VertexId> gone) override {
    if (!gone.empty() && !map_) leave_range();
    if (fresh_.empty() && gone.empty()) return;
    LabelRows& rows = own_rows(gone);
    if (rows.range && map_) {
      rows.integer.reserve(std::max<std::size_t>(indices_, rows.indices));
      for (VertexId v = 0; v < rows.indices; ++v) rows.integer.push_back(base_ + v);
      rows.range = false;
    }
  }

  void commit(std::span<const VertexId> gone) override {
    if (fresh_.empty() && gone.empty()) return;
    LabelRows& rows = *rows_;
    if (rows.range) rows.base = base_;
    show_fresh(rows, gone);
    if (!rows.range)
      for (std::size_t i = 0; i < fresh_.size(); ++i) rows.integer[fresh_[i]] = label_[i];
    if (!gone.empty()) {
      std::vector<std::uint64_t> labels;
      labels.reserve(gone.size());
      for (const VertexId v : gone) labels.push_back(rows.integer[v]);
      map_->remove(labels);
    }
    forget_batch();
  }

  void take_back() override {
    if (map_) map_->remove(label_);
    indices_ = rows_->indices;
    if (indices_ == 0) base_ = rows_->base;
    forget_batch();
  }

 private:
  void make(std::span<const Column* const> columns, std::span<std::vector<VertexId>> vertices,
            const DynamicGraph& graph) override {
    const std::vector<std::uint64_t> unknown = unknown_labels(columns, vertices);
    if (unknown.empty()) return;
    const std::vector<std::uint64_t> labels = distinct(unknown, threads_);
    const std::span<const VertexId> made = next(graph, labels.size());
    label_.insert(label_.end(), labels.begin(), labels.end());
    if (!extend_range(labels, made)) {
      if (!map_) leave_range();
      map_->insert(labels, made);
      indices_ = std::max(indices_, *std::max_element(made.begin(), made.end()) + 1);
    }
    std::vector<VertexId> found(map_ ? 0 : unknown.size());
    if (map_) found = map_->find(unknown);
    for (std::size_t i = 0; i < found.size() && !map_; ++i)
      found[i] = static_cast<VertexId>(unknown[i] - base_);
    std::size_t at = 0;
    for (std::vector<VertexId>& its : vertices)
      for (VertexId& v : its)
        if (v == kNoVertex) v = found[at++];
  }

  /// Whether the labels that come are the next ones of the range, and so are their vertices.
  bool extend_range(std::span<const std::uint64_t> labels, std::span<const VertexId> made) {
    if (map_ || labels.back() - labels.front() != labels.size() - 1 || made.front() != indices_ ||
        made.back() - made.front() != made.size() - 1)
      return false;
    if (indices_ == 0) base_ = labels.front();
    if (labels.front() != base_ + indices_) return false;
    indices_ += static_cast<VertexId>(labels.size());
    return true;
  }

  void leave_range() {
    std::vector<std::uint64_t> labels(indices_);
    std::vector<VertexId> vertices(indices_);
    for (VertexId v = 0; v < indices_; ++v) labels[v] = base_ + v, vertices[v] = v;
    LabelMap map(ctx_);
    map.insert(labels, vertices);
    map_.emplace(std::move(map));
  }
  void forget_batch() {
    fresh_.clear();
    label_.clear();
  }

  const Context& ctx_;
  std::optional<LabelMap> map_;  // none: a range
  std::uint64_t base_ = 0;
  VertexId indices_ = 0;              // with those that come with the batch
  std::vector<std::uint64_t> label_;  // of fresh_
};

}  // namespace

std::unique_ptr<DynamicLabels> make_labels(const Context& ctx, bool strings) {
  if (strings) return std::make_unique<StringLabels>(ctx.threads());
  return std::make_unique<IntegerLabels>(ctx);
}

std::unique_ptr<DynamicLabels> labels_of_store(const Context& ctx, store::Store& store) {
  const store::Header& header = store.header();
  if (header.labels == store::LabelKind::Strings) {
    auto labels = std::make_unique<StringLabels>(ctx.threads());
    labels->start(store);
    return labels;
  }
  auto labels = std::make_unique<IntegerLabels>(ctx);
  if (header.labels != store::LabelKind::Integers && !store::is_reordered(store)) {
    labels->start(header.label_base, header.vertices);
    return labels;
  }
  std::vector<std::uint64_t> values(header.vertices);
  for (VertexId v = 0; v < header.vertices; ++v) {
    const std::string label = store.label(v);
    std::from_chars(label.data(), label.data() + label.size(), values[v]);
  }
  labels->start(std::move(values));
  return labels;
}

}  // namespace fathom::python
