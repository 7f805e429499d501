#!/usr/bin/env bash
# Runs every fuzz target of build/fuzz for SECONDS (default 10), from its committed corpus; new
# inputs stay under build/. A finding is kept in build/fuzz-findings/ and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
findings=build/fuzz-findings
mkdir -p "$findings"
shopt -s nullglob

run_one() {
  local target=$1 seconds=$2 findings=$3
  local name=${target##*/fuzz_}
  local grown=build/fuzz-corpus/$name log=build/fuzz-corpus/$name.log
  mkdir -p "$grown"
  local corpora=("$grown")
  if [ -d "tests/fuzz/corpus/$name" ]; then corpora+=("tests/fuzz/corpus/$name"); fi
  if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/$name-" "${corpora[@]}" >"$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, no finding"
  else
    tail -n 40 "$log"
    echo "fuzz $name: FAILED, see $findings/"
    return 1
  fi
}
export -f run_one

targets=(build/fuzz/fuzz/fuzz_*)
if [ ${#targets[@]} -eq 0 ]; then
  echo "fuzz: no targets in build/fuzz/fuzz" >&2
  exit 1
fi
printf '%s\0' "${targets[@]}" |
  xargs -0 -P "$(nproc)" -I{} bash -c 'run_one "$@"' _ {} "$seconds" "$findings"
