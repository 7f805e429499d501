#include "fathom/io/text_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/core/parallel_each.hpp"
#include "fathom/io/numbers.hpp"
#include "fathom/io/run_ahead.hpp"

namespace fathom::io {
namespace {

/// One past the last newline in `text`, 0 without any.
std::size_t after_last_line(std::span<const char> text) {
  const auto at = std::find(text.rbegin(), text.rend(), '\n');
  return static_cast<std::size_t>(text.rend() - at);
}

std::size_t after_last_blank(std::span<const char> text) {
  const auto at = std::find_if(text.rbegin(), text.rend(), is_blank);
  return static_cast<std::size_t>(text.rend() - at);
}

/// Cuts a round at line ends into pieces of about `bytes`.
std::vector<std::span<char>> cut(std::span<char> round, std::size_t bytes) {
  std::vector<std::span<char>> pieces;
  while (!round.empty()) {
    std::size_t size = std::min(bytes, round.size());
    const auto newline =
        std::find(round.begin() + static_cast<std::ptrdiff_t>(size - 1), round.end(), '\n');
    size = static_cast<std::size_t>(newline - round.begin()) + 1;
    pieces.push_back(round.first(size));
    round = round.subspan(size);
  }
  return pieces;
}

}  // namespace

std::size_t round_bytes(const ReadOptions& options) {
  return std::max<std::size_t>(1, options.buffer_bytes / 12);
}

TextRounds::TextRounds(const TextBody& body, std::size_t bytes, bool split_long_lines)
    : path_(body.file.name),
      bytes_(bytes),
      split_long_lines_(split_long_lines),
      source_(open_bytes(body.file, body.offset)) {}

void TextRounds::read_ahead(Array<char> storage, std::vector<char> carry) {
  struct Held {
    Array<char> storage;
    std::vector<char> carry;
  };
  const auto held = std::make_shared<Held>(Held{std::move(storage), std::move(carry)});
  next_ = run_ahead([this, held] { return read(std::move(held->storage), held->carry); });
}

std::span<char> TextRounds::next() {
  if (current_.last) return {};
  Array<char> storage = std::move(current_.text);
  // Nothing to read the first round beside: small input takes no thread.
  current_ = next_.valid() ? next_.get() : read({}, {});
  if (!current_.last) {
    std::vector<char> carry(current_.text.begin() + current_.size,
                            current_.text.begin() + current_.filled);
    read_ahead(std::move(storage), std::move(carry));
  }
  return current_.text.span().first(current_.size);
}

TextRounds::Round TextRounds::read(Array<char> storage, const std::vector<char>& carry) {
  const std::size_t longest = std::max(bytes_, kLongestLine);
  Round round;
  round.text = std::move(storage);
  round.filled = carry.size();
  if (round.text.size() <= carry.size()) {
    // Content that is smaller gets what it needs, and a byte more that shows its end.
    const std::uint64_t left = std::min<std::uint64_t>(bytes_, source_->most_left());
    round.text = Array<char>(std::min(std::max(bytes_, carry.size()) + 1,
                                      carry.size() + static_cast<std::size_t>(left) + 2));
  }
  std::copy(carry.begin(), carry.end(), round.text.begin());
  while (round.size == 0 && !round.last) {
    if (round.filled + 1 >= round.text.size()) {  // one line fills it
      Array<char> larger(round.filled + std::min(bytes_, kLongestLine) + 1);
      std::copy_n(round.text.begin(), round.filled, larger.begin());
      round.text = std::move(larger);
    }
    // The last byte is kept for the newline that a last line may lack.
    const std::span<char> room = round.text.span().subspan(round.filled);
    const std::span<char> wanted = room.first(room.size() - 1);
    const std::size_t n = source_->read(std::as_writable_bytes(wanted));
    round.filled += n;
    round.last = n < wanted.size();
    if (round.last) {
      if (round.filled > 0 && round.text[round.filled - 1] != '\n')
        round.text[round.filled++] = '\n';
      round.size = round.filled;
      break;
    }
    const std::span<const char> text = round.text.span().first(round.filled);
    round.size = after_last_line(text);
    if (round.size == 0 && round.filled > longest) {
      if (split_long_lines_) round.size = after_last_blank(text);
      if (round.size == 0)
        fail_file(path_, fmt::format("expected lines, found one longer than {} bytes beginning {}",
                                     longest, in_quotes({text.data(), text.size()})));
    }
  }
  round.consumed = source_->consumed();
  return round;
}

void ParsedPiece::clear() {
  source.clear();
  target.clear();
  vertex.clear();
  source_label.clear();
  target_label.clear();
  vertex_label.clear();
  weight.clear();
  lines = 0;
  error.reset();
}

EdgeBatch ParsedPiece::batch() const {
  return {source.span(), target.span(), source_label.span(), target_label.span(),
          weight.span(), vertex.span(), vertex_label.span()};
}

void parse_lines(const TextBody& body, const LineParser& parser, const ReadOptions& options,
                 std::uint64_t progress_base, EdgeSink sink) {
  constexpr std::size_t kSmallestPiece = std::size_t{64} << 10;
  const int workers = worker_count(options.threads);
  const std::size_t bytes = round_bytes(options);
  const std::size_t piece_bytes =
      std::max(bytes / (4 * static_cast<std::size_t>(workers)), std::min(bytes, kSmallestPiece));
  TextRounds rounds(body, bytes, false);
  std::vector<ParsedPiece> parsed;
  std::vector<EdgeBatch> batches;
  std::uint64_t line = body.first_line;
  for (std::span<char> round = rounds.next(); !round.empty(); round = rounds.next()) {
    const std::vector<std::span<char>> pieces = cut(round, piece_bytes);
    if (parsed.size() < pieces.size()) parsed.resize(pieces.size());
    parallel_each(workers, pieces.size(), [&](std::size_t i, int) {
      parsed[i].clear();
      try {
        parser.parse(pieces[i], parsed[i]);
      } catch (LineError& error) {
        parsed[i].error = std::move(error);
      }
    });
    batches.clear();
    const ParsedPiece* bad = nullptr;
    for (std::size_t i = 0; i < pieces.size() && !bad; ++i) {
      line += parsed[i].lines;
      if (parsed[i].error)
        bad = &parsed[i];
      else
        batches.push_back(parsed[i].batch());
    }
    sink(batches);
    if (bad) fail_line(body.file.name, line, *bad->error);
    options.task.at(progress_base + rounds.consumed());
  }
}

}  // namespace fathom::io
