"""The records of results.jsonl: one JSON object per line, discriminated by ``kind``.

Arrays are ``{"dtype", "shape", "values"}`` with nested lists; see ``conformance.specification.numbers`` for the elements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from conformance.judging.vocabulary import (
    Behaviour,
    Confirmation,
    Determinism,
    Divergence,
    FailOn,
    Standing,
    Step,
    Verdict,
)
from conformance.outcomes.model import Error, Outcome, Status
from conformance.results.literals import CallLiterals, ExpectationLiteral
from conformance.results.variations import (
    IF_ANY,
    LEFT_OUT,
    AroundRecord,
    BatchRecord,
    DerivativeRecord,
    DrawnProgramRecord,
    FoundRecord,
    NestedRecord,
    SecondDerivativeRecord,
    VariationRecord,
    WrittenRecord,
)
from conformance.specification.vocabulary import Capability, ClaimedSituation, Device, Hook, LeftOut

SCHEMA = 2


@dataclass(frozen=True, slots=True)
class MergedRunRecord:
    """One of the runs that were merged into a results file."""

    started: str
    command: str
    targets: list[str]
    """As requested."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The first line: how the run was requested."""

    started: str
    """UTC, ISO 8601."""
    command: str
    """How the run was requested: a line of a shell, or a call of ``conformance.run``."""
    seed: int
    spec_digest: str
    suite_version: str
    """Of conformance."""
    shard: str | None = None
    """The part of the cases, as ``2/5``; None for all."""
    targets: list[str] = field(default_factory=list)
    """As requested."""
    draws: int = 0
    programs: int = field(default=0, metadata=IF_ANY)
    """The number of drawn programs."""
    selection: str | None = None
    """Arguments and options that select cases; None without a selection."""
    folder: str | None = field(default=None, metadata=IF_ANY)
    """The folder of its results, once they are whole, relative to the one in which it was requested; None if it has none."""
    at_least: int = field(default=0, metadata=IF_ANY)
    """The number of judged results that the run needs to pass."""
    fail_on: FailOn = field(default="own", metadata=IF_ANY)
    """Which divergences make it fail."""
    epoch: int | None = field(default=None, metadata=IF_ANY)
    """Of the suite's specs: results of the same epoch can be merged. None if some specs are the user's."""
    merged: list[MergedRunRecord] = field(default_factory=list, metadata=IF_ANY)
    """The runs that were merged into this file; empty if it is a single run."""
    schema: int = SCHEMA
    kind: Literal["run"] = "run"


