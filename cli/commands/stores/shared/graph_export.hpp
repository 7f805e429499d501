// fathom convert the other way round: a graph in a format of others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/session.hpp"
#include "fathom/store/export/export.hpp"

namespace fathom::cli {

struct GraphExport {
  std::vector<std::string> inputs;  // a .fg file, or what `convert` says how to read
  std::string output;
  store::GraphFile file;
  store::ConvertOptions convert;
  bool quiet = false;
};

/// What --to names, else what the output's name says; unset: a .fg file. @throws Error(Usage).
std::optional<store::GraphFile> exported_as(const std::string& output, const std::string& to);

/// Writes the graph and prints what came of it.
void run_export(const GraphExport& c, Session& session);

}  // namespace fathom::cli
