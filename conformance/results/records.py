"""The records of results.jsonl, one JSON object a line, told apart by ``kind`` (contract C4).

Arrays are ``{"dtype", "shape", "values"}`` with nested lists; see ``conformance.specification.numbers`` for the elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.judging.vocabulary import Behaviour, Determinism, Divergence, Standing, Status, Verdict

__all__ = ["Behaviour", "Determinism", "Divergence", "Standing", "Status", "Verdict"]

SCHEMA = 1


@dataclass(frozen=True)
class RunRecord:
    """The first line: how the run was asked for."""

    started: str
    """UTC, ISO 8601."""
    command: str
    seed: int
    spec_digest: str
    suite_version: str
    shard: str | None = None
    """Which part of the cases, as ``2/5``; None for all."""
    targets: list[str] = field(default_factory=list)
    """As they were asked for."""
    draws: int = 0
    selection: str | None = None
    """Words and options that choose cases; None where none were given."""
    schema: int = SCHEMA
    kind: Literal["run"] = "run"


@dataclass(frozen=True)
class TargetRecord:
    """One implementation as it was started, or why it was not."""

    id: str
    """Canonical name, as ``torch==2.13.0@cpu``."""
    framework: str
    version: str | None
    device: str
    mode: str
    python: str | None = None
    numpy: str | None = None
    packages: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    """Set before the framework was imported, as JAX_ENABLE_X64."""
    blocked: str | None = None
    """Why it did not start; None when it did."""
    gpu: bool = False
    """The device is one that documents' words about GPUs are about."""
    title: str | None = None
    """The framework's own spelling, as ``PyTorch``."""
    issues: str | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    """Cases that it was not tried on as its mode is expensive, by what sets them apart: ``draws``, ``dtypes`` and ``views``."""
    asked: str | None = None
    """The name by which it was asked for."""
    seconds: float | None = None
    """What its part of the run took; None where that did not come to its end."""
    memory: int | None = None
    """Bytes that its workers took at most, those at the same time together; None where the system does not tell."""
    kind: Literal["target"] = "target"


def documents_device(device: str, *, gpu: bool) -> Literal["cpu", "gpu"] | None:
    """What documents call a target's device; None for what is neither a CPU nor a GPU to them, as an NPU."""
    if gpu:
        return "gpu"
    return "cpu" if device.partition(":")[0] == "cpu" else None


@dataclass(frozen=True)
class ClaimRecord:
    """One thing that a document says, whether or not a call can test it."""

    document: str
    title: str
    """Of the document."""
    locator: str
    says: str
    """The claim in the project's own words."""
    official: bool
    url: str | None = None
    untestable: str | None = None
    """Why no call can test it; None where one can."""
    kind: Literal["claim"] = "claim"


@dataclass(frozen=True)
class KnownRecord:
    """An entry of the ledger of a framework, to which results refer by its id."""

    framework: str
    id: str
    reason: str
    link: str
    """The upstream thread, or ``unreported``."""
    source: str
    """File and line."""
    kind: Literal["known"] = "known"


@dataclass(frozen=True)
class CitationRecord:
    """Where a clause comes from: a claim of a document."""

    document: str
    locator: str
    says: str
    """The claim in the project's own words."""
    official: bool
    url: str | None = None


@dataclass(frozen=True)
class ClauseRecord:
    """One testable statement about an operation."""

    id: str
    operation: str
    family: Literal["example", "rule", "behaviour", "relation"]
    states: str
    citations: list[CitationRecord]
    source: str
    """File and line of the spec, as ``specs/scatter_nd.yaml:40``."""
    requires: str | None = None
    """The rule's expression."""
    kind: Literal["clause"] = "clause"


@dataclass(frozen=True)
class CaseRecord:
    """One concrete call with its expectation.

    ``call`` maps argument names to literals as a spec writes them: ``{"int32": [[4], [3]]}``,
    ``{"float32": "zeros([13, 11])"}``, ``[8]`` for a shape, ``"add"``, ``1.23``, ``null``.
    ``expectation`` is one of ``{"returns": {"dtype", "shape", "values" | "text", "digits"?, "within"?, "remains"?, "source"}}``,
    ``{"raises": true | "ValueError"}``, ``{"relation": {"left", "right"}}`` (two expressions that give the same) and
    ``{"observed": "reason"}``. ``values`` is absent for a large array, which has
    ``text``, its literal, instead. ``source`` is ``printed`` (by the document), ``spec`` (worked out in it) or ``reference``.
    ``control`` is the call of a case expected to raise with only the violation fixed.
    """

    id: str
    clause: str
    operation: str
    call: Mapping[str, Any]
    expectation: Mapping[str, Any]
    dtypes: dict[str, str]
    digest: str
    source: str
    """File and line of the spec."""
    note: str | None = None
    control: Mapping[str, Any] | None = None
    axes: dict[str, list[str]] | None = None
    """For each tensor, each shape and ``result``, the group of each axis: ``["batch", "rank(outer)"]``.

    ``rank(outer)`` is an axis as long as the group ``outer`` has axes. Empty where the call does not keep
    the layout of the spec, None where there is none.
    """
    points: dict[str, str] = field(default_factory=dict)
    """Index argument to the group along whose axes its values are positions."""
    number: int | None = None
    """Its place among all cases of the run, in whichever shard it is; None for one that the run made itself."""
    kind: Literal["case"] = "case"


