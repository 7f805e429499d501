// Labels of the vertices of a graph that changes, in bulk: integers or strings, and the order of
// results, which is theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "columns.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/labels/label_columns.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/store.hpp"

namespace fathom::python {

/// The bytes of strings, which stay where they are as long as this lives.
class TextArena {
 public:
  std::string_view keep(std::string_view text);
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0, bytes_ = 0;
};

/// The labels of all vertices at one time. Rows are the vertices that exist, by label: integers by
/// value, strings bytewise.
///
/// Invariant: `complete`: all vertices exist, and known is empty; `range`: vertex v has the label
/// base + v, all exist, and nothing else is kept.
class LabelRows {
 public:
  bool strings = false;
  bool range = true, complete = true;
  std::uint64_t base = 0;
  VertexId indices = 0, existing = 0;
  std::vector<std::uint64_t> integer;  // [indices]
  std::vector<std::string_view> text;  // [indices], of strings
  std::vector<std::uint8_t> known;     // [indices]
  std::shared_ptr<TextArena> arena;

  LabelRows() = default;
  /// The same labels; the order is found anew.
  LabelRows(const LabelRows& other);
  LabelRows& operator=(const LabelRows&) = delete;

  bool exists(VertexId v) const { return v < indices && (complete || known[v] != 0); }
  /// Found when first asked for, by whichever thread. Natural: rows are vertices, all exist.
  /// Otherwise row[v] of a vertex that does not exist is kNoVertex.
  const store::FirstOrder& order() const;
  bool ordered() const {
    const std::lock_guard lock(mutex_);
    return order_.has_value();
  }
  /// Labels have changed.
  void forget_order() { order_.reset(); }

  VertexId vertex_of(VertexId row) const;
  VertexId row_of(VertexId vertex) const;
  /// The label of a vertex, integers in decimal.
  std::string label(VertexId vertex) const;
  std::uint64_t integer_of(VertexId vertex) const {
    return range ? base + vertex : integer[vertex];
  }
  /// The row of a label, given as its text.
  std::optional<VertexId> find(std::string_view label) const;

 private:
  bool less(VertexId a, VertexId b) const;

  mutable std::mutex mutex_;
  mutable std::optional<store::FirstOrder> order_;
};

/// Labels as batches change them. One thread at a time; rows() may be kept and read by others.
///
/// A batch: find() and coming() in any order, then prepare(), then the graph's own apply(), then
/// either commit() or take_back().
class DynamicLabels {
 public:
  virtual ~DynamicLabels() = default;
  DynamicLabels(const DynamicLabels&) = delete;
  DynamicLabels& operator=(const DynamicLabels&) = delete;

  bool strings() const { return rows_->strings; }
  /// As they are now; later batches leave it as it is.
  std::shared_ptr<const LabelRows> rows() const { return rows_; }

  /// Of labels that are integers, where the context's lists are; with those that come, until labels
  /// change.
  virtual std::optional<LabelNames> names() const { return std::nullopt; }
  /// Vertices of labels, kNoVertex for unknown ones. @throws what reading the column does.
  virtual std::vector<VertexId> find(const Column& column) const = 0;
  /// The same of columns of equal kind; labels that are unknown come with this batch. They get the
  /// next vertices of the graph, in the order of labels. @throws Error(DoesNotFit)
  std::vector<std::vector<VertexId>> coming(std::span<const Column* const> columns,
                                            const DynamicGraph& graph);
  VertexId new_vertices() const { return static_cast<VertexId>(fresh_.size()); }
  /// `gone` go with this batch; what may fail is done. @throws std::bad_alloc, Error(DoesNotFit)
  virtual void prepare(std::span<const VertexId> gone) = 0;
  virtual void commit(std::span<const VertexId> gone) = 0;
  virtual void take_back() = 0;

 protected:
  explicit DynamicLabels(int threads) : threads_(threads), rows_(std::make_shared<LabelRows>()) {}
  /// Gives every label at unknown places a vertex, and remembers those in fresh_.
  virtual void make(std::span<const Column* const> columns,
                    std::span<std::vector<VertexId>> vertices, const DynamicGraph& graph) = 0;
  /// The vertices of so many labels that come now.
  std::span<const VertexId> next(const DynamicGraph& graph, std::size_t count);
  /// rows_ as it may be changed: nobody else has it, and there is room for the batch.
  LabelRows& own_rows(std::span<const VertexId> gone);
  /// The labels of fresh_ are set in `rows`, which has room for them.
  void show_fresh(LabelRows& rows, std::span<const VertexId> gone) const;

  int threads_;
  std::shared_ptr<LabelRows> rows_;
  std::vector<VertexId> fresh_;  // that come with the batch
};

/// Of an empty graph.
std::unique_ptr<DynamicLabels> make_labels(const Context& ctx, bool strings);
/// Of a store, whose ids are the vertices. @throws Error(BadInput)
std::unique_ptr<DynamicLabels> labels_of_store(const Context& ctx, store::Store& store);

}  // namespace fathom::python
