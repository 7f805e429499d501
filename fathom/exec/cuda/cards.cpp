#include "fathom/exec/cuda/cards.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/ranks/mpi_ranks.hpp"

namespace fathom::cuda {

int card_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice) count = 0;
  if (status == cudaErrorInsufficientDriver)  // also where there is none
    throw Error(ErrorCode::Device,
                "no CUDA device can be used here: there is no CUDA driver, or it is too old for "
                "this build (`fathom doctor` tells which)");
  if (count == 0)
    throw Error(ErrorCode::Device, std::string("no CUDA device can be used here: ") +
                                       cudaGetErrorString(status ? status : cudaErrorNoDevice));
  check(status, "counting CUDA devices");
  return count;
}

std::vector<Card> cards_of(const CudaOptions& options) {
  const auto& named = options.devices;
  std::vector<Card> cards;
  for (const int ordinal : named)
    cards.push_back({ordinal, static_cast<int>(std::count(named.begin(), named.end(), ordinal))});
  if (!cards.empty()) return cards;
  const RanksHere here = options.group ? ranks_on_this_machine(*options.group) : RanksHere{};
  if (here.ranks == 1) return {{options.device, 1}};
  const int all = card_count();
  const int ordinal = here.rank % all;
  return {{ordinal, (here.ranks - ordinal + all - 1) / all}};
}

}  // namespace fathom::cuda
