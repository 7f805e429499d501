"""Exceptions, one class for each exit status of the command (docs/reference/exit-status.md)."""

from __future__ import annotations

import contextvars
import errno
import keyword
import os
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .results import Result


class FathomError(Exception):
    """What went wrong; `status` is the command's exit status for it."""

    status = 1

    def __reduce__(self) -> Any:
        kept = {
            name: getattr(self, name) for name in _KEPT if getattr(self, name, None) is not None
        }
        return _restored, (type(self), self.args[:1], kept)


# Of an OSError.
_KEPT = ("errno", "strerror", "filename")


def _restored(kind: type[FathomError], args: tuple[Any, ...], kept: dict[str, Any]) -> FathomError:
    error = kind(*args)
    for name, value in kept.items():
        setattr(error, name, value)
    return error


class InternalError(FathomError, RuntimeError):
    """A broken promise inside Fathom: please report it."""


class UsageError(FathomError, ValueError):
    """An argument that makes no sense: a vertex that is not there, an option out of its range."""

    status = 2


class BadInputError(FathomError, ValueError):
    """A file, an array or a table whose content is not what it should be."""

    status = 3


class DoesNotFitError(FathomError, MemoryError):
    """A memory budget is too small; the message says what would do."""

    status = 4


class DeviceError(FathomError, RuntimeError):
    """A GPU is missing or failed."""

    status = 5


class VerificationError(FathomError, AssertionError):
    """A certificate refuted a result."""

    status = 6


class NotConvergedError(FathomError, ArithmeticError):
    """The limit of iterations was reached first; `result` is what there was by then (None where the
    exception comes from another process)."""

    status = 7

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


class IoError(FathomError, OSError):
    """The operating system refused to read or write: `errno`, `strerror` and `filename` as those of
    any OSError. A missing file is a FileNotFoundError too, one that may not be touched a
    PermissionError."""

    status = 74

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NotFoundError(IoError, FileNotFoundError):
    """There is no such file."""


class NotPermittedError(IoError, PermissionError):
    """A file that may not be read or written."""


class InterruptedByCaller(FathomError, KeyboardInterrupt):
    """Work was cancelled by other means than Ctrl-C, which raises KeyboardInterrupt itself."""

    status = 130


BY_STATUS = {
    error.status: error
    for error in (
        InternalError,
        UsageError,
        BadInputError,
        DoesNotFitError,
        DeviceError,
        VerificationError,
        NotConvergedError,
        IoError,
        InterruptedByCaller,
    )
}

_BY_ERRNO = {
    errno.ENOENT: NotFoundError,
    errno.EACCES: NotPermittedError,
    errno.EPERM: NotPermittedError,
}


def argument_name(option: str) -> str:
    """Of an option of the command, without dashes before it."""
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


# Of the command's options, which functions have as arguments; never a part of a path, nor of a
# command that a message names.
_OPTION = re.compile(r"`fathom [^`]*`|(?<![^ (`'])--([a-z][a-z-]*[a-z])(?=[ ,;:.)`']|$)")
# Whether messages are about a command line.
of_command: contextvars.ContextVar[bool] = contextvars.ContextVar("of_command", default=False)


def made(status: int, message: str, number: int = 0, path: str = "") -> FathomError:
    """The exception of an exit status; `number` is an errno, 0: there is none. Messages name the
    command's options as arguments."""
    if not number and not of_command.get():
        message = _OPTION.sub(lambda its: argument_name(its[1]) if its[1] else its[0], message)
    if not number:
        return BY_STATUS[status](message)
    error = _BY_ERRNO.get(number, IoError)(message)
    error.errno, error.strerror, error.filename = number, os.strerror(number), path
    return error
