#!/usr/bin/env python3
"""Checks how the sources include each other, so that the picture in fathom/README.md stays true:

- a folder of fathom/ includes only itself and folders above it in FOLDERS (multi and plan may
  include anything);
- the library knows neither the command nor the benchmarks; cli/shared/ and cli/machine/ no command,
  the benchmarks none either; no include runs up (..);
- no folder has more than CROWD source files side by side;
- public headers (.hpp) never include CUDA, and .cu/.cuh only what costs nvcc little;
- every header compiles on its own (.cuh where nvcc exists), the standard library's headers read
  already, which are most of what each would read; those that it names something of it includes, or
  one that it includes does.

`--self-test` shows that each rule catches an offender; `--no-compile` leaves the last rule out.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["core", "io", "generate", "graph", "store", "exec", "residency", "ops", "algorithms",
           "reorder", "memory", "dynamic", "multi", "plan"]
UNORDERED = {"multi", "plan"}
# What files whose names begin so may not include.
BENEATH = [("fathom/", ("cli/", "bench/", "tests/")),
           ("cli/", ("bench/", "tests/")),
           ("cli/shared/", ("cli/commands/",)),
           ("cli/machine/", ("cli/commands/",)),
           ("bench/", ("cli/commands/", "tests/"))]
CROWD = 30
ROOMS = ["fathom", "cli", "bench", "tests"]
SOURCES = (".hpp", ".cpp", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
CUDA = re.compile(r"^(cuda|cub/|thrust/|cooperative_groups|nv/|curand|device_launch_parameters)|\.cuh$")
HEAVY_CUDA = re.compile(r"^(thrust/|cub/|cooperative_groups|cuda/|nv/)")
# What kernels do without, and nvcc reads twice for each .cu file: formatting, JSON, streams, threads,
# and the operators of the host.
HOST_ONLY = re.compile(r"^(fmt/|nlohmann/|CLI/|(iostream|sstream|regex|thread|future|filesystem|ranges)$"
                       r"|fathom/ops/(advance|bucket|compute|gather|intersect|split_operators)\.hpp$)")
RUNTIME = "cuda_runtime_api.h"
# Headers of the standard library, and what of it headers name.
STANDARD = {
    "algorithm": "all_of any_of clamp copy copy_n copy_if count count_if equal fill fill_n find find_if "
                 "inplace_merge is_sorted lower_bound max max_element merge min minmax none_of nth_element "
                 "partition pop_heap push_heap remove remove_if reverse rotate set_intersection sort "
                 "stable_partition stable_sort transform unique upper_bound",
    "array": "array",
    "atomic": "atomic atomic_ref memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_one countr_zero endian has_single_bit "
           "popcount",
    "chrono": "chrono",
    "cmath": "ceil exp floor isfinite isinf isnan ldexp log log1p log2 lrint pow signbit sqrt",
    "concepts": "constructible_from convertible_to integral invocable same_as",
    "condition_variable": "condition_variable",
    "cstdlib": "free getenv malloc",
    "cstring": "memchr memcmp memcpy memmove memset strlen",
    "deque": "deque",
    "exception": "current_exception exception_ptr rethrow_exception",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "functional": "function hash reference_wrapper",
    "future": "async future launch promise",
    "iterator": "back_inserter",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "addressof make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex unique_lock",
    "new": "bad_alloc",
    "numeric": "accumulate exclusive_scan inclusive_scan iota partial_sum reduce",
    "optional": "nullopt optional",
    "queue": "priority_queue queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution",
    "ranges": "views",
    "set": "multiset set",
    "span": "as_bytes as_writable_bytes span",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "stop_token": "stop_source stop_token",
    "streambuf": "streambuf",
    "string": "string to_string",
    "string_view": "string_view",
    "system_error": "error_code system_error",
    "thread": "jthread thread",
    "tuple": "tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t invoke_result_t is_same_v is_trivially_copyable_v "
                   "remove_cvref_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "as_const exchange forward move pair swap",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}
# Headers that have, by the standard or wherever Fathom is built, all that these have.
BRINGS = {"string": ["string_view"], "map": ["utility"], "unordered_map": ["utility"],
          "vector": ["utility"], "memory": ["utility"], "optional": ["utility"], "tuple": ["utility"],
          "variant": ["utility"], "array": ["utility"], "algorithm": ["utility"],
          "functional": ["utility", "type_traits"], "concepts": ["type_traits"],
          "span": ["array", "type_traits"], "stdexcept": ["string", "exception"],
          "system_error": ["string", "stdexcept"], "future": ["memory", "mutex", "thread"],
          "condition_variable": ["mutex", "memory"], "mutex": ["chrono"]}
STD_NAME = re.compile(r"\bstd::(\w+)")
MAY_BE_HEAVY = "fathom/exec/cuda/array_ops.cu"
GXX = ["g++", "-std=c++20"]


def includes(path):
    """(line number, included name) of each include in the file."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1)


