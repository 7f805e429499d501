"""Where algorithms run and where edges live: `with fathom.device(...)`, or arguments of a call."""

from __future__ import annotations

import contextlib
import contextvars
import difflib
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypedDict

from .errors import UsageError


class Execution(TypedDict, total=False):
    """What every algorithm takes beside its own options, as the command's options of these names.

    `memory` bounds the memory of the device: that of the host on the CPU, of the card on a GPU.
    Sizes are numbers of bytes or texts such as "4GiB".
    """

    device: str  # "auto", "cpu", "cuda", "cuda:N", "cuda:N,N,..."
    memory: int | str
    host_memory: int | str
    device_memory: int | str
    residency: str  # "auto", "resident", "zerocopy", "managed", "stream"
    threads: int
    devices: int
    strategy: str
    chunks: int
    access: str
    id_bytes: int
    id_bits: int | str  # "auto", 16, 20, 24, 28 or 32
    packed: str  # "auto", "in-place", "unpacked"
    zerocopy: str
    cache: str
    cache_policy: str
    cache_size: int | str
    advice: str
    prefetch: str
    page_move: str
    technique: str
    page_size: int | str
    io: str
    io_depth: int
    ssd: str | list[str]
    # Which edges count, of a graph whose edges have types and timestamps: those that begin in
    # [since, until), that are there `at` a moment, and whose type is among some.
    since: int
    until: int
    at: int
    types: int | str | Iterable[int]  # 3, [1, 2], range(7, 10), "1,2,7-9"


NAMES = frozenset(Execution.__annotations__)
FILTERS = frozenset({"since", "until", "at", "types"})
_current: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar("fathom_device")


@contextlib.contextmanager
def device(name: str | None = None, **options: Any) -> Iterator[None]:
    """Runs algorithms on a device, within a memory, with edges in a residency:

        with fathom.device("cuda:0", memory="8GiB", residency="auto"):
            fathom.pagerank(g)

    Options are those of `Execution`; inner ones count before outer ones, and arguments of a call
    before both. Each thread, and each task of asyncio, has its own.
    Raises UsageError for an option there is not; what its value means is checked by the call.
    """
    _refuse_unknown(options)
    refuse_filters(options, "fathom.device")
    if name is not None:
        options["device"] = name
    before = dict(_current.get({}))
    if "device" in options:  # a bound of the memory of another device does not carry over
        for bound in ("memory", "device_memory"):
            before.pop(bound, None)
    token = _current.set({**before, **options})
    try:
        yield
    finally:
        _current.reset(token)


def words_of(options: Mapping[str, Any]) -> list[str]:
    """The command line that says the same, together with what `device` says. Raises UsageError for
    an option there is not."""
    _refuse_unknown(options)
    chosen = {**_current.get({}), **options}
    memory = chosen.pop("memory", None)
    if memory is not None:
        on_device = str(chosen.get("device", "")).startswith("cuda") or chosen.get("devices")
        chosen.setdefault("device_memory" if on_device else "host_memory", memory)
    words = []
    for option, value in chosen.items():
        if value is None:
            continue
        if option in FILTERS:
            value = _types(value) if option == "types" else _moment(option, value)
        for one in value if isinstance(value, list | tuple) else [value]:
            words += ["--" + option.replace("_", "-"), str(one)]
    return words


def refuse_filters(options: Mapping[str, Any], who: str) -> None:
    """Raises UsageError where options say which edges count, of who takes all of them."""
    for option in FILTERS & options.keys():
        if options[option] is not None:
            raise UsageError(f"{option}: {who} takes all edges; algorithms can be told which count")


def _moment(option: str, value: Any) -> str:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value < 2**64:
        raise UsageError(f"{option}: expected an integer from 0 to 2**64 - 1, found {value!r}")
    return str(operator.index(value))


def _types(value: Any) -> str:
    """As the command takes them, which says what is wrong."""
    if isinstance(value, str):
        return value
    if isinstance(value, range) and value.step == 1 and len(value) > 0:
        return f"{value[0]}-{value[-1]}"
    several = value if isinstance(value, Iterable) else [value]
    types = []
    for one in several:
        if isinstance(one, bool) or not hasattr(one, "__index__") or one < 0:
            raise UsageError(f"types: expected integers of at least 0, found {one!r}")
        types.append(str(operator.index(one)))
    if not types:
        raise UsageError("types: none are given")
    return ",".join(types)


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in NAMES:
            raise unknown_option(option, "execution", NAMES)


def unknown_option(option: str, whose: str, known: Collection[str]) -> UsageError:
    """That `whose` options are the known ones, and which of all there are was meant."""
    near = difflib.get_close_matches(option, {*known, *NAMES}, 1)
    meant = f" (did you mean '{near[0]}'?)" if near else ""
    message = f"there is no option '{option}'{meant}; {whose} has {', '.join(sorted(known))}"
    if whose != "execution":
        message += f"; and where it runs is said by {', '.join(sorted(NAMES))}"
    return UsageError(message)
