// CsrFileReader: streams a CSR that lies in files as arrays of numbers (GAP, Galois, SciPy).
//
// Row ends, targets and weights are separate columns, each with a ByteSource of its own, so that
// nothing of the size of the graph is held, wherever the arrays lie and however they are packed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fathom/io/byte_source.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

enum class NumberType {
  Int8,
  Int16,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float32,
  Float64
};

std::size_t bytes_of(NumberType type);

/// An array of numbers in a file, possibly interleaved with others.
struct NumberColumn {
  std::string name;                                   // "targets", for messages
  std::function<std::unique_ptr<ByteSource>()> open;  // at the array's first byte
  NumberType type = NumberType::Uint32;
  std::size_t stride = 0;        // bytes from one element to the next
  std::size_t skip = 0;          // bytes of an element before the number
  std::uint64_t first_byte = 0;  // position in the decompressed file or member, for messages
};

struct CsrLayout {
  InputFile file;
  std::uint64_t rows = 0, entries = 0;
  NumberColumn row_ends;  // of `rows` elements, or rows + 1 when leading_zero
  bool leading_zero = true;
  NumberColumn targets;
  std::optional<NumberColumn> weights;
  bool transposed = false;  // CSC: rows are targets
};

class CsrFileReader final : public EdgeReader {
 public:
  CsrFileReader(InputTraits traits, CsrLayout layout, const ReadOptions& options);
  const InputTraits& traits() const override { return traits_; }
  void read(EdgeSink sink) override;

 private:
  InputTraits traits_;
  CsrLayout layout_;
  ReadOptions options_;
};

/// A column of tightly packed numbers at a byte of a file's decompressed content.
NumberColumn column_at(const InputFile& file, std::string name, NumberType type,
                       std::uint64_t first_byte);

}  // namespace fathom::io
