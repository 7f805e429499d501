#include "cli/shared/words/suggestions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/shared/help.hpp"
#include "fathom/core/error.hpp"
#include "fathom/io/byte_sink.hpp"
#include "fathom/io/reader.hpp"
#include "fathom/store/make/convert.hpp"

namespace fathom::cli {
namespace {

/// Letters to insert, delete, replace or swap with their neighbours (optimal string alignment).
std::size_t slips_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string without_dashes(const std::string& word) {
  return word.substr(std::min(word.size(), word.find_first_not_of('-')));
}

std::vector<std::string> long_options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App& named_command(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// Where the graph of such a file would go.
std::string graph_name(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path rest{io::compression_of(path).rest};
  if (rest.extension() == ".fg") return fs::path(rest).replace_extension("").string() + "-graph.fg";
  return fs::path(rest).replace_extension(".fg").string();
}

/// Whether it begins as something that `convert` reads. What it is cannot be told while it cannot
/// be read: the command says so.
bool is_input(const std::string& path) {
  try {
    return std::filesystem::is_regular_file(path) && !store::is_store(path) &&
           io::could_be_graph(path);
  } catch (const Error&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
  return false;
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"\\$`*?[]{}()<>|&;#~!") == std::string::npos)
    return word;
  std::string quoted;
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + quoted + "'";
}

std::optional<std::string> nearest(const std::string& word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kLettersPerSlip = 3;
  const std::string typed = without_dashes(word);
  std::size_t least = std::max<std::size_t>(1, typed.size() / kLettersPerSlip) + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const std::size_t slips = slips_between(typed, without_dashes(candidate));
    if (slips >= least) continue;
    least = slips;
    found = candidate;
  }
  return found;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!inner->get_group().empty()) names.push_back(inner->get_name());
  return names;
}

std::string suggestion(const CLI::App& program) {
  const CLI::App& command = named_command(program);
  for (const std::string& word : program.remaining(true)) {
    const bool is_option = word.size() > 1 && word[0] == '-';
    const auto found = nearest(word.substr(0, word.find('=')),
                               is_option ? long_options_of(command) : commands_of(command));
    if (found) return fmt::format("Did you mean {}?", *found);
  }
  return "";
}

void check_graph_files(const CLI::App& program) {
  const CLI::Option* const graph = named_command(program).get_option_no_throw("graph");
  if (!graph || graph->count() == 0) return;
  const std::string& path = graph->results().front();
  if (!is_input(path)) return;
  throw Error(ErrorCode::BadInput,
              fmt::format("{}: not a .fg file; this makes one of it: fathom convert {} -o {}", path,
                          shell_word(path), shell_word(graph_name(path))));
}

}  // namespace fathom::cli
