# System packages only; nothing is downloaded. FATHOM_STATIC_DEPENDENCIES links the third-party
# libraries statically, for binaries that travel to machines without them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

if(FATHOM_STATIC_DEPENDENCIES)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${CMAKE_FIND_LIBRARY_SUFFIXES})
endif()
find_package(ZLIB REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# Libraries that ship no CMake package on every distribution we support.
function(fathom_find_library target header library)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_LIBRARY ${library} REQUIRED)
  add_library(fathom_${target} INTERFACE IMPORTED)
  target_include_directories(fathom_${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(fathom_${target} INTERFACE ${${target}_LIBRARY})
endfunction()
fathom_find_library(zstd zstd.h zstd)
fathom_find_library(xxhash xxhash.h xxhash)
fathom_find_library(uring liburing.h uring)

set(FATHOM_DEPENDENCIES fmt::fmt ZLIB::ZLIB fathom_zstd fathom_xxhash fathom_uring
                        nlohmann_json::nlohmann_json)
set(FATHOM_TOOL_DEPENDENCIES fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)

if(FATHOM_PARALLEL STREQUAL "openmp")
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  list(APPEND FATHOM_DEPENDENCIES OpenMP::OpenMP_CXX)
endif()
