#include "cli/shared/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/shared/console.hpp"
#include "cli/shared/help.hpp"
#include "cli/shared/named_files.hpp"
#include "cli/shared/ranks/ranks.hpp"
#include "cli/shared/signals.hpp"
#include "cli/shared/words/suggestions.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

int exit_status(ErrorCode code) {
  return static_cast<int>(code);
}

/// The words as a shell would need them.
std::string command_line_of(int count, char** words) {
  std::string line = "fathom";
  for (int i = 1; i < count; ++i) line.append(" ").append(shell_word(words[i]));
  return line;
}

/// The subcommand that was named, for messages: "fathom bfs", "fathom bench requests".
std::string invoked(const CLI::App& program) {
  std::string words = "fathom";
  for (auto named = program.get_subcommands(); !named.empty();
       named = named.front()->get_subcommands())
    words += " " + named.front()->get_name();
  return words;
}

int usage_error(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help and --version
    program.exit(error, std::cout, std::cerr);
    std::cout.flush();
    return 0;
  }
  const std::string idea = suggestion(program);
  complain(error.what(),
           fmt::format("{}{}Try '{} --help'.", idea, idea.empty() ? "" : " ", invoked(program)));
  return exit_status(ErrorCode::Usage);
}

/// Without a command there is nothing to parse; and CLI11 would answer `fathom nonsense --help`.
int missing_command(const CLI::App& program, int count, char** words) {
  if (count > 1) {
    const auto near = nearest(words[1], commands_of(program));
    complain(fmt::format("there is no command '{}'", words[1]),
             near ? fmt::format("Did you mean {}? Try 'fathom --help'.", *near)
                  : "Try 'fathom --help'.");
  }
  if (count <= 1) std::cerr << program.help();
  return exit_status(ErrorCode::Usage);
}

bool names_command(const CLI::App& program, int count, char** words) {
  if (count <= 1) return false;
  const auto named = [&](const CLI::App* command) { return command->check_name(words[1]); };
  return words[1][0] == '-' || !program.get_subcommands(named).empty();
}

// CLI11 takes a value of the form [a,b] apart. To Fathom it is a label or a file name like any
// other: it travels with a mark at its end, which every option removes.
constexpr char kBracketMark = '\x01';

std::vector<std::string> with_marks(int count, char** words) {
  std::vector<std::string> marked;
  for (int i = count - 1; i > 0; --i) {  // CLI11 wants the last word first
    marked.emplace_back(words[i]);
    if (!marked.back().empty() && marked.back().back() == ']') marked.back() += kBracketMark;
  }
  return marked;
}

void remove_marks(CLI::App& program) {  // NOLINT(misc-no-recursion): as deep as commands nest
  const auto remove = [](std::string value) {
    if (!value.empty() && value.back() == kBracketMark) value.pop_back();
    return value;
  };
  for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options())
      if (option->get_type_size() != 0) option->transform(remove, "");
    remove_marks(*command);
  }
}

/// What the standard library throws when the system has no memory for another thread.
bool lacks_memory(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again ||
         error.code() == std::errc::not_enough_memory;
}

int run(int count, char** words, MakeProgram make) {
  prepare_standard_streams();
  const SignalWatch signals;
  Ranks ranks;
  Session session;
  session.stop = signals.token();
  session.command_line = command_line_of(count, words);
  CLI::App program;
  program.name("fathom");
  program.formatter(help_formatter());
  make(program, session);
  program.set_help_flag("-h,--help", "Print this help");
  program.require_subcommand(1);
  remove_marks(program);
  const auto fail = [&](ErrorCode code, const std::string& message) {
    session.progress.clear();
    return ranks.fail(exit_status(code),
                      [&](const std::string& where) { complain(where + message); });
  };
  const auto lack_memory = [&] {
    session.progress.clear();
    return ranks.fail(exit_status(ErrorCode::DoesNotFit),
                      [](const std::string&) { out_of_memory(); });
  };
  try {
    session.group = ranks.start({words, static_cast<std::size_t>(count)});
    if (!names_command(program, count, words))
      return ranks.first() ? missing_command(program, count, words) : exit_status(ErrorCode::Usage);
    program.parse(with_marks(count, words));
    check_graph_files(program);
    check_named_files(program);
    if (!session.on_all_ranks) session.group = ReplicaGroup::alone();
    if (session.on_all_ranks || ranks.first()) session.command();
    session.progress.clear();
    flush_out();
    return 0;
  } catch (const CLI::ParseError& e) {  // of all ranks alike, as their words are
    if (ranks.first() || e.get_exit_code() == 0) return usage_error(program, e);
    return exit_status(ErrorCode::Usage);
  } catch (const Error& e) {
    return fail(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return lack_memory();
  } catch (const std::exception& e) {
    const auto* const refused = dynamic_cast<const std::system_error*>(&e);
    if (refused && lacks_memory(*refused)) return lack_memory();
    return fail(ErrorCode::Internal, fmt::format("internal error: {}", e.what()));
  }
}

}  // namespace

void call_command(const std::vector<std::string>& words, MakeProgram make, const Task& task) {
  std::vector<std::string> all{"fathom"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  pointers.reserve(all.size());
  for (std::string& word : all) pointers.push_back(word.data());
  const int count = static_cast<int>(pointers.size());
  Session session;
  session.stop = task.stop;
  session.observer = task.progress;
  session.command_line = command_line_of(count, pointers.data());
  CLI::App program;
  make(program, session);
  program.require_subcommand(1);
  remove_marks(program);
  if (!names_command(program, count, pointers.data()))
    throw Error(ErrorCode::Usage, "there is no such command");
  try {
    program.parse(with_marks(count, pointers.data()));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw Error(ErrorCode::Usage, e.what());
    std::ostringstream said;  // --help and --version
    program.exit(e, said, said);
    return write_out(said.str());
  }
  check_graph_files(program);
  check_named_files(program);
  session.command();
}

int out_of_memory() {
  constexpr char kMessage[] =
      "fathom: out of memory: the system has none left, whatever budgets were given; smaller ones "
      "(--host-memory, --memory), fewer --threads or --residency stream need less\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  return exit_status(ErrorCode::DoesNotFit);
}

int run_program(int count, char** words, MakeProgram make) {
  try {
    return run(count, words, make);
  } catch (const std::bad_alloc&) {  // before a command began, or while its failure was told
    return out_of_memory();
  }
}

}  // namespace fathom::cli
