#include "fathom/exec/checkpoint/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <type_traits>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

constexpr std::array<unsigned char, 8> kMagic{0x89, 'F', 'C', 0x0d, 0x0a, 0x1a, 0x0a, 0};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kFixedBytes = 32, kMostHeaderBytes = std::uint64_t{1} << 20;
constexpr std::size_t kReadBlock = std::size_t{1} << 18;

class Bytes {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_unsigned_v<T>);
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size()));
    const auto* const from = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), from, from + value.size());
  }
  const std::vector<std::byte>& all() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> encoded(const CheckpointHeader& header) {
  Bytes fields;
  fields.text(header.algorithm);
  for (const std::uint64_t value :
       {header.graph, header.vertices, header.edges, header.run, header.iteration})
    fields.number(value);
  fields.number(header.rank);
  fields.number(header.ranks);
  fields.number(static_cast<std::uint32_t>(header.settings.size()));
  for (const auto& [name, value] : header.settings) {
    fields.text(name);
    fields.text(value);
  }
  fields.number(static_cast<std::uint32_t>(header.slices.size()));
  std::uint64_t content = 0;
  for (const CheckpointSlice& slice : header.slices) {
    fields.text(slice.name);
    fields.number(slice.element_bytes);
    for (const std::uint64_t value : {slice.elements, slice.first, slice.last})
      fields.number(value);
    content += slice.bytes();
  }
  const std::uint64_t header_bytes = kFixedBytes + fields.all().size();
  Bytes fixed;
  for (const unsigned char c : kMagic) fixed.number(c);
  fixed.number(kVersion);
  fixed.number(std::uint32_t{sizeof(VertexId) * 8});
  fixed.number(header_bytes + content + sizeof(std::uint64_t));
  fixed.number(header_bytes);
  std::vector<std::byte> all = fixed.all();
  all.insert(all.end(), fields.all().begin(), fields.all().end());
  return all;
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::BadInput, fmt::format("{}: {}", path, what));
}

/// Takes a header apart, never beyond its end.
class Fields {
 public:
  Fields(const std::string& path, std::span<const std::byte> bytes) : path_(path), rest_(bytes) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    const std::span<const std::byte> from = take(size);
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > rest_.size()) refuse_file(path_, "the header of the checkpoint contradicts itself");
    const std::span<const std::byte> taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  const std::string& path_;
  std::span<const std::byte> rest_;
};

CheckpointHeader decoded(Fields& fields) {
  CheckpointHeader header;
  header.algorithm = fields.text();
  for (std::uint64_t* const value :
       {&header.graph, &header.vertices, &header.edges, &header.run, &header.iteration})
    *value = fields.number<std::uint64_t>();
  header.rank = fields.number<std::uint32_t>();
  header.ranks = fields.number<std::uint32_t>();
  for (auto left = fields.number<std::uint32_t>(); left > 0; --left) {
    std::string name = fields.text();
    header.settings.emplace_back(std::move(name), fields.text());
  }
  for (auto left = fields.number<std::uint32_t>(); left > 0; --left) {
    CheckpointSlice slice;
    slice.name = fields.text();
    slice.element_bytes = fields.number<std::uint32_t>();
    for (std::uint64_t* const value : {&slice.elements, &slice.first, &slice.last})
      *value = fields.number<std::uint64_t>();
    header.slices.push_back(std::move(slice));
  }
  return header;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& path, const CheckpointHeader& header)
    : file_(path) {
  append(encoded(header));
}

void CheckpointWriter::append(std::span<const std::byte> bytes) {
  hash_.add(bytes);
  file_.write(bytes);
}

void CheckpointWriter::commit() {
  const std::uint64_t hash = hash_.value();
  file_.write(std::as_bytes(std::span(&hash, 1)));
  file_.commit();
}

bool is_another_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kMagic.size()> begin{};
  file.read(begin.data(), begin.size());
  return file.gcount() > 0 && std::memcmp(begin.data(), kMagic.data(), kMagic.size()) != 0;
}

CheckpointReader::CheckpointReader(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) throw_io_error(path, "open", errno);
  try {
    check();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

CheckpointReader::~CheckpointReader() {
  ::close(descriptor_);
}

void CheckpointReader::check() {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) throw_io_error(path_, "look at", errno);
  if (!S_ISREG(about.st_mode)) refuse_file(path_, "not a checkpoint, which is a regular file");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  std::vector<std::byte> head(std::min(size, kFixedBytes));
  read_fully(descriptor_, path_, 0, head);
  if (size < kFixedBytes || std::memcmp(head.data(), kMagic.data(), kMagic.size()) != 0)
    refuse_file(path_, "not a checkpoint of an algorithm");
  Fields fixed(path_, std::span(head).subspan(kMagic.size()));
  const auto version = fixed.number<std::uint32_t>(), id_bits = fixed.number<std::uint32_t>();
  const auto file_bytes = fixed.number<std::uint64_t>(),
             header_bytes = fixed.number<std::uint64_t>();
  if (version != kVersion)
    refuse_file(path_, fmt::format("the checkpoint has format version {}; this program reads {}",
                                   version, kVersion));
  if (file_bytes != size)
    refuse_file(path_, fmt::format("the checkpoint is damaged: {} bytes, of {}", size, file_bytes));
  constexpr std::uint64_t kHashBytes = sizeof(std::uint64_t);
  if (header_bytes < kFixedBytes || header_bytes > std::min(size - kHashBytes, kMostHeaderBytes))
    refuse_file(path_, "the checkpoint is damaged: its header cannot be that long");

  CheckpointHash hash;
  std::vector<std::byte> block(static_cast<std::size_t>(header_bytes));
  read_fully(descriptor_, path_, 0, block);
  hash.add(block);
  const std::vector<std::byte> fields_bytes(block.begin() + kFixedBytes, block.end());
  for (std::uint64_t at = header_bytes; at < size - kHashBytes; at += block.size()) {
    block.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(kReadBlock, size - kHashBytes - at)));
    read_fully(descriptor_, path_, at, block);
    hash.add(block);
  }
  std::uint64_t noted = 0;
  read_fully(descriptor_, path_, size - kHashBytes, std::as_writable_bytes(std::span(&noted, 1)));
  if (noted != hash.value())
    refuse_file(path_, "the checkpoint is damaged: its checksum is another");

  Fields fields(path_, fields_bytes);
  header_ = decoded(fields);
  std::uint64_t at = header_bytes;
  for (const CheckpointSlice& slice : header_.slices) {
    begin_.push_back(at);
    const std::uint64_t room = size - kHashBytes - at;
    if (slice.element_bytes == 0 || slice.first > slice.last || slice.last > slice.elements ||
        slice.last - slice.first > room / slice.element_bytes)
      refuse_file(path_, "the header of the checkpoint contradicts itself");
    at += slice.bytes();
  }
  if (!fields.empty() || at != size - kHashBytes || header_.rank >= header_.ranks)
    refuse_file(path_, "the header of the checkpoint contradicts itself");
  if (id_bits != sizeof(VertexId) * 8)
    throw Error(ErrorCode::Usage,
                fmt::format("{}: the checkpoint has {}-bit vertex ids; this program works with {}",
                            path_, id_bits, sizeof(VertexId) * 8));
}

void CheckpointReader::read(std::size_t slice, std::uint64_t offset,
                            std::span<std::byte> into) const {
  read_fully(descriptor_, path_, begin_[slice] + offset, into);
}

}  // namespace fathom
