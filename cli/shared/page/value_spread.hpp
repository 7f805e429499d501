// How the values of a result are distributed: as few numbers as a plot needs, from two passes.
#pragma once

#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/answer.hpp"

namespace fathom::cli {

/// Of a column of numbers: the values of vertices. Of sets: their sizes. Of vertices (parents):
/// null.
///
/// {column, of: "vertices" or "sets", whole, count, none, infinite, zero, least, most, mean,
/// median, histogram: {least, width, counts}|null, ranks: [[rank, value], ...]|null}: count is how
/// many have a finite value, median is at most 1/64 too low. Counts below kPlainCounts, and values
/// of which the largest is not far from the median, have a histogram; others ranks, the largest
/// value first, thinned to what a logarithmic plot can show, without zeros. Docs:
/// docs/schema/page.schema.json.
///
/// Memory, of `pool`: at most 1 MiB; for sets also 4 bytes per vertex.
/// @throws Error(DoesNotFit)
Json value_spread(const AnswerColumn& column, const std::shared_ptr<MemoryPool>& pool);

inline constexpr double kPlainCounts = 1024;

}  // namespace fathom::cli
