// NCCL, loaded when it is first needed: it merges replicas of GPUs that do not reach each other's
// memory, and finds ways between them (host memory, the network's) that plain copies do not.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/exec/replicas.hpp"

namespace fathom::cuda {

struct NcclLibrary;
struct Replica;

class Collectives {
 public:
  /// Of distinct cards, by ordinal. Nothing is loaded yet.
  explicit Collectives(std::vector<int> ordinals);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  /// Whether libnccl.so.2 is there and its communicators could be made; tries it once.
  /// Cost: a second or two, and memory of the devices that no budget knows.
  bool ready();
  /// Why it is not.
  const std::string& why() const { return why_; }

  /// All replicas = their elements combined, in the order of their streams. ready(), and
  /// NcclLibrary::knows() the rule.
  /// The order in which sums are taken is NCCL's. @throws Error(Device)
  void merge(std::span<const Replica> replicas, std::size_t count, ScalarKind kind, MergeRule rule);

 private:
  std::vector<int> ordinals_;
  std::unique_ptr<NcclLibrary> library_;
  std::vector<void*> communicator_;  // by ordinal; empty: not ready
  bool tried_ = false;
  std::string why_ = "it was not needed";
};

}  // namespace fathom::cuda
