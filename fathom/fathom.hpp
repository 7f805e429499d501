// Everything a program that uses Fathom needs.
//
//   fathom::Context ctx = fathom::Context::cpu();
//   fathom::Graph graph = fathom::load(ctx, "graph.fg");
//   fathom::BfsResult result = fathom::bfs(ctx, graph, {{0}});
#pragma once

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/algorithms/subgraph/neighborhood.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/dynamic_graph.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/io/reader.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/bucket.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/reorder/order.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/permute.hpp"
#include "fathom/store/make/save.hpp"
#include "fathom/store/store.hpp"
