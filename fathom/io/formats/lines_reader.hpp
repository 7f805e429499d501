// LinesReader: a reader of one text file whose lines are entries and whose header promised a count.
#pragma once

#include <memory>
#include <string_view>

#include "fathom/io/text_input.hpp"

namespace fathom::io {

class LinesReader final : public EdgeReader {
 public:
  LinesReader(InputTraits traits, TextBody body, std::unique_ptr<LineParser> parser,
              const ReadOptions& options);
  const InputTraits& traits() const override { return traits_; }
  void read(EdgeSink sink) override;

 private:
  InputTraits traits_;
  TextBody body_;
  std::unique_ptr<LineParser> parser_;
  ReadOptions options_;
};

/// @throws Error(BadInput) unless the file had as many entries as it promised.
void check_entries(const std::string& path, const InputTraits& traits, std::uint64_t found);

/// A vertex id in [first, first + count). @throws LineError.
std::uint64_t id_within(std::string_view token, std::uint64_t first, std::uint64_t count);

/// A count in a header. @throws LineError.
std::uint64_t count_or_fail(std::string_view token, const char* what);

}  // namespace fathom::io
