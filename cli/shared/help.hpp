// How help is laid out, and what the options' declarations say about their values. Completions are
// made from the same tree, so that neither can go stale.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace fathom::cli {

/// The values an option is restricted to (CLI::IsMember), in order; empty for any other option.
std::vector<std::string> choices_of(const CLI::Option& option);

/// What stands for the option's value in help: "N", "FILE", "auto|push|pull"; empty for flags.
std::string placeholder_of(const CLI::Option& option);

/// Long and short names with their dashes.
std::vector<std::string> names_of(const CLI::Option& option);

/// Descriptions wrapped to 80 columns beside the options' names.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace fathom::cli
