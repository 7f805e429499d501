// The input is the .v file up to the first NUL byte, then the .e file.
#include "tests/fuzz/shared/reader_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  const std::uint8_t* const cut = std::find(data, data + size, 0);
  const auto first = static_cast<std::size_t>(cut - data);
  const std::size_t rest = std::min(size, first + 1);
  static fuzzing::MemoryFile vertices, edges;
  vertices.hold(data, first);
  edges.hold(data + rest, size - rest);
  io::ReadOptions options;
  options.threads = 1;
  options.buffer_bytes = std::size_t{1} << 20;
  fuzzing::accepted([&] {
    const auto reader = io::open_edges({vertices.path(), edges.path()}, options);
    reader->read([&](std::span<const io::EdgeBatch> batches) {
      for (const io::EdgeBatch& batch : batches) fuzzing::check_batch(reader->traits(), batch);
    });
  });
  return 0;
}
