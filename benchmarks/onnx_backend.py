"""Run exported ONNX models with ONNX's own test runner on ONNX Runtime, and compare the outcomes with the results of a run.

    conformance export onnx DIR
    conformance run "onnxruntime[opset11]" "onnxruntime[opset12]" "onnxruntime[opset13]" "onnxruntime[opset16]" onnxruntime --output RUN
    python -m benchmarks.onnx_backend DIR RUN/results.jsonl

It needs the packages onnx and onnxruntime. The exit status is 1 if the runner and the adapter disagree about any case.
"""

from __future__ import annotations

import json
import sys
import unittest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import onnxruntime.backend
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from conformance.results.file import read_results

Outcomes = dict[str, str]
"""By folder, ``pass`` or why not."""


def main() -> int:
    """Print the counts, and each disagreement."""
    folder = Path(sys.argv[1])
    onnxruntime.set_default_logger_severity(4)
    outcomes = {**returned(folder), **raised(folder)}
    cases = [
        case for name in ("index.json", "raises.json") for case in json.loads((folder / name).read_text())["cases"]
    ]
    print("ONNX's runner:", *Counter(text.partition(":")[0] for text in outcomes.values()).items())
    if len(sys.argv) < 3:
        return 0
    verdicts = dict(adapter_verdicts(Path(sys.argv[2])))
    pairs: Counter[tuple[str, str]] = Counter()
    for case in cases:
        outcome, verdict = outcomes[case["folder"]], verdicts[case["case"], case["opset"]]
        pairs[outcome.partition(":")[0], verdict] += 1
        if (outcome == "pass") != (verdict == "conforms"):
            print(f"{case['folder']}: {outcome.splitlines()[0]}; the adapter: {verdict}")
    for (outcome, verdict), count in pairs.most_common():
        print(f"{count} models: {outcome}, {verdict}")
    return int(any((outcome == "pass") != (verdict == "conforms") for outcome, verdict in pairs))


def returned(folder: Path) -> Outcomes:
    """The outcomes of the cases that must return."""
    runner = Runner(onnxruntime.backend, __name__)
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


def raised(folder: Path) -> Outcomes:
    """The outcomes of the cases that must fail, which ONNX's runner does not know."""
    outcomes = {}
    for test in sorted((folder / "raises").iterdir()):
        control, case = error_of(test / "control"), error_of(test)
        outcomes[f"raises/{test.name}"] = (
            "pass" if case and not control else f"blocked: {control}" if control else "returned instead of failing"
        )
    return outcomes


def error_of(folder: Path) -> str | None:
    """The error of loading and running a model; None if it returns."""
    try:
        model = onnxruntime.backend.prepare(str(folder / "model.onnx"), "CPU")
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
