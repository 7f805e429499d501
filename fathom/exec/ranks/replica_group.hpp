// ReplicaGroup: the ranks that work on one graph together, each with a context of its own. A rank
// is a process under mpirun (mpi_ranks.hpp), or a thread of this one (thread_ranks.hpp).
//
// Every rank runs the same program on the same replicas of vertex state and shows itself a share of
// the edges; what the shares changed is made equal by the functions below. All ranks call the same
// ones in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/exec/merge_rules.hpp"

namespace fathom {

/// What the ranks gave each other, one after the other.
struct Pieces {
  std::vector<std::size_t> begin;  // [ranks + 1], in bytes
  Array<std::byte> bytes;

  std::span<const std::byte> of(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return {bytes.data() + begin[r], begin[r + 1] - begin[r]};
  }
};

class FATHOM_API ReplicaGroup {
 public:
  /// Of this rank, as a ring of ranks would send it.
  struct Traffic {
    std::uint64_t exchanges = 0, bytes_sent = 0;
    double seconds = 0;  // in exchanges, most of it waiting for others
  };

  virtual ~ReplicaGroup() = default;
  ReplicaGroup(const ReplicaGroup&) = delete;
  ReplicaGroup& operator=(const ReplicaGroup&) = delete;

  /// A group of one rank.
  static const std::shared_ptr<ReplicaGroup>& alone();

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  const Traffic& traffic() const { return traffic_; }
  /// Counts an exchange that went another way, of so many bytes sent.
  void note(std::size_t bytes) {
    ++traffic_.exchanges;
    traffic_.bytes_sent += bytes;
  }

  /// all[r * bytes ..] = what rank r has at `mine`. Cost: (ranks - 1) * bytes sent.
  void all_gather(const void* mine, std::size_t bytes, void* all);
  /// The same of pieces that differ in size. @throws Error(DoesNotFit)
  Pieces all_gather(std::span<const std::byte> mine, const std::shared_ptr<MemoryPool>& pool);
  /// The same where all know the sizes: all[begin[r] ..] is rank r's. `mine` may lie there already.
  void all_gather(std::span<const std::byte> mine, std::span<const std::size_t> begin, void* all);
  /// The same in place, of elements of `size` bytes: each rank has written values[own[rank]], and
  /// now all have what others did. Places may lie apart, and do not overlap; all know all of them.
  struct Place {
    std::size_t first = 0, last = 0;
  };
  void share(void* values, std::size_t size, std::span<const Place> own);
  /// values[0 .. count) becomes the combination of what all ranks have there, the same bit by bit
  /// on each of them. `kind` is not Other. Cost: about twice the array sent, however many ranks.
  void all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule);
  /// Everybody has what rank `from` has.
  void broadcast(void* values, std::size_t bytes, int from);
  /// Gives `sent` to rank `to` and takes what rank `from` gives: as many bytes as are expected.
  /// Either rank may be kNobody; all ranks call it all the same.
  void exchange(std::span<const std::byte> sent, int to, std::span<std::byte> received, int from);
  static constexpr int kNobody = -1;

  /// values[0 .. count), elements of `size` bytes, becomes the same on all ranks by a rule of the
  /// caller's: join(into, from, n) combines two arrays. The order is that of a binary tree.
  using Join = FunctionRef<void(void* into, const void* from, std::size_t n)>;
  void join(void* values, std::size_t count, std::size_t size, Join join,
            const std::shared_ptr<MemoryPool>& pool);

 protected:
  ReplicaGroup(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

 private:
  virtual void do_all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  virtual void do_all_gather(std::span<const std::byte> mine, std::span<const std::size_t> begin,
                             void* all) = 0;
  virtual void do_share(void* values, std::size_t size, std::span<const Place> own) = 0;
  virtual void do_all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule) = 0;
  virtual void do_broadcast(void* values, std::size_t bytes, int from) = 0;
  virtual void do_exchange(std::span<const std::byte> sent, int to, std::span<std::byte> received,
                           int from) = 0;
  class Timed;

  int rank_, ranks_;
  Traffic traffic_;
};

}  // namespace fathom
