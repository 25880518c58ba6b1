"""Adapters that crash, hang or poison their process, each in real workers, and right ones that must not be blamed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.cases.model import Case
from conformance.execution.plan import Plan
from conformance.execution.preparing import Job
from conformance.execution.runner import run
from conformance.judging.vocabulary import Divergence, Grade, Verdict
from conformance.places import PACKAGE
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, every_case
from conformance.targets.environment import ensure
from conformance.targets.prepared import Prepared
from conformance.targets.resolve import resolve

ADAPTERS = PACKAGE / "selfcheck" / "adapters"
VECTORISED = ADAPTERS / "vectorised.py"
LIMIT = 5.0
"""Seconds after which a call hangs, of the adapter that has one that does."""
_AMPLE = 60.0
"""The same for all others, on a machine with much else to do."""
MOST_MEMORY = 400 * 2**20
_EATS_MEMORY = "eats_memory"

_HOLDS_13 = "gather_elements.behaviour.reads-along-dim-1/of-2-x-3-x-4"
_AFTER = "gather_elements.behaviour.stays-in-its-row/rows-of-different-magnitude"
_OUTSIDE = "gather_elements.rule.index-range/break.minus-one"
_OPEN = "tensor_scatter_nd_update.behaviour.which-duplicate-remains/three-updates-to-one-element.cpu"
_SUM = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/scalars"
CASES = ("gather_elements.example.along-dim-0/as-printed", _HOLDS_13, _AFTER, _OUTSIDE, _OPEN, _SUM)


@dataclass(frozen=True)
class Fault:
    """What an API of an adapter in ``adapters/`` does, and the one result that has to show it."""

    name: str
    adapter: str
    api: str
    verdict: Verdict
    divergences: tuple[Divergence, ...] = ()
    case: str = _HOLDS_13
    outcome: Mapping[str, object] = field(default_factory=dict)
    """What the outcome has to say besides."""
    grade: Grade | None = None

    @property
    def expected(self) -> str:
        return _described(self.verdict, self.divergences, self.outcome, self.grade)


FAULT_LIST = (
    Fault("crashes", "misbehaving", "fake.segfault", "died", outcome={"signal": "SIGSEGV"}),
    Fault("exits in the middle of a call", "misbehaving", "fake.exit", "died", outcome={"exit_code": 7}),
    Fault("hangs", "misbehaving", "fake.hang", "hung", outcome={"limit": LIMIT}),
    Fault("leaves the protocol", "misbehaving", "fake.babble", "died"),
    Fault("eats memory", _EATS_MEMORY, "fake.eats_memory", "died", outcome={"most_memory": MOST_MEMORY}),
    Fault("prints more than a pipe holds", "misbehaving", "fake.noise", "conforms"),
    Fault("adds noise", "duplicates", "fake.noise", "diverges", ("value", "unstable"), _SUM, grade="varies"),
    Fault("is wrong after another call", "in_company", "fake.stained", "diverges", ("value", "contaminated"), _AFTER),
    Fault("is poisoned after an error", "misbehaving", "fake.poisoned", "diverges", ("contaminated",), _OUTSIDE),
    Fault("changes its input", "misbehaving", "fake.mutate", "diverges", ("input-changed",)),
    Fault("depends on the order of duplicates", "duplicates", "fake.any", "observed", (), _OPEN, grade="varies"),
    Fault(
        "loses one of several updates at times",
        "duplicates",
        "fake.loses",
        "diverges",
        ("value", "unstable"),
        _SUM,
        grade="varies",
    ),
)


def detections() -> Iterator[Detection]:
    """Every fault in real workers, then the right adapters, of which one has to show no divergence in any case."""
    every = {case.id: case for case in every_case()}
    cases = [every[name] for name in CASES]
    others = {fault.adapter for fault in FAULT_LIST} - {"misbehaving"}
    faulty = _run([ADAPTERS / f"{name}.py" for name in sorted(others)], cases, _AMPLE).results
    faulty += _run([ADAPTERS / "misbehaving.py"], cases, LIMIT).results
    for fault in FAULT_LIST:
        key = f"{fault.adapter}@cpu", fault.api
        yield _detection(fault, [result for result in faulty if (result.target, result.api) == key])
    right = _run([REFERENCE, VECTORISED], every_case(), _AMPLE)
    for target in right.targets:
        yield _blame(target.framework, [result for result in right.results if result.target == target.id])


def _run(adapters: Sequence[Path], cases: Sequence[Case], limit: float) -> Results:
    record = RunRecord("", "conformance check --self", 0, "", "")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE_NAME
        run(Plan(record, [_job(path) for path in adapters], cases, limit, len(adapters)), file, [])
        return read_results(file)


def _job(adapter: Path) -> Job:
    [target] = resolve([str(adapter)], {}, here=True)
    name = adapter.parent.name if adapter == REFERENCE else adapter.stem
    target = replace(target, asked=name, name=name, framework=name, title=name)

    def prepare(report: Callable[[str], None]) -> Prepared:
        memory_limit = MOST_MEMORY if name == _EATS_MEMORY else None
        return Prepared(target, ensure(target, report=report), memory_limit)

    return Job(target, prepare)


def _detection(fault: Fault, results: Sequence[ResultRecord]) -> Detection:
    mine = next((one for one in results if one.case == fault.case), None)
    others = [one for one in results if one is not mine and one.verdict not in ("conforms", "observed")]
    if mine is None:
        return Detection(fault.name, fault.expected, caught=False, found=f"no result for {fault.case}")
    found = _found(fault, mine)
    if others:
        found += f", and {others[0].verdict} in {others[0].case}"
    return Detection(fault.name, fault.expected, found == fault.expected, found)


def _found(fault: Fault, result: ResultRecord) -> str:
    told = {name: getattr(result.outcome, name, None) for name in fault.outcome}
    grade = result.determinism.grade if fault.grade and result.determinism else None
    return _described(result.verdict, result.divergence, told, grade)


def _described(verdict: str, divergences: Sequence[str], outcome: Mapping[str, object], grade: Grade | None) -> str:
    told = [*divergences, *(f"{name} {value}" for name, value in outcome.items()), *filter(None, [grade])]
    return f"{verdict} ({', '.join(told)})" if told else verdict


def _varies(result: ResultRecord) -> bool:
    grade = result.determinism
    return grade is not None and (grade.grade, grade.permitted) != ("same-bits", True)


def _blame(name: str, results: Sequence[ResultRecord]) -> Detection:
    """Of a right adapter: the first result that is none."""
    title, expected = f"right, in {'loops' if name == 'reference' else 'another style'}", "no divergence"
    wrong = [one for one in results if one.verdict not in ("conforms", "observed") or _varies(one)]
    if wrong or not results:
        first = f"{wrong[0].verdict} in {wrong[0].case}: {wrong[0].explanation}" if wrong else "no result at all"
        return Detection(title, expected, caught=False, found=first)
    return Detection(title, expected, caught=True, found=expected)
