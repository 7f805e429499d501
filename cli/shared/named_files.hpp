// The files that a command line names, to be read and to be written.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

namespace fathom::cli {

/// Where a file is, or would be, without a slash behind it; links that an output cannot be written
/// through stay as they are. Empty for what the system cannot resolve.
std::filesystem::path place_of(const std::string& path);

/// Whether two names are of one file, which may not be there yet.
bool same_file(const std::string& a, const std::string& b);

/// Looks at the command that was named, before it begins: no file is written that is also read, or
/// written twice, under whatever names. Graphs may be replaced by graphs, which are whole before.
/// @throws Error(Usage)
void check_named_files(const CLI::App& program);

}  // namespace fathom::cli
