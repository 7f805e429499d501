#include "cli/commands/algorithms/shared/described_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/io/vertex_file.hpp"

namespace fathom::cli {
namespace {

using Labels = std::vector<std::string>;

std::string dashed(std::string_view name) {
  return fmt::format("--{}", name);
}

template <class T>
CLI::Option* add_value(CLI::App& command, const OptionInfo& info,
                       std::function<void(const T&)> set) {
  CLI::Option* const option =
      command.add_option_function<T>(dashed(info.name), std::move(set), std::string(info.meaning));
  if (!info.value.empty()) option->type_name(std::string(info.value));
  return option;
}

template <class T>
CLI::Option* add_number(CLI::App& command, const OptionInfo& info, T standard,
                        std::function<void(const T&)> set) {
  CLI::Option* const option = add_value<T>(command, info, std::move(set));
  if (info.shows_default) option->default_str(fmt::format("{}", standard));
  if (info.positive) option->check(greater_than_zero());
  if constexpr (std::is_integral_v<T>)
    if (info.least > 0 || info.most < T(OptionInfo::kMost))
      option->check(CLI::Range(T(info.least), T(info.most)));
  if (!info.excludes.empty()) option->excludes(command.get_option(dashed(info.excludes)));
  return option;
}

/// Numbers that 32 bits hold are read as such: what does not is refused by its text.
CLI::Option* add_count(CLI::App& command, const OptionInfo& info, OptionValues& values) {
  const auto set = [&values, name = info.name](std::uint64_t value) {
    values.set_count(name, value);
  };
  if (info.most <= OptionInfo::kMost32)
    return add_number<std::uint32_t>(command, info, static_cast<std::uint32_t>(info.count), set);
  return add_number<std::uint64_t>(command, info, info.count, set);
}

void add_option(CLI::App& command, const OptionInfo& info, DescribedOptions& options) {
  using enum OptionInfo::Kind;
  OptionValues& values = options.values;
  const std::string_view name = info.name;
  switch (info.kind) {
    case Vertex:
      add_value<std::string>(command, info, [&values, name](const std::string& label) {
        values.set_vertices(name, {{label}, {}});
      })->required(info.required);
      return;
    case Vertices:
      add_value<Labels>(command, info, [&values, name](const Labels& labels) {
        values.set_vertices(name, {labels, {}});
      })->required(info.required);
      return;
    case Masses:
    case Pairs:
    case Table:
      add_value<std::string>(command, info, [&options, name](const std::string& path) {
        if (!path.empty()) options.files[name] = path;
      })->required(info.required);
      return;
    default:
      add_value_option(command, info, values);
  }
}

}  // namespace

CLI::Option* add_value_option(CLI::App& command, const OptionInfo& info, OptionValues& values) {
  using enum OptionInfo::Kind;
  const std::string_view name = info.name;
  switch (info.kind) {
    case Flag:
      return command.add_flag_callback(
          dashed(name), [&values, name] { values.set_flag(name); }, std::string(info.meaning));
    case Count:
      return add_count(command, info, values);
    case Real:
      return add_number<double>(command, info, info.real, [&values, name](const double& value) {
        values.set_real(name, value);
      });
    case Mode:
      return add_value<std::string>(
                 command, info,
                 [&values, name](const std::string& value) { values.set_mode(name, value); })
          ->check(CLI::IsMember(Labels(info.choices.begin(), info.choices.end())));
    default:
      throw Error(ErrorCode::Internal,
                  fmt::format("--{} needs more than its words to have a value", name));
  }
}

OptionValues DescribedOptions::of(const LoadedGraph& graph) const {
  using enum OptionInfo::Kind;
  OptionValues found = values;
  for (const OptionInfo& info : algorithm.options) {
    if (info.kind == Vertex || info.kind == Vertices) {
      const Labels& labels = values.vertices(info.name).labels;
      found.set_vertices(info.name, {labels, graph.find(labels)});
    }
    const auto file = files.find(info.name);
    if (file == files.end()) continue;
    if (info.kind == Masses)
      found.set_masses(info.name,
                       io::read_masses(file->second, graph.graph().vertices(), graph.finder()));
    if (info.kind == Pairs)
      found.set_pairs(info.name, io::read_pairs(file->second, graph.finder()));
  }
  return found;
}

void add_described_options(CLI::App& command, DescribedOptions& options) {
  for (const OptionInfo& info : options.algorithm.options) add_option(command, info, options);
}

}  // namespace fathom::cli
