#include "fathom/io/formats/csr_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <future>
#include <optional>
#include <span>
#include <type_traits>

#include "fathom/core/array.hpp"
#include "fathom/core/parallel_each.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"
#include "fathom/io/run_ahead.hpp"

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

/// Calls use(T{}) for the type that the numbers of a column have.
template <class Use>
void with_type(NumberType type, const Use& use) {
  switch (type) {
    case NumberType::Int8:
      return use(std::int8_t{});
    case NumberType::Int16:
      return use(std::int16_t{});
    case NumberType::Int32:
      return use(std::int32_t{});
    case NumberType::Int64:
      return use(std::int64_t{});
    case NumberType::Uint8:
      return use(std::uint8_t{});
    case NumberType::Uint16:
      return use(std::uint16_t{});
    case NumberType::Uint32:
      return use(std::uint32_t{});
    case NumberType::Uint64:
      return use(std::uint64_t{});
    case NumberType::Float32:
      return use(float{});
    case NumberType::Float64:
      return use(double{});
  }
}

template <class T>
using Widened =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// Reads a column block by block, a large one ahead on a thread of its own.
class ColumnStream {
 public:
  ColumnStream(const std::string& path, const NumberColumn& column, std::uint64_t count,
               std::size_t block)
      : path_(path),
        column_(column),
        count_(count),
        block_(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(count, 1, std::max<std::size_t>(1, block)))),
        source_(column.open()) {}
  ColumnStream(const ColumnStream&) = delete;
  ~ColumnStream() {
    if (ahead_.valid()) ahead_.wait();
  }

  /// Makes the next block available; returns how many elements it has (0 at the end).
  std::size_t advance() {
    constexpr std::size_t kLeastAhead = std::size_t{64} << 10;
    done_ += held_;
    held_ = elements_at(done_);
    const std::size_t got = ahead_.valid() ? ahead_.get() : read(bytes_, held_);
    if (next_.size() > 0) bytes_.swap(next_);
    if (got < held_ * column_.stride)
      fail(held_ - 1, "the end of the array", "the end of the file");
    consumed_ = source_->consumed();
    const std::size_t then = elements_at(done_ + held_);
    if (then * column_.stride >= kLeastAhead)
      ahead_ = run_ahead([this, then] { return read(next_, then); });
    else
      next_ = {};
    return held_;
  }

  /// Elements [first, last) of the block as indices.
  void indices(std::size_t first, std::size_t last, std::uint64_t* into) const {
    with_type(column_.type, [&](auto type) {
      using T = decltype(type);
      for (std::size_t i = first; i < last; ++i) {
        const T value = load<T>(element(i));
        if constexpr (!std::is_unsigned_v<T>)
          if (!(value >= 0)) [[unlikely]]
            fail(i, "a number that is not negative", fmt::format("{}", Widened<T>{value}));
        *into++ = static_cast<std::uint64_t>(Widened<T>{value});
      }
    });
  }

  std::uint64_t index(std::size_t i) const {
    std::uint64_t value = 0;
    indices(i, i + 1, &value);
    return value;
  }

  /// Elements [first, last) of the block as weights.
  void weights(std::size_t first, std::size_t last, Weight* into) const {
    with_type(column_.type, [&](auto type) {
      using T = decltype(type);
      std::size_t i = first;
      try {
        for (; i < last; ++i) *into++ = checked_weight(Widened<T>{load<T>(element(i))});
      } catch (const LineError& error) {
        fail(i, error.expected, error.found);
      }
    });
  }

  [[noreturn]] void fail(std::size_t i, const std::string& expected,
                         const std::string& found) const {
    const std::uint64_t byte = column_.first_byte + (done_ + i) * column_.stride + column_.skip;
    fail_byte(path_, byte, fmt::format("{} in {}", expected, column_.name), found);
  }

  /// Elements before the block.
  std::uint64_t done() const { return done_; }
  /// Bytes of the file that the blocks so far have used.
  std::uint64_t consumed() const { return consumed_; }

 private:
  std::size_t elements_at(std::uint64_t first) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(count_ - first, block_));
  }
  std::size_t read(Array<std::byte>& into, std::size_t elements) {
    if (into.empty()) into = Array<std::byte>(block_ * column_.stride);
    return source_->read(into.span().first(elements * column_.stride));
  }
  const std::byte* element(std::size_t i) const {
    return bytes_.data() + i * column_.stride + column_.skip;
  }

  const std::string& path_;
  const NumberColumn& column_;
  std::uint64_t count_, done_ = 0, consumed_ = 0;
  std::size_t block_, held_ = 0;
  std::unique_ptr<ByteSource> source_;
  Array<std::byte> bytes_, next_;
  std::future<std::size_t> ahead_;
};

/// The rows of entry after entry, from the array of row ends.
class RowWalk {
 public:
  RowWalk(const CsrLayout& layout, std::size_t block)
      : layout_(layout),
        ends_(layout.file.name, layout.row_ends, layout.rows + (layout.leading_zero ? 1 : 0),
              block) {
    if (!layout.leading_zero) return;
    held_ = ends_.advance();
    if (const std::uint64_t first = ends_.index(0); first != 0)
      ends_.fail(0, "0 as the first offset", std::to_string(first));
  }

