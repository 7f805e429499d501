#include "fathom/exec/ranks/fail_together.hpp"

#include <optional>
#include <string>
#include <vector>

#include "fathom/core/error.hpp"

namespace fathom {

void fail_together(ReplicaGroup& group, FunctionRef<void()> body) {
  struct Said {
    int code = 0;
    std::uint64_t length = 0;
  } mine;
  std::optional<Error> error;
  try {
    body();
  } catch (const Error& e) {
    error = e;
    mine = {static_cast<int>(e.code()), std::string_view(e.what()).size()};
  }
  const auto ranks = static_cast<std::size_t>(group.ranks());
  std::vector<Said> all(ranks);
  group.all_gather(&mine, sizeof mine, all.data());
  for (std::size_t r = 0; r < ranks; ++r) {
    if (all[r].code == 0) continue;
    std::string message(error ? error->what() : "");
    message.resize(static_cast<std::size_t>(all[r].length));
    group.broadcast(message.data(), message.size(), static_cast<int>(r));
    throw Error(static_cast<ErrorCode>(all[r].code), message);
  }
}

}  // namespace fathom