def folder_of(name):
    """The library folder of 'fathom/<folder>/...', None for other names and the umbrella header."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "fathom" else None


def check_include(name, included):
    """Why file `name` may not include `included`; None when it may."""
    if ".." in included.split("/"):
        return "an include names its file from the root of the project"
    for beneath, above in BENEATH:
        if name.startswith(beneath) and included.startswith(above):
            return f"{beneath} lies beneath {included[:included.rindex('/')]}/"
    folder, other = folder_of(name), folder_of(included)
    for unknown in {folder, other} - {None, *FOLDERS}:
        return f"fathom/{unknown}/ has no place in the order of folders"
    if folder and folder not in UNORDERED:
        if included == "fathom/fathom.hpp":
            return "the library does not include its umbrella header"
        if other and FOLDERS.index(other) > FOLDERS.index(folder):
            return f"{folder}/ may not include {other}/, which comes after it"
    if name.endswith(".hpp") and CUDA.search(included):
        if not ("/cuda/" in name and included == RUNTIME):
            return f"a .hpp never includes CUDA (in a cuda/ folder it may include {RUNTIME})"
    if name.endswith((".cu", ".cuh")) and HEAVY_CUDA.search(included) and name != MAY_BE_HEAVY:
        return f"<{included}> costs seconds of nvcc time; only {MAY_BE_HEAVY} may include it"
    if name.endswith((".cu", ".cuh")) and HOST_ONLY.search(included):
        return f"kernels do without {included}, which nvcc would read twice"
    return None


def sources(root, *endings, rooms=("fathom",)):
    return sorted(path for room in rooms for path in (root / room).rglob("*")
                  if path.name.endswith(endings))


def check_crowds(root):
    """Folders with too many files."""
    side_by_side = collections.Counter(path.parent.relative_to(root).as_posix()
                                       for path in sources(root, *SOURCES, rooms=ROOMS))
    return [f"{folder}/ has {files} source files side by side, more than {CROWD}"
            for folder, files in sorted(side_by_side.items()) if files > CROWD]


def check_direction(root):
    problems = []
    for path in sources(root, *SOURCES, rooms=ROOMS):
        name = path.relative_to(root).as_posix()
        for number, included in includes(path):
            reason = check_include(name, included)
            if reason:
                problems.append(f"{name}:{number}: includes {included}: {reason}")
    return problems


def check_standard(root):
    """Names of the standard library that neither a header nor what it includes includes a header for."""
    headers = {path.relative_to(root).as_posix(): path for path in sources(root, ".hpp")}
    reached = {}

    def reach(name):
        """All that is included by the way of a header."""
        if name not in reached:
            reached[name] = set()  # includes that go round end here
            for _, included in includes(headers[name]) if name in headers else []:
                reached[name] |= {included} | reach(included)
            for included in list(reached[name]):
                reached[name].update(BRINGS.get(included, []))
        return reached[name]

    problems = []
    for name, path in headers.items():
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        needed = {HEADER_OF[n]: n for n in STD_NAME.findall(text) if n in HEADER_OF}
        problems += [f"{name}: names std::{needed[header]} and does not include <{header}>"
                     for header in sorted(needed.keys() - reach(name))]
    return problems


def compile_alone(root, path, standard):
    """The compiler's message when the header does not compile on its own, None otherwise."""
    name = path.relative_to(root).as_posix()
    include = f'#include "{name}"\n'
    if name.endswith(".cuh"):
        with tempfile.NamedTemporaryFile("w", suffix=".cu") as unit:
            unit.write(include)
            unit.flush()
            run = subprocess.run(["nvcc", "-std=c++20", "-arch=sm_90", "-I", str(root), "--ptx",
                                  "-o", os.devnull, unit.name], capture_output=True, text=True)
    else:
        nvcc = shutil.which("nvcc")
        runtime = ["-isystem", str(pathlib.Path(nvcc).parent.parent / "include")] if nvcc else []
        run = subprocess.run([*GXX, "-fsyntax-only", "-include", standard, "-I", str(root), *runtime,
                              "-x", "c++", "-"], input=include, capture_output=True, text=True)
    return None if run.returncode == 0 else f"{name}: does not compile on its own\n{run.stderr}"


