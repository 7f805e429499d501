#include "fathom/exec/ranks/shared_results.hpp"

#include <algorithm>

#include "fathom/exec/ranks/shared_file.hpp"

namespace fathom {

void write_results(ReplicaGroup& group, const std::string& path, const io::ResultRows& rows,
                   const Task& task) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  SharedFile file(group, path);
  task.begin("writing", rows.count(), rows.what());
  std::string text;
  if (group.rank() == 0) rows.append_header(text);
  file.append(std::as_bytes(std::span(text)));
  const std::size_t round = kBlock * file.writers();
  for (std::size_t begin = 0; begin < rows.count(); begin += round) {
    text.clear();
    if (const auto place = file.place()) {
      const std::size_t first = std::min(begin + *place * kBlock, rows.count());
      rows.append(first, std::min(first + kBlock, rows.count()), text);
    }
    file.append(std::as_bytes(std::span(text)));
    task.at(std::min(begin + round, rows.count()));
  }
  file.commit();
  task.end();
}

}  // namespace fathom
