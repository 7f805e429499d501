// The link probe of a build without CUDA.
#include "fathom/exec/cuda/link_probe.hpp"

namespace fathom {

#ifndef FATHOM_WITH_CUDA

bool link_probe_built() {
  return false;
}

LinkProfile measure_link(const LinkProbeOptions&) {
  throw Error(ErrorCode::Device,
              "this build of Fathom has no CUDA: it cannot measure the link to a device");
}

#endif

}  // namespace fathom
