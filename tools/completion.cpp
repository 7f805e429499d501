// fathom completion: what a shell needs to complete commands, options, their values and files.
//
// Generated from the tree of commands itself, so it knows every option there is and no other.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "help.hpp"

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

std::string command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_script(const CLI::App& program) {
  std::string values, words;
  for (const CLI::App* command : program.get_subcommands({})) {
    std::vector<std::string> offered;
    for (const CLI::Option* option : named_options(*command)) {
      for (const std::string& name : names_of(*option)) {
        offered.push_back(name);
        if (option->get_type_size() == 0) continue;
        const std::string found = takes_file(*option)
                                      ? R"($(compgen -f -- "$cur"))"
                                      : fmt::format(R"($(compgen -W "{}" -- "$cur"))",
                                                    fmt::join(choices_of(*option), " "));
        values += fmt::format("    \"{} {}\") COMPREPLY=({}); return ;;\n", command->get_name(),
                              name, found);
      }
    }
    std::vector<std::string> choices;
    for (const CLI::Option* argument : arguments(*command))
      for (const std::string& choice : choices_of(*argument)) choices.push_back(choice);
    words += fmt::format("    {}) options=\"{}\" choices=\"{}\" ;;\n", command->get_name(),
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
                     command_names(program), values, words);
}

std::string zsh_script(const CLI::App& program) {
  std::string commands, cases;
  for (const CLI::App* command : program.get_subcommands({})) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(),
                            first_sentence(command->get_description()));
    std::string specs;
    for (const CLI::Option* option : named_options(*command)) {
      std::string value;
      if (option->get_type_size() != 0)
        value = takes_file(*option)
                    ? ":file:_files"
                    : fmt::format(":value:({})", fmt::join(choices_of(*option), " "));
      for (const std::string& name : names_of(*option))
        specs += fmt::format(" \\\n        '{}[{}]{}'", name,
                             first_sentence(option->get_description()), value);
    }
    for (const CLI::Option* argument : arguments(*command)) {
      const auto choices = choices_of(*argument);
      specs += choices.empty() ? " \\\n        '*:file:_files'"
                               : fmt::format(" \\\n        '1:{}:({})'", argument->get_name(),
                                             fmt::join(choices, " "));
    }
    cases += fmt::format("    {})\n      _arguments{} ;;\n", command->get_name(), specs);
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
  case $words[1] in
{}  esac
}}
compdef _fathom fathom
)",
                     commands, cases);
}

std::string fish_script(const CLI::App& program) {
  std::string script = "# fish completion for fathom: fathom completion fish | source\n";
  script += "complete -c fathom -n __fish_use_subcommand -f\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    const std::string name = command->get_name();
    const std::string here =
        fmt::format("complete -c fathom -n '__fish_seen_subcommand_from {}'", name);
    script += fmt::format("complete -c fathom -n __fish_use_subcommand -f -a {} -d '{}'\n", name,
                          first_sentence(command->get_description()));
    for (const CLI::Option* option : named_options(*command)) {
      script += here;
      for (const std::string& word : option->get_lnames()) script += " -l " + word;
      for (const std::string& letter : option->get_snames()) script += " -s " + letter;
      const auto choices = choices_of(*option);
      if (option->get_type_size() != 0) script += takes_file(*option) ? " -rF" : " -x";
      if (!choices.empty()) script += fmt::format(" -a '{}'", fmt::join(choices, " "));
      script += fmt::format(" -d '{}'\n", first_sentence(option->get_description()));
    }
    for (const CLI::Option* argument : arguments(*command))
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
      write_out(*shell == "bash"  ? bash_script(program)
                : *shell == "zsh" ? zsh_script(program)
                                  : fish_script(program));
    };
  });
}

}  // namespace fathom::cli
