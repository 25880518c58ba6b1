"""Run exported ONNX models with ONNX's own test runner on ONNX Runtime, and compare the outcomes with the results of a run.

    conformance export onnx DIR
    conformance run "onnxruntime[opset11]" "onnxruntime[opset12]" "onnxruntime[opset13]" "onnxruntime[opset16]" onnxruntime --output RUN
    python -m benchmarks.onnx_backend DIR RUN/results.jsonl [--values]

It needs the packages onnx and onnxruntime. The exit status is 1 if the runner and the adapter disagree about any case. ONNX
Runtime's own backend takes no arrays of bfloat16; with --values, tensors are passed as the adapter passes them.
"""

from __future__ import annotations

import argparse
import json
import sys
import unittest
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import onnxruntime.backend
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner
from onnxruntime.backend.backend import OnnxRuntimeBackend
from onnxruntime.backend.backend_rep import OnnxRuntimeBackendRep

from conformance.data_folders import adapters_folder
from conformance.results.file import read_results
from conformance.specification.dtypes import numpy_dtype
from conformance.worker.adapters import load
from conformance.worker.arrays import carrier

ADAPTER = load(str(adapters_folder() / "onnxruntime" / "adapter.py"))
Outcomes = dict[str, str]
"""By folder, ``pass`` or why not."""


def main() -> int:
    """Print the counts, and each disagreement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("--values", action="store_true")
    arguments = parser.parse_args()
    folder, backend = arguments.folder, WithValues if arguments.values else onnxruntime.backend
    onnxruntime.set_default_logger_severity(4)
    outcomes = {**returned(folder, backend), **raised(folder, backend)}
    cases = [
        case for name in ("index.json", "raises.json") for case in json.loads((folder / name).read_text())["cases"]
    ]
    print("ONNX's runner:", *Counter(text.partition(":")[0] for text in outcomes.values()).items())
    if arguments.results is None:
        return 0
    verdicts = dict(adapter_verdicts(arguments.results))
    pairs: Counter[tuple[str, str]] = Counter()
    for case in cases:
        outcome, verdict = outcomes[case["folder"]], verdicts[case["case"], case["opset"]]
        pairs[outcome.partition(":")[0], verdict] += 1
        if (outcome == "pass") != (verdict == "conforms"):
            print(f"{case['folder']}: {outcome.splitlines()[0]}; the adapter: {verdict}")
    for (outcome, verdict), count in pairs.most_common():
        print(f"{count} models: {outcome}, {verdict}")
    return int(any((outcome == "pass") != (verdict == "conforms") for outcome, verdict in pairs))


class WithValues(OnnxRuntimeBackend):  # type: ignore[misc] # an extra, without types
    """ONNX Runtime's backend with tensors as its adapter makes and reads them."""

    @classmethod
    def prepare(cls, model: Any, device: str, **options: Any) -> Any:
        prepared = super().prepare(model, device, **options)
        # A path or a model is prepared by another call of this method, with its session.
        return _Values(prepared) if isinstance(prepared, OnnxRuntimeBackendRep) else prepared


@dataclass
class _Values:
    """A prepared model."""

    prepared: OnnxRuntimeBackendRep

    def run(self, inputs: list[np.ndarray[Any, Any]]) -> list[Any]:
        session = self.prepared._session
        values = [ADAPTER.to_native(array.view(carrier(array.dtype.name)), array.dtype.name) for array in inputs]
        names = [value.name for value in session.get_inputs()]
        results = session.run_with_ort_values(None, dict(zip(names, values, strict=True)))
        return [array.view(numpy_dtype(dtype)) for array, dtype in map(ADAPTER.host_value, results)]


def returned(folder: Path, backend: Any) -> Outcomes:
    """The outcomes of the cases that must return."""
    runner = Runner(backend, __name__)
    for test in load_model_tests(str(folder), "returns"):
        runner._add_model_test(test, "Returns")
    tests = runner.test_cases["OnnxBackendReturnsModelTest"]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(tests)
    names = [
        name.removesuffix("_cpu")
        for name in unittest.defaultTestLoader.getTestCaseNames(tests)
        if name.endswith("_cpu")
    ]
    result = unittest.TestResult()
    suite.run(result)
    failed = {
        test.id().rpartition(".")[2].removesuffix("_cpu"): text for test, text in [*result.failures, *result.errors]
    }
    last = {name: text.strip().splitlines()[-1] for name, text in failed.items()}
    return {f"returns/{name}": f"fail: {last[name]}" if name in last else "pass" for name in names}


def raised(folder: Path, backend: Any) -> Outcomes:
    """The outcomes of the cases that must fail, which ONNX's runner does not know."""
    outcomes = {}
    for test in sorted((folder / "raises").iterdir()):
        control, case = error_of(test / "control", backend), error_of(test, backend)
        outcomes[f"raises/{test.name}"] = (
            "pass" if case and not control else f"blocked: {control}" if control else "returned instead of failing"
        )
    return outcomes


def error_of(folder: Path, backend: Any) -> str | None:
    """The error of loading and running a model; None if it returns."""
    try:
        model = backend.prepare(str(folder / "model.onnx"), "CPU")
        model.run([np.asarray(onnx.numpy_helper.to_array(onnx.load_tensor(str(path)))) for path in inputs(folder)])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def inputs(folder: Path) -> list[Path]:
    return sorted((folder / "test_data_set_0").glob("input_*.pb"))


def adapter_verdicts(file: Path) -> Iterator[tuple[tuple[str, int], Any]]:
    """By case and opset, the verdict of the adapter."""
    results = read_results(file)
    opsets = {target.id: int(target.mode.removeprefix("opset")) for target in results.targets}
    composed = {(mapping.target, mapping.api, mapping.operation) for mapping in results.mappings if mapping.composed}
    operations = {case.id: case.operation for case in results.cases.values()}
    for result in results.results:
        if (result.target, result.api, operations[result.case]) not in composed:
            yield (result.case, opsets[result.target]), result.verdict


if __name__ == "__main__":
    sys.exit(main())
