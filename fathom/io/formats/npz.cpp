// Sparse matrices as SciPy's save_npz writes them: a zip archive of .npy arrays (NumPy format
// description, NEP 1): indptr, indices, data, shape, format. Entry (i, j) is an edge from i to j.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "fathom/io/formats/csr_file.hpp"
#include "fathom/io/formats/formats.hpp"
#include "fathom/io/formats/zip.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {
namespace {

/// A member of the archive that is an array.
struct NpyArray {
  InputFile file;
  ZipMember member;
  std::string type;  // as NumPy spells it: "<i4"
  std::vector<std::uint64_t> shape;
  std::uint64_t data_at = 0;  // in the member

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    fail_file(file.name, fmt::format("member {}: expected {}, found {}", in_quotes(member.name),
                                     expected, found));
  }
  std::unique_ptr<ByteSource> open() const {
    std::unique_ptr<ByteSource> source = open_member(file, member);
    source->skip(data_at);
    return source;
  }
  /// The whole content of a small array.
  std::string content() const {
    constexpr std::uint64_t kSmall = 64;
    const std::uint64_t bytes = member.bytes - std::min(member.bytes, data_at);
    if (bytes > kSmall) fail("a small array", fmt::format("{} bytes", bytes));
    std::string text(static_cast<std::size_t>(bytes), '\0');
    open()->read(std::as_writable_bytes(std::span(text)));
    return text;
  }
  std::uint64_t length() const {
    if (shape.size() != 1)
      fail("a one-dimensional array", fmt::format("{} dimensions", shape.size()));
    return shape[0];
  }
};

/// What follows "'key':" in the header's Python dictionary.
std::string_view value_of(const NpyArray& array, std::string_view header, std::string_view key) {
  const std::string quoted_key = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted_key);
  if (at == std::string_view::npos)
    array.fail("an array header with " + quoted_key, in_quotes(header));
  header.remove_prefix(at + quoted_key.size());
  while (!header.empty() && header.front() == ' ') header.remove_prefix(1);
  return header;
}

std::vector<std::uint64_t> parse_shape(const NpyArray& array, std::string_view text) {
  const std::size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos)
    array.fail("a shape", in_quotes(text));
  std::vector<std::uint64_t> shape;
  std::string_view rest = text.substr(1, close - 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view number = rest.substr(0, comma);
    while (!number.empty() && number.front() == ' ') number.remove_prefix(1);
    std::uint64_t size = 0;
    if (number.empty() && comma == rest.size()) break;  // after a last comma
    if (parse_id(number, size) != IdText::Id) array.fail("a shape", in_quotes(text));
    shape.push_back(size);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return shape;
}

NpyArray open_array(const InputFile& file, const ZipMember& member) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  constexpr std::uint32_t kLongestHeader = 65536;
  NpyArray array{file, member, "", {}, 0};
  const std::unique_ptr<ByteSource> source = open_member(file, member);
  std::array<char, 12> prefix{};
  std::size_t prefix_bytes = 10;  // magic, version, length of the header in 2 bytes
  const auto read = [&](std::span<char> out) { return source->read(std::as_writable_bytes(out)); };
  if (read(std::span(prefix).first(prefix_bytes)) < prefix_bytes ||
      std::string_view(prefix.data(), kMagic.size()) != kMagic)
    array.fail("a NumPy array", "something else");
  std::uint32_t length = 0;
  if (prefix[6] == 1) {
    std::memcpy(&length, prefix.data() + 8, 2);
  } else {  // versions 2 and 3: in 4 bytes
    read(std::span(prefix).subspan(prefix_bytes, 2));
    prefix_bytes += 2;
    std::memcpy(&length, prefix.data() + 8, 4);
  }
  if (length > kLongestHeader) array.fail("an array header", fmt::format("{} bytes", length));
  std::string header(length, '\0');
  if (read(header) < length) array.fail("an array header", "the end of the member");
  const std::string_view type = value_of(array, header, "descr");
  const std::size_t close = type.find('\'', 1);
  if (type.empty() || type[0] != '\'' || close == std::string_view::npos)
    array.fail("an array of one type", in_quotes(type));
  array.type = type.substr(1, close - 1);
  array.shape = parse_shape(array, value_of(array, header, "shape"));
  array.data_at = prefix_bytes + length;
  return array;
}

