// reseal FILE.fg: makes the checksums of a tampered store right again, in place, for tests that
// work on the command from outside.
#include "tests/store_format/reseal.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: reseal FILE.fg\n", stderr);
    return 2;
  }
  std::ifstream in(words[1], std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.good() && !in.eof()) return 74;
  fathom::store::reseal(std::as_writable_bytes(std::span(bytes)));
  std::ofstream out(words[1], std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
  return out.good() ? 0 : 74;
}