@dataclass(frozen=True, slots=True)
class ProgramRecord:
    """A program that ran exported models in place of an adapter."""

    models: str
    """The folder of the export, as it was named."""
    command: list[str]
    """Its command, with the places of the paths of a call."""


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """A target that was started, or the reason why it was not."""

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
    """Environment variables set before the framework was imported, such as JAX_ENABLE_X64."""
    os: str | None = None
    """The operating system, such as ``Linux``."""
    arch: str | None = None
    """The architecture of the machine, such as ``x86_64``."""
    cpu: list[str] = field(default_factory=list, metadata=IF_ANY)
    """The features of the processor that the target's NumPy found, such as ``AVX2``."""
    gpu_name: str | None = field(default=None, metadata=IF_ANY)
    """The model of the GPU that the device is; None if it is none, or its driver does not tell."""
    gpu_driver: str | None = field(default=None, metadata=IF_ANY)
    """The version of its driver."""
    blocked: str | None = None
    """The reason why it did not start or gave up; otherwise None."""
    default_mode: bool = True
    """The mode is the framework's default."""
    path: bool = field(default=False, metadata=IF_ANY)
    """In its mode, APIs are exported and run by something else than the framework itself."""
    passes: list[Capability] = field(default_factory=list, metadata=IF_ANY)
    """What its mode can compile besides tensors as arguments, and the transforms that its adapter has."""
    requested: str | None = None
    """The exact version requested; None for a range, or without a version."""
    gpu: bool = False
    """What documents state for GPUs applies to its device."""
    title: str | None = None
    """The framework's own spelling, such as ``PyTorch``."""
    issues: str | None = None
    """The address of its issue tracker."""
    left_out: dict[LeftOut, int] = field(default_factory=dict)
    """Number of calls of its APIs not made because the mode is expensive, or because every mode makes a sample, by what they vary."""
    forms: int | None = None
    """Number of forms (shapes, dtypes and other arguments) of the draws run in an expensive mode; None in any other mode."""
    asked: str | None = None
    """The name under which it was requested."""
    file: str | None = field(default=None, metadata=IF_ANY)
    """The path of the user's adapter file, or of a target.toml, as it was requested; None for a framework."""
    program: ProgramRecord | None = field(default=None, metadata=IF_ANY)
    """What ran its calls if it has no adapter."""
    here: bool = field(default=False, metadata=IF_ANY)
    """It ran in the interpreter of the command that requested it."""
    sources: str | None = None
    """Digest of everything that its adapter consists of; results of another are neither kept by a resumed run nor merged."""
    modules: dict[str, str] = field(default_factory=dict, metadata=IF_ANY)
    """By name, the files of the modules that its adapter imports, relative to the adapter's folder; none of the standard
    library or an installed package."""
    seconds: float | None = None
    """Duration of its part of the run; None if that did not finish."""
    memory: int | None = None
    """Peak memory of its workers in bytes, summed over parallel workers; None if the system does not report it."""
    imports: int | None = None
    """Number of processes that imported the framework; None if its part of the run did not finish."""
    forks: int | None = None
    """Number of processes that were forked after the import instead; None as for ``imports``."""
    together: int | None = field(default=None, metadata=IF_ANY)
    """The maximum number of calls that its mode compiles at once; None if it compiles each alone, or nothing."""
    groups: int | None = field(default=None, metadata=IF_ANY)
    """Number of groups of calls that were compiled at once; None as for ``imports``, and in a mode without groups."""
    made_again: int | None = field(default=None, metadata=IF_ANY)
    """Number of calls that were made alone once they were made in a group; None as for ``groups``."""
    sentences: dict[str, list[str]] = field(default_factory=dict, metadata=IF_ANY)
    """By the dotted name of an object, the hashes of the sentences of the documentation that ships with it."""
    unread: dict[str, list[str]] = field(default_factory=dict, metadata=IF_ANY)
    """By API, the claims of its documents, as ``document#locator``, that its shipped documentation does not make: one of
    their sentences is missing or was changed, so that they are judged as portability only."""
    not_repeated: str | None = field(default=None, metadata=IF_ANY)
    """The reason why calls with duplicate indices were not repeated, so that their results have no ``determinism``."""
    memcheck: str | None = field(default=None, metadata=IF_ANY)
    """The valgrind below which it ran, such as ``valgrind-3.19.0``; None if its memory was not watched."""
    guarded: list[str] | None = field(default=None, metadata=IF_ANY)
    """The dtypes whose tensors have the memory of the suite's arrays, so that what a call writes or reads next to them is seen; the
    framework copies those of other dtypes. None in files from before this was recorded."""
    unconverted: dict[str, str] = field(default_factory=dict, metadata=IF_ANY)
    """Why tensors were not tested, by dtype or by what is unusual about their form: the adapter does not give them back as
    they were."""
    kind: Literal["target"] = "target"

    @property
    def too_expensive(self) -> dict[LeftOut, int]:
        """The part of ``left_out`` that is left out because the mode is expensive."""
        return {what: number for what, number in self.left_out.items() if LEFT_OUT[what].is_for_cost}


def documents_device(device: str, *, gpu: bool) -> Literal["cpu", "gpu"] | None:
    """The kind of a target's device in the terms of documents; None for any other, such as an NPU."""
    if gpu:
        return "gpu"
    return "cpu" if device.partition(":")[0] == "cpu" else None


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A claim of a document, whether or not a call can test it."""

    document: str
    title: str
    """Of the document."""
    locator: str
    says: str
    """The claim in the project's own words."""
    official: bool
    url: str | None = None
    untestable: str | None = None
    """The reason why no call can test it; None if a call can."""
    program: str | None = None
    """Python code with assertions that tests it in the framework; None if calls do."""
    broken: str | None = field(default=None, metadata=IF_ANY)
    """The framework breaks it: the type of the error that the program raises."""
    transform: Hook | None = field(default=None, metadata=IF_ANY)
    """All derivatives or batches by this transform are held to it."""
    versions: str | None = field(default=None, metadata=IF_ANY)
    """The releases whose documentation makes it; None for all releases of the document."""
    device: Device | None = field(default=None, metadata=IF_ANY)
    """The kind of device that it is about; None for all."""
    rests: dict[str, list[str]] = field(default_factory=dict, metadata=IF_ANY)
    """By the dotted name of an object, hashes of the sentences of its documentation that make the claim."""
    situations: list[ClaimedSituation] = field(default_factory=list, metadata=IF_ANY)
    """What it speaks of though no clause cites it."""
    dtypes: dict[str, list[str]] = field(default_factory=dict, metadata=IF_ANY)
    """By the argument of an operation, the dtypes that it lists, by name or as a family such as ``integer``."""
    kind: Literal["claim"] = "claim"


