// An open .fg file: its descriptor, its decoded header, and the checksums of its blocks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fathom/core/temp_file.hpp"
#include "fathom/store/format.hpp"

namespace fathom::store {

/// Whether a file may be a part of a graph, which has some of its lists.
enum class Parts { Refused, Allowed };

/// Opening reads the header page and nothing else; of a part also which one it is.
class StoreFile {
 public:
  /// @throws Error(BadInput) for anything that is not a whole .fg file; Error(Usage) for a part
  /// that
  ///         is refused, and for a directory of parts; Error(Io).
  explicit StoreFile(std::string path, Parts parts = Parts::Refused);
  /// What was written to a file without a name; `path` is for messages.
  StoreFile(const TempFile& file, std::string path);
  ~StoreFile();
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;

  const std::string& path() const { return path_; }
  const Layout& layout() const { return layout_; }
  int descriptor() const { return descriptor_; }

  void read_at(std::uint64_t offset, std::span<std::byte> into) const;

  /// The checksums of a section's blocks, themselves checked.
  /// @throws Error(BadInput) naming the section and the damaged bytes; Error(Io).
  std::vector<std::uint64_t> checksums(const SectionEntry&) const;

  /// Compares one block, padding included, with its checksum.
  /// @throws Error(BadInput) naming the section and the byte range.
  void check_block(const SectionEntry&, std::uint64_t block, std::span<const std::byte> bytes,
                   std::uint64_t expected) const;

 private:
  void read_header();
  void read_part();

  std::string path_;
  int descriptor_ = -1;
  Layout layout_;
};

/// What tells this version of a store from every other: the checksum of its header page, which
/// covers its section table, and that the hashes of all checksums. @throws Error(Io)
std::uint64_t identity_of(const StoreFile& store);
/// Alike where vertices have the same labels; the fingerprint does not see them.
std::uint64_t identity_of_labels(const StoreFile& store);

/// What messages call a section of a file.
std::string name_of_section(const StoreFile& file, SectionId id);

/// @throws Error(BadInput): these bytes of a file, a block of a section, are damaged.
[[noreturn]] void throw_bad_block(const std::string& path, const SectionEntry&,
                                  std::uint64_t offset, std::size_t bytes);

/// Bytes of a block of a section, padding included: kBlockBytes except for the last.
std::size_t block_bytes(const SectionEntry&, std::uint64_t block);

}  // namespace fathom::store
