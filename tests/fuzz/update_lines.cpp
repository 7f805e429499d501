// Any bytes as a file of updates: uncompressed, its lines are what lies between newlines, without
// the mark of UTF-8 that a file may begin with; whatever it is, lines stay within their bound.
#include "fathom/dynamic/updates/update_lines.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  using fuzzing::require;
  static fuzzing::MemoryFile file;
  file.hold(data, size);
  const fuzzing::Input input(data, size);
  const bool compressed = fuzzing::begins_compressed(input.rest());
  std::string_view text = input.text();
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::uint64_t number = 0;
  fuzzing::accepted([&] {
    dynamic::UpdateLines lines(file.path(), Task());
    for (std::string_view line; lines.next(line);) {
      require(line.size() <= dynamic::UpdateLines::kLongestLine);
      require(line.find('\n') == std::string_view::npos);
      require(lines.number() == ++number);
      if (compressed) continue;
      const std::size_t end = std::min(text.find('\n'), text.size());
      require(line == text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    require(compressed || text.empty());
  });
  return 0;
}
