// Memory that is taken from the end of a region on, in steps of what a device maps at a time.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"

namespace fathom::dynamic {

/// Invariants: [mapped_from(), end of the region) is mapped; mapped_from() is a multiple of the
/// step, from() is at most a step above it; what lies from from() on counts against the limit.
class SteppedClaim {
 public:
  /// `end`: of the region, a multiple of `step`; `limit`: of what is used of it, at either end.
  SteppedClaim(std::uint64_t end, std::uint64_t step, std::uint64_t limit)
      : end_(end), step_(step), limit_(limit), from_(end), mapped_from_(end) {}

  std::uint64_t step() const { return step_; }
  std::uint64_t from() const { return from_; }
  std::uint64_t mapped_from() const { return mapped_from_; }
  /// Bytes that may still be taken while `front` bytes at the beginning are.
  std::uint64_t left(std::uint64_t front) const { return limit_ - (end_ - from_) - front; }

  /// Takes [begin, from()), and what lies before it in the same step as far as the limit allows.
  /// map(begin, end) maps steps, or throws. Returns from().
  /// @throws Error(DoesNotFit); nothing has changed then
  template <class Map>
  std::uint64_t claim(std::uint64_t begin, std::uint64_t front, const Map& map) {
    if (begin >= from_) return from_;
    const std::uint64_t room = left(front);
    if (from_ - begin > room)
      throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " + format_bytes(limit_) +
                                             " here, and " + format_bytes(front + end_ - begin) +
                                             " are needed");
    const std::uint64_t whole = begin / step_ * step_;
    if (whole < mapped_from_) map(whole, mapped_from_);
    mapped_from_ = whole < mapped_from_ ? whole : mapped_from_;
    from_ = from_ - whole <= room ? whole : begin;
    return from_;
  }

 private:
  std::uint64_t end_, step_, limit_, from_, mapped_from_;
};

}  // namespace fathom::dynamic
