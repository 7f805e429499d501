// The files of a partition: their names in a directory, and how they are found there.
#pragma once

#include <string>

#include "fathom/store/parts/part_layout.hpp"

namespace fathom::store {

/// DIRECTORY/part-00000-of-00004.fg: index from 0.
FATHOM_API std::string part_path(const std::string& directory, std::uint32_t index,
                                 std::uint32_t parts);

/// The number of parts that names of files in a directory speak of; 0: there are no such files, or
/// no directory. @throws Error(BadInput) when they speak of several; Error(Io).
FATHOM_API std::uint32_t parts_in(const std::string& directory);

/// How parts are used, for messages: "`mpirun -n 4 fathom ALGORITHM DIR ...`".
std::string part_usage(const std::string& directory, std::uint32_t parts);

/// @throws Error(Usage): a file, or a directory, of parts cannot be used as a graph by itself.
[[noreturn]] void refuse_part(const std::string& path, const PartLayout& part);
[[noreturn]] void refuse_parts(const std::string& directory, std::uint32_t parts);

}  // namespace fathom::store
