"""The contract with a program that runs models: what it is given, and what its end and its files say.

``docs/export.md`` describes it for the program's author.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conformance.export.models import array_in
from conformance.outcomes.model import Died, Error, Hung, Outcome, Raised, Unsupported
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import returned, tensor_of
from conformance.processes.program import Exited, Limits, run_program
from conformance.specification.literals import Tensor
from conformance.worker.arrays import BITS_OF, carrier

PLACES = ("{model}", "{inputs}", "{outputs}")
"""What a command has in place of the paths of a call."""
SKIPPED = 77
"""The exit status of a program that does not support a model, as of tests in many build systems."""
_OUTPUT = "output_0"


@dataclass(frozen=True)
class Program:
    """A command with the places of its paths, its limits, and where its files are."""

    command: Sequence[str]
    limits: Limits
    workspace: Path
    """A folder for the inputs and results of models, which nobody else removes."""

    def run(self, folder: Path, dtype: str | None) -> Observation:
        """Run the model in a folder of an export; OSError if the program cannot be started.

        dtype: the expected one, in which bits are read if a .npy file cannot name it.
        """
        with tempfile.TemporaryDirectory(dir=self.workspace) as temporary:
            inputs, outputs = Path(temporary, "inputs"), Path(temporary, "outputs")
            outputs.mkdir()
            _write_inputs(folder / "test_data_set_0", inputs)
            places = dict(zip(PLACES, (str(folder / "model.onnx"), str(inputs), str(outputs)), strict=True))
            ended = run_program([*self._words(places)], self.limits)
            if isinstance(ended, Died | Hung):
                return Observation(ended)
            result = _read_output(outputs, dtype) if ended.status == 0 else None
        outcome = returned(result) if isinstance(result, Tensor) else _without_result(ended, result)
        return Observation(outcome, result if isinstance(result, Tensor) else None, round(ended.seconds, 7))

    def _words(self, places: dict[str, str]) -> Iterator[str]:
        for word in self.command:
            for place, path in places.items():
                word = word.replace(place, path)  # noqa: PLW2901
            yield word


def _write_inputs(tensors: Path, inputs: Path) -> None:
    """Each input as TensorProto, and as .npy, in which dtypes that NumPy lacks are their bits."""
    inputs.mkdir()
    for file in sorted(tensors.glob("input_*.pb")):
        shutil.copyfile(file, inputs / file.name)
        array = array_in(file)
        np.save(inputs / f"{file.stem}.npy", array.view(carrier(array.dtype.name)), allow_pickle=False)


def _read_output(outputs: Path, dtype: str | None) -> Tensor | str:
    """The tensor that a program wrote, or what is wrong with it."""
    protobuf, numpy = outputs / f"{_OUTPUT}.pb", outputs / f"{_OUTPUT}.npy"
    try:
        if protobuf.exists():
            return _tensor(array_in(protobuf), None)
        if numpy.exists():
            return _tensor(np.load(numpy, allow_pickle=False), dtype)
    except Exception as error:  # whatever a file of somebody else's program makes NumPy and onnx raise
        return f"its output cannot be read: {error}"
    return f"it exited with 0 but wrote neither {protobuf.name} nor {numpy.name}"


def _tensor(array: np.ndarray[Any, Any], dtype: str | None) -> Tensor:
    """dtype: that of bits, if the file cannot name it."""
    name = array.dtype.name
    if dtype in BITS_OF and array.dtype.itemsize == carrier(dtype).itemsize and array.dtype.kind in "uV":
        array, name = array.view(carrier(dtype)), dtype
    return tensor_of(np.ascontiguousarray(array.view(carrier(name))).reshape(array.shape), name)


def _without_result(ended: Exited, fault: Tensor | str | None) -> Outcome:
    if ended.status == 0:
        return Raised(Error("Output", f"{fault}; it printed: {ended.printed}", fault="adapter"))
    if ended.status == SKIPPED:
        return Unsupported(ended.printed or f"the program exited with {SKIPPED}")
    return Raised(Error(f"exit status {ended.status}", ended.printed or "without a message"))
