// A message of its own to each other rank: what partitioned state needs, of which a rank has its
// own vertices.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {
namespace detail {

/// gives(from, to): how many bytes `from` has for `to`, the same on all ranks. Nobody meets where
/// there is nothing to tell.
void exchange_messages(ReplicaGroup& group, std::span<const std::span<const std::byte>> messages,
                       FunctionRef<std::size_t(int from, int to)> gives,
                       FunctionRef<void(int from, std::span<const std::byte>)> take);

}  // namespace detail

/// messages[r] goes to rank r, and take(from, bytes) is called for each one that comes here, by
/// distance from this rank; what is for this rank itself stays unread. Returns the notes of all
/// ranks, which they tell with the sizes. Size: the type of these, in which all messages fit.
/// Cost: a small all_gather, and at most ranks - 1 exchanges.
template <class Size, class Note>
std::vector<Note> tell_each(ReplicaGroup& group, const Note& note,
                            std::span<const std::span<const std::byte>> messages,
                            FunctionRef<void(int from, std::span<const std::byte>)> take) {
  static_assert(std::is_trivially_copyable_v<Note>);
  const auto ranks = static_cast<std::size_t>(group.ranks());
  const std::size_t row = sizeof(Note) + ranks * sizeof(Size);
  std::vector<std::byte> mine(row), all(row * ranks);
  std::memcpy(mine.data(), &note, sizeof note);
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto size = static_cast<Size>(messages[r].size());
    std::memcpy(mine.data() + sizeof(Note) + r * sizeof size, &size, sizeof size);
  }
  group.all_gather(mine.data(), row, all.data());
  detail::exchange_messages(
      group, messages,
      [&](int from, int to) {
        Size size;
        std::memcpy(&size,
                    all.data() + static_cast<std::size_t>(from) * row + sizeof(Note) +
                        static_cast<std::size_t>(to) * sizeof size,
                    sizeof size);
        return static_cast<std::size_t>(size);
      },
      take);
  std::vector<Note> notes(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    std::memcpy(&notes[r], all.data() + r * row, sizeof(Note));
  return notes;
}

}  // namespace fathom