@dataclass(frozen=True, slots=True)
class ErratumRecord:
    """A passage that a document cannot mean as printed."""

    document: str
    id: str
    """Unique among the errata of its document."""
    place: str
    printed: str
    adopted: str
    """The reading that the specs follow."""
    proof: str
    """What its proof shows."""
    proof_kind: str
    """As in documents.yaml; ``observation`` if nothing is executed."""
    rests: dict[str, list[str]] = field(default_factory=dict, metadata=IF_ANY)
    """By the dotted name of an object, hashes of the sentences of its documentation that the erratum is about."""
    kind: Literal["erratum"] = "erratum"


@dataclass(frozen=True, slots=True)
class UntestableRecord:
    """Sentences of a document that no call can test."""

    name: str
    reason: str
    rests: dict[str, list[str]]
    """By the dotted name of an object, the hashes of the sentences."""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What a document is about, and what of it no call can test."""

    document: str
    framework: str
    describes: list[str]
    """The APIs that it is the documentation of."""
    untestable: list[UntestableRecord] = field(default_factory=list, metadata=IF_ANY)
    kind: Literal["document"] = "document"


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A known divergence of a framework, which results refer to by its id."""

    framework: str
    id: str
    reason: str
    link: str
    """The upstream thread, or ``unreported``."""
    source: str
    """File and line."""
    kind: Literal["known"] = "known"


@dataclass(frozen=True, slots=True)
class CitationRecord:
    """The source of a clause: a claim of a document."""

    document: str
    locator: str
    says: str
    """The claim in the project's own words."""
    official: bool
    url: str | None = None
    versions: str | None = field(default=None, metadata=IF_ANY)
    """The releases whose documentation makes the claim; None for all releases of the document."""
    device: Device | None = field(default=None, metadata=IF_ANY)
    """The kind of device that the claim is about; None for all."""


@dataclass(frozen=True, slots=True)
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
    """Its name, unique among the clauses of its operation and family."""
    file: str | None = None
    line: int | None = None
    only_documented: bool = field(default=False, metadata=IF_ANY)
    """Its calls are made only on APIs whose own documentation promises what it states."""
    kind: Literal["clause"] = "clause"


@dataclass(frozen=True)
class CaseRecord:
    """One concrete call with its expectation.

    ``control`` is the same call with only the violation fixed, for a call that should raise.
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

    ``rank(outer)`` is an axis whose length is the number of axes of the group ``outer``. Empty if the call violates
    the layout of the spec; None if the spec has no layout. In a program they are those of what the call receives.
    """
    points: dict[str, dict[str, str | None]] = field(default_factory=dict)
    """For a call that keeps the layout, each index argument with its declaration: ``into``, ``along``, ``selects``."""
    number: int | None = None
    """Its position among all cases of the run, including other shards; None for a case that the run found itself."""
    variation: Annotated[VariationRecord, Field(discriminator="kind")] = field(default_factory=WrittenRecord)
    """How it varies the call that its clause is about."""
    device: Device | None = None
    """The kind of device that it is for; None for all."""
    breaks_promises: list[str] = field(default_factory=list, metadata=IF_ANY)
    """The rules that its call breaks of those that only some APIs document. It is not made on these."""
    kind: Literal["case"] = "case"

    @property
    def arguments(self) -> dict[str, Any]:
        """Those of its call, with the stacks of a batch, and with what a derivative is multiplied by."""
        match self.variation:
            case DerivativeRecord(mode=mode, seed=seed):
                return {**self.call, "cotangent" if mode == "vjp" else "tangent": {**seed}}
            case BatchRecord(stacks=stacks):
                return {**self.call, **stacks}
            case NestedRecord(seed=seed, stacks=stacks):
                return {**self.call, **stacks, "cotangent": {**seed}}
            case SecondDerivativeRecord(mode=mode, seed=seed, second_seed=second):
                name = "second_cotangent" if mode == "vjp-vjp" else "tangent"
                return {**self.call, "cotangent": {**seed}, name: {**second}}
            case _:
                return {**self.call}

    @property
    def program(self) -> str | None:
        """The text of the program around the call, whose result and that of the call may differ; None without one."""
        return self.variation.program if isinstance(self.variation, AroundRecord | NestedRecord) else None

    @property
    def form(self) -> str | None:
        """The form of a drawn program, by which ledgers know it; None for any other case."""
        return self.variation.form if isinstance(self.variation, DrawnProgramRecord) else None

    @property
    def is_counterexample(self) -> bool:
        """Whether the run found it by minimizing generated cases that have the same kinds of divergence."""
        return isinstance(self.variation, FoundRecord | DrawnProgramRecord) and self.number is None


