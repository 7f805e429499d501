// The files that a command line names, to be read and to be written.
#pragma once

#include <CLI/CLI.hpp>

namespace fathom::cli {

/// Looks at the command that was named, before it begins: no file is written that is also read, or
/// written twice, under whatever names. Graphs may be replaced by graphs, which are whole before.
/// @throws Error(Usage)
void check_named_files(const CLI::App& program);

}  // namespace fathom::cli
