// What to type instead: for words that a command does not know, and for files that are no graphs
// yet.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

/// A word as a shell needs it.
std::string shell_word(const std::string& word);

/// The candidate that a slip of the fingers makes `word` of; unset when all are too far from it.
std::optional<std::string> nearest(const std::string& word,
                                   const std::vector<std::string>& candidates);

/// The names of the commands in `command` that help shows.
std::vector<std::string> commands_of(const CLI::App& command);

/// "Did you mean --damping?", of the first word that parsing has left over; empty without an idea.
std::string suggestion(const CLI::App& program);

/// Looks at the graph of the command that was named. @throws Error(BadInput), with the command line
/// that makes a .fg file of it, when it is another file that `convert` reads.
void check_graph_files(const CLI::App& program);

}  // namespace fathom::cli
