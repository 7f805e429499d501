#include "fathom/residency/ssd/block_reader.hpp"

#include <algorithm>
#include <utility>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

// More threads than this do not read faster: each has one read under way.
constexpr std::uint32_t kMostThreads = 16;

}  // namespace

std::unique_ptr<BlockReader> make_block_reader(const IoOptions& options) {
  if (options.depth < 1 || options.depth > 4096)
    throw Error(ErrorCode::Usage, "between 1 and 4096 reads can be under way at once, not " +
                                      std::to_string(options.depth));
  std::unique_ptr<BlockReader> reader;
  int error = 0;
  if (options.way != IoOptions::Way::Threads)
    reader = detail::make_uring_reader(options.depth, error);
  if (!reader && options.way == IoOptions::Way::Uring)
    throw_io_error("io_uring", "set up a ring", -error);
  if (!reader) reader = detail::make_pread_reader(std::min(options.depth, kMostThreads));
  return options.wrap ? options.wrap(std::move(reader)) : std::move(reader);
}

}  // namespace fathom
