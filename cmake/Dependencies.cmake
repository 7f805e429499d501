# System packages only; nothing is downloaded. FATHOM_STATIC_DEPENDENCIES links the third-party
# libraries statically, for binaries that travel to machines without them.
include(FathomFindLibrary)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

if(FATHOM_STATIC_DEPENDENCIES)
  set(default_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  # Debian has no static fmt; its headers alone do as well.
  find_path(fmt_INCLUDE fmt/format.h REQUIRED)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_include_directories(fmt::fmt SYSTEM INTERFACE ${fmt_INCLUDE})
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
else()
  find_package(fmt 9 REQUIRED)
endif()
find_package(ZLIB REQUIRED)
if(FATHOM_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
fathom_find_library(zstd zstd.h zstd)
fathom_find_library(xxhash xxhash.h xxhash)
fathom_find_library(uring liburing.h uring)

set(FATHOM_DEPENDENCIES fmt::fmt ZLIB::ZLIB fathom_zstd fathom_xxhash fathom_uring
                        $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
set(FATHOM_TOOL_DEPENDENCIES fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11 fathom_uring ${CMAKE_DL_LIBS})

if(FATHOM_STATIC_DEPENDENCIES)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${default_suffixes})
endif()
