// What is said of parts that were made.
#pragma once

#include <span>
#include <string>

#include "fathom/store/parts/part_layout.hpp"

namespace fathom::cli {

/// A line for each part and how they are used; or JSON, schema "fathom.partition/1"; or nothing.
void print_parts(std::span<const store::PartLayout> parts, const std::string& directory,
                 double seconds, bool json, bool quiet);

}  // namespace fathom::cli
