#include "cli/commands/stores/shared/layout_options.hpp"

#include "cli/shared/options.hpp"

namespace fathom::cli {

std::optional<store::SlottedOptions> LayoutOptions::slotted() const {
  if (layout != "slotted") {
    for (const auto& [given, name] : {std::pair(page_bytes > 0, "--page-size"),
                                      {pid_bytes > 0, "--pid-bytes"},
                                      {slot_bytes > 0, "--slot-bytes"}})
      if (given)
        throw Error(ErrorCode::Usage,
                    std::string(name) + " has no effect without --layout slotted");
    return {};
  }
  if (narrow) throw Error(ErrorCode::Usage, "--narrow has no effect with --layout slotted");
  store::SlottedOptions o;
  if (page_bytes > 0) o.page_bytes = page_bytes;
  if (pid_bytes > 0) o.pid_bytes = pid_bytes;
  if (slot_bytes > 0) o.slot_bytes = slot_bytes;
  store::check_slotted_options(o);
  return o;
}

void LayoutOptions::refuse_other(const char* flag, std::string_view its_layout) const {
  if (layout_option && layout_option->count() > 0 && layout != its_layout)
    throw Error(ErrorCode::Usage, std::string(flag) + " does not go with --layout " + layout);
}

bool LayoutOptions::packed() const {
  if (pack) refuse_other("--pack", "packed");
  if (narrow) refuse_other("--narrow", "");
  return pack || layout == "packed";
}

void add_layout_options(CLI::App& command, LayoutOptions& options) {
  const std::string group = kLayoutGroup;
  options.layout_option =
      command
          .add_option(
              "--layout", options.layout,
              "csr (arrays), packed (the same in about half the bytes), or slotted (pages of "
              "one size, to be streamed; GTS)")
          ->check(CLI::IsMember({"csr", "packed", "slotted"}))
          ->capture_default_str()
          ->group(group);
  command.add_flag("--pack", options.pack, "The same as --layout packed")->group(group);
  command
      .add_flag("--narrow", options.narrow,
                "Ids of as few bits as they need, weights as the numbers of up to 65,536 distinct "
                "ones: GPUs read half as much or less")
      ->group(group);
  add_size(command, "--page-size", options.page_bytes,
           "Of slotted pages: a power of two from 64KiB to 64MiB (default 1MiB)")
      ->group(group);
  command
      .add_option("--pid-bytes", options.pid_bytes,
                  "Bytes of a page id: 2, 3 (default) or 4; there are 256^N of them")
      ->type_name("N")
      ->check(CLI::Range(2, 4))
      ->group(group);
  command
      .add_option("--slot-bytes", options.slot_bytes,
                  "Bytes of a slot number: with page ids of 2 bytes 2 or 4, of 3 bytes 3 "
                  "(default), of 4 bytes 2")
      ->type_name("N")
      ->check(CLI::Range(2, 4))
      ->group(group);
}

}  // namespace fathom::cli
