#include "fathom/dynamic/labels/label_table.hpp"

#include <random>

namespace fathom::dynamic {

LabelTable LabelTable::of(LabelSlot* slot, std::size_t slots) {
  static const std::uint64_t salt = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return {slot, slots - 1, salt};
}

}  // namespace fathom::dynamic
