#include "command.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/program.hpp"
#include "fathom/core/error.hpp"

namespace fathom::python {
namespace {

/// Labels and paths in them need not be UTF-8 (surrogateescape).
std::vector<std::string> words_of(const nb::list& given) {
  std::vector<std::string> words;
  for (const nb::handle word : given) {
    const nb::object encoded = nb::steal(PyUnicode_EncodeFSDefault(word.ptr()));
    if (!encoded.is_valid()) throw nb::python_error();
    const nb::bytes bytes = nb::borrow<nb::bytes>(encoded);
    words.emplace_back(bytes.c_str(), bytes.size());
    if (words.back().find('\0') != std::string::npos)
      throw Error(ErrorCode::Usage, "a word of a command has no character 0");
  }
  return words;
}

/// What the command writes to standard output.
nb::bytes output_of(const nb::list& given) {
  const std::vector<std::string> words = words_of(given);
  Watched watched;
  std::string text;
  call(watched, [&] {
    const cli::CapturedOutput captured;
    cli::call_command(words, cli::add_commands, watched.task());
    text = captured.text();
  });
  return nb::bytes(text.data(), text.size());
}

/// The exit status.
int run_program(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  const Released released;
  return cli::run_program(static_cast<int>(pointers.size()), pointers.data(), cli::add_commands);
}

}  // namespace

void add_commands(nb::module_& module) {
  module.def("output_of", output_of, nb::arg("words"));
  module.def("run_program", run_program, nb::arg("words"));
}

}  // namespace fathom::python