std::optional<NumberType> number_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, NumberType>, 10> kTypes = {
      {{"i1", NumberType::Int8},
       {"i2", NumberType::Int16},
       {"i4", NumberType::Int32},
       {"i8", NumberType::Int64},
       {"u1", NumberType::Uint8},
       {"u2", NumberType::Uint16},
       {"u4", NumberType::Uint32},
       {"u8", NumberType::Uint64},
       {"f4", NumberType::Float32},
       {"f8", NumberType::Float64}}};
  if (name.size() != 3 || (name[0] != '<' && name[0] != '|')) return std::nullopt;
  for (const auto& [spelling, type] : kTypes)
    if (name.substr(1) == spelling) return type;
  return std::nullopt;
}

NumberColumn column_of(const NpyArray& array, std::string name, bool integers) {
  const std::optional<NumberType> type = number_type(array.type);
  if (!type || (integers && *type >= NumberType::Float32))
    array.fail(integers ? "little-endian integers" : "little-endian numbers",
               in_quotes(array.type));
  const std::uint64_t wanted = array.length();
  const std::uint64_t found = array.member.bytes - std::min(array.member.bytes, array.data_at);
  if (found / bytes_of(*type) != wanted || found % bytes_of(*type) != 0)
    array.fail(fmt::format("{} elements", wanted), fmt::format("{} bytes", found));
  return {std::move(name), [array] { return array.open(); }, *type, bytes_of(*type), 0,
          array.data_at};
}

/// The arrays of an archive, by name.
class Archive {
 public:
  Archive(const Head& head, const ReadOptions& options)
      : file_(head.file), members_(read_zip_directory(file_, content_bytes(head, options))) {}

  NpyArray array(const std::string& name) const {
    const auto found = std::find_if(members_.begin(), members_.end(), [&](const ZipMember& member) {
      return member.name == name + ".npy";
    });
    if (found == members_.end())
      fail_file(file_.name,
                fmt::format("expected an archive of a SciPy CSR matrix, found none of its "
                            "member '{}.npy'",
                            name));
    return open_array(file_, *found);
  }

  /// "csr"; SciPy stores it as bytes or as UCS-4 text.
  std::string format() const {
    std::string text = array("format").content();
    std::erase(text, '\0');
    return text;
  }

  std::uint64_t square_size() const {
    const NpyArray shape = array("shape");
    const bool wide = shape.type == "<i8";
    if (!wide && shape.type != "<i4") shape.fail("integers", in_quotes(shape.type));
    const std::string bytes = shape.content();
    if (bytes.size() != (wide ? 16U : 8U))
      shape.fail("two sizes", fmt::format("{} bytes", bytes.size()));
    std::array<std::int64_t, 2> sizes{};
    if (wide) {
      std::memcpy(sizes.data(), bytes.data(), bytes.size());
    } else {
      std::array<std::int32_t, 2> narrow{};
      std::memcpy(narrow.data(), bytes.data(), bytes.size());
      sizes = {narrow[0], narrow[1]};
    }
    if (sizes[0] != sizes[1] || sizes[0] < 0)
      shape.fail("a square matrix", fmt::format("{} x {}", sizes[0], sizes[1]));
    return static_cast<std::uint64_t>(sizes[0]);
  }

 private:
  InputFile file_;
  std::vector<ZipMember> members_;
};

}  // namespace

ReaderPtr open_npz(const Head& head, const ReadOptions& options) {
  const Archive archive(head, options);
  const std::string format = archive.format();
  if (format != "csr" && format != "csc")
    fail_file(head.file.name, "expected a CSR or CSC matrix, found format " + in_quotes(format));
  const NpyArray data = archive.array("data"), offsets = archive.array("indptr"),
                 indices = archive.array("indices");
  InputTraits traits;
  traits.format = Format::Npz;
  traits.compression = head.compression;
  // Truth values say only that there is an entry.
  traits.weighted = data.type != "|b1" && options.third_column != ThirdColumn::Ignore;
  traits.declared_vertices = archive.square_size();
  traits.declared_edges = indices.length();
  traits.bytes = head.bytes;
  CsrLayout layout;
  layout.file = head.file;
  layout.rows = *traits.declared_vertices;
  layout.entries = indices.length();
  layout.transposed = format == "csc";
  layout.row_ends = column_of(offsets, "indptr", true);
  layout.targets = column_of(indices, "indices", true);
  if (offsets.length() != layout.rows + 1)
    offsets.fail(fmt::format("{} offsets", layout.rows + 1), std::to_string(offsets.length()));
  if (data.length() != layout.entries)
    data.fail(fmt::format("{} values", layout.entries), std::to_string(data.length()));
  if (traits.weighted) layout.weights = column_of(data, "data", false);
  return std::make_unique<CsrFileReader>(traits, std::move(layout), options);
}

}  // namespace fathom::io
