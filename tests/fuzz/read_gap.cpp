#include "tests/fuzz/shared/reader_fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fathom::fuzzing::fuzz_reader(fathom::io::Format::Gap, data, size);
}
