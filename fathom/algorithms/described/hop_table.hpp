// How many vertices are how far away: what searches print.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fathom {

/// [h]: vertices at h hops, up to the farthest; kUnreached ones are left out.
std::vector<std::uint64_t> hop_counts(std::span<const std::uint32_t> hops);

/// A line for each number of hops, of which `heading` is the name; the middle of a long table is
/// left out.
std::string hop_table(const std::string& heading, std::span<const std::uint64_t> counts);

}  // namespace fathom
