// What an algorithm that describes itself answers: numbers of the whole graph, values per vertex or
// per pair of vertices.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/io/result_writer.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct Fact;
using Facts = std::vector<Fact>;

/// A number of a result, or a list, a small table or a group of them.
struct Fact {
  struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<std::uint64_t>> rows;
  };
  using Value = std::variant<std::nullptr_t, bool, std::uint64_t, double, std::string,
                             std::vector<std::string>, std::vector<std::uint64_t>,
                             std::vector<double>, Table, Facts, std::vector<Facts>>;
  std::string name;
  Value value;
};

/// What a fact is: the schema of reports is made from it.
struct FactInfo {
  enum class Kind { Count, Real, Flag, Text, Mode, Texts, Counts, Reals, Table, Group, Groups };

  std::string_view name = {};
  Kind kind = Kind::Count;
  std::string_view meaning = {};
  std::uint64_t least = 0;                     // of a count
  bool may_be_null = false;                    // it does not apply to every run
  std::vector<std::string_view> choices = {};  // of a mode
  std::vector<FactInfo> of = {};               // the columns of a table, the facts of a group
  std::string_view with = {}, without = {};    // there with this flag only, or without it only
};

/// A value per vertex, by internal ids, or per pair of vertices.
struct AnswerColumn {
  enum class Kind {
    Number,
    Vertex,  // is shown by its label
    Set,     // the first vertex, by ids, of a set that the vertex is in; shown by the label of that
             // which is first in the order of results
    Label,   // a vertex that a set is called by, in it or not; shown by its label
  };
  std::string name;
  decltype(io::ResultColumn::values) values;         // vertices and sets: of VertexId
  std::optional<std::uint64_t> none = std::nullopt;  // the unsigned value that means it
  Kind kind = Kind::Number;
};

/// Rows that are pairs of vertices, or edges, in the order they are shown.
struct AnswerPairs {
  std::span<const VertexId> u, v;  // [rows]
  const char* name_of_u = "u";     // of the columns that show them
  const char* name_of_v = "v";
  bool ranked_by_u = false;  // best are those of each u, whose rows are consecutive
};

/// What a run gives.
struct Answer {
  RunReport report;
  Facts facts;                        // of the whole graph, in the order they are shown
  std::vector<AnswerColumn> columns;  // by the first one, best are the largest; of sets those of
                                      // most vertices
  std::optional<AnswerPairs> pairs;   // there: columns, all of them numbers, have a value for each
  std::map<std::string, Fact::Table, std::less<>> tables;  // for options of this kind
  std::string summary;                // for people: one line, and a table perhaps
  std::shared_ptr<const void> holds;  // what columns show
  /// Checks the answer on any context, and a graph equal to the one it is of.
  /// @throws Error(VerificationFailed) that says what is wrong.
  std::function<void(const Context&, const Graph&)> verify;
};

/// What a typed result answers: its report, and its certificate, verify(ctx, graph, result).
/// Columns and facts are added to it.
template <class Result, class Verify>
Answer answer_of(const std::shared_ptr<const Result>& result, const Verify& verify) {
  Answer answer;
  answer.report = result->report;
  answer.holds = result;
  answer.verify = [result, verify](const Context& ctx, const Graph& graph) {
    verify(ctx, graph, *result);
  };
  return answer;
}

}  // namespace fathom
