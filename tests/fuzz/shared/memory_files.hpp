// Files of this process alone: what opens a name below kMemory, or maps or reads what it opened,
// calls the functions of memory_files.cpp in place of the system's (the linker's --wrap). A system
// call or a page fault costs more than most of what is fuzzed.
//
// Mapped, a file is its own bytes: what lies behind its end, to the end of a page too, is poisoned,
// which the system's mappings are not.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fathom::fuzzing {

/// Before every name. Directories are parts of names, and always there.
inline constexpr char kMemory[] = "/in-memory/";

/// The file of that name, made where there is none, with this content. Not while it is mapped.
void write_memory(const std::string& path, std::span<const std::byte> content);
/// Its bytes, until it is written or removed.
std::span<std::byte> memory_at(const std::string& path);
/// Whether it was there.
bool remove_memory(const std::string& path);

}  // namespace fathom::fuzzing
