// What a .fg file says about itself, for people and as JSON; what info, generate and convert print.
#pragma once

#include <optional>
#include <string>

#include "cli/shared/report_json.hpp"
#include "fathom/store/degree_summary.hpp"
#include "fathom/store/parts/part_layout.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {

/// What the policies met in the input, and did about it.
std::string repairs_of(const store::Header& header);
/// Counts, direction, labels, policies and what they did, sections.
std::string summary_of(store::Store& store);
/// schema "fathom.info/1". `seconds`: how long it took to make, where that is known.
Json json_of(store::Store& store, std::optional<double> seconds = {});
/// Which part of a graph a file is, and whose lists it has.
Json json_of(const store::PartLayout& part);

std::string summary_of(const store::DegreeSummary& degrees, const std::string& direction);

std::string_view name_of(graph::Duplicates policy);
std::string_view name_of(graph::Loops policy);

}  // namespace fathom::cli