  /// Finds the rows of entries [first, last), which follow those of the call before. Returns how
  /// many there are before one whose row cannot be found, of which fail() then says why.
  std::size_t find(std::uint64_t first, std::uint64_t last) {
    starts_.clear();
    std::uint64_t at = first;
    try {
      for (; at < last; at = std::min(last, end_)) {
        while (at >= end_) next_row();
        starts_.push_back({at, row_});
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    return static_cast<std::size_t>(at - first);
  }
  void fail() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  /// The row of each of the entries found from `first` on.
  void rows(std::uint64_t first, std::span<std::uint64_t> into) const {
    auto start = std::upper_bound(starts_.begin(), starts_.end(), first,
                                  [](std::uint64_t entry, Start s) { return entry < s.entry; });
    for (std::uint64_t* at = into.data(); at != into.data() + into.size(); ++start) {
      const std::size_t left = static_cast<std::size_t>(into.data() + into.size() - at);
      const std::uint64_t entry = first + (into.size() - left);
      const std::size_t n =
          start == starts_.end() ? left : std::min<std::uint64_t>(left, start->entry - entry);
      at = std::fill_n(at, n, start[-1].row);
    }
  }

  /// Checks the rows that are left, which must be empty.
  void finish() {
    while (row_ + 1 != layout_.rows) next_row();
    if (end_ != layout_.entries)
      ends_.fail(at_, fmt::format("{} as the last offset", layout_.entries), std::to_string(end_));
  }

 private:
  // Where entries of another row begin.
  struct Start {
    std::uint64_t entry, row;
  };

  void next_row() {
    if (++at_ >= held_) {
      held_ = ends_.advance();
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
  std::size_t at_ = 0, held_ = 0;          // the current row's place in the block of `held_` rows
  std::uint64_t row_ = ~std::uint64_t{0};  // before the first
  std::uint64_t end_ = 0;
  std::vector<Start> starts_;
  std::exception_ptr failure_;
};

}  // namespace

std::size_t bytes_of(NumberType type) {
  return kBytes[static_cast<std::size_t>(type)];
}

NumberColumn column_at(const InputFile& file, std::string name, NumberType type,
                       std::uint64_t first_byte) {
  return {std::move(name),
          [file, first_byte] { return open_bytes(file, first_byte); },
          type,
          bytes_of(type),
          0,
          first_byte};
}

CsrFileReader::CsrFileReader(InputTraits traits, CsrLayout layout, const ReadOptions& options)
    : traits_(std::move(traits)), layout_(std::move(layout)), options_(options) {
  if (layout_.rows == 0 && layout_.entries > 0)
    fail_file(layout_.file.name,
              fmt::format("expected no edges without vertices, found {}", layout_.entries));
}

void CsrFileReader::read(EdgeSink sink) {
  // Per entry: source, target, weight and the start of a row; and three columns of at most 8 (GAP:
  // 8 + 8) bytes, twice for what is read ahead.
  constexpr std::size_t kBytesPerEntry = 36 + 2 * 24, kPiece = std::size_t{1} << 13;
  const std::size_t block = std::max<std::size_t>(1, options_.buffer_bytes / kBytesPerEntry);
  const int workers = worker_count(options_.threads);
  options_.task.begin("reading", traits_.bytes, "B");
  std::vector<std::uint64_t> sources, targets;
  std::vector<Weight> weights;
  RowWalk rows(layout_, block);
  ColumnStream target(layout_.file.name, layout_.targets, layout_.entries, block);
  std::optional<ColumnStream> weight;
  if (layout_.weights) weight.emplace(layout_.file.name, *layout_.weights, layout_.entries, block);
  while (const std::size_t n = target.advance()) {
    sources.resize(n);
    targets.resize(n);
    weights.resize(weight ? weight->advance() : 0);
    const std::size_t known = rows.find(target.done(), target.done() + n);
    // Of several that are wrong the first is told, whoever came upon it.
    std::vector<std::exception_ptr> failed((known + kPiece - 1) / kPiece);
    parallel_pieces(workers, known, kPiece, [&](std::size_t first, std::size_t last, int) {
      try {
        rows.rows(target.done() + first, std::span(sources).subspan(first, last - first));
        target.indices(first, last, targets.data() + first);
        for (std::size_t i = first; i < last; ++i)
          if (targets[i] >= layout_.rows) [[unlikely]]
            target.fail(i, fmt::format("a vertex id below {}", layout_.rows),
                        std::to_string(targets[i]));
        if (weight) weight->weights(first, last, weights.data() + first);
      } catch (...) {
        failed[first / kPiece] = std::current_exception();
      }
    });
    for (const std::exception_ptr& error : failed)
      if (error) std::rethrow_exception(error);
    rows.fail();
    EdgeBatch batch;
    batch.source = layout_.transposed ? targets : sources;
    batch.target = layout_.transposed ? sources : targets;
    batch.weight = weights;
    sink(std::span(&batch, 1));
    options_.task.at(std::min(traits_.bytes, target.consumed()));
  }
  if (layout_.rows > 0) rows.finish();
  options_.task.at(traits_.bytes);
  options_.task.end();
}

}  // namespace fathom::io
