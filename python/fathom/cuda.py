"""Arrays in the memory of GPUs, without CuPy or PyTorch.

    ids = fathom.cuda.array(numpy_array)         # in the memory of GPU 0
    dyn.apply(insert=(ids, others))              # read where they are
    dyn.has_edges((ids, others)).to_numpy()      # answers stay there until they are copied

What DynamicGraph answers on a GPU is such an array. CuPy, PyTorch, JAX and Numba take it without a
copy (`cupy.asarray`, `torch.from_dlpack`), and theirs are taken likewise wherever an array on a GPU
is: by DLPack or `__cuda_array_interface__`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from .errors import UsageError

_KINDS = ("<i4", "<u4", "<i8", "<u8", "<f4", "<f8", "|b1")
_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


class Array:
    """An array in the memory of a GPU, contiguous. It owns the memory, and is whole: what reads it
    on any stream waits for nothing.

    shape, dtype:  as NumPy has them.
    device:        the ordinal of the GPU.
    """

    def __init__(self, core: _core.DeviceArray) -> None:
        self._core = core

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._core.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self._core.type)

    @property
    def device(self) -> int:
        return self._core.device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self._core.type,
            "data": (self._core.pointer, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }

    def __dlpack__(self, **options: Any) -> Any:
        return self._core.exported().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CUDA[0], self.device)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A copy in host memory."""
        values = np.empty(self.shape, dtype=self.dtype)
        self._core.to_host(values)
        return values

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<fathom.cuda.Array {list(self.shape)} of {self.dtype}, on GPU {self.device}>"


def array(values: Any, device: int = 0) -> Array:
    """A copy of an array in the memory of a GPU.

    values:  what NumPy makes an array of: integers or floats of 32 or 64 bits, or booleans.
    Raises UsageError for other types; DeviceError without a GPU; DoesNotFitError.
    """
    host = np.ascontiguousarray(values)
    if host.dtype.newbyteorder("<").str not in _KINDS:
        raise UsageError(
            "expected integers or floats of 32 or 64 bits, or booleans, found an array of "
            f"{host.dtype}"
        )
    return Array(_core.to_device(host.astype(host.dtype.newbyteorder("<"), copy=False), device))


class _View(NamedTuple):
    """Somebody's array on a GPU."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in values
    type: str
    owner: Any  # keeps it

    def column(self, name: str, at: int | None = None) -> Any:
        """As the core reads it; `at`: of two dimensions one column."""
        if len(self.shape) != (1 if at is None else 2):
            raise UsageError(f"{name}: expected one dimension, found {len(self.shape)}")
        pointer = self.pointer
        if at is not None:
            pointer += at * self.strides[1] * np.dtype(self.type).itemsize
        return _core.device_column(
            name, pointer, self.shape[0], self.strides[0], self.type, self.owner
        )


def _view_of(values: Any) -> _View | None:
    """None for what is not in the memory of a GPU."""
    its = getattr(values, "__cuda_array_interface__", None)
    if its is not None:
        if its.get("mask") is not None:
            raise UsageError("arrays on a GPU that have a mask are not taken")
        shape = tuple(its["shape"])
        size = np.dtype(its["typestr"]).itemsize
        strides = its.get("strides")
        if strides is None:
            of_values = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
        elif any(stride % size for stride in strides):
            raise UsageError(f"strides of {strides} bytes are no multiples of a value's {size}")
        else:
            of_values = tuple(stride // size for stride in strides)
        return _View(its["data"][0], shape, of_values, its["typestr"], values)
    if hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] in _CUDA:
        pointer, shape, of_values, kind, _, owner = _core.imported(values)
        return _View(pointer, tuple(shape), tuple(of_values), kind, owner)
    return None
