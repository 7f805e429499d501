#include "cli/commands/algorithms/shared/answer_columns.hpp"

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace fathom::cli {
namespace {

using Ids = std::span<const VertexId>;

/// Calls visit(first, last) for the rows of each u.
template <class Visit>
void for_each_u(const AnswerPairs& pairs, const Visit& visit) {
  for (std::size_t first = 0, last; first < pairs.u.size(); first = last) {
    last = first + 1;
    while (last < pairs.u.size() && pairs.u[last] == pairs.u[first]) ++last;
    visit(first, last);
  }
}

/// [v]: vertices of the set whose first vertex is v; 0 for other vertices.
std::vector<VertexId> set_sizes(Ids first) {
  std::vector<VertexId> size(first.size(), 0);
  for (const VertexId v : first) ++size[v];
  return size;
}

}  // namespace

AnswerColumns::AnswerColumns(const Algorithm& algorithm, const Answer& answer,
                             const LoadedGraph& graph)
    : AnswerColumns(algorithm, answer, graph.rows(),
                    [&graph](VertexId v) { return graph.label(v); }) {}

AnswerColumns::AnswerColumns(const Algorithm& algorithm, const Answer& answer,
                             const store::FirstOrder& order,
                             std::function<std::string(VertexId)> label)
    : algorithm_(algorithm), answer_(answer), order_(order), label_(std::move(label)) {
  if (answer.pairs) {
    add_ends(answer.pairs->name_of_u, answer.pairs->u);
    add_ends(answer.pairs->name_of_v, answer.pairs->v);
  }
  for (const AnswerColumn& column : answer.columns) {
    io::ResultColumn its{column.name, column.values, column.none};
    if (column.kind != AnswerColumn::Kind::Number) {
      Ids ids = std::get<Ids>(column.values);
      if (column.kind == AnswerColumn::Kind::Set) ids = firsts_of_sets(ids);
      its.values = ids;
      its.text = [ids, this](std::size_t v, std::string& out) { out += label_(ids[v]); };
      its.ids = order_.row.span();
    }
    shown_.push_back(std::move(its));
  }
}

void AnswerColumns::add_ends(const char* name, Ids ids) {
  io::ResultColumn its{name, ids};
  its.text = [ids, this](std::size_t row, std::string& out) { out += label_(ids[row]); };
  its.ids = order_.row.span();
  shown_.push_back(std::move(its));
}

/// [v]: the first vertex, in the order of results, of v's set. Where that is the order of ids, the
/// algorithm has called sets so.
Ids AnswerColumns::firsts_of_sets(Ids sets) {
  if (order_.natural()) return sets;
  std::vector<VertexId> first(sets.size(), kNoVertex);  // of a set
  for (const VertexId v : order_.vertex)
    if (VertexId& met = first[sets[v]]; met == kNoVertex) met = v;
  std::vector<VertexId>& found = firsts_.emplace_back();
  found.reserve(sets.size());
  for (const VertexId set : sets) found.push_back(first[set]);
  return found;
}

Ranking AnswerColumns::best(std::uint64_t k) const {
  if (k == 0 || answer_.columns.empty()) return {};
  const AnswerColumn& column = answer_.columns.front();
  const Ids rows = answer_.pairs ? Ids() : order_.row.span();
  if (column.kind == AnswerColumn::Kind::Set || column.kind == AnswerColumn::Kind::Label) {
    const std::vector<VertexId> sizes = set_sizes(std::get<Ids>(shown_.front().values));
    const auto exists = [](VertexId size) { return size > 0; };
    return {column.name, "vertices", largest(Ids(sizes), k, exists, rows)};
  }
  return std::visit(
      [&](auto values) {
        const auto eligible = [&](auto value) {
          if constexpr (std::is_floating_point_v<decltype(value)>) {
            if (std::isinf(value)) return false;
          } else if (column.none && static_cast<std::uint64_t>(value) == *column.none) {
            return false;
          }
          return algorithm_.ranks_zero || value > 0;
        };
        Ranking ranking{"vertex", column.name, {}, answer_.pairs};
        if (!answer_.pairs || !answer_.pairs->ranked_by_u) {
          ranking.best = largest(values, k, eligible, rows);
          return ranking;
        }
        for_each_u(*answer_.pairs, [&](std::size_t first, std::size_t last) {
          for (auto& [row, value] : largest(values.subspan(first, last - first), k, eligible))
            ranking.best.emplace_back(first + row, std::move(value));
        });
        return ranking;
      },
      column.values);
}

}  // namespace fathom::cli
