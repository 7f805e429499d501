// Text in bounded memory: rounds of whole lines, parsed in parallel, delivered in file order.
//
// One thread reads (and decompresses) the next round while the team parses the current one, piece
// by piece, and the caller's thread then hands them to the sink. A round is a fixed part of
// ReadOptions::buffer_bytes; a line must fit in it or in kLongestLine.
#pragma once

#include <cstdint>
#include <cstring>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/io/byte_source.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

inline constexpr std::size_t kLongestLine = std::size_t{64} << 10;

/// Where the lines to parse begin in a file.
struct TextBody {
  InputFile file;
  std::uint64_t offset = 0;      // in the decompressed content
  std::uint64_t first_line = 1;  // number of the line there
};

/// Bytes of text held per round: with the next round and the parsed form (at most nine times the
/// text) everything stays within `buffer_bytes`.
std::size_t round_bytes(const ReadOptions& options);

/// Reads rounds ahead on a thread of its own. A round ends with a newline (one is added after a
/// last line without), or, when `split_long_lines`, with a blank inside a line that is too long.
class TextRounds {
 public:
  TextRounds(const TextBody& body, std::size_t bytes, bool split_long_lines);
  /// The next round; empty at the end. Valid until the next call.
  std::span<char> next();
  /// Bytes of the file used up to the end of the last round.
  std::uint64_t consumed() const { return current_.consumed; }

 private:
  struct Round {
    Array<char> text;        // the round, then the beginning of the next
    std::size_t filled = 0;  // bytes in text
    std::size_t size = 0;    // bytes of the round
    std::uint64_t consumed = 0;
    bool last = false;
  };
  Round read(Array<char> storage, const std::vector<char>& carry);
  void read_ahead(Array<char> storage, std::vector<char> carry);

  std::string path_;
  std::size_t bytes_;
  bool split_long_lines_;
  std::unique_ptr<ByteSource> source_;
  Round current_;
  std::future<Round> next_;  // destroyed first: waits for the reading thread
};

/// A growing array without initialisation; push() relies on an earlier reserve().
template <class T>
class Column {
 public:
  void reserve(std::size_t n) {
    if (data_.size() < n) data_ = Array<T>(n);
    size_ = 0;
  }
  void push(T value) { data_[size_++] = value; }
  void clear() { size_ = 0; }
  std::span<const T> span() const { return data_.span().first(size_); }
  std::span<T> span() { return data_.span().first(size_); }
  std::size_t size() const { return size_; }

 private:
  Array<T> data_;
  std::size_t size_ = 0;
};

/// What a piece of text became. Columns a format does not use stay empty.
struct ParsedPiece {
  Column<std::uint64_t> source, target, vertex;
  Column<std::string_view> source_label, target_label, vertex_label;
  Column<Weight> weight;
  std::uint64_t lines = 0;  // finished so far; after an error, the index of the bad line
  std::optional<LineError> error;

  void clear();
  EdgeBatch batch() const;
};

/// Turns lines into a piece; called concurrently.
class LineParser {
 public:
  virtual ~LineParser() = default;
  /// `text` is whole lines, each ended by a newline, and may be changed. Counts piece.lines.
  virtual void parse(std::span<char> text, ParsedPiece& piece) const = 0;
};

/// Parses a body and hands each round to `sink`, in order, on this thread. `progress_base` is what
/// to add to the reported position. @throws Error(BadInput) with file and line, after what comes
/// before it was delivered.
void parse_lines(const TextBody& body, const LineParser& parser, const ReadOptions& options,
                 std::uint64_t progress_base, EdgeSink sink);

/// Calls on_line(begin, end) for each line without its newline (and a carriage return before it),
/// counting piece.lines afterwards.
template <class OnLine>
void for_each_line(std::span<char> text, ParsedPiece& piece, const OnLine& on_line) {
  char* const end = text.data() + text.size();
  for (char* p = text.data(); p != end;) {
    char* const newline =
        static_cast<char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    on_line(p, newline != p && newline[-1] == '\r' ? newline - 1 : newline);
    ++piece.lines;
    p = newline + 1;
  }
}

}  // namespace fathom::io
