#include "fathom/exec/ranks/shared_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/exec/ranks/fail_together.hpp"
#include "fathom/exec/ranks/told_by_first.hpp"

namespace fathom {
SharedFile::SharedFile(ReplicaGroup& group, const std::string& path) : group_(group) {
  fail_together(group, [&] {
    if (group.rank() == 0) file_.emplace(path, AtomicFile::Named{});
  });
  path_ = told_by_first(group, path);
  const std::string name = told_by_first(
      group, file_ ? std::filesystem::absolute(file_->temporary()).string() : std::string());
  // Its name is random: where there is one, it is the same file.
  if (!file_) descriptor_ = ::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  const std::uint8_t sees = file_ || descriptor_ >= 0 ? 1 : 0;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&sees, sizeof sees, all.data());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r] == 0) continue;
    if (r == static_cast<std::size_t>(group.rank())) place_ = writers_;
    ++writers_;
  }
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedFile::append(std::span<const std::byte> mine) {
  const std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(group_.ranks()));
  group_.all_gather(&size, sizeof size, sizes.data());
  std::uint64_t at = end_;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r < static_cast<std::size_t>(group_.rank())) at += sizes[r];
    end_ += sizes[r];
  }
  if (mine.empty()) return;
  if (!place_) throw Error(ErrorCode::Internal, "a rank that does not see a file writes to it");
  if (file_)
    file_->write_at(at, mine);
  else
    write_fully(descriptor_, path_, at, mine);
}

void SharedFile::commit() {
  fail_together(group_, [&] {
    if (descriptor_ < 0) return;
    const int descriptor = std::exchange(descriptor_, -1);
    const bool synchronised = ::fsync(descriptor) == 0;
    const int error = errno;
    // What others have written is the first rank's to see once they have closed the file.
    if (::close(descriptor) != 0 || !synchronised)
      throw_io_error(path_, "flush to disk", synchronised ? errno : error);
  });
  fail_together(group_, [&] {
    if (file_) file_->commit();
  });
}

}  // namespace fathom
