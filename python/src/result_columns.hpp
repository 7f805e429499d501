// The columns of an answer in the order of results, as arrays.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/store/first_order.hpp"

namespace fathom::python {

/// [rows], in the order of results; of pairs in theirs. Vertices and sets are rows too.
struct ResultColumn {
  std::string name;
  AnswerColumn::Kind kind = AnswerColumn::Kind::Number;
  std::optional<std::uint64_t> none;
  decltype(AnswerColumn::values) values;
  std::shared_ptr<const void> owner;
};

/// Those of pairs begin with u and v. Views of the answer where ids are rows, copies in their order
/// elsewhere.
std::vector<ResultColumn> columns_of(const Algorithm& algorithm,
                                     const std::shared_ptr<const Answer>& answer,
                                     const store::FirstOrder& order);

/// A read-only array. Where a value means "none" integers are signed, and it is -1.
nb::object array_of(const ResultColumn& column);

}  // namespace fathom::python
