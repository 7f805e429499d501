#include "cli/shared/words/command_words.hpp"

#include <fmt/format.h>

#include "cli/shared/help.hpp"
#include "cli/shared/report_json.hpp"

namespace fathom::cli {
namespace {

// NOLINTNEXTLINE(misc-no-recursion): as deep as commands nest
Json described(const CLI::App& command) {
  Json options = Json::array(), commands = Json::array();
  for (const CLI::Option* option : command.get_options({})) {
    if (option == command.get_help_ptr()) continue;  // which every command has
    std::vector<std::string> names = names_of(*option);
    if (option->get_positional()) names.push_back(option->get_name(true));
    const bool flag = option->get_type_size() == 0;
    options.push_back({{"names", fmt::format("{}", fmt::join(names, ","))},
                       {"value", flag ? Json() : Json(option->get_type_name())},
                       {"about", option->get_description()}});
  }
  for (const CLI::App* inner : command.get_subcommands({}))
    if (!inner->get_group().empty()) commands.push_back(described(*inner));
  return {{"name", command.get_name()},
          {"about", command.get_description()},
          {"options", std::move(options)},
          {"commands", std::move(commands)}};
}

// NOLINTNEXTLINE(misc-no-recursion)
void add_described(CLI::App& command, const Json& words) {
  for (const Json& option : words.at("options")) {
    const std::string names = option.at("names"), about = option.at("about");
    if (option.at("value").is_null())
      command.add_flag(names, about);
    else
      command.add_option(names, about)->type_name(option.at("value"));
  }
  for (const Json& inner : words.at("commands"))
    add_described(*command.add_subcommand(inner.at("name"), inner.at("about")), inner);
}

}  // namespace

std::string command_words(const CLI::App& command) {
  return described(command).dump();
}

void add_command_words(CLI::App& command, const std::string& words) {
  const Json found = Json::parse(words, nullptr, false);
  if (!found.is_discarded()) add_described(command, found);
}

}  // namespace fathom::cli
