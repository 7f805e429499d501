// What types and timestamps the edges of a file have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shared/report_json.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {

/// Which there are. Cost: a read of 20 bytes per edge.
struct FieldSummary {
  static constexpr std::size_t kMostTypes = 64;  // that are told

  /// Of t1 and of t2: the least and the largest, 0 without edges; of t2 among those that are not 0.
  struct Range {
    std::uint64_t first = 0, last = 0;
  };
  struct Type {
    std::uint32_t type = 0;
    std::uint64_t edges = 0;
  };
  Range t1, t2;
  std::uint64_t without_end = 0;  // edges whose t2 is 0
  std::uint64_t types = 0;        // distinct ones
  std::vector<Type> most;         // those of most edges, of as many the smaller ones, first
};

FieldSummary summarize_fields(store::Store& store);

std::string summary_of(const FieldSummary& fields);
Json json_of(const FieldSummary& fields);

}  // namespace fathom::cli
