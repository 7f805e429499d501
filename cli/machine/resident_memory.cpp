#include "cli/machine/resident_memory.hpp"

#include <fstream>
#include <string>

namespace fathom::cli {
namespace {

std::uint64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1)) * 1024;
  return 0;
}

}  // namespace

std::uint64_t peak_resident_bytes() {
  return status_bytes("VmHWM");
}

std::uint64_t resident_bytes() {
  return status_bytes("VmRSS");
}

void forget_peak_resident_bytes() {
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5)
}

}  // namespace fathom::cli
