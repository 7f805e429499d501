// What Fathom's programs have in common: parses, runs one subcommand, turns failures into messages
// and exit codes.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/shared/session.hpp"

namespace fathom::cli {

/// Describes a program that says of itself that it is `fathom`, and adds its commands.
using MakeProgram = void (*)(CLI::App& program, Session& session);

/// Runs the command that `words` name, the first of them the program's; returns the exit status.
int run_program(int count, char** words, MakeProgram make);

/// Runs such a command inside another program, which sees to interruptions: failures are
/// exceptions. `words` begin with the command's.
/// @throws Error(Usage) for words that make no sense, and whatever the command throws.
void call_command(const std::vector<std::string>& words, MakeProgram make, const Task& task);

/// The system has no memory left: says so without asking for any; returns the exit status.
int out_of_memory();

}  // namespace fathom::cli
