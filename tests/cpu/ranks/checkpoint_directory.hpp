// Where a test keeps its checkpoints.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace fathom::testing {

/// A directory that goes with the test.
class Checkpoints {
 protected:
  Checkpoints() {
    std::string name =
        (std::filesystem::temp_directory_path() / "fathom-checkpoint-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no directory for checkpoints");
    directory_ = name;
  }
  ~Checkpoints() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::string file(const std::string& name = "state") const { return directory_ / name; }

 private:
  std::filesystem::path directory_;
};

}  // namespace fathom::testing
