// Communities by label propagation: each vertex takes the label that most of its neighbours have.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct CdlpOptions {
  std::uint32_t iterations = 10;  // at most
  // [vertices]: which of two labels is the smaller one: distinct numbers below vertices. Empty:
  // ids are.
  std::span<const VertexId> row = {};
  // Labels are seen as soon as a block of vertices has them, and the most frequent one is kept by
  // those that have it: such labels become stable.
  bool async = false;
  std::uint64_t seed = 0;                         // of async: which vertices sit out
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct CdlpResult {
  Array<VertexId> label;     // [vertices]: a vertex, which need not have this label itself
  VertexId communities = 0;  // distinct labels
  std::uint32_t iterations = 0;
  bool stable = false;     // the last iteration changed nothing: further ones would not either
  Array<VertexId> before;  // [vertices]: labels before the last iteration, which is what it is
                           // checked by; empty when stable or async, or without iterations
  RunReport report;
};

/// Each vertex starts with itself as its label. In an iteration all take, at the same time, the
/// most frequent label of their neighbours, of equally frequent ones the smallest; without
/// neighbours they keep theirs. Every entry of a list counts: parallel edges, loops, and in a
/// directed graph out- and in-edges, so that a neighbour in both directions counts twice. It ends
/// early when nothing changes (the CDLP of LDBC Graphalytics). Labels that go round in a circle,
/// as those of the two ends of a lone edge do, never become stable.
///
/// With options.async: blocks of consecutive vertices, each the longest that has at most half as
/// many entries as there are vertices, and one more (a vertex of more is a block), take labels one
/// block after the other, those of a block at the same time. A vertex keeps its label where no
/// other is more frequent. In every second iteration each vertex sits out with a probability of one
/// half, so that nothing goes round in a circle for ever. It ends when no vertex, sitting out or
/// not, wants another label.
///
/// @return  exact: the same on every residency, executor and number of devices. With async also a
///          function of the order of ids, which `row` does not make up for.
/// @throws Error(Usage) when options.row has another size than the graph; Error(DoesNotFit), also
///         for a vertex of more than 2^(64 - b) - 1 entries, where ids below the number of vertices
///         have b bits; Error(Interrupted).
/// Cost: one read of each list's edges per iteration, lists of a directed graph in both directions;
/// labels are counted for as many vertices at a time as have half as many entries as there are
/// vertices, so that many pages at the borders of these are read twice. A vertex of more entries
/// than that takes two reads of its own list and a pass over all vertices. Directed graphs
/// without in-edges: lists of these are built in host memory for each run, 4 bytes per edge and 8
/// per vertex (ids of 64 bits: 8 and 8). 16 bytes and a bit per vertex and device (ids of 64 bits:
/// 26), and one of the results the more where `row` is given. Source: Raghavan, Albert and Kumara,
/// "Near linear time algorithm to detect community structures in large-scale networks", Physical
/// Review E 76, 2007, which is the asynchronous one; synchronous and with smallest labels: Iosup et
/// al., "LDBC Graphalytics", PVLDB 9(13), 2016.
FATHOM_API CdlpResult label_propagation(const Context& ctx, const Graph& graph,
                                        const CdlpOptions& options = {});

/// Checks the last iteration, from the labels before it: lists are read one by one on the host, and
/// their labels sorted. Of a stable result these are the labels themselves, so that it is known to
/// be stable; of others result.before is believed, unless it was the first iteration: how labels
/// came to be what they were before is not checked. Stable labels of async are among the most
/// frequent ones of neighbours, which is checked likewise; of others only that they are vertices,
/// and how many. In-edges that are built are compared with the
/// out-edges by a sum of hashes.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each list, sorted; two ids per vertex and those of the longest list.
FATHOM_API void verify_cdlp(const Context& ctx, const Graph& graph, const CdlpOptions& options,
                            const CdlpResult& result);

}  // namespace fathom
