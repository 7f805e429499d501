// What tests of convert and generate share: files of a directory, and what is in them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "fathom/store/make/convert.hpp"

namespace fathom::store {

inline constexpr std::size_t kLeastMemory = std::size_t{32} << 20;

// A directory of its own for each test, removed with everything in it.
class Convert : public ::testing::Test {
 public:
  Convert() {
    std::string name = (std::filesystem::temp_directory_path() / "fathom-test-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~Convert() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

 private:
  std::filesystem::path directory_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::shared_ptr<Store> open_verified(const std::string& path) {
  auto store = Store::open(path);
  store->verify(1, {});
  return store;
}

}  // namespace fathom::store
