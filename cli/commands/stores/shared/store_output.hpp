// The course of the subcommands that make a store: check the place, make it, time it, report.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/shared/session.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {

/// Where a store goes, and how what was made is reported.
struct StoreOutput {
  std::string path;
  bool json = false, quiet = false;
};

/// What making a store may take: --memory, or half of what is free.
class BuildMemory {
 public:
  void add_to(CLI::App& command, const std::string& description);
  /// What was said, or what is spare; `sharers`: as much of that as one of so many gets.
  std::size_t bytes(int sharers = 1) const;

 private:
  static constexpr std::size_t kNotSaid = ~std::size_t{0};
  std::size_t said_ = kNotSaid;
};

/// Calls make(), which writes the store, and prints what `info --json` would, or
/// summary(header, seconds), or nothing.
/// @throws Error(Io), Error(Usage) before make() is called when the store could not be written.
void make_store(const StoreOutput& output, Session& session, FunctionRef<void()> make,
                FunctionRef<std::string(const store::Header& header, double seconds)> summary);

}  // namespace fathom::cli
