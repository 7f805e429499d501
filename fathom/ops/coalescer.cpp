#include "fathom/ops/coalescer.hpp"

#include <algorithm>
#include <bit>

#include "fathom/core/random.hpp"

namespace fathom {
namespace {

constexpr std::uint64_t kHeaderBytes = 18;  // PCIe 3.0 packet (EMOGI, section 3.3)
constexpr std::uint64_t kBurstBytes = 64;   // DDR4 read (ibid.)

/// The requests for the given sectors of one line.
void request(std::uint32_t sectors, RequestCounts& counts) {
  while (sectors != 0) {
    const int first = std::countr_zero(sectors);
    const int size = std::countr_one(sectors >> first);
    ++counts.of_size[static_cast<std::size_t>(size - 1)];
    const int bursts = (first + size + 1) / 2 - first / 2;
    counts.dram_bytes += static_cast<std::uint64_t>(bursts) * kBurstBytes;
    sectors &= ~(((1u << size) - 1u) << first);
  }
}

}  // namespace

std::uint64_t RequestCounts::total() const {
  return of_size[0] + of_size[1] + of_size[2] + of_size[3];
}

std::uint64_t RequestCounts::bytes() const {
  return kSectorBytes * (of_size[0] + 2 * of_size[1] + 3 * of_size[2] + 4 * of_size[3]);
}

double RequestCounts::share(std::uint32_t bytes) const {
  const std::uint64_t all = total();
  if (all == 0 || bytes == 0 || bytes > kLineBytes || bytes % kSectorBytes != 0) return 0;
  return static_cast<double>(of_size[bytes / kSectorBytes - 1]) / static_cast<double>(all);
}

double RequestCounts::header_share() const {
  const std::uint64_t headers = kHeaderBytes * total();
  return headers == 0 ? 0 : static_cast<double>(headers) / static_cast<double>(headers + bytes());
}

RequestCounts& RequestCounts::operator+=(const RequestCounts& other) {
  for (std::size_t i = 0; i < of_size.size(); ++i) of_size[i] += other.of_size[i];
  dram_bytes += other.dram_bytes;
  return *this;
}

SectorCache::SectorCache(std::size_t bytes)
    : capacity_(std::max<std::size_t>(1, bytes / kLineBytes)) {
  slots_.reserve(capacity_);
  slot_of_.reserve(capacity_);
}

std::uint32_t SectorCache::fetch(std::uint64_t line, std::uint32_t sectors) {
  if (const auto at = slot_of_.find(line); at != slot_of_.end()) {
    std::uint32_t& present = slots_[at->second].sectors;
    const std::uint32_t missing = sectors & ~present;
    present |= sectors;
    return missing;
  }
  std::size_t slot = slots_.size();
  if (slot < capacity_) {
    slots_.push_back({line, sectors});
  } else {
    slot = bounded(RandomStream(0, 0).at(evictions_++), capacity_);
    slot_of_.erase(slots_[slot].line);
    slots_[slot] = {line, sectors};
  }
  slot_of_.emplace(line, static_cast<std::uint32_t>(slot));
  return sectors;
}

void SectorCache::clear() {
  slots_.clear();
  slot_of_.clear();
  evictions_ = 0;
}

void Coalescer::issue(std::span<const std::uint64_t> addresses, RequestCounts& counts) {
  struct Line {
    std::uint64_t number;
    std::uint32_t sectors;
  };
  std::array<Line, 32> lines;
  std::size_t used = 0;
  for (const std::uint64_t address : addresses) {
    const std::uint64_t number = address / kLineBytes;
    const std::uint32_t sector = 1u << (address % kLineBytes / kSectorBytes);
    std::size_t i = used;  // from the back: neighbouring lanes mostly share a line
    while (i > 0 && lines[i - 1].number != number) --i;
    if (i > 0)
      lines[i - 1].sectors |= sector;
    else
      lines[used++] = {number, sector};
  }
  for (const Line& line : std::span(lines).first(used))
    request(cached_ ? cache_.fetch(line.number, line.sectors) : line.sectors, counts);
}

}  // namespace fathom
