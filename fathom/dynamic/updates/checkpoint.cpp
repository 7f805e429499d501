#include "fathom/dynamic/updates/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "fathom/core/error.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::string_view kMark = " # checkpoint after ";
constexpr std::string_view kLine = "line ", kRecord = "record ";
constexpr std::string_view kAnyLabels = ", any labels";

}  // namespace

void write_checkpoint(const std::string& path, const DynamicGraph& graph,
                      const VertexLabels& labels, const Checkpoint& at,
                      const std::string& command_line) {
  // Not to be interrupted: Ctrl-C is one of the reasons to write it.
  save(graph, labels, path,
       fmt::format("{}{}{}{}{}", command_line, kMark, at.records ? kRecord : kLine, at.line,
                   at.any_labels ? kAnyLabels : ""),
       {});
}

Checkpoint read_checkpoint(const store::Store& store) {
  const std::string_view text = store.header().provenance;
  const std::size_t mark = text.rfind(kMark);
  Checkpoint at;
  if (mark != std::string_view::npos) {
    std::string_view its = text.substr(mark + kMark.size());
    at.records = its.starts_with(kRecord);
    if (!at.records && !its.starts_with(kLine)) its = {};
    its.remove_prefix(std::min(its.size(), at.records ? kRecord.size() : kLine.size()));
    const char* const end = its.data() + its.size();
    const auto [rest, error] = std::from_chars(its.data(), end, at.line);
    const std::string_view behind(rest, static_cast<std::size_t>(end - rest));
    at.any_labels = behind == kAnyLabels;
    if (error == std::errc{} && (behind.empty() || at.any_labels)) return at;
  }
  throw Error(ErrorCode::Usage,
              store.path() + " is no checkpoint: --resume goes on from what --checkpoint wrote");
}

}  // namespace fathom::dynamic