@dataclass(frozen=True)
class MappingRecord:
    """One API of a target that stands for an operation."""

    target: str
    api: str
    operation: str
    composed: bool
    source: str
    """The adapter's own code for this API."""
    in_place: str | None = None
    follows: str | None = None
    kind: Literal["mapping"] = "mapping"


@dataclass(frozen=True)
class Differences:
    """The elements in which a returned value differs from the expected one.

    ``first`` holds up to 20 of ``{"index": [..], "expected": x, "got": y}``; ``largest`` is the one of the greatest
    absolute difference with ``difference``, or None where the dtype has no differences. ``bound`` is what it may be at
    most, None where every bit counts.
    """

    count: int
    total: int
    first: list[dict[str, Any]]
    largest: dict[str, Any] | None = None
    bound: float | None = None


@dataclass(frozen=True)
class ResultRecord:
    """What one API of one target did with one case, and the judgement.

    ``outcome`` has ``status`` and what belongs to it. returned: ``dtype``, ``shape``, ``digest`` and, up to 200 elements,
    ``values``. raised: ``error`` {``type``, ``message``, ``phase``: arguments | call | result}. died: ``signal`` (a name),
    ``exit_code`` or ``most_memory`` (bytes that it took more than), ``stderr`` (the tail). hung: ``limit`` (seconds), ``stderr``. unsupported: ``reason``. Any of them:
    ``warnings`` (texts with counts) and ``cast`` (argument to dtype, where indices were cast for a portability judgement).
    A case expected to raise has ``control`` {``before``, ``after``}: the control's statuses. A case about dtypes has ``claim``:
    ``dtypes`` (argument to dtype), ``claimed`` (yes | family | no), ``by`` (a locator, or the adapter), and ``found``, the
    kinds of divergence, which count only where ``claimed`` is yes. ``spilled``: views around which the call wrote.
    The outcome of a relation is that of its left side, with ``relation``: ``with`` (operation to the other API that was called) and
    ``right`` (the right side's outcome).
    """

    case: str
    target: str
    api: str
    clause: str
    outcome: Mapping[str, Any]
    verdict: Verdict
    standing: Standing
    divergence: list[Divergence] = field(default_factory=list)
    explanation: str | None = None
    """One or two sentences for anything but ``conforms``."""
    differences: Differences | None = None
    behaviour: Behaviour | None = None
    known: str | None = None
    seconds: float = 0.0
    determinism: Determinism | None = None
    """Of a call with duplicate indices that returned."""
    script: str | None = None
    """A program in the framework's own terms that shows it, of one result of each cause; see ``conformance repro --all``."""
    kind: Literal["result"] = "result"


@dataclass(frozen=True)
class StaleRecord:
    """An entry of a ledger that does not say what happened on a target."""

    target: str
    entry: str
    """Its id."""
    how: Literal["gone", "otherwise"]
    """It no longer happens, or in another way than recorded."""
    cases: list[str]
    """The patterns of the entry that it is about."""
    says: str
    """A sentence that begins with the entry's file and line."""


@dataclass(frozen=True)
class TallyRecord:
    """What one shard saw of one pattern of an entry; of all shards together it is told whether the entry is stale."""

    target: str
    entry: str
    """Its id."""
    source: str
    """Its file and line."""
    recorded: str
    """Kinds and behaviour that it records."""
    pattern: str
    calls: int
    """Calls that the pattern means, in whichever shard they are."""
    seen: int
    """Those that were made in this shard, and not blocked."""
    as_said: int
    """Those that came out as the entry says."""
    otherwise: int
    """Those that came out in another way that no entry knows."""
    first: dict[str, str] | None = None
    """``case``, ``api`` and what was ``found`` in the first of these."""


@dataclass(frozen=True)
class EndRecord:
    """The last line; a file without it is an incomplete run."""

    complete: bool
    counts: dict[str, int]
    """Verdict to number of results."""
    reason: str | None = None
    """Why an incomplete run ended, as ``interrupted``."""
    stale: list[StaleRecord] = field(default_factory=list)
    """Entries of ledgers that do not say what happened."""
    tallies: list[TallyRecord] = field(default_factory=list)
    """In a shard, in place of ``stale``, which no shard alone can tell."""
    kind: Literal["end"] = "end"


Record = (
    RunRecord
    | ClaimRecord
    | KnownRecord
    | TargetRecord
    | ClauseRecord
    | CaseRecord
    | MappingRecord
    | ResultRecord
    | EndRecord
)
