"""Adapters that crash, hang or poison their process, and the results that must show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.cases.model import Case
from conformance.environments.environment import ensure
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import resolve
from conformance.execution.plan import Job, Plan
from conformance.execution.runner import run
from conformance.judging.vocabulary import Divergence, Grade, Verdict
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import ResultRecord, RunRecord
from tests.planted.in_process import REFERENCE, all_cases_of

ADAPTERS = Path(__file__).parent / "adapters"
VECTORISED = ADAPTERS / "vectorised.py"
LIMIT = 3.0
"""Time limit for a call of the adapter that hangs, in seconds."""
AMPLE = 60.0
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

    def found(self, results: Sequence[ResultRecord]) -> str:
        """What the results of its API show, of the fault and of anything else; as ``expected`` if it was caught."""
        faulty = next((result for result in results if result.case == self.case), None)
        if faulty is None:
            return f"no result for {self.case}"
        outcome = {name: getattr(faulty.outcome, name, None) for name in self.outcome}
        grade = faulty.determinism.grade if self.grade and faulty.determinism else None
        found = _described(faulty.verdict, faulty.divergence, outcome, grade)
        others = [result for result in results if result is not faulty and is_wrong(result)]
        return f"{found}, and {others[0].verdict} in {others[0].case}" if others else found


FAULTS = (
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


def faulty_results(folder: Path) -> list[ResultRecord]:
    """The results of all adapters with faults, in real workers."""
    operations = dict.fromkeys(name.partition(".")[0] for name in (*CASES, *CASES_OF_MISATTRIBUTED))
    by_id = {case.id: case for operation in operations for case in all_cases_of(operation)}
    cases, of_misattributed = ([by_id[name] for name in names] for names in (CASES, CASES_OF_MISATTRIBUTED))
    not_hanging = sorted({fault.adapter for fault in FAULTS} - {_HANGS, _MISATTRIBUTED})
    runs = ((not_hanging, cases, AMPLE), ([_HANGS], cases, LIMIT), ([_MISATTRIBUTED], of_misattributed, AMPLE))
    return [
        result
        for number, (names, of_run, limit) in enumerate(runs)
        for result in run_in_workers(
            folder / str(number), [ADAPTERS / f"{name}.py" for name in names], of_run, limit
        ).results
    ]


def run_in_workers(folder: Path, adapters: Sequence[Path], cases: Sequence[Case], limit: float = AMPLE) -> Results:
    """A run of adapters in workers that are processes."""
    folder.mkdir(exist_ok=True)
    record = RunRecord("", "a test", 0, "", "")
    run(Plan(record, [_job(path) for path in adapters], cases, limit, len(adapters)), folder / FILE_NAME, [])
    return read_results(folder)


def _job(adapter: Path) -> Job:
    [target] = resolve([str(adapter)], {}, here=True)
    name = adapter.parent.name if adapter == REFERENCE else adapter.stem
    target = replace(target, asked=name, name=name, framework=name, title=name)

    def prepare(report: Callable[[str], None]) -> Prepared:
        memory_limit = MOST_MEMORY if name == _EATS_MEMORY else None
        return Prepared(target, ensure(target, report=report), memory_limit)

    return Job(target, prepare)


def _described(verdict: str, divergences: Sequence[str], outcome: Mapping[str, object], grade: Grade | None) -> str:
    details = [*divergences, *(f"{name} {value}" for name, value in outcome.items()), *filter(None, [grade])]
    return f"{verdict} ({', '.join(details)})" if details else verdict


def is_wrong(result: ResultRecord) -> bool:
    """Whether a result says something against an adapter."""
    return result.verdict not in ("conforms", "observed")


def varies(result: ResultRecord) -> bool:
    """Whether a call that was repeated gave different results, or may not."""
    determinism = result.determinism
    return determinism is not None and (determinism.grade, determinism.permitted) != ("same-bits", True)
