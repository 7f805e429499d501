// The words of a command (its commands, options and their values) as text, by which one program
// completes what another runs.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace fathom::cli {

/// The command, which no help shows, that prints the words of those beside it.
inline constexpr char kCommandWords[] = "completion-words";

std::string command_words(const CLI::App& command);

/// Adds to `command` what `words` says of one. Words that are none add nothing.
void add_command_words(CLI::App& command, const std::string& words);

}  // namespace fathom::cli
