// What the reader fuzz targets share: the input as a file in memory, read to its end in large and
// in small blocks. Anything but equal success or equal Error(BadInput) is a finding.
#pragma once

#include <cmath>

#include "fathom/io/reader.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace fathom::fuzzing {

/// Checks what every batch must be.
inline void check_batch(const io::InputTraits& traits, const io::EdgeBatch& batch) {
  const std::size_t n = traits.string_labels ? batch.source_label.size() : batch.source.size();
  const std::size_t m = traits.string_labels ? batch.target_label.size() : batch.target.size();
  require(n == m && batch.weight.size() == (traits.weighted ? n : 0));
  for (const Weight w : batch.weight) require(std::isfinite(w));
  if (!traits.declared_vertices) return;
  for (std::size_t i = 0; i < batch.source.size(); ++i)
    require(batch.source[i] - traits.first_id < *traits.declared_vertices &&
            batch.target[i] - traits.first_id < *traits.declared_vertices);
}

/// Reads the input to its end. @return what came of it
inline std::string outcome_of(io::Format format, const std::string& path, std::size_t buffer) {
  io::ReadOptions options;
  options.format = format;
  options.threads = 1;
  options.buffer_bytes = buffer;
  std::uint64_t edges = 0;
  std::string refusal;
  const bool read = accepted(
      [&] {
        const auto reader = io::open_edges({path}, options);
        reader->read([&](std::span<const io::EdgeBatch> batches) {
          for (const io::EdgeBatch& batch : batches) {
            check_batch(reader->traits(), batch);
            edges += batch.source.size() + batch.source_label.size();
          }
        });
      },
      {ErrorCode::BadInput}, &refusal);
  return read ? std::to_string(edges) : refusal;
}

/// Of one input in eight, told by its bytes, what comes of it in blocks so small that a few lines
/// are many must be the same.
inline int fuzz_reader(io::Format format, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLarge = std::size_t{1} << 20, kSmall = 400;
  static MemoryFile file;
  file.hold(data, size);
  const std::string outcome = outcome_of(format, file.path(), kLarge);
  const bool begins_zip = size > 1 && data[0] == 'P' && data[1] == 'K';
  // What a few compressed bytes expand to may exceed a limit that depends on the buffer, and the
  // checksum at the end of a member of a zip archive is seen when a block ends there.
  if (begins_compressed({data, size}) || begins_zip) return 0;
  std::uint32_t hash = 2166136261;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619;
  if (hash % 8 == 0) require(outcome_of(format, file.path(), kSmall) == outcome);
  return 0;
}

}  // namespace fathom::fuzzing
