// Host memory of a source's own that kernels of emulated devices must not touch: fenced while the
// source lives, however its construction ends.
#pragma once

#include <span>
#include <vector>

#include "fathom/exec/context.hpp"

namespace fathom {

class HostFences {
 public:
  /// The context outlives the fences.
  explicit HostFences(const Context& ctx) : ctx_(&ctx) {}
  ~HostFences() {
    for (const std::byte* memory : fenced_) ctx_->unfence_host(memory);
  }
  HostFences(const HostFences&) = delete;
  HostFences& operator=(const HostFences&) = delete;

  void add(std::span<const std::byte> memory) {
    fenced_.push_back(memory.data());  // what was not fenced may be unfenced
    ctx_->fence_host(memory.data(), memory.size());
  }

 private:
  const Context* ctx_;
  std::vector<const std::byte*> fenced_;
};

}  // namespace fathom
