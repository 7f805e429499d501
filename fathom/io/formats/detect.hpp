// Which format a file is in, told from the beginning of its content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/io/input_file.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

/// The beginning of a file's decompressed content.
struct Head {
  InputFile file;
  std::string compression;
  std::string content;      // at least up to the first line with data; whole lines unless binary
  bool whole = false;       // `content` is everything
  std::uint64_t bytes = 0;  // size on disk
  std::uint64_t body = 0;   // where text begins: after a byte order mark
};

Head look_at(const InputFile& input, const ReadOptions& options);

/// A line of a head.
struct HeadLine {
  std::string_view text;     // without line end
  std::uint64_t number = 0;  // from 1
  std::uint64_t after = 0;   // byte offset of the next line
};

/// The complete lines of a text head (the last one may lack its newline when the head is whole).
std::vector<HeadLine> lines_of(const Head& head);

/// Whether a line is blank or starts with '#', '%' or "//".
bool is_comment(std::string_view line);
bool is_blank_line(std::string_view line);

/// The blank-separated words of a line.
std::vector<std::string_view> words_of(std::string_view line);

/// @throws Error(BadInput) for unknown content, for content that is ambiguous, and for content
/// that is plainly not of the format asked for.
Format detect(const std::vector<Head>& heads, const ReadOptions& options);

/// Whether the head reads as METIS as far as it goes (metis.cpp).
bool could_be_metis(const Head& head);

/// Whether there is nothing in the head that is not in text.
bool looks_like_text(const Head& head);

/// Whether the head begins like a zip archive, a Galois or a GAP graph (zip.cpp, galois.cpp,
/// gap.cpp).
bool looks_like_zip(const Head& head);
bool looks_like_galois(const Head& head);
bool looks_like_gap(const Head& head);

/// The size of the decompressed content; reads a compressed file once.
std::uint64_t content_bytes(const Head& head, const ReadOptions& options);

}  // namespace fathom::io
