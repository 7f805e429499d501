// How ranks that search tell each other what they have found: in variable-length numbers (LEB128)
// of what changes from one vertex to the next, for ids ascend and depths of neighbours are alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom::detail {

inline void append_number(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

/// Of differences: small numbers for small ones of either sign.
inline std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
inline std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

/// A value as it is in memory.
template <class T>
void append_value(std::vector<std::byte>& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

/// Takes from bytes what append_number() and append_value() have written.
class NumberReader {
 public:
  explicit NumberReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool empty() const { return at_ == bytes_.size(); }
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  template <class T>
  T next_value() {
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

/// A vertex of another rank's.
struct FoundVertex {
  VertexId vertex;
  std::uint32_t depth;
  VertexId parent;  // kNoVertex: not told
};

/// Writes numbers of which the same ones often come again and again: each group of them once, with
/// the number of repetitions where there are any, which the lowest bit of the first number says.
class RunWriter {
 public:
  using Group = std::array<std::uint64_t, 3>;
  /// Of each group the first `numbers` are written; the last of them when this goes.
  RunWriter(std::vector<std::byte>& out, std::size_t numbers) : out_(out), numbers_(numbers) {}
  ~RunWriter() { flush(); }
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  void add(const Group& group) {
    if (times_ > 0 && group == group_) {
      ++times_;
      return;
    }
    flush();
    group_ = group;
    times_ = 1;
  }

 private:
  void flush() {
    if (times_ == 0) return;
    append_number(out_, group_[0] << 1 | (times_ > 1 ? 1 : 0));
    for (std::size_t i = 1; i < numbers_; ++i) append_number(out_, group_[i]);
    if (times_ > 1) append_number(out_, times_ - 2);
  }

  std::vector<std::byte>& out_;
  std::size_t numbers_;
  Group group_{};
  std::uint64_t times_ = 0;
};

class RunReader {
 public:
  using Group = RunWriter::Group;
  RunReader(std::span<const std::byte> bytes, std::size_t numbers)
      : bytes_(bytes), numbers_(numbers) {}
  bool empty() const { return times_ == 0 && bytes_.empty(); }
  const Group& next() {
    if (times_ == 0) {
      const std::uint64_t first = bytes_.next();
      group_[0] = first >> 1;
      for (std::size_t i = 1; i < numbers_; ++i) group_[i] = bytes_.next();
      times_ = (first & 1) != 0 ? bytes_.next() + 2 : 1;
    }
    --times_;
    return group_;
  }

 private:
  NumberReader bytes_;
  std::size_t numbers_;
  Group group_{};
  std::uint64_t times_ = 0;
};

/// Writes vertices in ascending order; parents of all, or of none.
class FoundWriter {
 public:
  FoundWriter(std::vector<std::byte>& out, bool parents) : numbers_(out, parents ? 3 : 2) {}
  void add(VertexId v, std::uint32_t depth, VertexId parent) {
    const std::int64_t up =
        parent == kNoVertex ? 0 : static_cast<std::int64_t>(parent) - static_cast<std::int64_t>(v);
    numbers_.add({v - vertex_, folded(std::int64_t{depth} - depth_), folded(up)});
    vertex_ = v;
    depth_ = depth;
  }

 private:
  RunWriter numbers_;
  VertexId vertex_ = 0;
  std::uint32_t depth_ = 0;
};

class FoundReader {
 public:
  FoundReader(std::span<const std::byte> bytes, bool parents)
      : numbers_(bytes, parents ? 3 : 2), parents_(parents) {}
  std::optional<FoundVertex> next() {
    if (numbers_.empty()) return std::nullopt;
    const auto& [vertices, depth, up] = numbers_.next();
    last_.vertex += static_cast<VertexId>(vertices);
    last_.depth = static_cast<std::uint32_t>(last_.depth + unfolded(depth));
    if (parents_)
      last_.parent = static_cast<VertexId>(static_cast<std::int64_t>(last_.vertex) + unfolded(up));
    return last_;
  }

 private:
  RunReader numbers_;
  bool parents_;
  FoundVertex last_{0, 0, kNoVertex};
};

/// Depths of consecutive vertices, unreached ones too: from each to the next.
inline std::vector<std::byte> encode_depths(std::span<const std::uint32_t> depths) {
  std::vector<std::byte> out;
  {
    RunWriter steps(out, 1);
    std::uint32_t last = 0;
    for (const std::uint32_t depth : depths) {
      steps.add({folded(static_cast<std::int32_t>(depth - last))});
      last = depth;
    }
  }
  return out;
}

inline void decode_depths(std::span<const std::byte> bytes, std::span<std::uint32_t> depths) {
  RunReader steps(bytes, 1);
  std::uint32_t last = 0;
  for (std::uint32_t& depth : depths)
    depth = last += static_cast<std::uint32_t>(unfolded(steps.next()[0]));
}

}  // namespace fathom::detail
