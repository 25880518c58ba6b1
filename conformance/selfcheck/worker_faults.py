"""Runs adapters that crash, hang or poison their process in real workers, and correct ones that must not be blamed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.cases.model import Case
from conformance.data_folders import PACKAGE
from conformance.environments.environment import ensure
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import resolve
from conformance.execution.plan import Job, Plan
from conformance.execution.runner import run
from conformance.judging.vocabulary import Divergence, Grade, Verdict
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.in_process import REFERENCE, all_cases, is_transformed

ADAPTERS = PACKAGE / "selfcheck" / "adapters"
VECTORISED = ADAPTERS / "vectorised.py"
LIMIT = 5.0
"""Time limit for a call of the adapter that hangs, in seconds."""
_AMPLE = 60.0
"""Time limit for a call of all others, long enough for a busy machine."""
MOST_MEMORY = 400 * 2**20
_EATS_MEMORY, _HANGS = "eats_memory", "misbehaving"

_HOLDS_13 = "gather_elements.behaviour.reads-along-dim-1/of-2-x-3-x-4"
_AFTER = "gather_elements.behaviour.stays-in-its-row/rows-of-different-magnitude"
_OUTSIDE = "gather_elements.rule.index-range/break.minus-one"
_OPEN = "tensor_scatter_nd_update.behaviour.which-duplicate-remains/three-updates-to-one-element.cpu"
_SUM = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/scalars"
_PLAIN = "gather_elements.example.from-a-square-along-dim-1/as-printed"
_PLAIN_INT16, _HOLDS_13_INT16 = f"{_PLAIN}.int16", f"{_HOLDS_13}.int16"
_MISATTRIBUTED = "misattributed"
CASES_OF_MISATTRIBUTED = (_PLAIN, _PLAIN_INT16, _HOLDS_13_INT16, _OUTSIDE)
CASES = ("gather_elements.example.along-dim-0/as-printed", _HOLDS_13, _AFTER, _OUTSIDE, _OPEN, _SUM)


@dataclass(frozen=True)
class Fault:
    """The fault of an API of an adapter in ``adapters/``, and the result that must show it."""

    name: str
    adapter: str
    api: str
    verdict: Verdict
    divergences: tuple[Divergence, ...] = ()
    case: str = _HOLDS_13
    outcome: Mapping[str, object] = field(default_factory=dict)
    """Fields that the outcome must have."""
    grade: Grade | None = None

    @property
    def expected(self) -> str:
        return _described(self.verdict, self.divergences, self.outcome, self.grade)


FAULT_LIST = (
    Fault("crashes", "misbehaving", "fake.segfault", "died", outcome={"signal": "SIGSEGV"}),
    Fault("exits in the middle of a call", "misbehaving", "fake.exit", "died", outcome={"exit_code": 7}),
    Fault("hangs", "misbehaving", "fake.hang", "hung", outcome={"limit": LIMIT}),
    Fault("breaks the worker protocol", "misbehaving", "fake.babble", "died"),
    Fault("eats memory", _EATS_MEMORY, "fake.eats_memory", "died", outcome={"most_memory": MOST_MEMORY}),
    Fault("prints more than fits into a pipe", "misbehaving", "fake.noise", "conforms"),
    Fault("adds noise", "duplicates", "fake.noise", "diverges", ("value", "unstable"), _SUM, grade="varies"),
    Fault(
        "is wrong after another call", "order_dependent", "fake.stained", "diverges", ("value", "contaminated"), _AFTER
    ),
    Fault(
        "is wrong after a call of higher rank",
        "order_dependent",
        "fake.after_higher_rank",
        "diverges",
        ("value", "contaminated"),
        _AFTER,
    ),
    Fault("is poisoned after an error", "misbehaving", "fake.poisoned", "diverges", ("contaminated",), _OUTSIDE),
    Fault("changes its input", "misbehaving", "fake.mutate", "diverges", ("input-changed",)),
    Fault("depends on the order of duplicates", "duplicates", "fake.any", "observed", (), _OPEN, grade="varies"),
    Fault(
        "sometimes loses an update",
        "duplicates",
        "fake.loses",
        "diverges",
        ("value", "unstable"),
        _SUM,
        grade="varies",
    ),
    Fault("changes its input by design", _MISATTRIBUTED, "fake.zeroes", "diverges", ("input-changed",), _PLAIN),
    Fault("changes its input as declared", _MISATTRIBUTED, "fake.zeroes_as_declared", "conforms", (), _PLAIN),
    Fault(
        "changes its input in one dtype",
        _MISATTRIBUTED,
        "fake.zeroes_int16",
        "diverges",
        ("input-changed",),
        _PLAIN_INT16,
    ),
    Fault("refuses a call in any dtype", _MISATTRIBUTED, "fake.refuses_13", "diverges", ("rejected",), _HOLDS_13_INT16),
    Fault("has no kernel for a dtype", _MISATTRIBUTED, "fake.refuses_int16", "unsupported", (), _HOLDS_13_INT16),
    Fault("accepts what another call refuses", _MISATTRIBUTED, "fake.wrapped", "blocked", (), _OUTSIDE),
    Fault("raises in a function that it is passed to", _MISATTRIBUTED, "fake.gather", "conforms", (), _OUTSIDE),
)


def detections() -> Iterator[Detection]:
    """Every fault in real workers, then the correct adapters, which must not diverge in any case."""
    by_id = {case.id: case for case in all_cases()}
    cases = [by_id[name] for name in CASES]
    not_hanging = sorted({fault.adapter for fault in FAULT_LIST} - {_HANGS, _MISATTRIBUTED})
    faulty = _run([ADAPTERS / f"{name}.py" for name in not_hanging], cases, _AMPLE).results
    faulty += _run([ADAPTERS / f"{_HANGS}.py"], cases, LIMIT).results
    cases = [by_id[name] for name in CASES_OF_MISATTRIBUTED]
    faulty += _run([ADAPTERS / f"{_MISATTRIBUTED}.py"], cases, _AMPLE).results
    for fault in FAULT_LIST:
        key = f"{fault.adapter}@cpu", fault.api
        yield _detection(fault, [result for result in faulty if (result.target, result.api) == key])
    correct = _run([REFERENCE, VECTORISED], all_cases(), _AMPLE)
    blocked = {case.id for case in all_cases() if is_transformed(case)}
    for target in correct.targets:
        of_target = [result for result in correct.results if result.target == target.id]
        judged = [result for result in of_target if result.verdict != "blocked" or result.case not in blocked]
        yield _blame(target.framework, judged)


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
    faulty = next((result for result in results if result.case == fault.case), None)
    if faulty is None:
        return Detection(fault.name, fault.expected, caught=False, found=f"no result for {fault.case}")
    actual = _actual(fault, faulty)
    unexpected = [result for result in results if result is not faulty and _is_wrong(result)]
    if unexpected:
        actual += f", and {unexpected[0].verdict} in {unexpected[0].case}"
    return Detection(fault.name, fault.expected, actual == fault.expected, actual)


def _actual(fault: Fault, result: ResultRecord) -> str:
    outcome = {name: getattr(result.outcome, name, None) for name in fault.outcome}
    grade = result.determinism.grade if fault.grade and result.determinism else None
    return _described(result.verdict, result.divergence, outcome, grade)


def _described(verdict: str, divergences: Sequence[str], outcome: Mapping[str, object], grade: Grade | None) -> str:
    details = [*divergences, *(f"{name} {value}" for name, value in outcome.items()), *filter(None, [grade])]
    return f"{verdict} ({', '.join(details)})" if details else verdict


def _is_wrong(result: ResultRecord) -> bool:
    return result.verdict not in ("conforms", "observed")


def _varies(result: ResultRecord) -> bool:
    determinism = result.determinism
    return determinism is not None and (determinism.grade, determinism.permitted) != ("same-bits", True)


def _blame(name: str, results: Sequence[ResultRecord]) -> Detection:
    """Whether the suite blames a correct adapter, and for which result."""
    title, expected = f"correct, {'with loops' if name == 'reference' else 'vectorised'}", "no divergence"
    wrong = [result for result in results if _is_wrong(result) or _varies(result)]
    if wrong or not results:
        first = f"{wrong[0].verdict} in {wrong[0].case}: {wrong[0].explanation}" if wrong else "no results"
        return Detection(title, expected, caught=False, found=first)
    return Detection(title, expected, caught=True, found=expected)
