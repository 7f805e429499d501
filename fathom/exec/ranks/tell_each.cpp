#include "fathom/exec/ranks/tell_each.hpp"

namespace fathom::detail {

void exchange_messages(ReplicaGroup& group, std::span<const std::span<const std::byte>> messages,
                       FunctionRef<std::size_t(int from, int to)> gives,
                       FunctionRef<void(int from, std::span<const std::byte>)> take) {
  const int ranks = group.ranks(), rank = group.rank();
  std::vector<std::byte> received;
  for (int step = 1; step < ranks; ++step) {
    bool any = false;
    for (int r = 0; r < ranks; ++r) any = any || gives(r, (r + step) % ranks) > 0;
    if (!any) continue;
    const int to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
    received.resize(gives(from, rank));
    group.exchange(messages[static_cast<std::size_t>(to)], to, received, from);
    if (!received.empty()) take(from, received);
  }
}

}  // namespace fathom::detail
