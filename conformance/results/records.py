"""The records of results.jsonl, one JSON object a line, told apart by ``kind``.

Arrays are ``{"dtype", "shape", "values"}`` with nested lists; see ``conformance.specification.numbers`` for the elements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.judging.vocabulary import Behaviour, Determinism, Divergence, Standing, Verdict
from conformance.outcomes.model import Outcome, Status
from conformance.results.literals import CallLiterals, ExpectationLiteral
from conformance.specification.model import Provenance
from conformance.specification.vocabulary import Device

IF_ANY = {"written": "if any"}
"""Of fields that few records have: they are written only where they say something."""

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
    default_mode: bool = True
    """The mode is the framework's default."""
    requested: str | None = None
    """The exact version that was asked for; None where a range or none was."""
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
    name: str = ""
    """What sets it apart from other clauses of its operation and family."""
    file: str | None = None
    line: int | None = None
    kind: Literal["clause"] = "clause"


@dataclass(frozen=True)
class CaseRecord:
    """One concrete call with its expectation.

    ``control`` is the call of a case expected to raise with only the violation fixed.
    """

    id: str
    clause: str
    operation: str
    call: CallLiterals
    expectation: ExpectationLiteral
    dtypes: dict[str, str]
    digest: str
    source: str
    """File and line of the spec."""
    note: str | None = None
    control: CallLiterals | None = None
    axes: dict[str, list[str]] | None = None
    """For each tensor, each shape and ``result``, the group of each axis: ``["batch", "rank(outer)"]``.

    ``rank(outer)`` is an axis as long as the group ``outer`` has axes. Empty where the call does not keep
    the layout of the spec, None where there is none.
    """
    points: dict[str, dict[str, str | None]] = field(default_factory=dict)
    """Of a call that keeps the layout, each index argument with what the spec declares: ``into``, ``along``, ``selects``."""
    number: int | None = None
    """Its position among all cases of the run, in whichever shard it is; None for one that the run found itself."""
    provenance: Provenance = "written"
    """Written down in a spec, derived from such a case, generated from the rules, or found by minimizing a generated one."""
    breaks: bool = False
    """Its call breaks the rule of its clause."""
    derived_from: str | None = None
    """The id of the case that it was derived from."""
    device: Device | None = None
    """The kind of device that it is for; None for all."""
    kind: Literal["case"] = "case"

    @property
    def is_counterexample(self) -> bool:
        """Whether the run made it, as the smallest of generated cases that diverge alike."""
        return self.provenance == "found" and self.number is None


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
class ControlRecord:
    """What the valid control of an invalid call did, before and after it."""

    before: Status
    after: Status | None = None


@dataclass(frozen=True)
class DtypeClaimRecord:
    """What a document says of the dtypes that a case is about, beside what was observed."""

    dtypes: dict[str, str]
    """Argument to dtype."""
    claimed: Literal["yes", "family", "no"]
    by: str | None
    """The claim's ``document#locator``, or the adapter."""
    found: list[Divergence]
    """Kinds of divergence, which count only where ``claimed`` is yes."""


@dataclass(frozen=True)
class RelationRecord:
    """What else a metamorphic relation took, of which ``outcome`` is the left side's."""

    partners: dict[str, str]
    """Operation to the other API that was called."""
    right: Outcome | None = None
    """The right side's outcome; None where the left side left nothing to compare it with."""


@dataclass(frozen=True)
class PolluterRecord:
    """The earlier call in the same process that changed what a call gave."""

    api: str
    case: str


@dataclass(frozen=True)
class ResultRecord:
    """What one API of one target did with one case, and the judgement."""

    case: str
    target: str
    api: str
    clause: str
    outcome: Outcome
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
    control: ControlRecord | None = field(default=None, metadata=IF_ANY)
    """Of a call that should raise."""
    cast: dict[str, str] = field(default_factory=dict, metadata=IF_ANY)
    """Index arguments that were cast for a portability judgement, and to which dtype."""
    dtype_claim: DtypeClaimRecord | None = field(default=None, metadata=IF_ANY)
    """Of a case about dtypes."""
    relation: RelationRecord | None = field(default=None, metadata=IF_ANY)
    """Of a metamorphic relation."""
    polluter: PolluterRecord | None = field(default=None, metadata=IF_ANY)
    """Of a result that depends on the order of calls, where the call that did it was found."""
    kind: Literal["result"] = "result"


@dataclass(frozen=True)
class UnexpectedRecord:
    """A known divergence that did not happen as recorded on a target."""

    target: str
    entry: str
    """Its id."""
    how: Literal["passed", "changed"]
    """It did not happen, or happened in another way than recorded."""
    cases: list[str]
    """The patterns of the entry that it is about."""
    says: str
    """A sentence that begins with the entry's file and line."""


@dataclass(frozen=True)
class PatternCountRecord:
    """What one shard saw of one pattern of a known divergence; all shards together show whether it passed."""

    target: str
    entry: str
    """Its id."""
    source: str
    """Its file and line."""
    recorded: str
    """Kinds and behaviour that it records."""
    pattern: str
    generated: bool
    """Cases that it means are generated, so that they are others with another seed."""
    calls: int
    """Calls that the pattern means, in whichever shard they are."""
    seen: int
    """Those that were made in this shard, and not blocked."""
    as_recorded: int
    """Those that came out as recorded."""
    changed: int
    """Those that came out in another way that no known divergence records."""
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
    unexpected: list[UnexpectedRecord] = field(default_factory=list)
    """Known divergences that did not happen as recorded."""
    pattern_counts: list[PatternCountRecord] = field(default_factory=list)
    """In a shard, in place of ``unexpected``, which no shard alone can tell."""
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
