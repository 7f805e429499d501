// What --device names.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

/// The ordinals in "cuda", "cuda:N" or "cuda:N,N,..."; nothing for another device.
/// @throws Error(Usage) for a list that is none.
std::optional<std::vector<int>> cuda_ordinals(const std::string& device);

}  // namespace fathom::cli
