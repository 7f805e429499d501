#include "fathom/exec/ranks/replica_group.hpp"

#include <chrono>
#include <cstring>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

/// Nobody to agree with.
class LoneRank final : public ReplicaGroup {
 public:
  LoneRank() : ReplicaGroup(0, 1) {}

 private:
  void do_all_gather(const void* mine, std::size_t bytes, void* all) override {
    std::memcpy(all, mine, bytes);
  }
  void do_all_gather(std::span<const std::byte> mine, std::span<const std::size_t>,
                     void* all) override {
    if (mine.data() != all) std::memcpy(all, mine.data(), mine.size());
  }
  void do_share(void*, std::size_t, std::span<const Place>) override {}
  void do_all_reduce(void*, std::size_t, ScalarKind, MergeRule) override {}
  void do_broadcast(void*, std::size_t, int) override {}
  void do_exchange(std::span<const std::byte>, int, std::span<std::byte>, int) override {}
};

}  // namespace

/// Counts an exchange and the time it takes.
class ReplicaGroup::Timed {
 public:
  Timed(ReplicaGroup& group, std::size_t bytes) : group_(group) {
    if (group.ranks_ == 1) return;
    ++group_.traffic_.exchanges;
    group_.traffic_.bytes_sent += bytes;
  }
  ~Timed() {
    const std::chrono::duration<double> took = Clock::now() - began_;
    if (group_.ranks_ > 1) group_.traffic_.seconds += took.count();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  ReplicaGroup& group_;
  Clock::time_point began_ = Clock::now();
};

const std::shared_ptr<ReplicaGroup>& ReplicaGroup::alone() {
  static const std::shared_ptr<ReplicaGroup> lone = std::make_shared<LoneRank>();
  return lone;
}

void ReplicaGroup::all_gather(const void* mine, std::size_t bytes, void* all) {
  const Timed timed(*this, bytes * static_cast<std::size_t>(ranks_ - 1));
  do_all_gather(mine, bytes, all);
}

Pieces ReplicaGroup::all_gather(std::span<const std::byte> mine,
                                const std::shared_ptr<MemoryPool>& pool) {
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<std::uint64_t> size(ranks);
  const std::uint64_t its = mine.size();
  all_gather(&its, sizeof its, size.data());
  Pieces pieces;
  pieces.begin.assign(ranks + 1, 0);
  for (std::size_t r = 0; r < ranks; ++r) pieces.begin[r + 1] = pieces.begin[r] + size[r];
  pieces.bytes = Array<std::byte>(pieces.begin[ranks], pool);
  all_gather(mine, pieces.begin, pieces.bytes.data());
  return pieces;
}

void ReplicaGroup::all_gather(std::span<const std::byte> mine, std::span<const std::size_t> begin,
                              void* all) {
  if (begin.back() == 0) return;
  const Timed timed(*this, mine.size() * static_cast<std::size_t>(ranks_ - 1));
  do_all_gather(mine, begin, all);
}

void ReplicaGroup::share(void* values, std::size_t size, std::span<const Place> own) {
  const auto [first, last] = own[static_cast<std::size_t>(rank_)];
  const Timed timed(*this, (last - first) * size * static_cast<std::size_t>(ranks_ - 1));
  do_share(values, size, own);
}

void ReplicaGroup::all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule) {
  if (kind == ScalarKind::Other) throw Error(ErrorCode::Internal, "no rule for these elements");
  if (count == 0) return;
  const auto ranks = static_cast<std::size_t>(ranks_);
  const Timed timed(*this, 2 * count * bytes_of(kind) * (ranks - 1) / ranks);
  do_all_reduce(values, count, kind, rule);
}

void ReplicaGroup::broadcast(void* values, std::size_t bytes, int from) {
  if (bytes == 0) return;
  const Timed timed(*this, rank_ == from ? bytes : 0);
  do_broadcast(values, bytes, from);
}

void ReplicaGroup::exchange(std::span<const std::byte> sent, int to, std::span<std::byte> received,
                            int from) {
  const Timed timed(*this, to == kNobody ? 0 : sent.size());
  do_exchange(sent, to, received, from);
}

void ReplicaGroup::join(void* values, std::size_t count, std::size_t size, Join join,
                        const std::shared_ptr<MemoryPool>& pool) {
  if (ranks_ == 1 || count == 0) return;
  const std::size_t bytes = count * size;
  // Up the tree: in each step every other rank that is left gives what it has to the one before.
  for (int step = 1; step < ranks_; step *= 2) {
    const bool gives = rank_ % (2 * step) == step;
    const bool takes = rank_ % (2 * step) == 0 && rank_ + step < ranks_;
    Array<std::byte> others(takes ? bytes : 0, pool);
    const std::span<const std::byte> mine(static_cast<const std::byte*>(values), bytes);
    exchange(gives ? mine : std::span<const std::byte>(), gives ? rank_ - step : kNobody,
             others.span(), takes ? rank_ + step : kNobody);
    if (takes) join(values, others.data(), count);
  }
  broadcast(values, bytes, 0);
}

}  // namespace fathom
