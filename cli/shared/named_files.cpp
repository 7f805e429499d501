#include "cli/shared/named_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/links.hpp"
#include "fathom/store/stripes.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

// Options have the same names in all commands; what algorithms add to them, these describe.
constexpr std::array<std::string_view, 2> kGraphs{"graph", "input"};
constexpr std::array<std::string_view, 8> kReads{"updates", "vertices", "partition", "load",
                                                 "link",    "graphs",   "sources",   "seeds"};
constexpr std::array<std::string_view, 7> kWrites{"output",     "report", "trace",  "permutation",
                                                  "checkpoint", "save",   "picture"};

struct NamedFile {
  std::string option, path;
  bool graph = false;  // is one, or will be
};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether an option of an algorithm that describes itself is a file of this kind.
bool describes(const Algorithm* algorithm, const std::string& name, OptionInfo::Kind kind) {
  return algorithm && std::any_of(algorithm->options.begin(), algorithm->options.end(),
                                  [&](const OptionInfo& option) {
                                    return option.name == name && option.kind == kind;
                                  });
}

/// Devices and pipes take what anyone writes.
bool may_be_kept(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !path.empty() && path != "-" && (fs::is_regular_file(status) || !fs::exists(status));
}

struct NamedFiles {
  const Algorithm* algorithm;  // null: it does not describe itself
  std::vector<NamedFile> read = {}, written = {};

  void add(const CLI::Option& option) {
    const std::string name = option.get_positional() ? option.get_name(true) : option.get_name();
    const std::string bare = name.substr(name.find_first_not_of('-'));
    const bool graph = among(kGraphs, bare);
    const bool writes = among(kWrites, bare) || describes(algorithm, bare, OptionInfo::Kind::Table);
    const bool reads = among(kReads, bare) ||
                       describes(algorithm, bare, OptionInfo::Kind::Masses) ||
                       describes(algorithm, bare, OptionInfo::Kind::Pairs);
    if (!graph && !writes && !reads) return;
    for (const std::string& path : option.results()) {
      if (!may_be_kept(path)) continue;
      // What an algorithm writes as a checkpoint is no graph; what `fathom stream` does is one.
      const bool makes =
          (bare == "output" || (bare == "checkpoint" && !algorithm)) && path.ends_with(".fg");
      (writes ? written : read).push_back({name, path, graph || makes});
    }
  }

  /// What `fathom stripe` writes, and other commands read, in the directories of --ssd.
  void add_stripes(const CLI::App& command) {
    const CLI::Option* const ssd = command.get_option_no_throw("--ssd");
    const CLI::Option* const graph = command.get_option_no_throw("graph");
    if (!ssd || !graph || ssd->count() == 0 || graph->count() == 0) return;
    const std::vector<std::string>& directories = ssd->results();
    for (std::size_t i = 0; i < directories.size(); ++i) {
      const std::string path =
          store::stripe_path(graph->results().front(), directories[i], i, directories.size());
      if (may_be_kept(path))
        (command.get_name() == "stripe" ? written : read).push_back({"--ssd", path});
    }
  }

  void check() const {
    for (std::size_t i = 0; i < written.size(); ++i) {
      const NamedFile& output = written[i];
      for (const NamedFile& input : read)
        if (same_file(output.path, input.path) && !(output.graph && input.graph))
          throw Error(ErrorCode::Usage, output.option + " would replace " + input.path +
                                            ", which the command reads (" + input.option + ")");
      for (std::size_t j = 0; j < i; ++j)
        if (same_file(output.path, written[j].path))
          throw Error(ErrorCode::Usage, written[j].option + " and " + output.option +
                                            " would write the same file, " + output.path);
    }
  }
};

}  // namespace

fs::path place_of(const std::string& path) {
  std::string end = path;
  try {
    end = end_of_links(path);
  } catch (const Error&) {
  }
  std::error_code failed;
  const fs::path place = fs::weakly_canonical(fs::absolute(end), failed);
  if (failed) return {};
  return place.filename().empty() ? place.parent_path() : place;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed) && !failed) return true;
  const fs::path one = place_of(a);
  return !one.empty() && one == place_of(b);
}

void check_named_files(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  NamedFiles files{find_algorithm(command->get_name())};
  for (const CLI::Option* option : command->get_options())
    if (option->count() != 0) files.add(*option);
  files.add_stripes(*command);
  files.check();
}

}  // namespace fathom::cli
