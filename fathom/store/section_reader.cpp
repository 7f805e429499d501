#include "fathom/store/section_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace fathom::store {

SectionReader::SectionReader(const std::string& path, SectionId section) : file_(path) {
  const SectionEntry* entry = file_.layout().find(section);
  if (!entry) throw_bad_store(path, fmt::format("has no section '{}'", name_of(section)));
  entry_ = *entry;
  checksums_ = file_.checksums(entry_);
  opened_ = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  direct_ = opened_;
}

SectionReader::~SectionReader() {
  if (opened_ >= 0) ::close(opened_);
}

std::span<const std::byte> SectionReader::read(std::uint64_t first, std::uint64_t bytes,
                                               std::span<std::byte> buffer) {
  if (first > entry_.bytes || bytes > entry_.bytes - first)
    throw Error(ErrorCode::Usage, fmt::format("section '{}' has no bytes {} to {}", name_of(entry_),
                                              first, first + bytes));
  if (bytes == 0) return {};
  if (reinterpret_cast<std::uintptr_t>(buffer.data()) % kAlignment != 0 ||
      buffer.size() < buffer_bytes(bytes))
    throw Error(ErrorCode::Usage, "a buffer for direct reads is too small or not aligned");
  const std::uint64_t begin = first / kBlockBytes, end = (first + bytes - 1) / kBlockBytes + 1;
  const std::size_t whole =
      static_cast<std::size_t>((end - 1 - begin) * kBlockBytes) + block_bytes(entry_, end - 1);
  fill(entry_.offset + begin * kBlockBytes, buffer.first(whole));
  for (std::uint64_t b = begin; b < end; ++b)
    file_.check_block(
        entry_, b,
        buffer.subspan(static_cast<std::size_t>((b - begin) * kBlockBytes), block_bytes(entry_, b)),
        checksums_[b]);
  return buffer.subspan(static_cast<std::size_t>(first - begin * kBlockBytes),
                        static_cast<std::size_t>(bytes));
}

void SectionReader::fill(std::uint64_t offset, std::span<std::byte> into) {
  int descriptor = direct_.load(std::memory_order_relaxed);
  while (descriptor >= 0 && !into.empty()) {
    const ssize_t n = ::pread(descriptor, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EINVAL) {  // opened, but this file system wants another alignment
      direct_.store(-1, std::memory_order_relaxed);
      break;
    }
    if (n < 0) throw_io_error(file_.path(), "read", errno);
    if (n == 0 || n % kAlignment != 0) break;  // an odd length: the rest without O_DIRECT
    into = into.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  file_.read_at(offset, into);
}

}  // namespace fathom::store
