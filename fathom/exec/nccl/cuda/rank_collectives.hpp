// NCCL among the ranks of a group that have a card each: replicas become equal where they are, in
// device memory, instead of by way of the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom::cuda {

class Gpu;
struct NcclLibrary;

/// All ranks call the same functions in the same order, those of the group included.
class RankCollectives {
 public:
  /// Nothing is loaded yet.
  RankCollectives(Gpu& gpu, std::shared_ptr<ReplicaGroup> group);
  ~RankCollectives();
  RankCollectives(const RankCollectives&) = delete;
  RankCollectives& operator=(const RankCollectives&) = delete;

  /// Whether every rank has a card that no other has, and NCCL, and could connect; tries it once.
  /// Cost: a second or two, and memory of the devices that no budget knows.
  bool ready();
  /// Why it is not.
  const std::string& why() const { return why_; }

  // In the order of the GPU's stream; what is sent is added to the group's traffic, without the
  // time, for which nobody waits. @throws Error(Device)
  /// values[0 .. count) becomes the combination of what all ranks have there, where
  /// NcclLibrary::knows() the rule.
  void all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule);
  /// The same at the vertices of a bitmap that all ranks know, `count` of them. False, with nothing
  /// done, where their values have no room (16 MiB).
  bool all_reduce_touched(void* values, std::uint64_t count, const std::uint64_t* bits,
                          std::size_t words, ScalarKind kind, MergeRule rule);
  /// bits[0 .. words) becomes the union of what all ranks have there.
  void unite(std::uint64_t* bits, std::size_t words);
  /// values[0 .. count), of `size` bytes each, becomes the same by a rule of the caller's:
  /// join(from, begin, n) starts kernels that combine `from`, elements [begin, begin + n) of
  /// another rank, into them. The order is that of a binary tree.
  void join(void* values, std::size_t count, std::size_t size,
            FunctionRef<void(const void* from, std::size_t begin, std::size_t n)> join);
  /// Every rank's list is shown to the others: as give_among_ranks() (replicas.hpp) has it. There
  /// is room for 16 MiB of all ranks together. The host waits for counts.
  bool give(std::size_t size, std::size_t most,
            FunctionRef<std::size_t(void* at, std::size_t most)> fill,
            FunctionRef<void(const void* from, std::size_t count)> take);
  /// Rank r has written bytes [begin[r], begin[r + 1]): now all have all.
  void share(void* values, std::span<const std::size_t> begin);

 private:
  bool connect();
  /// place(r)[0 .. bytes(r)) of rank r to all, of all ranks at once.
  template <class Place, class Bytes>
  void broadcast_each(const char* what, const Place& place, const Bytes& bytes);
  bool all_agree(bool mine);
  bool cards_differ();
  bool has_room_for_pieces();

  Gpu& gpu_;
  std::shared_ptr<ReplicaGroup> group_;
  std::unique_ptr<NcclLibrary> library_;
  // Of other ranks: had before the first exchange, since who fails alone leaves the others waiting.
  Array<std::byte> pieces_;
  void* communicator_ = nullptr;
  bool tried_ = false;
  std::string why_ = "it was not needed";
};

/// into[i] |= pieces[i] | pieces[i + n] | ... of `count` pieces of n words each.
void unite_words(std::uint64_t* into, const std::uint64_t* pieces, std::size_t n, int count,
                 cudaStream_t stream);

}  // namespace fathom::cuda
