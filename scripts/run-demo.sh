#!/usr/bin/env bash
# Shows Fathom on a real graph: who depends on whom among the packages of this machine's own
# distribution, or of the bundled part of Debian where there is no package index.
set -euo pipefail
cd "$(dirname "$0")/.."
fathom=build/release/fathom
demo=build/demo
mkdir -p "$demo"
if [ ! -x "$fathom" ]; then
  echo "run-demo: $fathom is missing; 'make run' builds it" >&2
  exit 1
fi

# Runs a command, shows it, and the time it took.
step() {
  local began=$EPOCHREALTIME status=0
  printf '\n$ %s\n' "${*/#$fathom/fathom}"
  "$@" || status=$?
  awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "(%.3f s)\n", b - a }'
  if [ "$status" -ne 0 ]; then
    echo "run-demo: that failed (exit status $status)" >&2
    exit "$status"
  fi
}

have_index() { [ "$(apt-cache dumpavail 2>/dev/null | head -n 1000 | wc -l)" -eq 1000 ]; }

# An image without package lists can fetch them; without root or network, the bundled graph serves.
fetch_index() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    [ -t 0 ] || as_root+=(-n)
  fi
  echo "This machine has no package lists yet; running: ${as_root[*]} apt-get update"
  "${as_root[@]}" apt-get update -qq && have_index
}

edges=$demo/packages.tsv
if command -v apt-cache >/dev/null && { have_index || fetch_index; }; then
  echo "The graph: all packages this machine's apt knows, and what they name in Depends,"
  echo "Pre-Depends, Recommends and Suggests (apt-cache dumpavail)."
  apt-cache dumpavail | awk -f scripts/debian-graph.awk >"$edges"
else
  echo "No package index here: using the bundled part of Debian 12 (data/README.md)."
  gzip -dc data/debian-12-standard.tsv.gz >"$edges"
fi

graph=$demo/packages.fg
source=$(awk -F '\t' '
  BEGIN { split("gnome ubuntu-desktop kde-standard build-essential bash", wanted, " ") }
  { seen[$1] = 1 }
  END { for (i = 1; i in wanted; i++) if (wanted[i] in seen) { print wanted[i]; exit } }' "$edges")

step "$fathom" convert "$edges" -o "$graph" --directed --labels strings
step "$fathom" info "$graph"

printf '\nThe packages that matter most to the others:\n'
step "$fathom" pagerank "$graph" --top 10

printf '\nWhat installing %s can pull in, by distance:\n' "$source"
step "$fathom" bfs "$graph" --source "$source" -o "$demo/depths.tsv"

printf '\nIslands, and packages that all name each other in threes:\n'
step "$fathom" cc "$graph"
step "$fathom" tc "$graph"
printf '\nEverything above stays in %s/; build/release/fathom --help tells the rest.\n' "$demo"
