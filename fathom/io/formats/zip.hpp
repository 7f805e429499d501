// Zip archives as far as .npz needs them: stored and deflated members, zip64, checked CRCs
// (PKWARE APPNOTE 6.3). The archive may itself be compressed; nothing of it is held.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/io/byte_source.hpp"

namespace fathom::io {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint64_t packed_bytes = 0, bytes = 0;
  std::uint32_t crc = 0;
  std::uint64_t header_at = 0;  // of the local header
};

/// The archive's directory. `size` is that of the (decompressed) file. @throws Error(BadInput).
std::vector<ZipMember> read_zip_directory(const InputFile& file, std::uint64_t size);

/// A member's content. Reading to its end checks length and CRC. @throws Error(BadInput).
std::unique_ptr<ByteSource> open_member(const InputFile& file, const ZipMember& member);

}  // namespace fathom::io
