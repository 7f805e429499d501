#include "cli/shared/device_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "fathom/core/error.hpp"

namespace fathom::cli {

std::optional<std::vector<int>> cuda_ordinals(const std::string& device) {
  constexpr std::string_view kPrefix = "cuda:";
  if (device == "cuda") return std::vector{0};
  if (device.rfind(kPrefix, 0) != 0) return std::nullopt;
  std::vector<int> ordinals;
  const char* at = device.data() + kPrefix.size();
  const char* const end = device.data() + device.size();
  for (;; ++at) {  // past a comma
    int ordinal = -1;
    const auto [stopped, status] = std::from_chars(at, end, ordinal);
    const bool more = stopped != end && *stopped == ',';
    if (status != std::errc{} || ordinal < 0 || (stopped != end && !more))
      throw Error(
          ErrorCode::Usage,
          fmt::format("--device: expected cuda:N or cuda:N,N,... with numbers N, found '{}'",
                      device));
    ordinals.push_back(ordinal);
    at = stopped;
    if (!more) return ordinals;
  }
}

}  // namespace fathom::cli
