// Which edges of a graph count, by the types and timestamps that edges have.
//
// An edge begins at t1 and ends at t2, or never where t2 is 0: what happens at one moment has t1
// alone. Windows are half-open, so that those that follow each other share no edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/graph/fields.hpp"

namespace fathom {

/// Types from `first` to `last`, both included.
struct TypeRange {
  std::uint32_t first = 0, last = 0;

  friend bool operator==(const TypeRange&, const TypeRange&) = default;
};

/// What an edge must be to be kept: all of what is given.
struct EdgeFilter {
  std::optional<std::uint64_t> since;  // it begins at or after this: since <= t1
  std::optional<std::uint64_t> until;  // it begins before this: t1 < until
  std::optional<std::uint64_t> at;  // it is there at this moment: t1 <= at, and at < t2 or t2 = 0
  std::vector<TypeRange> types;     // it has one of these types; empty: any

  bool keeps_all() const { return !reads_times() && types.empty(); }
  bool reads_times() const { return since || until || at; }

  bool keeps_times(std::uint64_t t1, std::uint64_t t2) const {
    return (!since || t1 >= *since) && (!until || t1 < *until) &&
           (!at || (t1 <= *at && (t2 == 0 || *at < t2)));
  }
  bool keeps_type(std::uint32_t type) const {
    return types.empty() || std::any_of(types.begin(), types.end(), [type](const TypeRange& r) {
             return r.first <= type && type <= r.last;
           });
  }
  bool keeps(const EdgeFields& f) const { return keeps_type(f.type) && keeps_times(f.t1, f.t2); }

  friend bool operator==(const EdgeFilter&, const EdgeFilter&) = default;
};

/// "1,2,7-9": numbers and ranges of them, in any order, joined where they touch.
/// @throws Error(Usage) that names what is wrong.
FATHOM_API std::vector<TypeRange> type_ranges(std::string_view text);

/// The filter in a few words: "t1 from 10, t1 before 20, types 1-2,7".
FATHOM_API std::string to_string(const EdgeFilter& filter);

}  // namespace fathom
