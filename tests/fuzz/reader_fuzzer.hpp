// What the reader fuzz targets share: the input as a file in memory, read to its end twice, in
// large and in small blocks. Anything but equal success or equal Error(BadInput) is a finding.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/io/byte_source.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

/// A file that exists in memory only.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    if (descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size))
      std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Checks what every batch must be.
inline void check_batch(const InputTraits& traits, const EdgeBatch& batch) {
  const std::size_t n = traits.string_labels ? batch.source_label.size() : batch.source.size();
  const std::size_t m = traits.string_labels ? batch.target_label.size() : batch.target.size();
  if (n != m || batch.weight.size() != (traits.weighted ? n : 0)) std::abort();
  for (const Weight w : batch.weight)
    if (!(w >= 0) || !std::isfinite(w)) std::abort();
  if (!traits.declared_vertices) return;
  for (std::size_t i = 0; i < batch.source.size(); ++i)
    if (batch.source[i] - traits.first_id >= *traits.declared_vertices ||
        batch.target[i] - traits.first_id >= *traits.declared_vertices)
      std::abort();
}

/// Reads the input twice, in blocks that differ: both must end alike.
inline int fuzz_reader(Format format, const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  std::string outcome[2];
  constexpr std::size_t kBuffers[2] = {std::size_t{1} << 20, 4000};
  for (int run = 0; run < 2; ++run) {
    ReadOptions options;
    options.format = format;
    options.threads = 1;
    options.buffer_bytes = kBuffers[run];
    std::uint64_t edges = 0;
    try {
      const auto reader = open_edges({file.path()}, options);
      reader->read([&](const EdgeBatch& batch) {
        check_batch(reader->traits(), batch);
        edges += batch.source.size() + batch.source_label.size();
      });
      outcome[run] = std::to_string(edges);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::BadInput) std::abort();
      outcome[run] = error.what();
    }
  }
  // What a few compressed bytes expand to may exceed a limit that depends on the buffer.
  const bool compressed = !compression_of(file.path()).empty();
  if (!compressed && outcome[0] != outcome[1]) std::abort();
  return 0;
}

}  // namespace fathom::io
