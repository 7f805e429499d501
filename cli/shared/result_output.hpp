// Where a result goes: to a file, or as lines to standard output for "-".
#pragma once

#include <memory>
#include <string>

#include "fathom/core/function_ref.hpp"
#include "fathom/io/byte_sink.hpp"
#include "fathom/io/result_writer.hpp"
#include "fathom/io/table_writer.hpp"

namespace fathom::cli {

/// Whether an output is "-".
bool is_standard_output(const std::string& path);

/// What messages call an output: its name, or "standard output".
std::string output_name(const std::string& path);

/// @throws Error(Usage), Error(Io).
std::unique_ptr<io::ByteSink> open_output(const std::string& path);

/// As io::result_kind() and io::table_separator() of files; standard output is separated by tabs.
io::ResultKind result_kind(const std::string& path);
char table_separator(const std::string& path);
io::TableWriter open_table(const std::string& path);

/// Calls write(), which writes to open_output(path). A reader of standard output that has gone away
/// (`fathom ... -o - | head`) has all it wanted: the rest is not written, and that is no error.
void write_output(FunctionRef<void()> write);

}  // namespace fathom::cli
