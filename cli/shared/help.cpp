#include "cli/shared/help.hpp"

#include <fmt/format.h>

#include <sstream>

namespace fathom::cli {
namespace {

constexpr std::size_t kIndent = 28, kWidth = 80;

/// `text` in lines that begin at column kIndent; `used` columns of the first are taken.
std::string wrapped(const std::string& text, std::size_t used) {
  std::string out;
  std::size_t column = used;
  const auto new_line = [&] {
    out += "\n" + std::string(kIndent, ' ');
    column = kIndent;
  };
  if (used + 2 > kIndent)
    new_line();
  else
    out.append(kIndent - used, ' ');
  column = kIndent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > kIndent && column + 1 + word.size() > kWidth) new_line();
    if (column > kIndent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string left = "  " + make_option_name(option, is_positional);
    std::string value = placeholder_of(*option);
    const auto choices = choices_of(*option);
    const bool apart = !choices.empty() && (is_positional || left.size() + value.size() >= kWidth);
    if (apart) value = option->get_type_name().substr(0, option->get_type_name().find(':'));
    if (!value.empty() && !is_positional) left += " " + value;
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) left += "...";
    std::string right = option->get_description();
    if (apart)  // where lines may break
      right += fmt::format(" ({})", fmt::join(choices, ", "));
    if (!option->get_default_str().empty()) right += " (default " + option->get_default_str() + ")";
    if (option->get_required() && !is_positional) right += " (required)";
    return left + wrapped(right, left.size());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    const std::string left = "  " + command->get_name();
    return left + wrapped(command->get_description(), left.size());
  }
};

}  // namespace

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

std::string placeholder_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  const auto choices = choices_of(option);
  if (!choices.empty()) return fmt::format("{}", fmt::join(choices, "|"));
  // Validators append what they check after a colon.
  const std::string type = option.get_type_name();
  const std::size_t checks = type.find(":INT") != std::string::npos     ? type.find(":INT")
                             : type.find(":UINT") != std::string::npos  ? type.find(":UINT")
                             : type.find(":FLOAT") != std::string::npos ? type.find(":FLOAT")
                                                                        : type.find(":POSITIVE");
  return type.substr(0, checks);
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::shared_ptr<CLI::Formatter> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

}  // namespace fathom::cli
