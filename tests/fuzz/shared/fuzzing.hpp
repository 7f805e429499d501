// What fuzz targets share: what refusals must look like, and files in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "fathom/core/error.hpp"
#include "tests/fuzz/shared/memory_files.hpp"

namespace fathom::fuzzing {

/// A finding, unless.
inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Whether a terminal shows the text as it is.
inline bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

/// Whether the action succeeds. An Error must have one of the codes and a message in plain
/// characters; anything else that is thrown is a finding.
template <class Action>
bool accepted(const Action& action,
              std::initializer_list<ErrorCode> refusals = {ErrorCode::BadInput},
              std::string* message = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    const bool expected =
        std::find(refusals.begin(), refusals.end(), error.code()) != refusals.end();
    if (!expected || !is_plain(error.what()) || std::string_view(error.what()).empty()) {
      std::fprintf(stderr, "refused by code %d: %s\n", static_cast<int>(error.code()),
                   error.what());
      std::abort();
    }
    if (message) *message = error.what();
    return false;
  }
  return true;
}

/// Whether it begins as gzip or zstd files do.
inline bool begins_compressed(std::span<const std::uint8_t> data) {
  constexpr std::uint8_t kGzip[] = {0x1f, 0x8b}, kZstd[] = {0x28, 0xb5, 0x2f, 0xfd};
  const auto begins = [&](std::span<const std::uint8_t> magic) {
    return data.size() >= magic.size() && std::equal(magic.begin(), magic.end(), data.begin());
  };
  return begins(kGzip) || begins(kZstd);
}

/// A file in memory, made once and filled again for each input.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& name = "input") : path_(kMemory + name) {}
  ~MemoryFile() { remove_memory(path_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void hold(std::span<const std::byte> content) { write_memory(path_, content); }
  void hold(const std::uint8_t* data, std::size_t size) {
    hold(std::as_bytes(std::span(data, size)));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What is written under a name goes again: to replace a file takes several calls more, and memory
/// that stays has libFuzzer try the input once more, for leaks.
class Removed {
 public:
  explicit Removed(const std::string& path) : path_(path) {}
  ~Removed() { remove_memory(path_); }
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;

 private:
  const std::string& path_;
};

/// The input, taken from the front.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  /// 0 where there is no more.
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::span<const std::uint8_t> take(std::size_t most) {
    const auto taken = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::span<const std::uint8_t> rest() const { return rest_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(rest_.data()), rest_.size()};
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace fathom::fuzzing
