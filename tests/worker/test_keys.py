"""Keys travel as lists of items, and functions get what Python puts in brackets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.adapter import Api
from conformance.specification.indices.keys import key_of
from conformance.worker import arguments, frames
from conformance.worker.keys import Key, keyed, with_keys_of
from conformance.worker.programs import within

TEXTS = (
    *(
        "i, :, j",
        "1:",
        "1:,",
        ":",
        "::-1",
        "-3:9:2",
        "..., i",
        "None, ..., 0",
        "True",
        "False, i, None",
        "-1",
        "0,",
        "i",
    ),
    *("...", "None", "1:, None, True"),
)


def _key(text: str) -> Key:
    read = key_of(text)
    return Key(read.items, read.is_alone)


@pytest.mark.parametrize("text", TEXTS)
def test_a_key_comes_back_from_a_header_and_is_written_as_a_person_writes_it(text: str) -> None:
    key = _key(text)
    entries, parts = arguments.encode({"key": key})

    read = arguments.decode(frames.parse(frames.text({"arguments": entries}).encode())["arguments"], b"")
    assert parts == []
    assert read["key"] == key
    assert key.text == text


@pytest.mark.parametrize("text", TEXTS)
def test_a_function_gets_what_python_puts_in_brackets(text: str) -> None:
    class Taken:
        def __getitem__(self, key: Any) -> Any:
            return key

    i, j = np.array([1]), np.array(0)
    api = Api("x.get", "get", lambda data, key, i=None, j=None: key)
    made, given = keyed(api, {"data": 1, "key": _key(text)})
    taken = made.function(**given, i=i, j=j)
    wanted = eval(f"taken[{text}]", {"taken": Taken(), "i": i, "j": j})
    assert type(taken) is type(wanted)
    items, others = (one if isinstance(one, tuple) else (one,) for one in (taken, wanted))
    assert len(items) == len(others)
    assert all(
        one is other or (isinstance(one, slice) and one == other) for one, other in zip(items, others, strict=True)
    )


def test_a_function_of_any_arguments_gets_the_key_among_them() -> None:
    def function(**given: Any) -> Any:
        return given["key"], sorted(given)

    made, given = keyed(Api("x.get", "get", function), {"data": 1, "i": 2, "key": _key("i, None")})
    assert made.function(**given) == ((2, None), ["data", "i", "key"])
    made, given = keyed(
        Api("x.get", "get", lambda data, key, **others: (key, others)), given | {"key": _key("i, None")}
    )
    assert made.function(**given) == ((2, None), {"i": 2})


def test_a_program_gives_each_of_its_keys_by_its_text_and_with_its_own_tensors() -> None:
    def get(data: Any, i: Any, j: Any, key: Any, reduce: Any = None) -> Any:
        return [data, key, reduce]

    api, other = Api("x.get", "get", get), Api("x.of", "of", lambda data, key: [data, key])
    program = "def program(a, k0, k1, k2):\n    return [get(a, 1, 2, k0, k2), get(a, 3, 4, k1), of(a, k1)]\n"
    arguments_ = {"a": 0, "k0": _key("i, None, j"), "k1": _key("0"), "k2": _key("add")}
    made, given = keyed(api, arguments_)
    around = within(made, [made, with_keys_of(made, other)], {}, program)
    assert around.function(**given) == [[0, (1, None, 2), "add"], [0, 0, None], [0, 0]]


def test_a_program_around_other_keys_is_another_one() -> None:
    program = "def program(a, key):\n    return get(a, key)\n"
    for text, wanted in (("0", 0), ("1,", (1,))):
        made, given = keyed(Api("x.get", "get", lambda a, key: key), {"a": 0, "key": _key(text)})
        assert within(made, [made], {}, program).function(**given) == wanted
