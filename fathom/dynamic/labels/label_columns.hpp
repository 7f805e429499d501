// Columns of labels and weights, where a graph's lists are, turned into updates and questions of
// its vertices: by loops on the host or by kernels, the same code.
#pragma once

#include <cmath>
#include <optional>

#include "fathom/dynamic/labels/label_table.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

enum class ColumnType : std::uint8_t { Int32, UInt32, Int64, UInt64, Float32, Float64 };

/// Values in the memory of the context's GPU if it has one, else of the host. `stride` counts
/// values.
struct ValueColumn {
  const void* values = nullptr;
  std::int64_t stride = 1;
  ColumnType type = ColumnType::Int64;

  FATHOM_HD bool is_label_type() const { return type <= ColumnType::UInt64; }
  /// False for a negative one.
  FATHOM_HD bool label(std::size_t i, std::uint64_t& to) const {
    std::int64_t its = 0;
    switch (type) {
      case ColumnType::Int32:
        its = at<std::int32_t>(i);
        break;
      case ColumnType::UInt32:
        its = at<std::uint32_t>(i);
        break;
      case ColumnType::UInt64:
        to = at<std::uint64_t>(i);
        return true;
      default:
        its = at<std::int64_t>(i);
    }
    to = static_cast<std::uint64_t>(its);
    return its >= 0;
  }
  FATHOM_HD double number(std::size_t i) const {
    switch (type) {
      case ColumnType::Int32:
        return at<std::int32_t>(i);
      case ColumnType::UInt32:
        return at<std::uint32_t>(i);
      case ColumnType::Int64:
        return static_cast<double>(at<std::int64_t>(i));
      case ColumnType::UInt64:
        return static_cast<double>(at<std::uint64_t>(i));
      case ColumnType::Float32:
        return at<float>(i);
      default:
        return at<double>(i);
    }
  }

 private:
  template <class T>
  FATHOM_HD T at(std::size_t i) const {
    return static_cast<const T*>(values)[static_cast<std::int64_t>(i) * stride];
  }
};

/// Which vertex a label is: by a table, or where labels are a range by their distance from its
/// base. Trivially copyable.
struct LabelNames {
  dynamic::LabelTable table{nullptr, 0, 0};  // null: a range
  std::uint64_t base = 0, count = 0;

  /// kNoVertex for a label that is nobody's.
  FATHOM_HD VertexId vertex(std::uint64_t label) const {
    if (table.slot == nullptr)
      return label - base < count ? static_cast<VertexId>(label - base) : kNoVertex;
    const std::uint64_t its = table.find(label);
    return its == dynamic::LabelSlot::kEmpty ? kNoVertex : static_cast<VertexId>(its);
  }
};

/// Edges by the labels of their vertices; `weight` without values: they have none.
struct LabelledEdges {
  ValueColumn source, target, weight;
  std::size_t size = 0;
};

namespace dynamic {

// What is done to columns, an item each. `refused` becomes 1 where an item cannot be done.

struct ReadUpdates {
  LabelledEdges from;
  LabelNames names;
  bool deletion;
  EdgeUpdate* to;
  unsigned long long* refused;  // a label that is negative or nobody's, a weight that is not finite
  unsigned long long* rounded;  // weights that binary32 does not hold exactly
  FATHOM_HD void operator()(std::size_t i) const {
    std::uint64_t u = 0, v = 0;
    const bool labels = from.source.label(i, u) && from.target.label(i, v);
    EdgeUpdate its{labels ? names.vertex(u) : kNoVertex, labels ? names.vertex(v) : kNoVertex, 1,
                   deletion};
    bool fits = its.source != kNoVertex && its.target != kNoVertex;
    if (from.weight.values != nullptr) {
      const double number = from.weight.number(i);
      its.weight = static_cast<Weight>(number);
      fits = fits && its.weight - its.weight == 0;  // neither infinite nor NaN
      if (static_cast<double>(its.weight) != number) AtomicRef(*rounded).fetch_add(1ull);
    }
    if (!fits) AtomicRef(*refused).store(1ull);
    to[i] = its;
  }
};
struct ReadQuestions {
  LabelledEdges from;
  LabelNames names;
  Edge* to;                     // (0, 0) where a vertex is unknown
  std::uint8_t* known;          // 0 there
  unsigned long long* refused;  // a label that is negative
  FATHOM_HD void operator()(std::size_t i) const {
    std::uint64_t u = 0, v = 0;
    const bool labels = from.source.label(i, u) && from.target.label(i, v);
    const Edge its{labels ? names.vertex(u) : kNoVertex, labels ? names.vertex(v) : kNoVertex};
    const bool both = its.source != kNoVertex && its.target != kNoVertex;
    to[i] = both ? its : Edge{0, 0};
    known[i] = both ? 1 : 0;
    if (!labels) AtomicRef(*refused).store(1ull);
  }
};
struct ReadVertices {
  ValueColumn from;
  LabelNames names;
  VertexId* to;
  unsigned long long* refused;  // a label that is negative or nobody's
  FATHOM_HD void operator()(std::size_t i) const {
    std::uint64_t label = 0;
    to[i] = from.label(i, label) ? names.vertex(label) : kNoVertex;
    if (to[i] == kNoVertex) AtomicRef(*refused).store(1ull);
  }
};
/// Answers to questions about unknown vertices: there is no such edge.
struct MaskAnswers {
  const std::uint8_t* known;
  std::uint8_t* has;  // null: not asked for
  Weight* weight;     // null: not asked for
  FATHOM_HD void operator()(std::size_t i) const {
    if (known[i] != 0) return;
    if (has != nullptr) has[i] = 0;
    if (weight != nullptr) weight[i] = nanf("");
  }
};

// All of these run where the context's lists are (see DynamicGraph), and are done when they return.

/// Fills to[0 .. edges.size); returns how many weights were rounded, nothing where one of the edges
/// is refused: which one, who asked finds out.
FATHOM_API std::optional<std::uint64_t> read_updates(const Context& ctx, const LabelNames& names,
                                                     const LabelledEdges& edges, bool deletion,
                                                     EdgeUpdate* to);
/// False where one is refused.
FATHOM_API bool read_questions(const Context& ctx, const LabelNames& names,
                               const LabelledEdges& edges, Edge* to, std::uint8_t* known);
FATHOM_API bool read_vertices(const Context& ctx, const LabelNames& names,
                              const ValueColumn& labels, std::size_t size, VertexId* to);
FATHOM_API void mask_answers(const Context& ctx, const MaskAnswers& answers, std::size_t size);

}  // namespace dynamic
}  // namespace fathom
