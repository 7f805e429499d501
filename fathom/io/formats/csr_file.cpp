#include "fathom/io/formats/csr_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fathom/core/array.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {

static_assert(std::endian::native == std::endian::little, "binary formats are little endian");

namespace {

constexpr std::array<std::size_t, 10> kBytes = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// Calls use(number) with the number of the given type at `at`, widened to 64 bits.
template <class Use>
auto with_number(NumberType type, const std::byte* at, const Use& use) {
  switch (type) {
    case NumberType::Int8:
      return use(std::int64_t{load<std::int8_t>(at)});
    case NumberType::Int16:
      return use(std::int64_t{load<std::int16_t>(at)});
    case NumberType::Int32:
      return use(std::int64_t{load<std::int32_t>(at)});
    case NumberType::Int64:
      return use(load<std::int64_t>(at));
    case NumberType::Uint8:
      return use(std::uint64_t{load<std::uint8_t>(at)});
    case NumberType::Uint16:
      return use(std::uint64_t{load<std::uint16_t>(at)});
    case NumberType::Uint32:
      return use(std::uint64_t{load<std::uint32_t>(at)});
    case NumberType::Uint64:
      return use(load<std::uint64_t>(at));
    case NumberType::Float32:
      return use(static_cast<double>(load<float>(at)));
    case NumberType::Float64:
      break;
  }
  return use(load<double>(at));
}

/// Reads a column block by block.
class ColumnStream {
 public:
  ColumnStream(const std::string& path, const NumberColumn& column, std::uint64_t count,
               std::size_t block)
      : path_(path),
        column_(column),
        count_(count),
        source_(column.open()),
        bytes_(static_cast<std::size_t>(
                   std::clamp<std::uint64_t>(count, 1, std::max<std::size_t>(1, block))) *
               column.stride) {}

  /// Makes up to `most` further elements available; returns how many (0 at the end).
  std::size_t advance(std::size_t most) {
    done_ += held_;
    const std::uint64_t left = count_ - done_;
    held_ = static_cast<std::size_t>(
        std::min<std::uint64_t>({left, most, bytes_.size() / column_.stride}));
    const std::size_t wanted = held_ * column_.stride;
    if (source_->read(bytes_.span().first(wanted)) < wanted)
      fail(held_ - 1, "the end of the array", "the end of the file");
    return held_;
  }

  std::uint64_t index(std::size_t i) const {
    return with_number(column_.type, element(i), [&](auto value) -> std::uint64_t {
      if constexpr (!std::is_same_v<decltype(value), std::uint64_t>)
        if (!(value >= 0)) fail(i, "a number that is not negative", fmt::format("{}", value));
      return static_cast<std::uint64_t>(value);
    });
  }

  Weight weight(std::size_t i) const {
    try {
      return with_number(column_.type, element(i),
                         [](auto value) { return checked_weight(value); });
    } catch (const LineError& error) {
      fail(i, error.expected, error.found);
    }
  }

  [[noreturn]] void fail(std::size_t i, const std::string& expected,
                         const std::string& found) const {
    const std::uint64_t byte = column_.first_byte + (done_ + i) * column_.stride + column_.skip;
    fail_byte(path_, byte, fmt::format("{} in {}", expected, column_.name), found);
  }

  std::uint64_t done() const { return done_; }
  std::uint64_t consumed() const { return source_->consumed(); }

 private:
  const std::byte* element(std::size_t i) const {
    return bytes_.data() + i * column_.stride + column_.skip;
  }

  const std::string& path_;
  const NumberColumn& column_;
  std::uint64_t count_, done_ = 0;
  std::size_t held_ = 0;
  std::unique_ptr<ByteSource> source_;
  Array<std::byte> bytes_;
};

/// The row of entry after entry, from the array of row ends.
class RowWalk {
 public:
  RowWalk(const CsrLayout& layout, std::size_t block)
      : layout_(layout),
        ends_(layout.path, layout.row_ends, layout.rows + (layout.leading_zero ? 1 : 0), block),
        block_(block) {
    if (layout.leading_zero) {
      ends_.advance(1);
      if (ends_.index(0) != 0)
        ends_.fail(0, "0 as the first offset", std::to_string(ends_.index(0)));
    }
  }

