// The page around a report: page.html with its styles and scripts in place, as
// cmake/EmbedPage.cmake joins them when the program is built.
#pragma once

#include <string_view>

namespace fathom::cli::page {

/// With the marks <!--@title-->, <!--@summary--> and <!--@report-->.
std::string_view html();

}  // namespace fathom::cli::page