def check_self_contained(root):
    endings = [".hpp"] + ([".cuh"] if shutil.which("nvcc") else [])
    headers = sources(root, *endings)
    if not shutil.which("nvcc"):  # nor, then, the headers of the runtime
        headers = [h for h in headers if h.parent.name != "cuda"]
    with tempfile.TemporaryDirectory() as scratch, \
         concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        standard = os.path.join(scratch, "standard.hpp")
        with open(standard, "w", encoding="utf-8") as file:
            file.writelines(f"#include <{header}>\n" for header in STANDARD)
        subprocess.run([*GXX, "-x", "c++-header", standard, "-o", standard + ".gch"], check=True)
        return [p for p in pool.map(lambda h: compile_alone(root, h, standard), headers) if p]


def self_test():
    """Each rule refuses its offender, and lets its neighbour pass."""
    cases = [
        ("fathom/core/a.hpp", "fathom/io/reader.hpp", False),
        ("fathom/io/a.cpp", "fathom/core/error.hpp", True),
        ("fathom/io/a.cpp", "fathom/io/reader.hpp", True),
        ("fathom/plan/a.cpp", "fathom/multi/b.hpp", True),
        ("fathom/ops/a.hpp", "fathom/fathom.hpp", False),
        ("fathom/surprise/a.hpp", "vector", False),
        ("fathom/exec/a.hpp", "cuda_runtime.h", False),
        ("fathom/exec/a.hpp", "fathom/exec/cuda/b.cuh", False),
        ("fathom/exec/a.hpp", RUNTIME, False),
        ("fathom/exec/cuda/a.hpp", RUNTIME, True),
        ("fathom/exec/cuda/a.hpp", "cuda_runtime.h", False),
        ("fathom/exec/cuda/a.cu", "cuda_runtime.h", True),
        ("fathom/ops/cuda/a.cu", "cub/cub.cuh", False),
        ("fathom/ops/cuda/a.cu", "cuda/atomic", False),
        (MAY_BE_HEAVY, "cub/cub.cuh", True),
        ("fathom/ops/cuda/a.cu", "fmt/format.h", False),
        ("fathom/ops/cuda/a.cuh", "thread", False),
        ("fathom/ops/cuda/a.cu", "fathom/ops/split_operators.hpp", False),
        ("fathom/ops/cuda/a.cu", "fathom/ops/in_chunk.hpp", True),
        ("fathom/ops/cuda/a.hpp", "thread", True),
        ("fathom/plan/a.cpp", "cli/shared/a.hpp", False),
        ("cli/shared/a.cpp", "cli/commands/a.hpp", False),
        ("cli/shared/a.cpp", "fathom/fathom.hpp", True),
        ("cli/commands/a.cpp", "cli/shared/a.hpp", True),
        ("cli/commands/a.cpp", "bench/papers/a.hpp", False),
        ("bench/papers/a.cpp", "cli/machine/a.hpp", True),
        ("bench/papers/a.cpp", "cli/commands/a.hpp", False),
        ("cli/commands/a/b.cpp", "../b.hpp", False),
    ]
    for name, included, allowed in cases:
        reason = check_include(name, included)
        assert (reason is None) == allowed, f"{name} including {included}: {reason}"
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        (root / "fathom/core").mkdir(parents=True)
        (root / "fathom/core/good.hpp").write_text("#include <vector>\ninline std::vector<int> g;\n")
        (root / "fathom/core/good_too.hpp").write_text(
            '#include "fathom/core/good.hpp"\ninline std::vector<int> too;  // no std::string\n')
        assert not check_self_contained(root) and not check_direction(root) and not check_standard(root)
        (root / "fathom/core/bad.hpp").write_text(
            '// comment\n#include "fathom/store/b.hpp"\ninline std::vector<int> b;\n')
        assert len(check_self_contained(root)) == 1, "a header that is not self-contained passed"
        problems = check_standard(root)
        assert problems == ["fathom/core/bad.hpp: names std::vector and does not include <vector>"], problems
        problems = check_direction(root)
        assert len(problems) == 1 and problems[0].startswith("fathom/core/bad.hpp:2:"), problems
        (root / "cli").mkdir()
        for number in range(CROWD):
            (root / f"cli/{number}.cpp").touch()
        assert not check_crowds(root)
        (root / "cli/one.hpp").touch()
        assert check_crowds(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        print("check_includes: self-test passed")
        return 0
    problems = check_direction(ROOT) + check_standard(ROOT) + check_crowds(ROOT)
    if not options.no_compile:
        problems += check_self_contained(ROOT)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"check_includes: {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
