"""Small things that the kernels share: bits, hashes, order of doubles."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from semantic_pubsub.matching.arrays.compiling import inner

__all__ = [
    "bit_count",
    "bits_of",
    "borrowed",
    "fetch",
    "find",
    "hash_slot",
    "insert_new",
    "lowest_bit",
    "lowest_bit_if_any",
    "order_key",
    "spot",
    "word_at",
]

spot: Any = np.uintp
"""An index that is never negative: without it numba prepares for counting from the end at every access."""


@intrinsic
def lowest_bit(_context: Any, _word: Any) -> Any:
    """The number of the lowest bit that is set in a 64-bit word."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit_if_any(_context: Any, _word: Any) -> Any:
    """The same for any word: 64 if no bit is set."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def bit_count(_context: Any, _word: Any) -> Any:
    """How many bits of a 64-bit word are set."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def bits_of(_context: Any, _number: Any) -> Any:
    """The 64 bits of a double as a signed integer."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def borrowed(_context: Any, array: Any) -> Any:
    """The same array without an owner: the kernels keep nothing, and counting references costs more than they do."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(target, builder, arguments[0])
        view.meminfo = target.get_constant_null(types.MemInfoPointer(types.voidptr))
        view.parent = target.get_constant_null(types.pyobject)
        return view._getvalue()

    return array(array), generate


@intrinsic
def word_at(_context: Any, _data: Any, _at: Any) -> Any:
    """Eight bytes of a byte array from any place on, as one word."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(target, builder, arguments[0])
        place = builder.gep(view.data, [arguments[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(_data, types.int64), generate


@intrinsic
def fetch(_context: Any, _array: Any, _at: Any) -> Any:
    """Ask for the memory of an array's element (of its row) before it is needed."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(target, builder, arguments[0])
        width = target.get_constant(types.intp, 1)
        if signature.args[0].ndim > 1:
            width = builder.extract_value(view.shape, 1)
        place = builder.gep(view.data, [builder.mul(arguments[1], width)])
        integer = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [ir.PointerType(), integer, integer, integer])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        byte = builder.bitcast(place, ir.PointerType())
        builder.call(function, [byte, integer(0), integer(3), integer(1)])
        return target.get_dummy_value()

    return types.void(_array, types.int64), generate


@inner
def order_key(number: float) -> int:
    """An integer that orders doubles as their values do, coarsened to 32 steps per power of two."""
    bits = bits_of(number + 0.0)
    if bits < 0:
        bits ^= 0x7FFFFFFFFFFFFFFF
    return bits >> 47


@inner
def hash_slot(key: int, mask: int) -> int:
    """Where a key would like to be in a table of a power of two."""
    return np.int64((np.uint64(key) * np.uint64(11400714819323198485)) >> np.uint64(24)) & mask


@inner
def find(keys: Any, values: Any, key: int) -> int:
    """The value of a key, or -1; open addressing, free places hold -1."""
    mask = len(keys) - 1
    at = hash_slot(key, mask)
    while True:
        there = keys[at]
        if there == key:
            return np.int64(values[at])
        if there < 0:
            return np.int64(-1)
        at = (at + 1) & mask


@inner
def insert_new(keys: Any, values: Any, key: int, value: int) -> None:
    """Add a key that is not there; the caller keeps the table half empty."""
    mask = len(keys) - 1
    at = hash_slot(key, mask)
    while keys[at] >= 0:
        at = (at + 1) & mask
    keys[at] = key
    values[at] = value
