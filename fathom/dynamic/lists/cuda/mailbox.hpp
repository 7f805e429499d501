// Small results of kernels, where the host reads them after a wait.
#pragma once

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

/// Pinned host memory for what kernels find out.
template <class T>
class Mailbox {
 public:
  Mailbox() {
    cuda::check(cudaHostAlloc(reinterpret_cast<void**>(&at_), sizeof(T), cudaHostAllocDefault),
                "allocating pinned memory");
  }
  ~Mailbox() { cudaFreeHost(at_); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  T* get() const { return at_; }
  T* operator->() const { return at_; }
  T& operator*() const { return *at_; }

 private:
  T* at_ = nullptr;
};

}  // namespace fathom::dynamic::gpu
