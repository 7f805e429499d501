// Device memory of a test's own kernels, outside of every budget; whatever CUDA refuses is thrown.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <vector>

namespace fathom::testing {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class OnDevice {
 public:
  /// Zero.
  explicit OnDevice(std::size_t n) : size_(n) {
    check(cudaMalloc(&at_, (n + 1) * sizeof(T)));
    check(cudaMemset(at_, 0, n * sizeof(T)));
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    check(cudaMemcpy(at_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(at_); }
  T* get() const { return at_; }
  /// After the kernels queued so far; of one that failed, throws.
  std::vector<T> read() const {
    std::vector<T> values(size_);
    check(cudaGetLastError());
    check(cudaMemcpy(values.data(), at_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* at_ = nullptr;
  std::size_t size_;
};

}  // namespace fathom::testing
