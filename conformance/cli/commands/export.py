"""``conformance export``: its commands with their arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.app.errors import ConformanceError
from conformance.cli.commands.completing import ids
from conformance.cli.commands.options import SELECTION, options

_follows = click.option(
    "--follows", multiple=True, metavar="API",
    help="Only what the documentation of this API promises, such as numpy.take; may be repeated.  "
         "[default: what no document contradicts]",
)  # fmt: skip


@click.group(name="export")
def command() -> None:
    """Write cases as the test data of other programs.

    \b
    conformance export cases DIR     as JSON and npz, for programs in any language
    conformance export pytest DIR    the same with a file of tests that needs NumPy and pytest alone
    conformance export onnx DIR      for runtimes of ONNX models, in any language
    """  # noqa: D301 - \b keeps click from rewrapping the paragraph


@command.command(name="cases")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, shell_complete=ids, metavar="[ID]...")
@options(*SELECTION, "draws", "seed")
@_follows
def cases(folder: Path, **parameters: Any) -> int:
    """Write cases to the new folder DIR: cases.jsonl has calls, expectations and claims, tensors.npz the tensors."""
    _check_folder(folder)
    from conformance.cli.export_cases import export_cases

    return export_cases(folder, tests=False, **parameters)


@command.command(name="pytest")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, shell_complete=ids, metavar="[ID]...")
@options(*SELECTION, "draws", "seed")
@_follows
def pytest_(folder: Path, **parameters: Any) -> int:
    """Write cases to the new folder DIR with test_cases.py, which tests functions of yours and needs NumPy and pytest alone."""
    _check_folder(folder)
    from conformance.cli.export_cases import export_cases

    return export_cases(folder, tests=True, **parameters)


@command.command(name="onnx")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, shell_complete=ids, metavar="[ID]...")
@options(*SELECTION)
@click.option("--dtype", "dtypes", multiple=True, metavar="DTYPE",
              help="Only models all of whose tensors have one of these dtypes; may be repeated.  [default: all]")  # fmt: skip
@click.option("--opset", "opsets", type=int, multiple=True, metavar="N",
              help="Write every case for this opset; may be repeated.  [default: one for each version of an operator]")  # fmt: skip
@options("draws", "seed")
def onnx(folder: Path, **parameters: Any) -> int:
    """Write cases of GatherElements, GatherND, ScatterElements and ScatterND as ONNX's backend tests to the new folder DIR.

    A test is a folder with model.onnx and test_data_set_0. DIR/returns has the cases that must return, with the expected
    results, and DIR/raises those that must fail. DIR/index.json and DIR/raises.json name clauses and sources. Only what the
    schemas of ONNX document is written. It needs the package onnx: pip install 'opconform[onnx]'
    """
    _check_folder(folder)
    try:
        from conformance.cli.export_onnx import export_onnx
    except ModuleNotFoundError as error:
        raise ConformanceError(
            f"export onnx: needs the package onnx ({error}); install it with: pip install 'opconform[onnx]'"
        ) from None
    return export_onnx(folder, **parameters)


def _check_folder(folder: Path) -> None:
    """Fail unless the folder is new or empty, so that no file of an earlier export is taken for one of this."""
    if folder.exists() and not folder.is_dir():
        raise ConformanceError(f"{folder}: is a file; expected a folder, which is created")
    if folder.is_dir() and any(folder.iterdir()):
        raise ConformanceError(f"{folder}: the folder is not empty; name a new one, or remove it")
