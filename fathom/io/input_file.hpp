// What is read: a file by its name, or what a pipe gave, which comes only once.
//
// Readers open their input several times (to look at it, for each array of a binary format), so
// what comes through a pipe, a FIFO or a terminal is first kept, as it comes, in a file without a
// name in $TMPDIR. Whether it is compressed is told by its first bytes, as for files.
#pragma once

#include <memory>
#include <string>

#include "fathom/core/task.hpp"

namespace fathom::io {

struct InputFile {
  /// Closes it.
  struct Descriptor;

  std::string name;                        // for messages; what is opened unless it is held
  std::shared_ptr<const Descriptor> held;  // open for reading; null: the file of that name
};

/// Whether a name means standard input: "-", /dev/stdin and its likes.
FATHOM_API bool is_standard_input(const std::string& path);

/// What messages call an input: its name, or "standard input".
FATHOM_API std::string input_name(const std::string& path);

/// Waits for all that a pipe gives. @throws Error(Io), also for a directory; Error(Interrupted).
InputFile open_input(const std::string& path, const Task& task);

/// The descriptor to read `file` from: that held, or one newly opened. @throws Error(Io).
std::shared_ptr<const InputFile::Descriptor> descriptor_of(const InputFile& file);

/// One more of the open file of a descriptor, whoever closes that. @throws Error(Io) about `name`.
std::shared_ptr<const InputFile::Descriptor> duplicate(int descriptor, const std::string& name);

struct InputFile::Descriptor {
  explicit Descriptor(int its) : number(its) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

}  // namespace fathom::io
