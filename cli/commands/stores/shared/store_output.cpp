#include "cli/commands/stores/shared/store_output.hpp"

#include <chrono>

#include "cli/commands/stores/shared/store_summary.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"

namespace fathom::cli {

void make_store(const StoreOutput& output, Session& session, FunctionRef<void()> make,
                FunctionRef<std::string(const store::Header& header, double seconds)> summary) {
  check_writable(output.path);
  const auto start = std::chrono::steady_clock::now();
  make();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session.progress.clear();
  const auto store = store::Store::open(output.path);
  if (output.json)
    write_out(to_text(json_of(*store, seconds)));
  else if (!output.quiet)
    write_out(summary(store->header(), seconds));
}

void BuildMemory::add_to(CLI::App& command, const std::string& description) {
  add_size(command, "--memory", said_, description + " (default: half of what is free)");
}

std::size_t BuildMemory::bytes(int sharers) const {
  return said_ != kNotSaid ? said_ : spare_memory() / static_cast<std::size_t>(sharers);
}

}  // namespace fathom::cli
