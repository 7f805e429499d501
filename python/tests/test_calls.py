"""Calls: threads, executors, forks, Ctrl-C, progress."""

from __future__ import annotations

import asyncio
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import fathom as fg


def test_threads_run_beside_each_other(kron: fg.Graph) -> None:
    expected = [fg.bfs(kron, source).values.tolist() for source in range(16)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda s: fg.bfs(kron, s).values.tolist(), list(range(16)) * 4))
    assert found == expected * 4


def test_the_lock_of_the_interpreter_is_released() -> None:
    graph = fg.generate("rmat", scale=15)
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    while time.monotonic() - began < 0.3:
        fg.bc(graph, k=16)
    done.set()
    thread.join()
    assert ticks > 20


def test_executors_of_asyncio(kron: fg.Graph) -> None:
    async def several() -> list[fg.Result]:
        return await asyncio.gather(*(asyncio.to_thread(fg.cc, kron) for _ in range(4)))

    values = [result.values.tolist() for result in asyncio.run(several())]
    assert values == [values[0]] * 4


def test_each_thread_has_its_own_device(kron: fg.Graph) -> None:
    def residency() -> str:
        return str(fg.cc(kron).report["residency"])

    with (
        fg.device(residency="stream", memory="8MiB"),
        concurrent.futures.ThreadPoolExecutor(1) as pool,
    ):
        assert pool.submit(residency).result() == "mapped"
        assert residency() == "stream"


def in_a_fork(graph: fg.Graph, queue: multiprocessing.Queue[list[int]]) -> None:
    queue.put(fg.bfs(graph, 0).values.tolist())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_can_go_on(kron: fg.Graph) -> None:
    expected = fg.bfs(kron, 0).values.tolist()  # its threads are there when the process forks
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[list[int]] = context.Queue()
    children = [context.Process(target=in_a_fork, args=(kron, queue)) for _ in range(3)]
    for child in children:
        child.start()
    found = [queue.get(timeout=60) for _ in children]
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    assert found == [expected] * 3
    assert fg.bfs(kron, 0).values.tolist() == expected


def refused_in_a_fork(graph: fg.Graph, queue: multiprocessing.Queue[str]) -> None:
    try:
        fg.bfs(graph, 0, device="cuda")
    except fg.DeviceError as error:
        queue.put(str(error))


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_after_a_gpu_was_used_is_refused(kron: fg.Graph) -> None:
    fg.bfs(kron, 0, device="cuda")
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[str] = context.Queue()
    child = context.Process(target=refused_in_a_fork, args=(kron, queue))
    child.start()
    assert "spawn" in queue.get(timeout=60)
    child.join(60)
    assert len(fg.bfs(kron, 0, device="cuda").values) == kron.vertices


LONG = """
import sys, time
import fathom as fg
g = fg.generate("rmat", scale=16)
fg.cc(g)
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(fg.cc(g).facts["components"], flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        "fg.bc(g)",
        "fg.harmonic(g)",
        "fg.pagerank(g, tol=1e-300, max_iter=10**9)",
        'fg.generate("rmat", scale=24)',
    ],
)
def test_ctrl_c_ends_a_call(work: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(LONG.format(work=work))],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    took = time.monotonic() - began
    assert int(child.stdout.readline()) > 0  # the graph still works
    assert child.wait(60) == 0
    assert took < 20


def test_progress_is_seen() -> None:
    seen: list[tuple[str | None, int, int, str]] = []
    fg._core.set_progress_hook(lambda *state: seen.append(state))
    try:
        fg.generate("rmat", scale=20)
    finally:
        fg.progress()
    if seen:  # work of more than a second
        assert seen[-1] == (None, 0, 0, "")
        phases = [state[0] for state in seen[:-1]]
        assert all(isinstance(phase, str) for phase in phases)


def test_an_error_of_the_progress_hook_ends_the_call() -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken hook")

    fg._core.set_progress_hook(broken)
    try:
        with pytest.raises(RuntimeError, match="broken hook"):
            fg.generate("rmat", scale=24)
    finally:
        fg.progress()


def test_the_command_is_installed(tmp_path: os.PathLike[str]) -> None:
    def fathom(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fathom", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    assert fathom("--version").stdout == f"fathom {fg.__version__}\n"
    assert fathom("generate", "rmat", "--scale", "6", "-o", "g.fg").returncode == 0
    assert "pagerank" in fathom("pagerank", "g.fg").stdout
    assert fathom("nothing").returncode == 2
    assert fathom("cc", "missing.fg").returncode == 74


def test_commands_raise_what_they_would_exit_with(kron: fg.Graph) -> None:
    assert kron.path is not None
    assert "components" in fg.command(["cc", kron.path])
    assert fg.command(["--version"]) == f"fathom {fg.__version__}\n"
    assert "Usage" in fg.command(["bfs", "--help"])
    with pytest.raises(fg.UsageError):
        fg.command(["cc", kron.path, "--no-such-option"])
    with pytest.raises(fg.IoError):
        fg.command(["cc", "/nowhere.fg"])
    with pytest.raises(fg.UsageError):
        fg.command([])


@pytest.mark.parametrize("work", ["fg.pagerank(g, tol=1e-9)", "list(fg.sweep(g))"])
def test_a_daemon_at_work_does_not_keep_the_interpreter_from_its_end(work: str) -> None:
    code = f"""
import threading, time
import fathom as fg
g = fg.generate("rmat", scale=14)
def forever():
    while True:
        {work}
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.5)
"""
    path = os.pathsep.join(sys.path)
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path})
    assert run.returncode == 0


def end_of(code: str) -> subprocess.CompletedProcess[str]:
    """A process that ends slowly: daemons go on while its modules are taken down."""
    slow = """
import os, sys, threading, time
import fathom as fg
from fathom import _core
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(1)
sys.slow = Slow()
"""
    path = os.pathsep.join(sys.path)
    return subprocess.run(
        [sys.executable, "-c", slow + code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_a_daemon_that_waits_for_the_lock_at_the_end() -> None:
    run = end_of("""
import atexit
g = fg.generate("rmat", scale=12)
def forever():
    while True:
        fg.pagerank(g, tol=1e-9)
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
sys.setswitchinterval(100)
atexit.register(sum, range(10**7))
""")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("seconds", [0.2, 3600])
def test_a_daemon_that_shows_its_progress_at_the_end(seconds: float) -> None:
    """A hook that comes to its end is waited for, one that does not is given up."""
    run = end_of(f"""
seen = threading.Event()
def slow(*_):
    seen.set()
    time.sleep({seconds})
    os.write(2, b"shown")
_core.set_progress_hook(slow)
def generate():
    fg.generate("rmat", scale=24)
threading.Thread(target=generate, daemon=True).start()
seen.wait()
""")
    assert run.returncode == 0, run.stderr
    assert ("shown" in run.stderr) == (seconds < 1)


def test_results_in_threads_are_dropped_anywhere(kron: fg.Graph) -> None:
    """Arrays whose last owner is another thread."""
    results = [fg.pagerank(kron).values for _ in range(8)]
    threads = [threading.Thread(target=results.pop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.isclose(fg.pagerank(kron).values.sum(), 1)


@pytest.mark.parametrize("name", ["source", "target"])
def test_no_vertices_are_not_all(name: str) -> None:
    with pytest.raises(fg.UsageError, match=f"{name}: no vertex is given"):
        fg.bc(fg.from_edges([(0, 1)]), **{name: []})
