"""Scripts for what a run found, one for each cause, out of its results file.

For a page that shows them: ``conformance repro --all --results DIR`` writes each into the results file, as the ``script`` of
the result that it shows, and makes the reports again. A call that stands alone is not made anew, since the run has
confirmed it: its script is made from what the results file says and costs two starts of the target's interpreter, one
to write its tensors down and one to run it. A script that does not show the same is not offered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases.model import Case
from conformance.execution.client import GaveUp
from conformance.repro.bench import Bench
from conformance.repro.make import Made, make
from conformance.repro.seen import Calling, NotShown, Seen, polluter_of
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord
from conformance.specification.case_files import PREFIX
from conformance.targets.prepared import Prepared
from conformance.targets.staging import staged_worker

Key = tuple[str, str, str]
"""Case, target and API of a result."""


@dataclass(frozen=True)
class Offered:
    """A result, and the script that shows it or why there is none."""

    result: ResultRecord
    script: str | None
    why: str | None


def causes(results: Results, target: TargetRecord) -> list[ResultRecord]:
    """Of one target one result for each cause: own divergences, deaths, hangs, and whatever has a counterexample.

    Results of one API under one clause that went wrong alike have one cause; a counterexample stands for the rest, else
    the smallest call does.
    """
    found: dict[tuple[object, ...], list[ResultRecord]] = {}
    for one in results.results:
        if one.target == target.id and one.verdict in ("diverges", "died", "hung"):
            found.setdefault((one.api, one.clause, one.verdict, *one.divergence, one.behaviour), []).append(one)
    worth = [some for some in found.values() if any(map(_is_wanted, some))]
    return [min(some, key=lambda one: (not _is_found(one), _length(results, one))) for some in worth]


def offered(
    results: Results, target: TargetRecord, cases: Mapping[str, Case], prepared: Prepared, limit: float
) -> Iterator[Offered]:
    """For each cause its script, made and run one after the other.

    cases: by id, as the specs have them, counterexamples among them.
    limit: seconds that one call may take.
    TargetBlocked where the target does not start.
    """
    mappings = [one for one in results.mappings if one.target == target.id]
    for result in causes(results, target):
        try:
            seen = Seen(_case(results, cases, result), result, target, mappings)
            yield _offered(result, _made(seen, prepared, limit))
        except (NotShown, GaveUp) as error:
            yield Offered(result, None, str(error))


def write_scripts(file: Path, some: Iterable[Offered]) -> None:
    """Write scripts into the results file that they are of, in the place of those that it has."""
    scripts = {_key(vars(one.result)): one.script for one in some}
    new = file.with_name(file.name + ".new")
    with file.open(encoding="utf-8", newline="\n") as old, new.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(_with_script(line, scripts) for line in old)
    new.replace(file)


def _is_wanted(one: ResultRecord) -> bool:
    return one.standing == "own" or one.verdict in ("died", "hung") or _is_found(one)


def _is_found(one: ResultRecord) -> bool:
    return f"/{PREFIX}" in one.case


def _length(results: Results, one: ResultRecord) -> int:
    case = results.cases.get(one.case)
    return len(json.dumps(dict(case.call))) if case else 0


def _case(results: Results, cases: Mapping[str, Case], result: ResultRecord) -> Case:
    case, record = cases.get(result.case), results.cases.get(result.case)
    if case is None:
        raise NotShown("the specs have no such case: it was drawn, or is gone")
    if record is not None and case_record(case).digest != record.digest:
        raise NotShown("its call or expectation is another one in the specs by now")
    return case


def _made(seen: Seen, prepared: Prepared, limit: float) -> Made:
    if polluter_of(seen.result) is not None:
        raise NotShown("it depends on an earlier call; conformance repro CASE --results DIR shows both")
    with staged_worker() as staged:
        calling = Calling(seen, prepared, staged, limit)
        calls = calling.recorded() or calling.calls()
        return make(seen, calls, prepared, Bench(prepared, staged.parent, limit))


def _offered(result: ResultRecord, made: Made) -> Offered:
    if made.mismatch is not None:
        return Offered(result, None, f"its script does not show it: {made.mismatch}")
    return Offered(result, made.text, None)


def _with_script(line: str, scripts: Mapping[Key, str | None]) -> str:
    if '"kind":"result"' not in line:
        return line
    record: dict[str, Any] = json.loads(line)
    key = _key(record)
    if key not in scripts:
        return line
    record["script"] = scripts[key]
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def _key(record: Mapping[str, Any]) -> Key:
    return record["case"], record["target"], record["api"]


def summary(some: Sequence[Offered]) -> str:
    """``12 scripts written; 2 causes have none``."""
    made = sum(one.script is not None for one in some)
    without = len(some) - made
    said = f"{made} script{'s' if made != 1 else ''} written"
    return f"{said}; {without} cause{'s have' if without != 1 else ' has'} none" if without else said