  /// The row that entry `entry` lies in; entries must come in ascending order.
  std::uint64_t row_of(std::uint64_t entry) {
    while (entry >= end_) next_row();
    return row_;
  }

  /// Checks the rows that are left, which must be empty.
  void finish() {
    while (row_ + 1 != layout_.rows) next_row();
    if (end_ != layout_.entries)
      ends_.fail(at_, fmt::format("{} as the last offset", layout_.entries), std::to_string(end_));
  }

 private:
  void next_row() {
    if (++at_ >= held_) {
      held_ = ends_.advance(block_);
      at_ = 0;
    }
    ++row_;
    const std::uint64_t end = ends_.index(at_);
    if (end < end_ || end > layout_.entries)
      ends_.fail(at_, fmt::format("an offset in {}..{}", end_, layout_.entries),
                 std::to_string(end));
    end_ = end;
    if (row_ + 1 == layout_.rows && end_ != layout_.entries) finish();
  }

  const CsrLayout& layout_;
  ColumnStream ends_;
  std::size_t block_;
  std::size_t at_ = 0, held_ = 0;          // the current row's place in the block of `held_` rows
  std::uint64_t row_ = ~std::uint64_t{0};  // before the first
  std::uint64_t end_ = 0;
};

}  // namespace

std::size_t bytes_of(NumberType type) {
  return kBytes[static_cast<std::size_t>(type)];
}

NumberColumn column_at(const std::string& path, std::string name, NumberType type,
                       std::uint64_t first_byte) {
  return {std::move(name),
          [path, first_byte] { return open_bytes(path, first_byte); },
          type,
          bytes_of(type),
          0,
          first_byte};
}

CsrFileReader::CsrFileReader(InputTraits traits, CsrLayout layout, const ReadOptions& options)
    : traits_(std::move(traits)), layout_(std::move(layout)), options_(options) {
  if (layout_.rows == 0 && layout_.entries > 0)
    fail_file(layout_.path,
              fmt::format("expected no edges without vertices, found {}", layout_.entries));
}

void CsrFileReader::read(FunctionRef<void(const EdgeBatch&)> sink) {
  // Per entry: source, target and weight, and three columns of at most 8 (GAP: 8 + 8) bytes.
  constexpr std::size_t kBytesPerEntry = 20 + 24;
  const std::size_t block = std::max<std::size_t>(1, options_.buffer_bytes / kBytesPerEntry);
  options_.task.begin("reading", traits_.bytes, "B");
  std::vector<std::uint64_t> sources, targets;
  std::vector<Weight> weights;
  RowWalk rows(layout_, block);
  ColumnStream target(layout_.path, layout_.targets, layout_.entries, block);
  std::optional<ColumnStream> weight;
  if (layout_.weights) weight.emplace(layout_.path, *layout_.weights, layout_.entries, block);
  while (const std::size_t n = target.advance(block)) {
    sources.resize(n);
    targets.resize(n);
    if (weight) {
      weights.resize(n);
      weight->advance(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      sources[i] = rows.row_of(target.done() + i);
      targets[i] = target.index(i);
      if (targets[i] >= layout_.rows)
        target.fail(i, fmt::format("a vertex id below {}", layout_.rows),
                    std::to_string(targets[i]));
      if (weight) weights[i] = weight->weight(i);
    }
    EdgeBatch batch;
    batch.source = layout_.transposed ? targets : sources;
    batch.target = layout_.transposed ? sources : targets;
    batch.weight = weights;
    sink(batch);
    options_.task.at(std::min(traits_.bytes, target.consumed()));
  }
  if (layout_.rows > 0) rows.finish();
  options_.task.at(traits_.bytes);
  options_.task.end();
}

}  // namespace fathom::io