@dataclass(frozen=True, slots=True)
class MappingRecord:
    """An API of a target that implements an operation."""

    target: str
    api: str
    operation: str
    composed: bool
    source: str
    """The adapter's code for this API."""
    in_place: str | None = None
    follows: str | None = None
    helpers: dict[str, str] = field(default_factory=dict)
    """What other calls of a composed function check before the API is called: an argument or a property, and the call."""
    devices: list[str] = field(default_factory=list, metadata=IF_ANY)
    """The kinds of devices for which the framework has a kernel, according to the adapter; empty for all."""
    lacks_kernel: bool = field(default=False, metadata=IF_ANY)
    """The target's device is not among them, so only the calls written in the specs are made."""
    documentation: list[str] = field(default_factory=list, metadata=IF_ANY)
    """The dotted names of the objects whose documentation is the API's own."""
    kind: Literal["mapping"] = "mapping"


Element = bool | int | float | str
"""An element of an array, see ``conformance.specification.numbers``."""


@dataclass(frozen=True, slots=True)
class Difference:
    """An element in which a returned value differs from the expected one."""

    index: list[int]
    expected: Element
    got: Element
    difference: Element | None = field(default=None, metadata=IF_ANY)
    """Its absolute value; only of the largest difference."""
    result: str | None = field(default=None, metadata=IF_ANY)
    """The result of a program in which it lies; None where one is returned."""


@dataclass(frozen=True, slots=True)
class Differences:
    """The elements in which a returned value differs from the expected one."""

    count: int
    total: int
    first: list[Difference]
    """Up to 20."""
    largest: Difference | None = None
    """The one with the largest absolute difference; None for a dtype without differences."""
    bound: float | None = None
    """The largest difference allowed; None if elements must be equal."""


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """The status of the control of an invalid call, before and after that call."""

    before: Status
    after: Status | None = None
    alone: Status | None = field(default=None, metadata=IF_ANY)
    """As the first call of a process; None if it was not made so, since no result of the API depends on earlier calls."""


@dataclass(frozen=True, slots=True)
class DtypeClaimRecord:
    """The claim about the dtypes that a case tests; without one, a refusal is observed."""

    dtypes: dict[str, str]
    """Argument to dtype."""
    claimed: Literal["yes", "family", "others", "no"]
    """By name, only as a family, not at all though others are, or no claim speaks of dtypes of these arguments."""
    by: str | None
    """The claim's ``document#locator``, or the adapter."""


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """The rest of the result of a metamorphic relation; its ``outcome`` is that of the left side."""

    partners: dict[str, str]
    """Operation to the other API that was called."""
    right: Outcome | None = None
    """The right side's outcome; None if the left side gave nothing to compare it with."""


@dataclass(frozen=True, slots=True)
class PolluterRecord:
    """The earlier call in the same process that changed the result of a call."""

    api: str
    case: str


@dataclass(frozen=True)
class ResultRecord:
    """The outcome of a case on one API of a target, and its judgement."""

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
    not_guarded: bool = field(default=False, metadata=IF_ANY)
    """For a ``behaviour`` by which an update is nowhere: the framework copies arguments of the call, so that what is written next to
    them is not seen."""
    known: str | None = None
    elsewhere: str | None = field(default=None, metadata=IF_ANY)
    """For a failure that no known divergence records, the id of one that records its case and API for other versions, modes
    or devices."""
    seconds: float = 0.0
    step: Step | None = field(default=None, metadata=IF_ANY)
    """On a path, for a confirmed finding: what first does this; None if that is not known."""
    determinism: Determinism | None = None
    """For a call with duplicate indices that returned."""
    script: str | None = None
    """A stand-alone script that reproduces it, for one result of each cause; see ``conformance repro --all``."""
    no_script: str | None = field(default=None, metadata=IF_ANY)
    """The reason why that command found no script."""
    control: ControlRecord | None = field(default=None, metadata=IF_ANY)
    """For a call that should raise."""
    cast: dict[str, str] = field(default_factory=dict, metadata=IF_ANY)
    """Index arguments that were cast to a dtype that the API takes, with their new dtypes."""
    dtype_claim: DtypeClaimRecord | None = field(default=None, metadata=IF_ANY)
    """For a case that tests dtypes."""
    relation: RelationRecord | None = field(default=None, metadata=IF_ANY)
    """For a metamorphic relation."""
    polluter: PolluterRecord | None = field(default=None, metadata=IF_ANY)
    """For an order-dependent result, if the call that changed it is known."""
    confirmed: Confirmation | None = field(default=None, metadata=IF_ANY)
    """How a divergence, death or hang was confirmed."""
    together: int | None = field(default=None, metadata=IF_ANY)
    """The number of calls that were compiled at once, of which it is one; None if the call was made alone."""
    company: list[PolluterRecord] = field(default_factory=list, metadata=IF_ANY)
    """For a result that is wrong only if it is compiled together with others: the smallest number of calls that shows it."""
    smallest: str | None = field(default=None, metadata=IF_ANY)
    """For a drawn program: the case of the smallest program that differs as it does, if that was found."""
    kind: Literal["result"] = "result"

    @property
    def status(self) -> Status:
        """How the call ended, without a look at what it returned."""
        return self.outcome.status

    @property
    def unconfirmed(self) -> bool:
        """Whether it should have been repeated and was not: it may be due to an earlier call, and is compared with nothing."""
        return self.confirmed == "no"


