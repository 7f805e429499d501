#include "cli/commands/algorithms/shared/edge_mode.hpp"

namespace fathom::cli {

std::string name_of(EdgeMode mode) {
  if (mode == EdgeMode::In) return "in";
  return mode == EdgeMode::All ? "all" : "out";
}

void add_neighborhood_options(CLI::App& command, NeighborhoodOptions& options) {
  command.add_option("--hops", options.hops, "How far to go")
      ->type_name("K")
      ->check(CLI::Range(std::uint32_t{0}, kUnreached - 1))
      ->capture_default_str();
  const auto choose = [&options](const std::string& name) {
    options.mode = name == "in" ? EdgeMode::In : name == "all" ? EdgeMode::All : EdgeMode::Out;
  };
  command
      .add_option_function<std::string>(
          "--mode", choose,
          "Follow edges of a directed graph along their direction (out, the default), against it "
          "(in), or both ways (all)")
      ->check(CLI::IsMember({"out", "in", "all"}));
}

}  // namespace fathom::cli
