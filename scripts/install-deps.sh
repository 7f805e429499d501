#!/usr/bin/env bash
# Installs the packages Fathom needs that are missing on a Debian or Ubuntu machine, and nothing
# else: install-deps.sh [--test] [--bench] [--mpi] [--site] [--dist] [--python] [--ci]. --mpi is what
# the preset mpi needs; --site what
# `make site` needs, with mkdocs from PyPI in build/site-venv; --dist what `make dist` needs; --python
# what `make python` needs (scripts/python.sh takes the rest from PyPI); --ci what every check needs. When nothing is missing it only asks dpkg and changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kMinCmake=3.25

packages=(g++ ninja-build pkg-config libcli11-dev libfmt-dev nlohmann-json3-dev libzstd-dev
  zlib1g-dev libxxhash-dev liburing-dev)
test_packages=(libgtest-dev librapidcheck-dev spin libboost-graph-dev python3 python3-scipy
  python3-networkx python3-jsonschema python3-yaml)
bench_packages=(libbenchmark-dev)
mpi_packages=(libopenmpi-dev openmpi-bin)
dist_packages=(dpkg-dev file)
python_packages=(python3-dev python3-venv)
site_packages=(python3 python3-venv doxygen)
ci_packages=(clang lld clang-format clang-tidy ccache mandoc shellcheck time python3 python3-venv)

want_test=false want_bench=false want_mpi=false want_site=false want_dist=false want_python=false want_ci=false
for argument in "$@"; do
  case $argument in
    --test) want_test=true ;;
    --bench) want_bench=true ;;
    --mpi) want_mpi=true ;;
    --site) want_site=true ;;
    --dist) want_dist=true ;;
    --python) want_python=true ;;
    --ci) want_test=true want_bench=true want_mpi=true want_python=true want_ci=true ;;
    *)
      echo "usage: $0 [--test] [--bench] [--mpi] [--site] [--dist] [--python] [--ci]" >&2
      exit 2
      ;;
  esac
done
if $want_test; then packages+=("${test_packages[@]}"); fi
if $want_bench; then packages+=("${bench_packages[@]}"); fi
if $want_mpi; then packages+=("${mpi_packages[@]}"); fi
if $want_site; then packages+=("${site_packages[@]}"); fi
if $want_python; then packages+=("${python_packages[@]}"); fi
if $want_dist; then packages+=("${dist_packages[@]}"); fi
if $want_ci; then packages+=("${ci_packages[@]}"); fi

# Where it is a package: a browser that looks at the pages of runs (tests/cli/test_report_page.py).
if $want_ci && command -v apt-cache >/dev/null && apt-cache show chromium >/dev/null 2>&1; then packages+=(chromium); fi

say() { echo "install-deps: $*" >&2; }

# True when $1 (a dotted version) is at least $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p'; }

# A cmake of our own from an earlier run (see install_cmake) counts as well.
PATH="$PWD/build/cmake-venv/bin:$PATH"
have_cmake() {
  local version
  version=$(cmake_version) && [ -n "$version" ] && at_least "$version" "$kMinCmake"
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Without apt only the presence of the tools can be checked; cmake names missing libraries.
  missing=()
  for tool in g++ ninja pkg-config; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  have_cmake || missing+=("cmake>=$kMinCmake")
  if [ ${#missing[@]} -gt 0 ]; then
    say "this system has no apt; install these yourself: ${missing[*]}"
    say "and the libraries CLI11, fmt >= 9, nlohmann-json, zstd, zlib, xxhash, liburing (for the" \
      "tests also GoogleTest, rapidcheck, Boost.Graph, SciPy, NetworkX, jsonschema)"
    exit 1
  fi
  say "no apt here: nothing installed; the libraries are checked when cmake configures"
  exit 0
fi

# Packages out of the arguments that dpkg does not list as installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  local package
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    say "not root and no sudo: run as root: $*"
    exit 1
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

lists_are_fresh=false
apt_install() {
  if ! $lists_are_fresh; then
    say "running: apt-get update"
    as_root apt-get update -qq >&2
    lists_are_fresh=true
  fi
  say "running: apt-get install -y --no-install-recommends $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

install_cmake() {
  local candidate
  candidate=$(apt-cache policy cmake | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
  if [ -n "$candidate" ] && at_least "$candidate" "$kMinCmake"; then
    apt_install cmake
    return
  fi
  say "this release offers cmake ${candidate:-none}, Fathom needs $kMinCmake:" \
    "taking cmake from PyPI into build/cmake-venv (this directory only)"
  local venv
  mapfile -t venv < <(missing_packages python3 python3-venv)
  if [ ${#venv[@]} -gt 0 ]; then apt_install "${venv[@]}"; fi
  mkdir -p build
  /usr/bin/python3 -m venv build/cmake-venv
  say "running: build/cmake-venv/bin/pip install 'cmake>=$kMinCmake,<4'"
  build/cmake-venv/bin/pip install --quiet "cmake>=$kMinCmake,<4" >&2
}

mapfile -t missing < <(missing_packages "${packages[@]}")
if [ ${#missing[@]} -gt 0 ]; then apt_install "${missing[@]}"; fi
if ! have_cmake; then
  # The candidate version is known only once the package lists are there.
  if ! $lists_are_fresh; then
    say "running: apt-get update"
    as_root apt-get update -qq >&2
    lists_are_fresh=true
  fi
  install_cmake
fi

# The site's tools, to the versions that docs/requirements.txt names.
if $want_site || $want_ci; then
  if ! cmp -s docs/requirements.txt build/site-venv/installed; then
    say "taking mkdocs from PyPI into build/site-venv (this directory only)"
    mkdir -p build
    /usr/bin/python3 -m venv build/site-venv
    say "running: build/site-venv/bin/pip install -r docs/requirements.txt"
    build/site-venv/bin/pip install --quiet --disable-pip-version-check -r docs/requirements.txt >&2
    cp docs/requirements.txt build/site-venv/installed
  fi
fi

# The sanitizer and fuzzer runtimes of the default clang; older releases ship them with clang.
if $want_ci; then
  major=$(clang --version | sed -n 's/.*version \([0-9]*\).*/\1/p' | head -n 1)
  runtime=libclang-rt-$major-dev
  if [ -n "$(missing_packages "$runtime")" ]; then
    if apt-cache show "$runtime" >/dev/null 2>&1; then apt_install "$runtime"; fi
  fi
fi
