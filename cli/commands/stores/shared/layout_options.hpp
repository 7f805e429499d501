// The options that say in which layout a store is written.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "fathom/store/slotted/slotted.hpp"

namespace fathom::cli {

inline constexpr const char kLayoutGroup[] = "How it is laid out";

struct LayoutOptions {
  std::string layout = "csr";
  bool narrow = false;
  std::size_t page_bytes = 0;         // 0: not given
  int pid_bytes = 0, slot_bytes = 0;  // 0: not given

  bool pack = false;
  const CLI::Option* layout_option = nullptr;  // to know whether it was given

  /// Unset: CSR, packed or narrow. @throws Error(Usage) for options that do not go together.
  std::optional<store::SlottedOptions> slotted() const;
  bool packed() const;

 private:
  /// @throws Error(Usage) where --layout says otherwise.
  void refuse_other(const char* flag, std::string_view its_layout) const;
};

void add_layout_options(CLI::App& command, LayoutOptions& options);

}  // namespace fathom::cli
