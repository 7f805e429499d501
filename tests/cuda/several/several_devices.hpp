// Several devices that share one card, and across cards where there are two.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "fathom/exec/context.hpp"
#include "tests/cuda/configurations.hpp"

namespace fathom::testing {

struct Devices {
  std::string name;
  std::vector<int> ordinals;
  bool peer_access;
  CudaOptions::Nccl nccl = CudaOptions::Nccl::Auto;
};

inline void PrintTo(const Devices& d, std::ostream* out) {
  *out << d.name;
}

inline std::vector<Devices> all_devices() {
  std::vector<Devices> all{{"Two", {0, 0}, true},
                           {"Three", {0, 0, 0}, true},
                           {"Seven", {0, 0, 0, 0, 0, 0, 0}, true},
                           {"TwoApart", {0, 0}, false},
                           {"FiveApart", {0, 0, 0, 0, 0}, false}};
  if (gpu_count() > 1) {
    all.push_back({"Cards", {0, 1}, true});
    all.push_back({"CardsTwice", {0, 1, 0, 1}, true});
    all.push_back({"CardsApart", {0, 1}, false});
    all.push_back({"CardsByNccl", {0, 1}, false, CudaOptions::Nccl::Always});
  }
  if (gpu_count() > 3) all.push_back({"FourCards", {3, 2, 1, 0}, true});
  return all;
}

class Multi : public ::testing::TestWithParam<Devices> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(Context::cuda(options()));
    if (GetParam().nccl == CudaOptions::Nccl::Always && !ctx_->merges_by_nccl())
      GTEST_SKIP() << ctx_->why_not_nccl();
  }
  CudaOptions options(std::size_t memory = std::size_t{512} << 20) const {
    CudaOptions o;
    o.devices = GetParam().ordinals;
    o.peer_access = GetParam().peer_access;
    o.nccl = GetParam().nccl;
    o.device_memory = memory;
    return o;
  }
  std::size_t count() const { return GetParam().ordinals.size(); }

  template <class T>
  void put(T* to, const std::vector<T>& values) const {
    ctx_->copy(to, values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> read(const T* from, std::size_t size) const {
    std::vector<T> values(size);
    ctx_->copy(values.data(), from, size * sizeof(T));
    return values;
  }

  std::optional<Context> ctx_;
};

inline std::string device_name(const ::testing::TestParamInfo<Devices>& info) {
  return info.param.name;
}

}  // namespace fathom::testing
