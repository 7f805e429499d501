#!/usr/bin/env bash
# Builds the site of docs/ into build/site, without the network: by mkdocs from build/site-venv,
# which install-deps.sh --site makes. A link or an anchor that leads nowhere fails it.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdocs=build/site-venv/bin/mkdocs
if [ ! -x "$mkdocs" ]; then
  echo "site: $mkdocs is missing; 'make site' or scripts/install-deps.sh --site installs it" >&2
  exit 1
fi
export NO_MKDOCS_2_WARNING=1
"$mkdocs" build --strict  # --quiet would hide the warnings that fail it
echo "site: build/site/index.html (with search: python3 -m http.server -d build/site)"
