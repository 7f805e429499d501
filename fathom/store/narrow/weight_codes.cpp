#include "fathom/store/narrow/weight_codes.hpp"

#include <algorithm>
#include <bit>

namespace fathom::store {

WeightCodes::WeightCodes() : slot_(kSlots) {}

std::size_t WeightCodes::slot_of(std::uint32_t bits) const {
  std::uint32_t at = bits * 0x9e3779b1u >> 14;  // the upper 18 bits
  static_assert(kSlots == 1u << 18);
  while (slot_[at].code != kFree && slot_[at].bits != bits) at = (at + 1) % kSlots;
  return at;
}

bool WeightCodes::add(std::span<const Weight> weight) {
  for (const Weight w : weight) {
    const auto bits = std::bit_cast<std::uint32_t>(w);
    Slot& slot = slot_[slot_of(bits)];
    if (slot.code != kFree) continue;
    if (values_.size() == kMostNarrowWeights) return false;
    slot = {bits, 0};
    values_.push_back(w);
  }
  return true;
}

void WeightCodes::number() {
  std::sort(values_.begin(), values_.end(), precedes);
  for (std::size_t i = 0; i < values_.size(); ++i)
    slot_[slot_of(std::bit_cast<std::uint32_t>(values_[i]))].code = static_cast<std::uint32_t>(i);
}

bool WeightCodes::codes(std::span<const Weight> weight, std::span<std::uint32_t> code) const {
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const Slot& slot = slot_[slot_of(std::bit_cast<std::uint32_t>(weight[i]))];
    if (slot.code == kFree) return false;
    code[i] = slot.code;
  }
  return true;
}

}  // namespace fathom::store
