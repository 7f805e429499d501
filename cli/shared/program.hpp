// What Fathom's programs have in common: parses, runs one subcommand, turns failures into messages
// and exit codes.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/shared/session.hpp"

namespace fathom::cli {

/// Describes a program that says of itself that it is `fathom`, and adds its commands.
using MakeProgram = void (*)(CLI::App& program, Session& session);

/// Runs the command that `words` name, the first of them the program's; returns the exit status.
int run_program(int count, char** words, MakeProgram make);

/// The system has no memory left: says so without asking for any; returns the exit status.
int out_of_memory();

}  // namespace fathom::cli
