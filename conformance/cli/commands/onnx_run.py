"""``conformance onnx-run``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.app.errors import ConformanceError
from conformance.cli.commands.options import options


@click.command(name="onnx-run")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND {model} {inputs} {outputs}")
@click.option("--name", metavar="NAME", help="The name of the runtime in the results.  [default: that of the program]")
@click.option("--release", metavar="VERSION", help="The version of the runtime in the results.")
@click.option("--only", multiple=True, metavar="PATTERN",
              help="Run only the cases whose ids match; may be repeated.")  # fmt: skip
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Leave out the cases whose ids match; may be repeated."
)
@click.option("--exclude-dtype", "dtypes", multiple=True, metavar="DTYPE",
              help="Leave out the models that have a tensor of this dtype; may be repeated.")  # fmt: skip
@options("timeout")
@click.option("--memory", type=click.IntRange(min=16), default=4096, show_default=True, metavar="MIB",
              help="The largest memory of a process, in MiB.")  # fmt: skip
@click.option("--parallel", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="The number of processes at once.")  # fmt: skip
@click.option(
    "--known", type=click.Path(path_type=Path), metavar="FILE", help="A divergences.yaml of known divergences."
)
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR", help="Output folder, as of `run`.")
@options("fail_on", "quiet")
def command(folder: Path, command: tuple[str, ...], **parameters: Any) -> int:
    """Run any program on the models in DIR, which `export onnx` has written, and write the report.

    Each model is run in a process of its own: COMMAND, in which the paths of the model, of a folder with its inputs
    (input_0.npy and input_0.pb, ...) and of a folder for its result (output_0.npy or output_0.pb) replace {model}, {inputs} and {outputs}.
    It exits with 0 if it wrote the result, with 77 if it does not support the model, and with any other status after an error.

    \b
    conformance onnx-run DIR -- ./mine {model} {inputs} {outputs}
    """  # noqa: D301 - \b keeps click from rewrapping the paragraph
    known = parameters["known"]
    if known is not None and not known.is_file():
        raise ConformanceError(f"--known {known}: file not found; expected a divergences.yaml")
    try:
        from conformance.cli.onnx_run import onnx_run
    except ModuleNotFoundError as error:
        raise ConformanceError(
            f"onnx-run: needs the package onnx ({error}); install it with: pip install 'opconform[onnx]'"
        ) from None
    return onnx_run(folder, command, **parameters)
