"""Bundles: many arrays handed to a compiled function as one pointer.

Numba passes a tuple of arrays by value: every array is seven numbers or more in every call, and a
search carries dozens of arrays. That costs little time when the code runs and most of the time when
it is compiled. A bundle is a named tuple laid out in memory once, array descriptors one after the
other; compiled functions take its address, and ``bundle.name`` reads the descriptor that is asked
for. Bundles may hold bundles. In Python a bundle has the attributes of its tuple.

The type of a bundle is the name of the tuple's class with the types of its fields: functions are
compiled, and found by :mod:`arcs.kernels.order.engine`, by that type. Arrays must be contiguous;
whether they may be written to is not looked at, so that code is not compiled twice for that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.numpy_support import from_dtype

__all__ = ["Bundle", "BundleType", "apart", "bundle"]

_Record = TypeVar("_Record", bound=tuple)
_WORD = ir.IntType(64)


class BundleType(types.Type):
    """Numba's type of a bundle: the record's name, and the name and type of each field."""

    def __init__(self, record: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.record = record
        self.fields = fields
        # The type's name becomes part of every symbol: keep it short.
        content = ", ".join(f"{name}: {kind}" for name, kind in fields)
        digest = hashlib.sha256(content.encode()).hexdigest()[:12]
        super().__init__(f"{record}_{digest}")

    def slot(self, name: str) -> tuple[types.Type, int]:
        """Type of a field, and the word at which it begins."""
        word = 0
        for field, kind in self.fields:
            if field == name:
                return kind, word
            word += _words(kind)
        raise AttributeError(name)


def _words(kind: types.Type) -> int:
    """Words of 8 bytes that a field takes."""
    return 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


class Bundle:
    """A named tuple of arrays, numbers and bundles, and where it lies in memory."""

    def __init__(self, record: Any) -> None:
        self._record = record
        kinds = tuple(map(_kind, record._fields, record))
        self._numba_type_ = _bundle_type(type(record).__name__, record._fields, kinds)
        words: list[int] = []
        for value in record:
            words += _describe(value)
        self._memory = np.array(words, dtype=np.int64)
        self._address = self._memory.ctypes.data

    def __getattr__(self, name: str) -> Any:
        if name == "_record" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._record, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._record)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy has arrays of its own, elsewhere in memory.
        return bundle, (self._record,)


def bundle(record: _Record) -> _Record:
    """The bundle of a named tuple (for type checkers, which know no compiled code: the tuple)."""
    nested = {
        name: bundle(value)
        for name, value in zip(record._fields, record, strict=True)  # type: ignore[attr-defined]
        if isinstance(value, tuple)
    }
    whole = record._replace(**nested) if nested else record  # type: ignore[attr-defined]
    return cast(_Record, Bundle(whole))


#: Bytes of which processors keep copies together (pairs of lines are fetched at once).
_TOGETHER = 128
#: Arrays of so many bytes have few neighbours.
_LARGE = 1 << 16


def apart(record: _Record) -> _Record:
    """The record with its arrays in places of their own.

    Small arrays lie close to each other, and to whatever else is small. Where two threads write to
    neighbours, each takes the line of memory away from the other all the time.
    """
    return _apart(record, {})


def _apart(record: Any, moved: dict[int, np.ndarray]) -> Any:
    fields = {}
    for name, value in zip(record._fields, record, strict=True):
        if isinstance(value, tuple) and value:
            fields[name] = _apart(value, moved)
        elif isinstance(value, np.ndarray) and value.nbytes < _LARGE:
            # Two arrays may be views of the same memory.
            place = value.ctypes.data
            if place not in moved:
                moved[place] = _moved(value)
            fields[name] = moved[place].view(value.dtype).reshape(value.shape)
    return record._replace(**fields)


def _moved(array: np.ndarray) -> np.ndarray:
    """A copy of an array's memory that begins a line and shares none."""
    room = np.empty(array.nbytes + 2 * _TOGETHER, np.uint8)
    start = -room.ctypes.data % _TOGETHER
    place = room[start : start + array.nbytes]
    place[:] = array.reshape(-1).view(np.uint8)
    return place


# Types are made once: to make them takes longer than a short search on a small table. Numba takes
# its time to compare types; all of these are there once, and so known by where they are.
_BUNDLE_TYPES: dict[tuple[Any, ...], BundleType] = {}


