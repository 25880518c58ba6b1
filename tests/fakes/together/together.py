"""Gathers rightly in eager mode; compiled, each API goes wrong in its own way, some of them only together with others or only alone.

What is compiled is written to the list ``compiled``: the number of the results of each function.
"""

from __future__ import annotations

import os
import time

import numpy as np

from conformance.adapter import NotExported, Unsupported, api

compiled = []
_under_way = {"results": 0, "mode": "eager", "called": 0, "lost": False}


def describe():
    return {"framework": "fake", "version": "1.0"}


def setup(device, mode):
    _under_way["mode"] = mode


def to_native(array, dtype):
    if _under_way["lost"]:
        raise RuntimeError("the device is lost")
    return array


def prepare(function, mode):
    return function if mode == "eager" else _Compiled(function, 1)


def prepare_together(function, mode):
    return _Compiled(function, None)


class _Compiled:
    """Like a compiled function: what goes wrong while it runs names no line."""

    def __init__(self, function, results):
        self.function = function
        self.results = results

    def __call__(self, **tensors):
        is_first = self.results is None or not compiled
        _under_way["results"] = self.results or len(tensors) // 2
        _under_way["called"] = 0
        failure = result = None
        try:
            result = self.function(**tensors)
        except ZeroDivisionError as error:  # of values, while it runs
            failure = str(error)
        finally:
            _under_way["results"] = 0
        if failure is not None:
            raise RuntimeError(failure)
        if is_first:
            compiled.append(len(result) if isinstance(result, tuple) else 1)
        return result


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    _under_way["called"] += 1
    return np.take_along_axis(input, index, dim)


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    return _gather(input, dim, index)


@api("fake.refused", operation="gather_elements")
def refused(input, dim, index):
    if _under_way["results"]:
        raise TypeError("cannot be compiled")
    return _gather(input, dim, index)


@api("fake.unlucky", operation="gather_elements")
def unlucky(input, dim, index):
    if _under_way["results"] and 13 in input:
        raise ZeroDivisionError("bad luck")
    return _gather(input, dim, index)


@api("fake.wrong", operation="gather_elements")
def wrong(input, dim, index):
    return _gather(input, dim, index) + (1 if _under_way["results"] else 0)


@api("fake.wrong_beside", operation="gather_elements")
def wrong_beside(input, dim, index):
    return _gather(input, dim, index) + (1 if _under_way["results"] > 1 else 0)


@api("fake.wrong_alone", operation="gather_elements")
def wrong_alone(input, dim, index):
    return _gather(input, dim, index) + (1 if _under_way["results"] == 1 else 0)


@api("fake.ahead", operation="gather_elements")
def ahead(input, dim, index):
    is_first = _under_way["results"] > 1 and not _under_way["called"]
    return _gather(input, dim, index) + (1 if is_first else 0)


@api("fake.ends", operation="gather_elements")
def ends(input, dim, index):
    if _under_way["results"] > 1 and 13 in input:
        os.abort()
    return _gather(input, dim, index)


@api("fake.hangs", operation="gather_elements")
def hangs(input, dim, index):
    if _under_way["results"] > 1 and 13 in input:
        time.sleep(1000)
    return _gather(input, dim, index)


@api("fake.hangs_anyhow", operation="gather_elements")
def hangs_anyhow(input, dim, index):
    if _under_way["results"] and 13 in input:
        time.sleep(1000)
    return _gather(input, dim, index)


@api("fake.loses", operation="gather_elements")
def loses(input, dim, index):
    if _under_way["results"] > 1 and 13 in input:
        _under_way["lost"] = True
        raise ZeroDivisionError("device-side assert")
    return _gather(input, dim, index)


@api("fake.hangs_alone", operation="gather_elements")
def hangs_alone(input, dim, index):
    if _under_way["results"] == 1:
        time.sleep(1000)
    return _gather(input, dim, index)


@api("fake.worn", operation="gather_elements")
def worn(input, dim, index):
    return _gather(input, dim, index) + (1 if _under_way["results"] > 1 and compiled else 0)


@api("fake.wrong_of_13", operation="gather_elements")
def wrong_of_13(input, dim, index):
    return _gather(input, dim, index) + (1 if _under_way["results"] and 13 in input else 0)


@api("fake.unexported", operation="gather_elements")
def unexported(input, dim, index):
    if _under_way["mode"] == "export" and _under_way["results"]:
        raise NotExported("no such operator")
    return _gather(input, dim, index)


@api("fake.formless", operation="gather_elements")
def formless(input, dim, index):
    raise Unsupported("no axis at all")
