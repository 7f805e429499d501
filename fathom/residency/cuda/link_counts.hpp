// What kernels counted of their reads over the link (ops/link_meter.hpp), in device memory.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>

#include "fathom/exec/context.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

class LinkCounts {
 public:
  /// Nothing is counted before begin().
  explicit LinkCounts(const Context& ctx) : ctx_(ctx) {}

  void begin() { begin(ctx_.devices()[0]); }
  void begin(const Device& device) {
    counts_ = Array<unsigned long long>(2, device.memory());
    const unsigned long long none = 0;
    ctx_.fill(device, counts_.data(), counts_.size(), &none, sizeof(none));
  }
  /// Reads of blocks of host memory count; those that are empty are left out. Device memory never
  /// lies between host blocks.
  LinkWindow window(std::initializer_list<std::span<const std::byte>> blocks) const {
    LinkWindow link{~std::uintptr_t{0}, 0, const_cast<unsigned long long*>(counts_.data())};
    for (const std::span<const std::byte> block : blocks) {
      if (block.empty()) continue;
      const auto first = reinterpret_cast<std::uintptr_t>(block.data());
      link.first = std::min(link.first, first);
      link.last = std::max(link.last, first + block.size());
    }
    return link;
  }
  Traffic traffic() const {
    Traffic sum;
    if (counts_.empty()) return sum;
    unsigned long long counts[2];
    ctx_.copy(counts, counts_.data(), sizeof(counts));
    sum.requests = counts[0];
    sum.bytes = counts[1];
    return sum;
  }

 private:
  const Context& ctx_;
  Array<unsigned long long> counts_;  // [2]: requests, bytes
};

}  // namespace fathom