def _bundle_type(record: str, names: tuple[str, ...], kinds: tuple[types.Type, ...]) -> BundleType:
    key = (record, names, *map(id, kinds))
    found = _BUNDLE_TYPES.get(key)
    if found is None:
        found = BundleType(record, tuple(zip(names, kinds, strict=True)))
        _BUNDLE_TYPES[key] = found  # with the kinds, which thus stay where they are
    return found


@cache
def _array_type(dtype: np.dtype[Any], ndim: int) -> types.Array:
    return types.Array(from_dtype(dtype), ndim, "C")


def _kind(name: str, value: Any) -> types.Type:
    if isinstance(value, Bundle):
        return value._numba_type_
    if isinstance(value, np.ndarray):
        if not value.flags["C_CONTIGUOUS"]:
            raise ValueError(f"the array {name!r} of a bundle is not contiguous")
        return _array_type(value.dtype, value.ndim)
    if isinstance(value, float):
        return types.float64
    if isinstance(value, int | np.integer):
        return types.int64
    raise TypeError(f"a bundle cannot hold {name!r}, which is a {type(value).__name__}")


def _describe(value: Any) -> list[int]:
    """The words of a field: of an array, what Numba's own descriptor of it holds."""
    if isinstance(value, Bundle):
        return [value._address]
    if isinstance(value, np.ndarray):
        # It belongs to nobody; then its size, and where it is.
        place = value.ctypes.data
        return [0, 0, value.size, value.itemsize, place, *value.shape, *value.strides]
    if isinstance(value, float):
        return [int(np.float64(value).view(np.int64))]
    return [int(value)]


@typeof_impl.register(Bundle)
def _typeof(value, _context):
    return value._numba_type_


@register_model(BundleType)
class _Pointer(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.PointerType(_WORD))


@unbox(BundleType)
def _unbox(_kind, value, c):
    attribute = c.pyapi.object_getattr_string(value, "_address")
    address = c.pyapi.long_as_longlong(attribute)
    c.pyapi.decref(attribute)
    return NativeValue(c.builder.inttoptr(address, ir.PointerType(_WORD)))


@infer_getattr
class _Fields(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, kind, name):
        return dict(kind.fields).get(name)


@lower_getattr_generic(BundleType)
def _read(context, builder, kind, pointer, name):
    field, word = kind.slot(name)
    if isinstance(field, types.Array):
        value = _read_array(context, builder, field, pointer, word)
    else:
        value = _load_constant(builder, pointer, word, context.get_value_type(field))
    return impl_ret_borrowed(context, builder, field, value)


def _read_array(context, builder, kind, pointer, word):
    """Numba's descriptor of an array; of what it holds, only what is not known beforehand is read.

    The array belongs to nobody, and its last stride is the size of an item.
    """
    descriptor = context.get_value_type(kind)
    memory, parent, count, size, data, shape, strides = descriptor.elements
    ndim = kind.ndim
    item = ir.Constant(size, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    unknown = [ir.Constant(_WORD, ir.Undefined)] * (ndim - 1)
    known = [
        *(ir.Constant(memory, None), ir.Constant(parent, None)),
        *(ir.Constant(count, ir.Undefined), item),
        *(ir.Constant(data, ir.Undefined), ir.Constant(shape, ir.Undefined)),
        ir.Constant(strides, [*unknown, item]),
    ]
    whole = ir.Constant(descriptor, known)
    # Words follow _describe().
    lengths = [_load_constant(builder, pointer, word + 5 + i, _WORD) for i in range(ndim)]
    items = lengths[0] if ndim == 1 else _load_constant(builder, pointer, word + 2, count)
    parts = [(items, 2), (_load_constant(builder, pointer, word + 4, data), 4)]
    parts += [(length, (5, i)) for i, length in enumerate(lengths)]
    for i in range(ndim - 1):
        parts.append((_load_constant(builder, pointer, word + 5 + ndim + i, _WORD), (6, i)))
    for value, place in parts:
        whole = builder.insert_value(whole, value, place)
    return whole


def _load_constant(builder, pointer, word, kind):
    """Load a word, telling LLVM that it never changes.

    Otherwise every store into some array might have changed the descriptor of another: it would be
    read again in each turn of a loop, and the loop not be vectorised.
    """
    place = builder.gep(pointer, [ir.Constant(_WORD, word)])
    if kind != _WORD:
        place = builder.bitcast(place, kind.as_pointer())
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value
