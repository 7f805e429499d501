#!/usr/bin/env bash
# Installs the release build to a scratch prefix and uses it as a stranger would: examples/ as a
# project of its own through find_package, and one program through pkg-config. Then what a project
# makes of the sources that has them as a part, by FetchContent.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/test-install
rm -rf "$work"
mkdir -p "$work"

cmake --preset release >/dev/null
cmake --build --preset release
cmake --install build/release --prefix "$work/prefix" >/dev/null
if [ -x build/release/fathom-bench ]; then "$work/prefix/bin/fathom" bench list >/dev/null; fi

# A user's program: it calls into the library, so that linking is tested too.
cat >"$work/smoke.cpp" <<'CPP'
#include <fathom/core/version.hpp>
#include <fathom/fathom.hpp>
#include <iostream>

int main() {
  const fathom::Context ctx = fathom::Context::cpu();
  std::cout << fathom::kVersion << ' ' << ctx.devices().size() << '\n';
}
CPP
mkdir "$work/stranger"
cp examples/CMakeLists.txt "$work/stranger/"
find examples \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) -exec cp {} "$work/stranger/" \;
cp "$work/smoke.cpp" "$work/stranger/smoke.cpp"
cmake -S "$work/stranger" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build"
ctest --test-dir "$work/build" --output-on-failure  # the examples, a user's own algorithm among them

version=$(sed -n 's/.*kVersion.*"\(.*\)".*/\1/p' fathom/core/version.hpp)
expected="$version 1"
check() {
  local got
  got=$("$1")
  [ "$got" = "$expected" ] || { echo "$1 printed '$got', expected '$expected'" >&2; exit 1; }
}
check "$work/build/example_smoke"

# The .pc file finds the prefix from where it lies.
pc=$(dirname "$(find "$work/prefix" -name fathom.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs fathom)
# shellcheck disable=SC2086  # the flags are words
g++ "$work/smoke.cpp" -o "$work/smoke" $flags
check "$work/smoke"

# Neither the command nor tests are built then, and who links the library finds its headers. To
# compile all of it once more would take minutes: a file of each is enough.
mkdir "$work/outer"
cp "$work/smoke.cpp" "$work/outer/"
cat >"$work/outer/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(fathom SOURCE_DIR "$PWD")
FetchContent_MakeAvailable(fathom)
add_executable(outer smoke.cpp)
target_link_libraries(outer PRIVATE fathom::fathom)
foreach(target fathom-cli test_core example_own_algorithm)
  if(TARGET \${target})
    message(FATAL_ERROR "a part of another project builds \${target}")
  endif()
endforeach()
CMAKE
# One file of the library is enough, so it is compiled alone.
cmake -S "$work/outer" -B "$work/outer/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFATHOM_UNITY=off >/dev/null
ninja -C "$work/outer/build" CMakeFiles/outer.dir/smoke.cpp.o \
  _deps/fathom-build/CMakeFiles/fathom.dir/fathom/core/memory_pool.cpp.o
echo "test-install: find_package, pkg-config and FetchContent work"
