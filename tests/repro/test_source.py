from __future__ import annotations

import textwrap

import pytest

from conformance.repro.errors import NoScript
from conformance.repro.source import AdapterSource
from conformance.worker.keys import Key

ADAPTER = textwrap.dedent(
    '''
    """A framework."""

    from __future__ import annotations

    import functools
    import frame
    import frame.numpy as fnp
    import numpy as np
    from frame import extra, other

    from conformance.adapter import Abstract, Unsupported, api

    WORDS = {"add": "sum"}


    def describe():
        return {"framework": "frame", "version": frame.__version__}


    def per_axis(indices: np.ndarray) -> tuple:
        return indices.unbind(-1)


    def grid(index, dim):
        columns = extra.grid(per_axis(index))
        columns[dim] = index
        return columns


    @api("frame.put", operation="scatter_nd")
    @functools.cache
    def put(indices, updates, shape):
        # Zeros first.
        return frame.put(frame.zeros(shape), indices, updates)


    @api("frame.scatter_", operation="scatter_elements")
    def scatter_(input, dim, index, src, reduce=None):
        """In place."""
        if reduce == "multiply":
            raise Unsupported("no multiplication")
        return input.scatter_(dim, index, src, reduce=WORDS.get(reduce))


    @api("frame.nd", operation="gather_elements")
    def nd(input, dim, index):
        return frame.nd(input, grid(index, dim))


    @api("frame.abstract", operation="gather_elements")
    def abstract(input, dim, index):
        return Abstract(index.shape, "float32")


    @api("frame.imports", operation="gather_elements")
    def imports(input, dim, index):
        from conformance import adapter
        return adapter


    @api("frame.partial", operation="gather_elements")
    def names_nothing(input, dim, index):
        return input


    put_again = api("frame.lambda", operation="scatter_nd")(lambda indices: indices)
    '''
)
SOURCE = AdapterSource(ADAPTER)


def test_a_function_is_quoted_as_it_stands_without_the_decorator_of_the_suite() -> None:
    assert SOURCE.definitions(["got = put(1, 2, 3)"]) == [
        "@functools.cache\n"
        "def put(indices, updates, shape):\n"
        "    # Zeros first.\n"
        "    return frame.put(frame.zeros(shape), indices, updates)"
    ]


def test_helpers_and_constants_come_along_with_those_that_they_need_in_the_order_of_the_file() -> None:
    first, second, third = SOURCE.definitions(["nd(input, 0, index)"])
    assert first.startswith("def per_axis(")
    assert second.startswith("def grid(")
    assert third.startswith("def nd(")
    assert SOURCE.definitions(["scatter_(input, 0, index, src)"])[1] == 'WORDS = {"add": "sum"}'


def test_an_exception_of_the_suite_is_defined_in_the_script() -> None:
    assert SOURCE.definitions(["scatter_(input, 0, index, src)"])[0] == "class Unsupported(Exception):\n    pass"


@pytest.mark.parametrize(
    ("call", "reason"),
    [("abstract(a, 0, b)", "uses Abstract from the suite"), ("imports(a, 0, b)", "imports conformance")],
)
def test_code_that_needs_more_of_the_suite_cannot_be_quoted(call: str, reason: str) -> None:
    with pytest.raises(NoScript, match=reason):
        SOURCE.definitions([call])


def test_only_the_imports_that_are_needed_are_quoted() -> None:
    assert SOURCE.imports(["frame.zeros(extra.one, np.int32)"]) == [
        "import frame",
        "import numpy as np",
        "from frame import extra",
    ]


def test_what_the_script_itself_uses_is_imported_too() -> None:
    assert AdapterSource("import frame").imports(["print(platform.system(), np.zeros(1))"]) == [
        "import platform",
        "import numpy as np",
    ]


def test_annotations_are_left_unevaluated_as_in_the_adapter() -> None:
    assert SOURCE.imports(SOURCE.definitions(["per_axis(index)"]))[0] == "from __future__ import annotations\n"


def test_the_name_of_a_function_is_read_from_its_source() -> None:
    assert SOURCE.function_name('    @api("frame.nd")\n    def nd(input, dim, index):\n        return input\n') == "nd"


@pytest.mark.parametrize("text", ["", "lambda indices: indices", "def elsewhere():\n    pass", "x = ("])
def test_only_a_function_of_the_file_can_be_quoted(text: str) -> None:
    with pytest.raises(NoScript, match="function"):
        SOURCE.function_name(text)


def test_the_modules_and_the_version_are_read_from_the_file() -> None:
    assert SOURCE.modules == ["frame", "fnp"]
    assert SOURCE.version == "frame.__version__"


