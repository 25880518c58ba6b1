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
    return lambda **tensors: function(**tensors)()


@api("lazy.take", operation="gather_elements", follows="numpy.take_along_axis")
def take(input, dim, index):
    return lambda: np.take_along_axis(input, index, dim) + 1
"""


def test_the_script_of_a_lazy_framework_computes_its_graph(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(ADAPTER)
    case = "gather_elements.example.along-dim-0/as-printed"
    done = conformance("repro", case, "--target", "./lazy.py", "--api", "lazy.take", "--here", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "compiled = prepare(partial(take, dim=0), 'eager')" in done.out
    assert "got = compiled(input=input, index=index)" in done.out