ExampleVerdict = Literal["agrees", "differs", "raised", "died", "hung", "blocked", "unsupported", "untestable"]
"""What became of an example: it prints what its documentation shows, or something else; it does not run; it needs names
of an earlier example that does not run; the device has no kernel for it; or the documents declare that it cannot be judged."""


@dataclass(frozen=True, slots=True)
class ExampleRecord:
    """An example of the documentation that ships with a target, run as it stands. Its text is not recorded."""

    target: str
    object: str
    """The dotted name of the object whose documentation has it."""
    place: str
    """Where it stands in that documentation."""
    sentence: str
    """Its hash."""
    apis: list[str]
    """The APIs that this documentation is about."""
    verdict: ExampleVerdict
    statement: int | None = None
    """The number of the first statement that fails, counted from 1."""
    mismatch: Literal["nothing", "shape", "number", "words", "error"] | None = None
    """How what it prints differs: nothing is printed, another shape, number or word, or another error than documented."""
    error: Error | None = None
    """The exception that it should not raise."""
    explanation: str | None = None
    """A sentence for anything but ``agrees``."""
    kind: Literal["example"] = "example"

    @property
    def fails(self) -> bool:
        """Whether it does not run, or prints something else than its documentation shows."""
        return self.verdict in ("differs", "raised", "died", "hung")


@dataclass(frozen=True, slots=True)
class UnexpectedRecord:
    """A known divergence that did not happen as recorded on a target."""

    target: str
    entry: str
    """Its id."""
    how: Literal["passed", "changed"]
    """It did not happen, or happened differently."""
    cases: list[str]
    """The patterns of the entry that are affected."""
    says: str
    """A sentence that begins with the entry's file and line."""


@dataclass(frozen=True, slots=True)
class ChangedResult:
    """A result that differs from what a known divergence records."""

    case: str
    api: str
    found: str
    """Its kinds and its behaviour."""


@dataclass(frozen=True, slots=True)
class PatternCountRecord:
    """Counts of one pattern of a known divergence in one shard; their sum over all shards shows whether it passed."""

    target: str
    entry: str
    """Its id."""
    source: str
    """Its file and line."""
    recorded: str
    """The kinds and the behaviour that it records."""
    pattern: str
    generated: bool
    """It matches generated cases, which change with the seed."""
    calls: int
    """Number of calls that the pattern matches, in all shards."""
    seen: int
    """Number of those calls that were made in this shard and not blocked."""
    as_recorded: int
    """Number of results as recorded."""
    changed: int
    """Number of results that diverge differently, and are not recorded by any known divergence."""
    first: ChangedResult | None = None
    """The first changed result."""
    absent: int = 0
    """Number of the seen calls that are forms which the API does not have, such as those of a function that its version lacks."""


@dataclass(frozen=True, slots=True)
class EndRecord:
    """The last line; a file without it is an incomplete run."""

    complete: bool
    counts: dict[str, int]
    """Verdict to number of results."""
    reason: str | None = None
    """The reason why an incomplete run ended, such as ``interrupted``."""
    unexpected: list[UnexpectedRecord] = field(default_factory=list)
    """Known divergences that did not happen as recorded."""
    pattern_counts: list[PatternCountRecord] = field(default_factory=list)
    """In a shard, instead of ``unexpected``, which can be determined only for all shards together."""
    kind: Literal["end"] = "end"


Record = (
    RunRecord
    | ClaimRecord
    | ErratumRecord
    | DocumentRecord
    | KnownRecord
    | TargetRecord
    | ClauseRecord
    | CaseRecord
    | MappingRecord
    | ResultRecord
    | ExampleRecord
    | EndRecord
)
