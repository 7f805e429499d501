#include "fathom/store/graph_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/repack.hpp"

namespace fathom::store {
namespace {

/// A directory beside a file that goes with everything in it.
class WorkDirectory {
 public:
  explicit WorkDirectory(const std::string& beside) {
    const std::filesystem::path parent = std::filesystem::path(beside).parent_path();
    path_ = ((parent.empty() ? std::filesystem::path(".") : parent) / ".fathom-XXXXXX").string();
    if (!::mkdtemp(path_.data()))
      throw_io_error(beside, "create a temporary directory beside it", errno);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace

Header make_slotted(const std::string& output, const ConvertOptions& options,
                    FunctionRef<void(const std::string& path)> make) {
  check_slotted_options(*options.slotted);
  if (options.interleave_weights)
    throw Error(ErrorCode::Usage, "slotted pages always hold targets and weights side by side");
  const WorkDirectory directory(output);
  const std::string lists = directory.file("lists.fg");
  make(lists);
  RepackOptions repacking;
  repacking.slotted = options.slotted;
  repacking.memory = options.build.memory;
  repacking.threads = options.build.threads;
  repacking.provenance = options.provenance;
  repacking.task = options.build.task;
  return repack(lists, output, repacking);
}

std::size_t data_memory(std::size_t bound) {
  constexpr std::size_t kLeast = std::size_t{32} << 20, kBuffers = std::size_t{9} << 20;
  constexpr std::size_t kMostProgram = std::size_t{15} << 20;
  if (bound < kLeast)
    throw Error(ErrorCode::DoesNotFit, "a memory bound of " + format_bytes(bound) +
                                           " is too small; at least " + format_bytes(kLeast) +
                                           " are needed");
  std::size_t pages = 0, resident = 0;
  if (std::FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu %zu", &pages, &resident) != 2) resident = 0;
    std::fclose(statm);
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bound - kBuffers - std::min(resident * page, kMostProgram);
}

int workers_within(int threads, std::size_t memory) {
  const std::size_t most = std::max<std::size_t>(1, memory >> 21);
  return static_cast<int>(
      std::min<std::size_t>(most, static_cast<std::size_t>(worker_count(threads))));
}

}  // namespace fathom::store
