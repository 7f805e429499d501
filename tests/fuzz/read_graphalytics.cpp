// The input is the .v file up to the first NUL byte, then the .e file.
#include <algorithm>

#include "tests/fuzz/reader_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  const std::uint8_t* const cut = std::find(data, data + size, 0);
  const auto first = static_cast<std::size_t>(cut - data);
  const io::MemoryFile vertices(data, first);
  const std::size_t rest = std::min(size, first + 1);
  const io::MemoryFile second(data + rest, size - rest);
  io::ReadOptions options;
  options.threads = 1;
  options.buffer_bytes = std::size_t{1} << 20;
  try {
    const auto reader = io::open_edges({vertices.path(), second.path()}, options);
    reader->read([&](const io::EdgeBatch& batch) { io::check_batch(reader->traits(), batch); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::BadInput) std::abort();
  }
  return 0;
}
