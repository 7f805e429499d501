#!/usr/bin/env bash
# Formats all C++ and CUDA sources with clang-format; --check only reports, and fails on a difference.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run --Werror); fi
git ls-files -z --cached --others --exclude-standard '*.hpp' '*.cpp' '*.cu' '*.cuh' |
  xargs -0 -r -n 40 -P "$(nproc)" clang-format "${mode[@]}"
