// fathom bench WHAT: experiments, each a subcommand of its own with its own options. A new one is a
// file tools/bench_WHAT.cpp, a line here and a line in the table of tools/bench.cpp.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "session.hpp"

namespace fathom::cli {

/// Random vertices with edges to search from, the same for a seed. @throws Error(Usage) without
/// any.
std::vector<VertexId> pick_sources(const CsrView& lists, std::uint64_t count, std::uint64_t seed);

void add_bench_emogi(CLI::App& bench, Session& session);
void add_bench_gts(CLI::App& bench, Session& session);
void add_bench_link(CLI::App& bench, Session& session);
void add_bench_msbfs(CLI::App& bench, Session& session);
void add_bench_order(CLI::App& bench, Session& session);
void add_bench_requests(CLI::App& bench, Session& session);

}  // namespace fathom::cli
