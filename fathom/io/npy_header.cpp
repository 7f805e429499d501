#include "fathom/io/npy_header.hpp"

#include <fmt/format.h>

namespace fathom::io {

// Magic, version, length, a Python dict padded to a multiple of 64 bytes. Version 1.0 has a length
// of two bytes; 2.0, for more columns, of four.
std::string npy_header(std::string_view type, std::string_view shape) {
  constexpr std::size_t kAlignment = 64, kMagic = 8, kLongest = 0xffff;
  std::string header =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", type, shape);
  const bool is_long = header.size() + kAlignment > kLongest;
  const std::size_t length_bytes = is_long ? 4 : 2, prefix = kMagic + length_bytes;
  header.resize((prefix + header.size() + kAlignment) / kAlignment * kAlignment - prefix, ' ');
  header.back() = '\n';
  std::string out = "\x93NUMPY";
  out += is_long ? '\x02' : '\x01';
  out += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i)
    out += static_cast<char>(header.size() >> 8 * i & 0xff);
  return out + header;
}

}  // namespace fathom::io
