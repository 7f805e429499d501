// Any bytes as a checkpoint of an iterative algorithm, sealed or not. What is accepted has the
// bytes of every slice, and is the same file when it is written again.
//
// Input: whether to make its size and checksum right; the file.
#include <cstring>
#include <string>
#include <vector>

#include "fathom/exec/checkpoint/file.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"
#include "tests/fuzz/shared/memory_files.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

void seal(std::vector<std::byte>& file) {
  constexpr std::size_t kSizeAt = 16, kHash = sizeof(std::uint64_t);
  if (file.size() < 32 + kHash) return;
  const std::uint64_t size = file.size();
  std::memcpy(file.data() + kSizeAt, &size, sizeof size);
  const std::size_t sealed = file.size() - kHash;
  const std::uint64_t hash = XXH3_64bits(file.data(), sealed);
  std::memcpy(file.data() + sealed, &hash, kHash);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string path = fuzzing::kMemory + std::string("state"),
                    again = fuzzing::kMemory + std::string("again");
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> file(bytes + 1, bytes + size);
  if (data[0] != 0) seal(file);
  fuzzing::write_memory(path, file);
  if (fuzzing::accepted([&] { CheckpointReader reader(path); },
                        {ErrorCode::BadInput, ErrorCode::Usage})) {
    const CheckpointReader reader(path);
    CheckpointWriter writer(again, reader.header());
    for (std::size_t s = 0; s < reader.header().slices.size(); ++s) {
      std::vector<std::byte> slice(static_cast<std::size_t>(reader.header().slices[s].bytes()));
      reader.read(s, 0, slice);
      writer.append(slice);
    }
    writer.commit();
    const auto written = fuzzing::memory_at(again);
    require(written.size() == file.size() &&
            std::memcmp(written.data(), file.data(), file.size()) == 0);
    fuzzing::remove_memory(again);
  }
  fuzzing::remove_memory(path);
  return 0;
}
