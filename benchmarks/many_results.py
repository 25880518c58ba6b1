"""A results file of as many results as asked, made out of real ones: `python -m benchmarks.many_results SOURCE OUTPUT --results N`.

SOURCE is a results file, such as that of the repository. Every case with a result on both targets is copied, with one result
of each, until there are enough. The copies are different calls: their data, what is expected and what is returned have other
elements. Diverging results are at most a fiftieth of all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from conformance.results.file import open_results, results_file
from conformance.results.records import SCHEMA
from conformance.results.variations import upgraded

Content = dict[str, Any]
TARGETS = ("torch==2.13.0@cpu", "numpy==2.4.6@cpu")
MOST_DIVERGING = 0.02
FAILING = ("diverges", "died", "hung")
SHIFTED = ("float32", "float64", "int32", "int64")
"""The dtypes whose elements are made others. Narrower ones might overflow."""
BEFORE = ("run", "known", "claim", "erratum", "document", "clause")
"""The kinds of records before the cases."""


class Source:
    """What is copied."""

    def __init__(self, file: Path, targets: Sequence[str], *, as_is: bool) -> None:
        """as_is: with the schema of the file, for an earlier version of the suite."""
        self.targets = targets
        self.others: dict[str, list[Content]] = {}
        self.cases: dict[str, Content] = {}
        self._results: dict[tuple[str, str], list[Content]] = {}
        frameworks = {target.partition("==")[0] for target in targets}
        for content in _lines(file):
            kind = content["kind"]
            if kind == "case":
                old = "variation" not in content and not as_is
                self.cases[content["id"]] = upgraded(content) if old else content
            elif kind == "result":
                self._results.setdefault((content["case"], content["target"]), []).append(content)
            elif content.get("framework", "") in (*frameworks, "") or kind not in ("known", "target"):
                self.others.setdefault(kind, []).append(content)
        run = self.others["run"][0]
        requested = [_asked(self.others["target"], target) for target in targets]
        self.others["run"] = [{**run, "targets": requested, "merged": [], "schema": run["schema"] if as_is else SCHEMA}]
        for kind, name in (("target", "id"), ("mapping", "target"), ("example", "target")):
            self.others[kind] = [content for content in self.others.get(kind, ()) if content[name] in targets]

    def of_copy(self, copy: int) -> Iterator[tuple[str, list[list[Content]]]]:
        """Each case with the results of every target that this copy may have, those that it prefers first."""
        for case in self.cases:
            found = [self._results.get((case, target), []) for target in self.targets]
            if all(found):
                yield case, [results[copy % len(results) :] + results[: copy % len(results)] for results in found]


def _asked(targets: Sequence[Content], target: str) -> str:
    return next(content["asked"] or target for content in targets if content["id"] == target)


def _lines(file: Path) -> Iterator[Content]:
    with open_results(results_file(file)) as stream:
        yield from map(json.loads, stream)


def write_copies(source: Source, output: Path, count: int) -> int:
    """Write a file of ``count`` results and return how many of them are wrong."""
    wrong, written, copy = 0, 0, 0
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory(dir=output.parent) as folder, output.open("wb") as file:
        parts = [(Path(folder) / str(number)).open("w+b") for number in range(len(source.targets))]
        for kind in BEFORE:
            _write_all(file, source.others.get(kind, ()))
        while written < count:
            for case, of_targets in source.of_copy(copy):
                if written >= count:
                    break
                may_fail = wrong < MOST_DIVERGING * written
                chosen = [_chosen(results, may_fail=may_fail) for results in of_targets]
                if None in chosen:
                    continue
                _write(file, {**_copied_case(source.cases[case], copy), "number": written // len(parts) + 1})
                for part, result in zip(parts, chosen, strict=True):
                    assert result is not None
                    _write(part, _copied_result(result, copy))
                    counts[result["verdict"]] = counts.get(result["verdict"], 0) + 1
                    wrong += result["verdict"] in FAILING
                    written += 1
            copy += 1
        for kind in ("target", "mapping"):
            _write_all(file, source.others[kind])
        for part in parts:
            part.seek(0)
            shutil.copyfileobj(part, file)
            part.close()
        _write_all(file, source.others["example"])
        end = {"complete": True, "counts": dict(sorted(counts.items())), "reason": None, "unexpected": []}
        _write(file, {**end, "pattern_counts": [], "kind": "end"})
    return wrong


def _chosen(results: Sequence[Content], *, may_fail: bool) -> Content | None:
    return next((result for result in results if may_fail or result["verdict"] not in FAILING), None)


def _write_all(file: IO[bytes], contents: Sequence[Content]) -> None:
    for content in contents:
        _write(file, content)


def _write(file: IO[bytes], content: Mapping[str, Any]) -> None:
    file.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _copied_case(case: Content, copy: int) -> Content:
    if not copy:
        return case
    names = {name: name in case.get("points", ()) for name in case["call"]}
    copied = {**case, "id": _id(case["id"], copy), "digest": _digest(case["digest"], copy)}
    for field in ("call", "control"):
        values = case.get(field)
        if values is not None:
            copied[field] = {
                name: value if names.get(name, True) else _literal(value, copy) for name, value in values.items()
            }
    for field in ("derived_from",):
        if case.get(field) is not None:
            copied[field] = _id(case[field], copy)
    if "base" in case.get("variation", {}):
        copied["variation"] = {**case["variation"], "base": _id(case["variation"]["base"], copy)}
    returns = case["expectation"].get("returns")
    if returns is not None and returns.get("values") is not None and returns["dtype"] in SHIFTED:
        values = _shifted(returns["values"], copy)
        copied["expectation"] = {"returns": {**returns, "values": values}}
    return copied


def _copied_result(result: Content, copy: int) -> Content:
    if not copy:
        return result
    copied = {**result, "case": _id(result["case"], copy), "outcome": _outcome(result["outcome"], copy)}
    if (result.get("relation") or {}).get("right"):
        copied["relation"] = {**result["relation"], "right": _outcome(result["relation"]["right"], copy)}
    return copied


def _outcome(outcome: Content, copy: int) -> Content:
    if "digest" not in outcome:
        return outcome
    copied = {**outcome, "digest": _digest(outcome["digest"], copy)}
    if outcome.get("values") is not None and outcome["dtype"] in SHIFTED:
        copied["values"] = _shifted(outcome["values"], copy)
    return copied


def _literal(value: Any, copy: int) -> Any:
    if isinstance(value, dict) and set(value) & {*SHIFTED}:
        return {name: _shifted(part, copy) if name in SHIFTED else part for name, part in value.items()}
    return value


def _shifted(values: Any, copy: int) -> Any:
    if isinstance(values, list):
        return [_shifted(value, copy) for value in values]
    if isinstance(values, bool) or not isinstance(values, int | float) or abs(values) > 2**30:
        return values
    return values + copy


def _id(name: str, copy: int) -> str:
    return f"{name}.copy-{copy}"


def _digest(digest: str, copy: int) -> str:
    return hashlib.sha256(f"{digest} {copy}".encode()).hexdigest()[: len(digest)]


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--results", type=int, default=300_000)
    parser.add_argument("--targets", nargs=2, default=TARGETS)
    parser.add_argument("--as-is", action="store_true", help="with the schema of the source")
    options = parser.parse_args()
    source = Source(options.source, options.targets, as_is=options.as_is)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    wrong = write_copies(source, options.output, options.results)
    print(
        f"{options.output}: {options.results} results, {wrong} of them wrong, {options.output.stat().st_size >> 20} MB"
    )


if __name__ == "__main__":
    main()
