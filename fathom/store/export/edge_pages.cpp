#include "fathom/store/export/edge_pages.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "fathom/store/export/writers.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kOffsetPiece = std::size_t{1} << 13;

template <class T>
void append_digits(T number, std::string& out) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace

void append_weight(Weight weight, std::string& out) {
  append_digits(weight, out);
}

void append_integer(std::uint64_t number, std::string& out) {
  append_digits(number, out);
}

bool EdgePages::next() {
  const EdgeId first = past_;
  const auto n =
      static_cast<std::size_t>(std::min<std::uint64_t>(page_edges_, lists_.edges() - first));
  past_ += n;
  target.resize(n);
  source.resize(n);
  weight.resize(lists_.weighted() ? n : 0);
  if (n == 0) return false;
  lists_.edges(first, target, weight);
  name_sources(first);
  return true;
}

void EdgePages::name_sources(EdgeId first) {
  for (std::size_t at = 0; at < source.size();) {
    if (vertex_ + 1 >= first_offset_ + offsets_.size()) {
      first_offset_ = vertex_;
      offsets_.resize(static_cast<std::size_t>(
          std::min<std::uint64_t>(kOffsetPiece, std::uint64_t{lists_.vertices()} + 1 - vertex_)));
      lists_.offsets(first_offset_, offsets_);
    }
    const EdgeId end = offsets_[static_cast<std::size_t>(vertex_ + 1 - first_offset_)];
    if (first + at >= end) {
      ++vertex_;
      continue;
    }
    const auto until =
        static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), end - first));
    std::fill(source.begin() + static_cast<std::ptrdiff_t>(at),
              source.begin() + static_cast<std::ptrdiff_t>(until), static_cast<VertexId>(vertex_));
    at = until;
  }
}

void each_offset_piece(StoredLists& lists, const Task& task,
                       FunctionRef<void(std::span<const EdgeId>)> visit) {
  std::vector<EdgeId> piece;
  const std::uint64_t last = lists.vertices();
  for (std::uint64_t first = 0; first < last; first += kOffsetPiece) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kOffsetPiece, last - first)) + 1);
    lists.offsets(first, piece);
    task.check();
    visit(piece);
  }
}

}  // namespace fathom::store
