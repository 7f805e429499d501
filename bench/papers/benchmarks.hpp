// fathom bench WHAT: experiments, each a subcommand of its own with its own options. A new one is a
// file WHAT.cpp or a folder WHAT/, a line here and a line in the table of benchmarks.cpp.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/session.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/reorder/order.hpp"

namespace fathom::cli {

/// Random vertices with edges to search from, the same for a seed. @throws Error(Usage) without
/// any.
std::vector<VertexId> pick_sources(const CsrView& lists, std::uint64_t count, std::uint64_t seed);

/// --methods, --samples and --by-component of benchmarks that compare orders.
void add_order_options(CLI::App& command, std::vector<std::string>& methods,
                       reorder::Options& options);

struct TimedOrder {
  reorder::Permutation order;
  double seconds;
};
TimedOrder time_order(const LoadedGraph& graph, const reorder::Options& options);

/// `bench` and all of them.
void add_bench(CLI::App& program, Session& session);

void add_bench_dynamic(CLI::App& bench, Session& session);
void add_bench_emogi(CLI::App& bench, Session& session);
void add_bench_gts(CLI::App& bench, Session& session);
void add_bench_halo(CLI::App& bench, Session& session);
void add_bench_link(CLI::App& bench, Session& session);
void add_bench_memory(CLI::App& bench, Session& session);
void add_bench_reuse(CLI::App& bench, Session& session);
void add_bench_msbfs(CLI::App& bench, Session& session);
void add_bench_order(CLI::App& bench, Session& session);
void add_bench_requests(CLI::App& bench, Session& session);

}  // namespace fathom::cli
