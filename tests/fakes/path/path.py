"""Gathers rightly in eager mode; exported, each API goes wrong in its own way."""

from __future__ import annotations

import numpy as np

from conformance.adapter import NotExported, Unsupported, api


def describe():
    return {"framework": "fake", "version": "1.0"}


def setup(device, mode):
    pass


def prepare(function, mode):
    if mode == "eager":
        return function
    exporter, runtime = STEPS.get(function.func.__name__, (as_it_is, as_it_is))

    def call(**tensors):
        try:
            model = exporter(function)
        except RuntimeError as error:
            function(**tensors)
            raise NotExported(f"RuntimeError: {error}") from error
        return runtime(model)(**tensors)

    return call


def intermediate(function, mode):
    exporter, _ = STEPS.get(function.func.__name__, (as_it_is, as_it_is))
    return exporter(function)


def as_it_is(function):
    return function


def backwards(function):
    return lambda **tensors: function(**tensors)[::-1].copy()


def negates(function):
    return lambda **tensors: -function(**tensors)


def clamps(function):
    return lambda input, index: function(input=input, index=np.clip(index, 0, len(input) - 1))


def refuses(function):
    raise RuntimeError("no such operator")


STEPS = {
    "refused": (refuses, as_it_is),
    "formless": (refuses, as_it_is),
    "reversed_by_exporter": (backwards, as_it_is),
    "reversed_by_runtime": (as_it_is, backwards),
    "changed_twice": (backwards, negates),
    "unchecked": (clamps, as_it_is),
}


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim)


@api("fake.refused", operation="gather_elements")
def refused(input, dim, index):
    return right(input, dim, index)


@api("fake.formless", operation="gather_elements")
def formless(input, dim, index):
    raise Unsupported("not in this form")


@api("fake.reversed_by_exporter", operation="gather_elements")
def reversed_by_exporter(input, dim, index):
    return right(input, dim, index)


@api("fake.reversed_by_runtime", operation="gather_elements")
def reversed_by_runtime(input, dim, index):
    return right(input, dim, index)


@api("fake.changed_twice", operation="gather_elements")
def changed_twice(input, dim, index):
    return right(input, dim, index)


@api("fake.unchecked", operation="gather_elements")
def unchecked(input, dim, index):
    return right(input, dim, index)


@api("fake.wrong", operation="gather_elements")
def wrong(input, dim, index):
    return right(input, dim, index)[::-1].copy()
