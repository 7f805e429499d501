// fathom completion: what a shell needs to complete commands, options, their values and files.
//
// Generated from the tree of commands itself, so it knows every option there is and no other; those
// of fathom-bench where it is there.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/bench.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/help.hpp"

namespace fathom::cli {
namespace {

std::string first_sentence(std::string text) {
  text = text.substr(0, text.find_first_of(":;("));
  std::string plain;
  for (const char c : text)
    if (std::string_view("'\"[]`$\\").find(c) == std::string_view::npos) plain += c;
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

/// Whether a file name is what the option's value or the argument is.
bool takes_file(const CLI::Option& option) {
  const std::string value = placeholder_of(option);
  return value.find("FILE") != std::string::npos || value.find(".fg") != std::string::npos;
}

std::vector<const CLI::Option*> named_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<const CLI::Option*> arguments(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// But for those that no help shows.
std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* its) { return !its->get_group().empty(); });
}

std::string command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

/// A command, or a command of a command ("bench requests").
struct Command {
  std::string name;
  const CLI::App* app;
  const CLI::App* parent;  // null: the program itself
};

std::vector<Command> all_commands(const CLI::App& program) {
  std::vector<Command> all;
  for (const CLI::App* command : commands_of(program)) {
    all.push_back({command->get_name(), command, nullptr});
    for (const CLI::App* inner : commands_of(*command))
      all.push_back({command->get_name() + " " + inner->get_name(), inner, command});
  }
  return all;
}

/// The commands that have commands, as a pattern of bash's and zsh's case.
std::string group_pattern(const CLI::App& program) {
  std::vector<std::string> groups;
  for (const CLI::App* command : commands_of(program))
    if (!commands_of(*command).empty()) groups.push_back(command->get_name());
  if (groups.empty()) groups.emplace_back("''");  // without fathom-bench: matches no command
  return fmt::format("{}", fmt::join(groups, "|"));
}

std::string bash_script(const CLI::App& program) {
  std::string values, words;
  for (const auto& [command, app, parent] : all_commands(program)) {
    std::vector<std::string> offered;
    for (const CLI::Option* option : named_options(*app)) {
      for (const std::string& name : names_of(*option)) {
        offered.push_back(name);
        if (option->get_type_size() == 0) continue;
        const std::string found = takes_file(*option)
                                      ? R"($(compgen -f -- "$cur"))"
                                      : fmt::format(R"($(compgen -W "{}" -- "$cur"))",
                                                    fmt::join(choices_of(*option), " "));
        values += fmt::format("    \"{} {}\") COMPREPLY=({}); return ;;\n", command, name, found);
      }
    }
    std::vector<std::string> choices;
    for (const CLI::App* inner : commands_of(*app)) choices.push_back(inner->get_name());
    for (const CLI::Option* argument : arguments(*app))
      for (const std::string& choice : choices_of(*argument)) choices.push_back(choice);
    words += fmt::format("    \"{}\") options=\"{}\" choices=\"{}\" ;;\n", command,
                         fmt::join(offered, " "), fmt::join(choices, " "));
  }
  return fmt::format(R"(# bash completion for fathom: source <(fathom completion bash)
_fathom() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local options="--help --version" choices="" IFS=$' \t\n'
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} $options" -- "$cur"))
    return
  fi
  case "$command" in {})
    if [ "$COMP_CWORD" -gt 2 ]; then command="$command ${{COMP_WORDS[2]}}"; fi ;;
  esac
  IFS=$'\n '
  case "$command $prev" in
{}  esac
  case "$command" in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [ -n "$choices" ]; then
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
  else
    IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _fathom fathom
)",
                     command_names(program), group_pattern(program), values, words);
}

