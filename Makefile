# Everyday commands; each works as the first one ever typed. The build itself is CMake's
# (CMakePresets.json); this file only adds the installation of what is missing.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 10
# A cmake from PyPI, where the system's is too old (scripts/install-deps.sh).
export PATH := $(CURDIR)/build/cmake-venv/bin:$(PATH)
# A first `make build` needs neither test libraries nor examples; it leaves those of an existing build
# alone.
alone = -DFATHOM_BUILD_TESTS=OFF -DFATHOM_BUILD_EXAMPLES=OFF
without_tests = $(if $(wildcard build/release/CMakeCache.txt),,$(alone))

.PHONY: help build test mpi run asan tsan fuzz lint format format-check includes docs test-install \
        site dist bench python wheel install clean deps deps-test deps-bench deps-mpi deps-site deps-dist \
        deps-python deps-ci

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z -]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps deps-test deps-bench deps-mpi deps-site deps-dist deps-python deps-ci:
	@scripts/install-deps.sh $(patsubst deps-%,--%,$(filter deps-%,$@))

build: deps ## install what is missing, build build/release/fathom
	cmake --preset release $(without_tests)
	cmake --build --preset release

test: deps-test ## install what is missing, build and run all tests
	cmake --preset release -DFATHOM_BUILD_TESTS=ON -DFATHOM_BUILD_EXAMPLES=ON $(TEST_OPTIONS)
	cmake --build --preset release
	ctest --preset release

mpi: deps-mpi ## install what is missing, build build/mpi/fathom, which works under mpirun
	cmake --preset mpi $(alone)
	cmake --build --preset mpi --target fathom

run: build ## analyse a real graph: the packages of this machine's distribution
	scripts/run-demo.sh

asan tsan: deps-ci ## build and run the tests under sanitizers
	cmake --preset $@
	cmake --build --preset $@
	ctest --preset $@

fuzz: deps-ci ## run every fuzz target for FUZZ_SECONDS (10)
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers
	scripts/fuzz.sh $(FUZZ_SECONDS)

lint: deps-ci ## clang-tidy and shellcheck
	cmake --preset asan
	scripts/lint.sh

format: deps-ci ## rewrite the sources with clang-format
	scripts/format.sh

format-check: deps-ci ## fail when a source is not formatted
	scripts/format.sh --check

includes: deps-ci ## include direction, self-contained headers, .cu includes
	scripts/check_includes.py

docs: deps-ci ## check links, paragraphs, the man page and generated pages
	scripts/check_docs.py
	bench/report.py --check

site: deps-site ## build the documentation as a site, in build/site
	scripts/site.sh

test-install: deps-test ## install to a scratch prefix, build examples/ against it
	scripts/test-install.sh

bench: deps-bench ## build the benchmarks: fathom-bench, fathom-micro
	cmake --preset release $(without_tests) -DFATHOM_BUILD_BENCH=ON
	cmake --build --preset release

python: deps-python ## build the Python package and install it into build/python-venv
	scripts/python.sh install

wheel: deps-python ## a wheel that other machines can install, in build/dist
	scripts/python.sh wheel

install: build ## install to PREFIX (/usr/local)
	cmake --install build/release --prefix $(PREFIX)

dist: build deps-dist ## a source archive and a .deb, in build/dist
	scripts/dist.sh

clean: ## remove build/
	rm -rf build
