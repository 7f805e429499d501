// A link profile as people read it.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/exec/link_profile.hpp"

namespace fathom::cli {

/// All tables, with the meaning of each row.
std::string link_tables(const LinkProfile& profile);

/// One line: the rates that matter, and the best way to obtain host memory.
std::string link_summary(const LinkProfile& profile);

/// Seconds since the profile was measured; nothing for a time that cannot be read.
std::optional<std::int64_t> age_seconds(const LinkProfile& profile);

/// "3 days ago"
std::string age_text(std::int64_t seconds);

}  // namespace fathom::cli
