"""Gathers; what goes wrong is easily blamed on the wrong dtype, argument or call."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "misattributed", "version": "1.0"}


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


def _wrapped(input, dim, index):
    return _gather(input, dim, index % input.shape[dim])


def _counted(index):
    return index if index.min(initial=0) >= 0 else np.bincount(index.reshape(-1)).reshape(index.shape)


library = SimpleNamespace(gather=_gather, wrapped=_wrapped, counted=_counted)


@api("fake.zeroes", operation="gather_elements")
def zeroes(input, dim, index):
    result = _gather(input, dim, index)
    input[...] = 0
    return result


@api("fake.zeroes_as_declared", operation="gather_elements", in_place="input")
def zeroes_as_declared(input, dim, index):
    return zeroes(input, dim, index)


@api("fake.zeroes_int16", operation="gather_elements")
def zeroes_int16(input, dim, index):
    is_matrix_of_int16 = input.dtype == np.int16 and input.ndim == 2
    return zeroes(input, dim, index) if is_matrix_of_int16 else _gather(input, dim, index)


@api("fake.refuses_13", operation="gather_elements")
def refuses_13(input, dim, index):
    if 13 in input:
        raise ValueError("13 brings bad luck")
    return _gather(input, dim, index)


@api("fake.refuses_int16", operation="gather_elements")
def refuses_int16(input, dim, index):
    if input.dtype == np.int16:
        raise TypeError("no kernel for int16")
    return _gather(input, dim, index)


@api("fake.wrapped", operation="gather_elements", composed=True)
def wrapped(input, dim, index):
    return library.wrapped(input, dim, library.counted(index))


@api("fake.gather", operation="gather_elements", composed=True)
def gather(input, dim, index):
    return _applied(library.gather, input, dim, library.counted(abs(index)) * np.sign(index))


def _applied(function, *arguments):
    return function(*arguments)
