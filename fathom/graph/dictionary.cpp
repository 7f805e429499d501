#include "fathom/graph/dictionary.hpp"

#include <xxhash.h>

namespace fathom::graph {
Dictionary::Dictionary(std::size_t memory)
    : memory_(memory),
      entries_(std::min<std::size_t>(memory / kEntryCost + 1, 0xfffffffeu)),
      bytes_(memory) {
  grow_slots();
}

bool Dictionary::has_room(std::size_t label_bytes) const {
  return size_ < entries_.capacity() &&
         (size_ + std::size_t{1}) * kEntryCost + used_bytes_ + label_bytes <= memory_;
}

void Dictionary::grow_slots() {
  constexpr std::uint64_t kLeast = 1024;
  slot_count_ = std::max(kLeast, slot_count_ * 2);
  slots_ = {};
  slots_ = Pages<std::uint32_t>(slot_count_);
  for (std::uint32_t i = 0; i < size_; ++i) {
    std::uint64_t slot = slot_for(entries_.data()[i].hash);
    while (slots_.data()[slot] != 0) slot = (slot + 1) & (slot_count_ - 1);
    slots_.data()[slot] = i + 1;
  }
}

std::optional<std::uint32_t> Dictionary::number_of(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
  std::uint64_t slot = slot_for(hash);
  for (; slots_.data()[slot] != 0; slot = (slot + 1) & (slot_count_ - 1)) {
    const std::uint32_t number = slots_.data()[slot] - 1;
    if (entries_.data()[number].hash == hash && label(number) == text) return number;
  }
  if (!has_room(text.size())) {
    if (size_ > 0) return std::nullopt;
    if (text.size() > bytes_.capacity()) bytes_ = Pages<char>(text.size());
  }
  entries_.data()[size_] = {used_bytes_, static_cast<std::uint32_t>(text.size()), hash};
  std::copy(text.begin(), text.end(), bytes_.data() + used_bytes_);
  used_bytes_ += text.size();
  slots_.data()[slot] = ++size_;
  if (std::uint64_t{size_} * 2 > slot_count_) grow_slots();
  return size_ - 1;
}

std::vector<std::uint32_t> Dictionary::sorted() {
  slots_ = {};
  struct Key {
    std::uint64_t prefix;
    std::uint32_t number;
  };
  std::vector<std::uint32_t> order(size_);
  {
    Pages<Key> keys(size_);
    for (std::uint32_t i = 0; i < size_; ++i) keys.data()[i] = {prefix_of(label(i)), i};
    std::sort(keys.data(), keys.data() + size_, [this](const Key& a, const Key& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix : label(a.number) < label(b.number);
    });
    for (std::uint32_t i = 0; i < size_; ++i) order[i] = keys.data()[i].number;
  }
  return order;
}

}  // namespace fathom::graph
