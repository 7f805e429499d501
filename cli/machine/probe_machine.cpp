// Processor, memory, huge pages.
#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "cli/machine/probes.hpp"
#include "fathom/core/array.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/random.hpp"

namespace fathom::cli {
namespace {

/// The value after "key :" in a file of such lines; empty when there is none.
std::string field(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

Json kibibytes(const std::string& key) {
  const std::string value = field("/proc/meminfo", key);
  return value.empty() ? Json(nullptr) : Json(std::stoull(value) * 1024);
}

/// The memory limit of the control group, where there is one.
Json group_limit() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    if (file >> bytes && bytes < (std::uint64_t{1} << 60)) return bytes;
  }
  return nullptr;
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds all words up; the sum keeps the compiler from skipping the reads.
std::uint64_t sum_in_order(const Array<std::uint64_t>& words, int threads) {
  return parallel_reduce<std::uint64_t>(
      threads, words.size(), std::size_t{1} << 16, 0,
      [&](std::size_t first, std::size_t last) {
        std::uint64_t sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += words[i];
        return sum;
      },
      std::plus<>());
}

std::uint64_t sum_at_random(const Array<std::uint64_t>& words, std::size_t reads, int threads) {
  return parallel_reduce<std::uint64_t>(
      threads, reads, std::size_t{1} << 14, 0,
      [&](std::size_t first, std::size_t last) {
        const RandomStream stream(1, 0);
        std::uint64_t sum = 0;
        for (std::size_t i = first; i < last; ++i)
          sum += words[bounded(stream.at(i), words.size())];
        return sum;
      },
      std::plus<>());
}

}  // namespace

Json probe_cpu() {
  const std::string model = field("/proc/cpuinfo", "model name");
  return {{"model", model.empty() ? "unknown" : model}, {"threads", worker_count(0)}};
}

Json probe_memory(const Task& task) {
  constexpr std::size_t kRandomReads = std::size_t{1} << 22;
  const Json available = kibibytes("MemAvailable");
  std::uint64_t bytes = std::uint64_t{256} << 20;
  if (!available.is_null()) bytes = std::min(bytes, available.get<std::uint64_t>() / 8);
  const int threads = worker_count(0);
  Array<std::uint64_t> words(bytes / sizeof(std::uint64_t) + 1, 1);
  double in_order = 0, at_random = 0;
  std::uint64_t sum = 0;
  for (int trial = 0; trial < 3; ++trial) {  // the best of three: others use the machine too
    task.check();
    const double a = seconds_of([&] { sum += sum_in_order(words, threads); });
    const double b = seconds_of([&] { sum += sum_at_random(words, kRandomReads, threads); });
    in_order = std::max(in_order, static_cast<double>(words.size() * sizeof(words[0])) / a);
    at_random = std::max(at_random, static_cast<double>(kRandomReads) / b);
  }
  if (sum != 3 * (words.size() + kRandomReads))
    throw Error(ErrorCode::Internal, "memory did not read back what was written");
  return {{"total_bytes", kibibytes("MemTotal")},
          {"available_bytes", available},
          {"limit_bytes", group_limit()},
          {"read_bytes_per_second", in_order},
          {"random_reads_per_second", at_random}};
}

std::uint64_t available_memory() {
  const Json available = kibibytes("MemAvailable"), limit = group_limit();
  std::uint64_t bytes =
      available.is_null() ? std::uint64_t{2} << 30 : available.get<std::uint64_t>();
  if (!limit.is_null()) bytes = std::min(bytes, limit.get<std::uint64_t>());
  return bytes;
}

std::uint64_t spare_memory() {
  return available_memory() / 2;
}

std::string probe_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(file, modes);
  const std::size_t open = modes.find('['), close = modes.find(']');
  return close == std::string::npos ? "unknown" : modes.substr(open + 1, close - open - 1);
}

}  // namespace fathom::cli