std::string zsh_script(const CLI::App& program) {
  std::string commands, cases;
  for (const auto& [command, app, parent] : all_commands(program)) {
    if (!parent)
      commands += fmt::format("    '{}:{}'\n", command, first_sentence(app->get_description()));
    std::string specs;
    for (const CLI::Option* option : named_options(*app)) {
      std::string value;
      if (option->get_type_size() != 0)
        value = takes_file(*option)
                    ? ":file:_files"
                    : fmt::format(":value:({})", fmt::join(choices_of(*option), " "));
      for (const std::string& name : names_of(*option))
        specs += fmt::format(" \\\n        '{}[{}]{}'", name,
                             first_sentence(option->get_description()), value);
    }
    if (!commands_of(*app).empty())
      specs += fmt::format(" \\\n        '1:what:({})'", command_names(*app));
    for (const CLI::Option* argument : arguments(*app)) {
      const auto choices = choices_of(*argument);
      specs += choices.empty() ? " \\\n        '*:file:_files'"
                               : fmt::format(" \\\n        '1:{}:({})'", argument->get_name(),
                                             fmt::join(choices, " "));
    }
    cases += fmt::format("    '{}')\n      _arguments{} ;;\n", command, specs);
  }
  return fmt::format(R"(#compdef fathom
# zsh completion for fathom: fathom completion zsh > "${{fpath[1]}}/_fathom"
_fathom() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  local command=$words[1]
  case $command in {})
    if (( CURRENT > 2 )); then
      command="$command $words[2]"
      shift words
      (( CURRENT-- ))
    fi ;;
  esac
  case $command in
{}  esac
}}
compdef _fathom fathom
)",
                     commands, group_pattern(program), cases);
}

std::string fish_script(const CLI::App& program) {
  std::string script = "# fish completion for fathom: fathom completion fish | source\n";
  script += "complete -c fathom -n __fish_use_subcommand -f\n";
  for (const auto& [name, app, parent] : all_commands(program)) {
    const std::string place =
        parent ? fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                             parent->get_name(), app->get_name())
               : fmt::format("__fish_seen_subcommand_from {}", name);
    const std::string here = fmt::format("complete -c fathom -n '{}'", place);
    const std::string before = parent ? fmt::format(
                                            "'__fish_seen_subcommand_from {}; and not "
                                            "__fish_seen_subcommand_from {}'",
                                            parent->get_name(), command_names(*parent))
                                      : "__fish_use_subcommand";
    script += fmt::format("complete -c fathom -n {} -f -a {} -d '{}'\n", before, app->get_name(),
                          first_sentence(app->get_description()));
    for (const CLI::Option* option : named_options(*app)) {
      script += here;
      for (const std::string& word : option->get_lnames()) script += " -l " + word;
      for (const std::string& letter : option->get_snames()) script += " -s " + letter;
      const auto choices = choices_of(*option);
      if (option->get_type_size() != 0) script += takes_file(*option) ? " -rF" : " -x";
      if (!choices.empty()) script += fmt::format(" -a '{}'", fmt::join(choices, " "));
      script += fmt::format(" -d '{}'\n", first_sentence(option->get_description()));
    }
    for (const CLI::Option* argument : arguments(*app))
      if (const auto choices = choices_of(*argument); !choices.empty())
        script += fmt::format("{} -f -a '{}'\n", here, fmt::join(choices, " "));
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& program, Session& session) {
  auto* command =
      program.add_subcommand("completion", "Print a script that completes fathom commands");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "Which shell the script is for")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  command->footer(
      "Examples:\n"
      "  source <(fathom completion bash)\n"
      "  fathom completion zsh > \"${fpath[1]}/_fathom\"\n"
      "  fathom completion fish > ~/.config/fish/completions/fathom.fish");
  command->callback([shell, &program, &session] {
    session.command = [shell, &program] {
      ask_bench_for_words(program);
      write_out(*shell == "bash"  ? bash_script(program)
                : *shell == "zsh" ? zsh_script(program)
                                  : fish_script(program));
    };
  });
}

}  // namespace fathom::cli
