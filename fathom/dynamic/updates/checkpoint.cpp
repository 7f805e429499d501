#include "fathom/dynamic/updates/checkpoint.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "fathom/core/error.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::string_view kMark = " # checkpoint after line ";
constexpr std::string_view kAnyLabels = ", any labels";

}  // namespace

void write_checkpoint(const std::string& path, const DynamicGraph& graph,
                      const VertexLabels& labels, const Checkpoint& at,
                      const std::string& command_line) {
  // Not to be interrupted: Ctrl-C is one of the reasons to write it.
  save(graph, labels, path,
       fmt::format("{}{}{}{}", command_line, kMark, at.line, at.any_labels ? kAnyLabels : ""), {});
}

Checkpoint read_checkpoint(const store::Store& store) {
  const std::string_view text = store.header().provenance;
  const std::size_t mark = text.rfind(kMark);
  Checkpoint at;
  if (mark != std::string_view::npos) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + mark + kMark.size(), end, at.line);
    const std::string_view behind(rest, static_cast<std::size_t>(end - rest));
    at.any_labels = behind == kAnyLabels;
    if (error == std::errc{} && (behind.empty() || at.any_labels)) return at;
  }
  throw Error(ErrorCode::Usage,
              store.path() + " is no checkpoint: --resume goes on from what --checkpoint wrote");
}

}  // namespace fathom::dynamic
