"""APIs that are declared for an NPU: one that refuses every call on a CPU, and one that computes there all the same."""

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "other-devices", "version": "1.0"}


@api("fake.everywhere", operation="gather_elements")
def everywhere(input, dim, index):
    return np.take_along_axis(input, index, dim)


@api("fake.refuses", operation="gather_elements", devices=("npu",))
def refuses(input, dim, index):
    raise RuntimeError("no such kernel\nand a stack of calls")


@api("fake.interprets", operation="gather_elements", devices=("npu", "cpu[eager]"))
def interprets(input, dim, index):
    return np.take_along_axis(input, index, dim)


@api("fake.compiles", operation="gather_elements", devices=("npu", "cpu[graph]"))
def compiles(input, dim, index):
    raise RuntimeError("only a compiler has it")


@api("fake.computes", operation="gather_elements", devices=("npu", "gpu"))
def computes(input, dim, index):
    return np.take_along_axis(input, index, dim) + 1
