// The subcommands. Each function adds one to the program: its options, help, and what it does.
// Algorithms need none, but for those whose result is edges: they describe themselves.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/shared/session.hpp"

namespace fathom {
struct Algorithm;
}

namespace fathom::cli {

/// Describes the program and adds all of them.
void add_commands(CLI::App& program, Session& session);

/// Of an algorithm that describes itself, and outlives the program.
void add_described(CLI::App& program, Session& session, const Algorithm& algorithm);
void add_generate(CLI::App& program, Session& session);
void add_convert(CLI::App& program, Session& session);
void add_info(CLI::App& program, Session& session);
void add_verify(CLI::App& program, Session& session);
void add_stripe(CLI::App& program, Session& session);
void add_partition(CLI::App& program, Session& session);
void add_subgraph(CLI::App& program, Session& session);
void add_egonet(CLI::App& program, Session& session);
void add_cross_edges(CLI::App& program, Session& session);
void add_walks(CLI::App& program, Session& session);
void add_sample(CLI::App& program, Session& session);
void add_reorder(CLI::App& program, Session& session);
void add_stream(CLI::App& program, Session& session);
void add_plan(CLI::App& program, Session& session);
void add_doctor(CLI::App& program, Session& session);
void add_bench(CLI::App& program, Session& session);
void add_completion(CLI::App& program, Session& session);
void add_descriptions(CLI::App& program, Session& session);

}  // namespace fathom::cli
