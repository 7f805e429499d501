#include "fathom/store/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "fathom/store/parts/part_files.hpp"

namespace fathom::store {

StoreFile::StoreFile(std::string path, Parts parts) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw_io_error(path_, "open", errno);
  read_header();
  if (!layout_.part || parts == Parts::Allowed) return;
  ::close(descriptor_);
  refuse_part(path_, *layout_.part);
}

StoreFile::StoreFile(const TempFile& file, std::string path) : path_(std::move(path)) {
  descriptor_ = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) throw_io_error(path_, "open again", errno);
  read_header();
}

void StoreFile::read_header() {
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw_io_error(path_, "look at", errno);
    if (S_ISDIR(status.st_mode))
      if (const std::uint32_t parts = parts_in(path_); parts > 0) refuse_parts(path_, parts);
    if (!S_ISREG(status.st_mode)) throw_bad_store(path_, "not a .fg file (not a regular file)");
    const std::uint64_t bytes = static_cast<std::uint64_t>(status.st_size);
    std::vector<std::byte> page(std::min<std::size_t>(kPageBytes, bytes));
    read_at(0, page);
    layout_ = decode_header(path_, page, bytes);
    if (layout_.is_part()) read_part();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void StoreFile::read_part() {
  const SectionEntry& entry = *layout_.find(SectionId::Part);
  std::vector<std::byte> block(block_bytes(entry, 0));
  read_at(entry.offset, block);
  check_block(entry, 0, block, checksums(entry).front());
  std::array<std::uint64_t, kPartNumbers> numbers;
  std::memcpy(numbers.data(), block.data(), sizeof numbers);
  layout_.part = decode_part(path_, layout_, numbers);
}

StoreFile::~StoreFile() {
  ::close(descriptor_);
}

void StoreFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  const std::size_t n = read_available(descriptor_, path_, offset, into);
  if (n < into.size())
    throw_bad_store(path_, fmt::format("truncated: ends at byte {}", offset + n));
}

std::vector<std::uint64_t> StoreFile::checksums(const SectionEntry& s) const {
  std::vector<std::uint64_t> sums(blocks_of(s.bytes));
  const std::uint64_t at = layout_.checksums_offset + s.first_checksum * sizeof(std::uint64_t);
  read_at(at, std::as_writable_bytes(std::span(sums)));
  if (checksum(std::as_bytes(std::span(sums))) != s.checksum_hash)
    throw_bad_store(path_, fmt::format("section '{}': its checksums at bytes {} to {} are damaged",
                                       name_of(s), at, at + sums.size() * sizeof(std::uint64_t)));
  return sums;
}

void StoreFile::check_block(const SectionEntry& s, std::uint64_t block,
                            std::span<const std::byte> bytes, std::uint64_t expected) const {
  if (checksum(bytes) == expected) return;
  throw_bad_block(path_, s, s.offset + block * kBlockBytes, bytes.size());
}

std::uint64_t identity_of(const StoreFile& store) {
  std::uint64_t sum = 0;
  store.read_at(kPageBytes - sizeof sum, std::as_writable_bytes(std::span(&sum, 1)));
  return sum;
}

std::uint64_t identity_of_labels(const StoreFile& store) {
  const Layout& layout = store.layout();
  std::vector<std::uint64_t> said{static_cast<std::uint64_t>(layout.header.labels),
                                  layout.header.label_base};
  for (const SectionId id : {SectionId::LabelIntegers, SectionId::LabelOffsets,
                             SectionId::LabelBytes, SectionId::Permutation}) {
    const SectionEntry* const its = layout.find(id);
    said.push_back(its ? its->checksum_hash : 0);
  }
  return checksum(std::as_bytes(std::span(said)));
}

std::string name_of_section(const StoreFile& file, SectionId id) {
  return fmt::format("{}: section '{}'", file.path(), name_of(id));
}

void throw_bad_block(const std::string& path, const SectionEntry& s, std::uint64_t offset,
                     std::size_t bytes) {
  throw_bad_store(path, fmt::format("section '{}': bytes {} to {} do not match their checksum",
                                    name_of(s), offset, offset + bytes - 1));
}

std::size_t block_bytes(const SectionEntry& s, std::uint64_t block) {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(kBlockBytes, padded(s.bytes) - block * kBlockBytes));
}

}  // namespace fathom::store
