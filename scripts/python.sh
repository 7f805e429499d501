#!/usr/bin/env bash
# The Python package: python.sh lint | install | check | test | networkx | wheel.
#   lint     format, lint, types, and whether the reference page is up to date: of sources alone
#   install  builds it with build/release and installs it into build/python-venv
#   check    whether the files made of the module are up to date
#   test     its tests, its notebooks
#   networkx NetworkX's own tests through it
#   wheel    a wheel in build/dist that machines without Fathom's libraries can install
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/python-venv
python=$venv/bin/python

make_venv() {
  if cmp -s python/requirements-dev.txt "$venv/installed"; then return; fi
  echo "python: taking build tools and test libraries from PyPI into $venv (this directory only)" >&2
  mkdir -p build
  "${PYTHON:-/usr/bin/python3}" -m venv "$venv"
  "$python" -m pip install --quiet --disable-pip-version-check -r python/requirements-dev.txt
  cp python/requirements-dev.txt "$venv/installed"
}

# The library and the command as `make build` makes them, and the module beside them. What the cache
# says of tests and examples stays.
install() {
  make_venv
  local kept=()
  for option in FATHOM_BUILD_TESTS FATHOM_BUILD_EXAMPLES FATHOM_BUILD_TOOLS; do
    local value
    value=$(sed -n "s/^$option:BOOL=//p" build/release/CMakeCache.txt 2>/dev/null || true)
    kept+=("--config-settings=cmake.define.$option=${value:-OFF}")
  done
  "$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --force-reinstall --config-settings=build-dir=build/release --config-settings=cmake.define.FATHOM_STATIC_DEPENDENCIES=OFF \
    --config-settings=cmake.define.FATHOM_CUDA="${FATHOM_CUDA:-auto}" "${kept[@]}" .
  echo "python: installed; try $python -c 'import fathom; help(fathom)'"
}

lint() {
  make_venv
  "$python" -m ruff format --check --quiet python examples/python bench/python
  "$python" -m ruff check --quiet python examples/python bench/python
  "$python" -m mypy --strict python/fathom python/_fathom_nx examples/python
  "$python" python/make_reference.py --check
}

check() {
  "$python" python/make_algorithms.py --check
  "$python" python/make_stubs.py --check
}

run_tests() {
  "$python" -m pytest -q -n 2 python/tests "$@"
}

# NetworkX's own, with the backend in the place of its functions.
run_networkx() {
  "$python" python/tests/networkx_suite.py
}

wheel() {
  make_venv
  "$python" -m build --wheel --no-isolation -o build/dist .
  ls -l build/dist/*.whl
}

case ${1:-} in
  lint) lint ;;
  install) install ;;
  check) check ;;
  test) shift; run_tests "$@" ;;
  networkx) run_networkx ;;
  wheel) wheel ;;
  *) echo "usage: $0 lint | install | check | test | networkx | wheel" >&2; exit 2 ;;
esac
