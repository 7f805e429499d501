// What the first rank alone knows, such as where results go.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

/// The first rank's text, on all ranks, which call it together.
inline std::string told_by_first(ReplicaGroup& group, std::string text) {
  std::uint64_t length = text.size();
  group.broadcast(&length, sizeof length, 0);
  text.resize(static_cast<std::size_t>(length));
  group.broadcast(text.data(), text.size(), 0);
  return text;
}

}  // namespace fathom
