#include "cli/commands/stores/shared/part_output.hpp"

#include <fmt/format.h>

#include "cli/commands/stores/shared/store_summary.hpp"
#include "cli/shared/console.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/parts/part_files.hpp"

namespace fathom::cli {

void print_parts(std::span<const store::PartLayout> parts, const std::string& directory,
                 double seconds, bool json, bool quiet) {
  Json all = {{"schema", "fathom.partition/1"}, {"parts", Json::array()}};
  for (const store::PartLayout& part : parts) {
    const std::string path = store::part_path(directory, part.index, part.parts);
    all["parts"].push_back(json_of(part));
    all["parts"].back()["path"] = path;
    if (json || quiet) continue;
    print("{}: lists of {} vertices, {} edges{}\n", printable(path),
          format_count(part.out.vertices()), format_count(part.out.edges()),
          part.in.edges() > 0 ? fmt::format(", {} in-edges", format_count(part.in.edges())) : "");
  }
  if (json) return write_out(to_text(all));
  if (!quiet)
    print("in {}; now for example: mpirun -n {} fathom bfs {} --source ...\n",
          format_seconds(seconds), parts.size(), printable(directory));
}

}  // namespace fathom::cli
