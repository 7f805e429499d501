#!/usr/bin/env bash
# Runs the fuzz targets of build/fuzz from their committed corpora. A finding is kept in
# build/fuzz-findings/ and fails the run; what was learnt stays in build/fuzz-corpus/.
#
#   scripts/fuzz.sh [SECONDS]            every target for so long (default 10)
#   scripts/fuzz.sh --runs N [TARGET...] so many executions of each, or of those named
#   scripts/fuzz.sh --seconds N [TARGET...]
#   scripts/fuzz.sh --merge [TARGET...]  smallest inputs that cover as much, to tests/fuzz/corpus/
#   scripts/fuzz.sh --table              what all runs since --clean came to, as a table
#   scripts/fuzz.sh --clean              forgets what was learnt and counted
#
# JOBS=N runs so many targets at a time (default: one for each core). BUILD=DIR: another build; that
# of the preset asan does not tell libFuzzer where inputs lead.
# TIMEOUT=N: seconds of an input, where the machine has other work.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/fuzz}/fuzz
findings=build/fuzz-findings grown=build/fuzz-corpus committed=tests/fuzz/corpus
mkdir -p "$findings" "$grown"
shopt -s nullglob

mode=seconds amount=10
case ${1:-} in
  --runs | --seconds) mode=${1#--} amount=$2; shift 2 ;;
  --merge | --table | --clean) mode=${1#--}; shift ;;
  [0-9]*) amount=$1; shift ;;
esac
if [ $# -gt 0 ]; then targets=("$@"); else targets=("$build"/fuzz_*); fi
if [ ${#targets[@]} -eq 0 ]; then
  echo "fuzz: no targets in $build" >&2
  exit 1
fi
for i in "${!targets[@]}"; do
  targets[i]=${targets[i]##*/}
  targets[i]=${targets[i]#fuzz_}
done
export build findings grown committed mode amount

# Files that targets write stay in memory; most are not even files of the system.
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
  scratch=$(mktemp -d /dev/shm/fathom-fuzz-XXXXXX)
else
  scratch=$(mktemp -d)
fi
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

# Largest input of a target: enough for what it reads, small enough to be fast.
longest() {
  case $1 in
    store | streamed | rewrite | stripes) echo 512 ;;
    link_profile | rates) echo 4096 ;;
    *) echo 1024 ;;
  esac
}

# Runs a target. Inputs are small: what takes more than these is a finding, and so is more memory in all
# than tests/fuzz/shared/asan_options.cpp says. Without the entropic schedule, which takes longer than
# the small inputs themselves do: in the same time as much or more is reached without it.
target() {
  local name=$1
  shift
  "$build/fuzz_$name" -entropic=0 -timeout="${TIMEOUT:-10}" -rss_limit_mb=0 -malloc_limit_mb=256 -max_len="$(longest "$name")" "$@"
}

run_one() {
  local name=$1 log=$grown/$1.log
  mkdir -p "$grown/$name"
  local corpora=("$grown/$name") bound=-max_total_time=$amount
  if [ -d "$committed/$name" ]; then corpora+=("$committed/$name"); fi
  if [ "$mode" = runs ]; then bound=-runs=$amount; fi
  local status=0 spent
  # User and system time of the target alone.
  spent=$(
    TIMEFORMAT='%U %S'
    { time target "$name" "$bound" -print_final_stats=1 -artifact_prefix="$findings/$name-" "${corpora[@]}" >"$log" 2>&1; } 2>&1
  ) || status=$?
  local executions
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%s %s\n' "${executions:-0}" "$spent" >>"$grown/$name.counts"
  if [ "$status" -eq 0 ]; then
    echo "fuzz $name: $executions executions, $spent s of user and system time, no finding"
  else
    tail -n 40 "$log"
    echo "fuzz $name: FAILED, see $findings/"
    return 1
  fi
}

merge_one() {
  local name=$1 merged=$scratch/$1
  mkdir -p "$merged" "$committed/$name" "$grown/$name"
  # Inputs with a name of their own show what they are, and stay.
  local named=()
  for input in "$committed/$name"/*; do
    if [[ ! ${input##*/} =~ ^[0-9a-f]{40}$ ]]; then named+=("$input"); fi
  done
  if [ ${#named[@]} -gt 0 ]; then cp "${named[@]}" "$merged/"; fi
  target "$name" -merge=1 "$merged" "$committed/$name" "$grown/$name" \
    >"$grown/$name.merge.log" 2>&1
  rm -rf "${committed:?}/$name"
  mv "$merged" "$committed/$name"
  echo "fuzz $name: $(find "$committed/$name" -type f | wc -l) inputs"
}

table() {
  local all=0
  printf '| target | executions | per second of a core | corpus | findings |\n| --- | --- | --- | --- | --- |\n'
  for name in "${targets[@]}"; do
    local found=("$findings/$name"-*)
    awk -v name="$name" -v corpus="$(find "$committed/$name" -type f 2>/dev/null | wc -l)" -v found=${#found[@]} '
      { n += $1; s += $2 + $3 }
      END { printf "| %s | %d | %d | %d | %d |\n", name, n, (s > 0 ? n / s : 0), corpus, found }' \
      "$grown/$name.counts" 2>/dev/null || continue
    all=$((all + $(awk '{ n += $1 } END { print n }' "$grown/$name.counts")))
  done
  printf 'all: %d executions\n' "$all"
}

export -f run_one target longest
case $mode in
  table) table ;;
  clean) rm -rf "$grown" ;;
  merge) for name in "${targets[@]}"; do merge_one "$name"; done ;;
  *)
    scripts/check_fuzz.py
    printf '%s\0' "${targets[@]}" | xargs -0 -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_one "$@"' _ {}
    ;;
esac
