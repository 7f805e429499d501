#include "tests/fuzz/reader_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fathom::io::fuzz_reader(fathom::io::Format::Gap, data, size);
}
