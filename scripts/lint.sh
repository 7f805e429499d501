#!/usr/bin/env bash
# clang-tidy over fathom/, cli/ and bench/papers/ with the commands of build/asan, which joins files,
# after a look at the scripts by shellcheck (--scripts stops there). --changed looks only at what
# differs from main: the sources themselves, or all of them where a header or .clang-tidy changed.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard 'scripts/*.sh' '.ci/run' 'examples/*.sbatch')
shellcheck "${scripts[@]}"

if [ "${1:-}" = --scripts ]; then exit 0; fi

database=build/asan/compile_commands.json
if [ ! -f "$database" ]; then
  echo "lint: no $database; run cmake --preset asan first" >&2
  exit 1
fi

sources() { git ls-files --cached --others --exclude-standard 'fathom/*.cpp' 'cli/*.cpp' 'bench/papers/*.cpp'; }
if [ "${1:-}" = --changed ]; then
  changed=$(git diff --name-only "$(git merge-base main HEAD)"; git ls-files --others --exclude-standard)
  if ! grep -qE '\.hpp$|^\.clang-tidy$' <<<"$changed"; then
    sources() { grep -E '^(fathom|cli|bench/papers)/.*\.cpp$' <<<"$changed" | sort -u || true; }
  fi
fi

# Only what that build compiles. Files that
# it joins are looked at joined: most of the time goes into what they include.
units() {
  python3 /dev/fd/3 "$database" 3<<'EOF'
import json, pathlib, re, sys
root = pathlib.Path.cwd()
joined = {}  # source -> the file it is compiled in
for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    unit = pathlib.Path(entry["directory"], entry["file"])
    if "Unity" in unit.parts:
        for name in re.findall(r'#include "(.+)"', unit.read_text()):
            joined[pathlib.Path(name)] = unit
    else:
        joined[unit] = unit
sources = [root / line for line in sys.stdin.read().split()]
for unit in dict.fromkeys(joined[s] for s in sources if s in joined):
    print(unit, end="\0")
EOF
}
list=$(mktemp)
trap 'rm -f "$list"' EXIT
sources | units >"$list"
echo "lint: ${#scripts[@]} scripts, $(tr -cd '\0' <"$list" | wc -c) compiled files"
# clang does not know every flag of g++; its warnings are the compiler's business, not tidy's. It
# counts them for each source all the same: lines that would hide a finding.
xargs -0 -r -n 1 -P "$(nproc)" clang-tidy --quiet -p build/asan \
  --checks=-bugprone-suspicious-include --extra-arg=-Wno-everything \
  <"$list" 2> >(grep -vE '^[0-9]+ warnings? generated' >&2)
