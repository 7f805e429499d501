#include "result_columns.hpp"

#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "cli/commands/algorithms/shared/answer_columns.hpp"

namespace fathom::python {
namespace {

template <class T>
void set_values(ResultColumn& column, std::vector<T>&& values) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  column.values = std::span<const T>(*kept);
  column.owner = kept;
}

/// Ids become rows.
template <class T>
T as_row(T value, const io::ResultColumn& shown) {
  if constexpr (std::is_same_v<T, VertexId>)
    if (!shown.ids.empty() && value != kNoVertex) return shown.ids[value];
  return value;
}

/// values[vertex[row]] for each row.
template <class T>
std::vector<T> in_order(std::span<const T> values, const io::ResultColumn& shown,
                        const store::FirstOrder& order) {
  std::vector<T> rows;
  rows.reserve(values.size());
  for (const VertexId v : order.vertex) rows.push_back(as_row(values[v], shown));
  return rows;
}

/// Of rows that are pairs of vertices, whose order is that of results.
template <class T>
std::vector<T> of_pairs(std::span<const T> values, const io::ResultColumn& shown) {
  std::vector<T> rows;
  rows.reserve(values.size());
  for (const T value : values) rows.push_back(as_row(value, shown));
  return rows;
}

template <class Signed, class Unsigned>
nb::object as_signed(std::span<const Unsigned> values, const ResultColumn& column) {
  return shared_array(std::span(reinterpret_cast<const Signed*>(values.data()), values.size()),
                      column.owner);
}

template <class T>
nb::object signed_array(std::span<const T> values, const ResultColumn& column) {
  using Same = std::make_signed_t<T>;
  const bool fits = sizeof(T) == 8 || column.kind == AnswerColumn::Kind::Number ||
                    values.size() <= std::size_t{std::numeric_limits<std::int32_t>::max()};
  if (*column.none == std::numeric_limits<T>::max() && fits) return as_signed<Same>(values, column);
  std::vector<std::int64_t> wide(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    wide[i] = values[i] == static_cast<T>(*column.none) ? -1 : static_cast<std::int64_t>(values[i]);
  return owned_array(std::move(wide));
}

}  // namespace

std::vector<ResultColumn> columns_of(const Algorithm& algorithm,
                                     const std::shared_ptr<const Answer>& answer,
                                     const store::FirstOrder& order) {
  const cli::AnswerColumns columns(algorithm, *answer, order, {});
  std::vector<ResultColumn> found;
  const std::size_t ends = answer->pairs ? 2 : 0;
  for (std::size_t i = 0; i < columns.shown().size(); ++i) {
    const io::ResultColumn& shown = columns.shown()[i];
    const auto kind = i < ends ? AnswerColumn::Kind::Vertex : answer->columns[i - ends].kind;
    ResultColumn column{shown.name, kind, shown.none, shown.values, answer};
    const auto copy = [&](auto values) {
      if (answer->pairs)
        set_values(column, of_pairs(values, shown));
      else
        set_values(column, in_order(values, shown, order));
    };
    if (!order.natural() && (!answer->pairs || i < ends)) std::visit(copy, shown.values);
    found.push_back(std::move(column));
  }
  return found;
}

nb::object array_of(const ResultColumn& column) {
  return std::visit(
      [&](auto values) -> nb::object {
        using T = std::remove_const_t<typename decltype(values)::element_type>;
        if constexpr (std::is_unsigned_v<T>)
          if (column.none) return signed_array<T>(values, column);
        return shared_array(values, column.owner);
      },
      column.values);
}

}  // namespace fathom::python
