#include "fathom/core/links.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <filesystem>

#include "fathom/core/error.hpp"
#include "fathom/core/temp_file.hpp"

namespace fathom {

std::string end_of_links(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // Linux's own limit
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == kMostLinks) throw_io_error(path, "follow", ELOOP);
    struct statfs system {};
    if (::statfs(directory_of(target.string()).c_str(), &system) == 0 &&
        system.f_type == PROC_SUPER_MAGIC)
      throw Error(ErrorCode::Usage, path + ": is an open file, expected the name of one");
    const fs::path next = fs::read_symlink(target, error);
    if (error) throw_io_error(path, "follow", error.value());
    target = target.parent_path() / next;
  }
  return target.string();
}

}  // namespace fathom
