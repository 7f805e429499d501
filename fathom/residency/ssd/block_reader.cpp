#include "fathom/residency/ssd/block_reader.hpp"

#include <algorithm>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

// More threads per disk than this do not read faster: each has one read under way.
constexpr std::uint32_t kMostThreads = 16;

}  // namespace

std::unique_ptr<BlockReader> make_block_reader(const IoOptions& options, std::uint32_t disks) {
  const std::uint64_t depth = std::uint64_t{options.depth} * disks;
  if (depth < 1 || depth > 4096)
    throw Error(ErrorCode::Usage,
                "between 1 and 4096 reads can be under way at once, not " + std::to_string(depth));
  std::unique_ptr<BlockReader> reader;
  int error = 0;
  if (options.way != IoOptions::Way::Threads)
    reader = detail::make_uring_reader(static_cast<std::uint32_t>(depth), error);
  if (!reader && options.way == IoOptions::Way::Uring)
    throw_io_error("io_uring", "set up a ring", -error);
  if (!reader) reader = detail::make_pread_reader(std::min(options.depth, kMostThreads) * disks);
  return options.wrap ? options.wrap(std::move(reader)) : std::move(reader);
}

}  // namespace fathom
