// The file of a checkpoint (docs/formats.md): what it is of, a slice of each array of the state,
// and a checksum of all of it.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/core/atomic_file.hpp"

namespace fathom {

/// Names and values of the options that matter.
using CheckpointSettings = std::vector<std::pair<std::string, std::string>>;

/// Elements [first, last) of an array of the state; a scalar is an array of one.
struct CheckpointSlice {
  std::string name;
  std::uint32_t element_bytes = 0;
  std::uint64_t elements = 0, first = 0, last = 0;  // elements: of the whole array
  std::uint64_t bytes() const { return (last - first) * element_bytes; }
};

struct CheckpointHeader {
  std::string algorithm = {};
  CheckpointSettings settings = {};
  std::uint64_t graph = 0, vertices = 0, edges = 0;
  std::uint64_t run = 0;  // the same for all ranks and times of writing, another for another run
  std::uint64_t iteration = 0;
  std::uint32_t rank = 0, ranks = 1;
  std::vector<CheckpointSlice> slices = {};
};

/// A running XXH3-64.
class CheckpointHash {
 public:
  CheckpointHash() : state_(XXH3_createState(), &XXH3_freeState) {
    XXH3_64bits_reset(state_.get());
  }
  void add(std::span<const std::byte> bytes) {
    XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

/// Whether there is something at `path` that is not empty and does not begin as a checkpoint does.
FATHOM_API bool is_another_file(const std::string& path);

class FATHOM_API CheckpointWriter {
 public:
  /// @throws Error(Io), as all of it.
  CheckpointWriter(const std::string& path, const CheckpointHeader& header);
  /// The slices, one after the other.
  void append(std::span<const std::byte> bytes);
  /// The file appears, durable.
  void commit();

 private:
  AtomicFile file_;
  CheckpointHash hash_;
};

class FATHOM_API CheckpointReader {
 public:
  /// Checks all of the file. @throws Error(BadInput) for one that is damaged, or no checkpoint;
  /// Error(Usage) for one of a build with ids of another width; Error(Io).
  explicit CheckpointReader(const std::string& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const std::string& path() const { return path_; }
  const CheckpointHeader& header() const { return header_; }
  /// Bytes of a slice, from `offset` of it on.
  void read(std::size_t slice, std::uint64_t offset, std::span<std::byte> into) const;

 private:
  void check();

  std::string path_;
  int descriptor_ = -1;
  CheckpointHeader header_;
  std::vector<std::uint64_t> begin_;  // of each slice, in the file
};

}  // namespace fathom
