#!/usr/bin/env bash
# Installs a wheel into fresh virtual environments, as a user without a compiler would, and runs what
# python/README.md shows and the package's tests there: test-wheel.sh WHEEL [PYTHON...]
# (interpreters; default: the python3.10 to python3.14 that are found).
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=${1:?usage: $0 WHEEL [PYTHON...]}
shift
interpreters=("$@")
if [ ${#interpreters[@]} -eq 0 ]; then
  for minor in 10 11 12 13 14; do
    if found=$(command -v "python3.$minor"); then interpreters+=("$found"); fi
  done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The tests, and what they look at.
cp --parents -r python/tests python/README.md README.md docs/guides/python.md scripts/check_guides.py \
  examples/python data "$work/"

for interpreter in "${interpreters[@]}"; do
  version=$("$interpreter" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  echo "==== Python $version, the wheel and what it needs alone"
  "$interpreter" -m venv "$work/venv"
  python=$work/venv/bin/python
  "$python" -m pip install --quiet --disable-pip-version-check "$wheel"
  "$python" -m pip list --disable-pip-version-check | sed 1,2d
  (
    cd "$work"
    # Nothing to compile with, and nothing of this directory on the path.
    export PATH=$work/venv/bin CXX=/nonexistent CC=/nonexistent
    "$python" -c 'import fathom, time; print("fathom", fathom.__version__, fathom.__file__)'
    "$python" - <<'EOF'
import subprocess, sys
timed = "import time; t = time.perf_counter(); import fathom; print(time.perf_counter() - t)"
runs = [subprocess.check_output([sys.executable, "-c", timed]) for _ in range(5)]
print(round(1000 * min(map(float, runs))), "ms to import it")
EOF
  )
  echo "==== Python $version, tests"
  "$python" -m pip install --quiet --disable-pip-version-check pytest pytest-timeout hypothesis scipy \
    networkx igraph pandas pyarrow polars
  (cd "$work" && "$python" -m pytest -q -p no:cacheprovider --tb=short python/tests)
  rm -rf "$work/venv"
done
