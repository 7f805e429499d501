#include "cli/shared/result_output.hpp"

#include "cli/shared/console.hpp"

namespace fathom::cli {
namespace {

struct ReaderGone {};

class StandardOutput final : public io::ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    if (!write_data(bytes)) throw ReaderGone();
  }
  void finish() override { flush_out(); }
};

}  // namespace

bool is_standard_output(const std::string& path) {
  return path == "-";
}

std::string output_name(const std::string& path) {
  return is_standard_output(path) ? "standard output" : path;
}

std::unique_ptr<io::ByteSink> open_output(const std::string& path) {
  if (is_standard_output(path)) return std::make_unique<StandardOutput>();
  return io::open_sink(path);
}

io::ResultKind result_kind(const std::string& path) {
  return is_standard_output(path) ? io::ResultKind::Tsv : io::result_kind(path);
}

char table_separator(const std::string& path) {
  return is_standard_output(path) ? '\t' : io::table_separator(path);
}

io::TableWriter open_table(const std::string& path) {
  const char separator = table_separator(path);
  return io::TableWriter(open_output(path), separator);
}

void write_output(FunctionRef<void()> write) {
  try {
    write();
  } catch (const ReaderGone&) {  // the wish was to stop
  }
}

}  // namespace fathom::cli