def test_what_the_file_does_when_it_is_imported_is_done_by_the_script_in_the_same_place() -> None:
    source = AdapterSource(
        "import os\nos.environ.setdefault('DEVICE', 'CPU')\nimport frame\nframe.config['x64'] = True\nLIMIT = 3\n"
        "from conformance.worker import frames\nframes.frame = print\n\n\ndef gather(input):\n    return frame.gather(input)\n"
    )
    assert source.imports(["got = frame.gather(1)"]) == [
        "import os",
        "os.environ.setdefault('DEVICE', 'CPU')",
        "import frame",
        "frame.config['x64'] = True",
    ]


def test_a_variable_of_a_function_brings_no_helper_of_its_name() -> None:
    helper = "def bound(function):\n    return function\n\n\n"
    text = helper + "def first(item):\n    return [bound for bound in item] or (lambda bound: bound)(item)\n"
    source = AdapterSource(text + "def second(item):\n    return bound(item)\n")
    assert not [one for one in source.definitions(["first(1)"]) if one.startswith("def bound")]
    assert [one for one in source.definitions(["second(1)"]) if one.startswith("def bound")]


WIDE = Key(("i", slice(None), "j"))
KEYED = '''
import numpy as np


from conformance.adapter import api


@api("x.get", operation="get")
def get(input, i, j, key: object):
    return input[key]


@api("x.set", operation="set")
def set_(input, i, j, values, key, reduce=None):
    """Write é."""
    input[key] = values
    return input


@api("x.add", operation="add")
def add(input, i, j, key, values):
    np.add.at(input, key, values)
    return input


@api("x.of_i", operation="of_i")
def of_i(input, i, key):
    return input[key]


def other(input, key):
    return input[key]
'''


def test_a_key_stands_in_brackets_as_a_user_writes_it() -> None:
    source = AdapterSource(KEYED).with_keys([WIDE], is_given=False)
    assert source.without_key == {"get", "set_", "add"}
    assert source.definitions(["get(1)", "set_(1)", "add(1)", "of_i(1)", "other(1)"]) == [
        "def get(input, i, j):\n    return input[i, :, j]",
        'def set_(input, i, j, values, reduce=None):\n    """Write é."""\n    input[i, :, j] = values\n    return input',
        "def add(input, i, j, values):\n    np.add.at(input, np.s_[i, :, j], values)\n    return input",
        "def of_i(input, i, key):\n    return input[key]",
        "def other(input, key):\n    return input[key]",
    ]


def test_a_key_that_the_script_gives_stands_where_a_function_takes_it() -> None:
    source = AdapterSource(KEYED).with_keys([WIDE, Key(("i", None))], is_given=True)
    assert not source.without_key
    assert source.definitions(["get(1)", "of_i(1)"]) == [
        "def get(input, i, j, key: object):\n    return input[{'i, :, j': np.s_[i, :, j], 'i, None': np.s_[i, None]}[key]]",
        "def of_i(input, i, key):\n    return input[i, None]",
    ]


SHARED = textwrap.dedent(
    """
    import frame

    from conformance.adapter import Unsupported, api
    from conformance.worker.forms import one_part, only


    @api("frame.narrow", operation="basic_index_get")
    def narrow(input, key, i=None, j=None):
        only("i", i, None)
        if j is not None:
            raise Unsupported("no tensor")
        return one_part(key, input)


    @api("frame.take", operation="take")
    def take(input, index):
        return frame.take(input, index)
    """
)


def test_functions_that_adapters_share_are_quoted_with_what_they_need_and_run_without_the_suite() -> None:
    source = AdapterSource(SHARED)
    body = ["got = narrow((4, 5), (slice(None), slice(1, 3)))"]
    definitions = source.definitions(body)
    assert [text.partition("(")[0] for text in definitions] == [
        "class Unsupported", "def only", "def one_item", "def one_part", "def narrow",
    ]  # fmt: skip
    imports = source.imports([*definitions, *body])
    assert imports == ["from __future__ import annotations\n", "from typing import Any"]
    script = "\n".join([*imports, *definitions, *body])
    assert "conformance" not in script
    namespace: dict[str, object] = {}
    exec(script, namespace)
    assert namespace["got"] == (1, 1, 2)


def test_a_function_that_needs_none_of_what_adapters_share_brings_none() -> None:
    source = AdapterSource(SHARED)
    [take] = source.definitions(["take(input, index)"])
    assert source.imports([take]) == ["import frame"]


def test_a_function_that_adapters_share_can_be_quoted_only_under_its_own_name() -> None:
    source = AdapterSource(SHARED.replace("one_part, only", "one_part, only as just").replace("    only(", "    just("))
    with pytest.raises(NoScript, match="uses just from the suite"):
        source.definitions(["narrow(a, 0)"])
