#!/usr/bin/env bash
# What a release consists of, in build/dist: the source as it is committed, and a .deb of the
# release build.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*kVersion.*"\(.*\)".*/\1/p' fathom/core/version.hpp)
mkdir -p build/dist
git archive --format=tar --prefix="fathom-$version/" HEAD | gzip -n >"build/dist/fathom-$version.tar.gz"
if ! git diff --quiet HEAD; then
  echo "dist: the tree differs from what is committed; the archive has what is committed" >&2
fi
cpack --config build/release/CPackConfig.cmake -B build/dist >/dev/null
rm -rf build/dist/_CPack_Packages
(cd build/dist && sha256sum "fathom-$version.tar.gz" fathom_"$version"_*.deb)
