"""A script calls what `prepare` returned, also in the only mode of an adapter without a target.toml."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import conformance

ADAPTER = """
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "numpy", "version": np.__version__, "immutable": True}


def prepare(function, mode):
    tensors = {name for name, value in function.keywords.items() if isinstance(value, np.ndarray)}
    assert not tensors
    return lambda **given: function(**given)()


@api("lazy.take", operation="gather_elements", follows="numpy.take_along_axis")
def take(input, dim, index):
    return lambda: np.take_along_axis(input, index, dim) + 1


@api("lazy.gather_nd", operation="gather_nd", follows="tf.gather_nd")
def gather_nd(params, indices):
    return lambda: params[tuple(np.moveaxis(indices, -1, 0))] + 1
"""


def test_the_script_of_a_lazy_framework_computes_its_graph(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(ADAPTER)
    case = "gather_elements.example.along-dim-0/as-printed"
    done = conformance("repro", case, "--target", "./lazy.py", "--api", "lazy.take", "--here", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "compiled = prepare(partial(take, dim=0), 'eager')" in done.out
    assert "got = compiled(input=input, index=index)" in done.out


def test_a_script_prepares_a_partial_function_also_if_it_binds_nothing(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(ADAPTER)
    case = "gather_nd.example.read-back-four-scalars/inferred"
    done = conformance("repro", case, "--target", "./lazy.py", "--api", "lazy.gather_nd", "--here", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "compiled = prepare(partial(gather_nd), 'eager')" in done.out
