"""The formats of spec files, case files and documents.yaml, from which the JSON Schemas are generated."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from conformance.specification.programs.language import Apis
from conformance.specification.vocabulary import (
    OBJECT_NAME,
    ClaimedSituation,
    Device,
    Hook,
    Order,
    Policy,
    Selects,
)

MOST_RULES = 100
"""The maximum number of rules of an operation, since each call is checked against each rule."""

_SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_IDENTIFIER = r"^[a-z][a-z0-9_]*$"
_ERROR_NAME = r"^[A-Z][A-Za-z]*$"
_CASE_ID = r"^[a-z][a-z0-9_]*\.[a-z]+\.[a-z0-9-]+/found\.[a-z0-9]+(-[a-z0-9]+)*$"
PATTERNS = {
    _SLUG: "lower-case words and numbers with hyphens between them",
    _IDENTIFIER: "lower-case letters, digits and underscores, of which the first is a letter",
    _ERROR_NAME: "the name of a type of error, such as IndexError",
    _CASE_ID: "an id such as scatter_nd.rule.updates-shape/found.two-rows",
    OBJECT_NAME: "a dotted name, such as torch.Tensor.scatter_",
}
"""By pattern, what matches it, for messages."""

Slug = Annotated[str, StringConstraints(pattern=_SLUG)]
"""A stable name: lower-case words with hyphens."""
Identifier = Annotated[str, StringConstraints(pattern=_IDENTIFIER)]
Words = Annotated[str, StringConstraints(min_length=1)]
ErrorName = Annotated[str, StringConstraints(pattern=_ERROR_NAME)]
"""The name of a type of error."""


def _argument_name(written: object, info: ValidationInfo) -> object:
    """The name of an argument, which a number is not."""
    if isinstance(written, int | float):
        fixed = "; an axis that is always the same is an argument too" if info.field_name == "along" else ""
        raise ValueError(f"expected the name of an argument{fixed}")  # noqa: TRY004 - for pydantic
    return written


ArgumentName = Annotated[Identifier, BeforeValidator(_argument_name)]


def _expression(written: object) -> str:
    """The text of an expression; a YAML boolean is a valid expression too."""
    if not isinstance(written, str | bool):
        raise ValueError('an expression is text in quotes, such as "index.rank == input.rank"')  # noqa: TRY004 - for pydantic
    return str(written)


ExpressionText = Annotated[str, BeforeValidator(_expression), WithJsonSchema({"type": ["string", "boolean"]})]


def _not_empty(calls: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    # With a context, invalid entries were omitted and already reported.
    if not calls and not info.context:
        raise ValueError("at least one call is needed")
    return calls


def _grouped(written: object) -> object:
    """Citations by document; a list of them is told how it is written."""
    if not isinstance(written, list | str):
        return written
    groups: dict[str, list[str]] = {}
    for citation in [written] if isinstance(written, str) else written:
        document, mark, locator = str(citation).partition("#")
        groups.setdefault(document, []).append(locator if mark else "LOCATOR")
    listed = ", ".join(f"{document}: [{', '.join(locators)}]" for document, locators in groups.items())
    raise ValueError(f"citations are grouped by document; write {{{listed or 'DOCUMENT: [LOCATOR]'}}}")


_Citations = Annotated[dict[str, Annotated[list[str], Field(min_length=1)]], Field(min_length=1)]
Cited = Annotated[_Citations, BeforeValidator(_grouped, json_schema_input_type=_Citations)]
"""By document, the locators of the claims that a clause tests."""
NotEmpty = AfterValidator(_not_empty)
_AT_LEAST_ONE = Field(json_schema_extra={"minProperties": 1})


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ArgumentPart(_Part):
    """The allowed values of an argument, and the meaning of its indices."""

    tensor: Literal["integer", "bool", "any"] | None = None
    """``bool``: a mask, which selects where it is true."""
    vector: Literal["integer"] | None = None
    scalar: Literal["integer", "number"] | None = None
    choice: list[str] = Field(default_factory=list)
    key: list[str] = Field(default_factory=list)
    """What stands in brackets behind a tensor, such as ``i, :, j``: those that draws and rare forms have. A call may have another."""
    optional: bool = False
    into: ArgumentName | None = None
    """The argument that is indexed: column k of the index vectors along its axis k."""
    along: ArgumentName | None = None
    """The argument that gives the single axis to index instead: a number, or a key."""
    selects: Selects | None = None
    """Whether each index along that axis selects one element, at its own position on the other axes, or a slice; ``flat``
    without ``along``: each index selects one of all elements in row-major order."""
    labels: ArgumentName | None = None
    """The data whose slices the indices label; what they point into is then a number, the length of the result's first axis, or
    ``result``, if that length follows from the largest of them."""
    # One operation needs it. A rule that requires sorted labels judges calls, but makes none.
    order: Order | None = None
    """The order of the labels of a valid call, if it matters."""
    batched: ArgumentName | None = None
    """The number of first axes that the index and what it indexes share, so that each part of the batch is indexed by its own."""
    repeats: ArgumentName | None = None
    """Another argument that says something that this one says too, such as a length, so that both can contradict each other."""


class ResultPart(_Part):
    """Expressions for the shape and dtype of the result, and for whether elements are accumulated."""

    shape: ExpressionText
    dtype: ExpressionText
    """``undocumented`` if no document says which dtype it has: then any that holds the elements is right."""
    accumulates: ExpressionText = "False"
    """Whether elements are added or multiplied, rather than only copied."""
    shares: list[Identifier] = Field(default_factory=list)
    """Arguments of which the result may be a view."""


class OutcomePart(_Part):
    """The expected outcome of a call."""

    returns: Any = None
    digits: Annotated[int, Field(ge=0, le=17)] | None = None
    within: Annotated[float, Field(gt=0)] | Literal["rounding"] | None = None
    """The largest allowed difference from ``returns`` due to rounding; ``rounding``: what rounding can cause in any order."""
    remains: Literal["any"] | None = None
    """Of several updates to the same position, any one may remain."""
    raises: str | Literal[True] | None = None
    observed: Words | None = None
    behaviour: Policy | None = None
    """How out-of-bounds indices are handled."""


class CallPart(OutcomePart):
    """A call and its expected outcome, for all devices or for each kind of device."""

    extends: Slug | None = None
    """Another call of the same clause, which provides the keys that this call omits."""
    call: dict[Identifier, Any]
    on: dict[Device, OutcomePart] = Field(default_factory=dict)
    fix: dict[Identifier, Any] | None = None
    about_dtype: list[Identifier] = Field(default_factory=list, alias="about-dtype")
    """Arguments whose dtype the call tests; a refusal is judged only if a document or the adapter promises the dtype."""
    note: Words | None = None


class ExamplePart(CallPart):
    """A worked example of a document."""

    states: Words
    cite: Cited
    printed: bool = True
    """The document prints the expected result, rather than implying it."""


class RulePart(_Part):
    """A condition on calls or results, with calls that keep it and calls that break it."""

    states: Words
    cite: Cited
    require: ExpressionText | None = None
    ensure: ExpressionText | None = None
    otherwise: Literal["raises", "observed"] | ErrorName = "raises"
    """What calls that break it do: raise any error, or one of the named type, or what no document says."""
    implies: list[Slug] = Field(default_factory=list)
    only_documented: bool = Field(default=False, alias="only-documented")
    """It binds only APIs whose own documentation makes one of these claims; others take calls that break it."""
    keep: Annotated[dict[Slug, CallPart], NotEmpty, _AT_LEAST_ONE]
    break_: dict[Slug, CallPart] = Field(default_factory=dict, alias="break")


class BehaviourPart(_Part):
    """What happens in a situation that the rules leave open."""

    states: Words
    cite: Cited
    only_documented: bool = Field(default=False, alias="only-documented")
    """Only APIs whose own documentation makes one of these claims are called; other documents promise something else."""
    require: ExpressionText | None = None
    """If it is an error: the condition that its calls violate. Calls of other clauses that violate it break the documentation
    of the APIs that make one of these claims."""
    decided_by: Slug | None = Field(default=None, alias="decided-by")
    """The behaviour that judges what this one only observes, on APIs whose own documentation makes its claims."""
    cases: Annotated[dict[Slug, CallPart], NotEmpty, _AT_LEAST_ONE]


class RelationCasePart(_Part):
    """Arguments for both sides of a relation."""

    call: dict[Identifier, Any]
    note: Words | None = None


class RelationPart(_Part):
    """Two expressions over calls of operations that give equal results, with arguments to test them."""

    states: Words
    cite: Cited
    left: ExpressionText
    right: ExpressionText
    cases: Annotated[dict[Slug, RelationCasePart], NotEmpty, _AT_LEAST_ONE]


class SpecFile(_Part):
    """One operation."""

    operation: Identifier
    summary: Words
    arguments: dict[Identifier, ArgumentPart] = Field(min_length=1)
    result: ResultPart
    axes: dict[Identifier, int | str] = Field(default_factory=dict)
    layout: dict[Identifier, str] = Field(default_factory=dict)
    distinct: dict[Identifier, bool | str] = Field(default_factory=dict)
    """Index arguments that are drawn without duplicates: always, or if an expression is true."""
    drawn: Slug | None = None
    """The clause that drawn valid calls belong to."""
    examples: dict[Slug, ExamplePart] = Field(default_factory=dict)
    rules: dict[Slug, RulePart] = Field(default_factory=dict, max_length=MOST_RULES)
    behaviours: dict[Slug, BehaviourPart] = Field(default_factory=dict)
    relations: dict[Slug, RelationPart] = Field(default_factory=dict)
    renamed: dict[str, str] = Field(default_factory=dict)
    """By the id that a clause or a case had in the last release, the one that it has now."""


CaseId = Annotated[str, StringConstraints(pattern=_CASE_ID)]
"""The id of a case in its own file, such as ``scatter_nd.rule.updates-shape/found.two-rows``."""


class FoundPart(CallPart):
    """A call on which a target was wrong, or a program around one."""

    program: str | None = None
    """Its text; the arguments of the call are those of the program."""
    apis: Apis = "returning"
    """As of a program in ``programs.yaml``, for a program."""


class CaseFilePart(FoundPart):
    """A case of an existing clause, found on a target."""

    case: CaseId


class RegressionsPart(_Part):
    """Cases found on targets and kept as regressions."""

    cases: dict[CaseId, FoundPart] = Field(min_length=1)


ObjectName = Annotated[str, StringConstraints(pattern=OBJECT_NAME)]
"""The dotted name of the object whose ``__doc__`` is meant, such as ``torch.Tensor.scatter_``."""


class ClaimPart(_Part):
    """A claim that applies to some releases or devices only, states dtypes, is tested by a program or cannot be tested."""

    says: Words
    versions: str | None = None
    # One document needs it. A range of versions would say which releases it binds, and there is none that can be installed.
    history: bool = False
    """Only releases make it that no environment can install, so that it binds none."""
    device: Device | None = None
    """The kind of device that it is about; a run on another kind does not test it."""
    untestable: Words | None = None
    """The reason why no case can test it."""
    program: Words | None = None
    """Python code with assertions that tests it in the framework, if no case can."""
    broken: ErrorName | None = None
    """The framework breaks the claim: the type of the error that its program raises there."""
    situations: list[ClaimedSituation] = Field(default_factory=list)
    """What it speaks of, if a program tests it or nothing can: reports show it beside the calls in these situations."""
    dtypes: dict[Identifier, list[str]] = Field(default_factory=dict)
    """By argument, the dtypes or dtype families that the claim allows."""
    keeps: list[Identifier] = Field(default_factory=list)
    """Arguments that a call leaves as they were and shares no memory with. Only with such a claim does a call that changes one
    break the documentation of its API."""
    derivative: Words | None = None
    """A condition on the arguments under which the API has a right derivative in reverse mode: an expression, in which ``distinct``
    says that no position occurs more than once, and ``accumulates`` that values are added to what is there or reduced with it. Where it does not hold, no derivative is expected of the API."""
    # One claim needs it. The other API has no documentation of its own in which the claim could stand.
    also: list[ObjectName] = Field(default_factory=list)
    """Other APIs of which the sentences say that they do the same, so that no derivative is expected of them either."""
    transform: Hook | None = None
    """Every derivative, or batch, that the object computes is held to the claim: it says what this transform gives."""
    refers: ObjectName | None = None
    """The object whose documentation the claim's sentences refer to, so that it is that of their own object too."""

    @model_validator(mode="after")
    def _check_also(self) -> ClaimPart:
        if self.also and self.derivative is None:
            raise ValueError("also needs derivative: what is not expected of these APIs either")
        return self

    @model_validator(mode="after")
    def _check_broken(self) -> ClaimPart:
        if self.broken is not None and self.program is None:
            raise ValueError("broken needs program: what raises this error where the framework breaks the claim")
        return self

    @model_validator(mode="after")
    def _check_situations(self) -> ClaimPart:
        if self.situations and self.program is None and self.untestable is None:
            raise ValueError(
                "situations needs program or untestable; a clause that cites the claim has the situations of its calls"
            )
        return self


class FalseOnExamplePart(_Part):
    """The printed rule is false on an example of the same document, and the adopted rule is true."""

    example: str
    printed: str
    adopted: str


class ImpossibleTypePart(_Part):
    """A value of an example does not have the type that the document states."""

    example: str
    value: str
    printed: Literal["number", "shape", "tensor", "word"]
    adopted: Literal["number", "shape", "tensor", "word"]


class CallRefusedPart(_Part):
    """The framework rejects the printed call and accepts another one."""

    call: str
    error: ErrorName
    instead: str


class FalseWhenRunPart(_Part):
    """Run in the framework, the printed reading is False and the adopted one is True."""

    printed: str
    adopted: str


class ObservationPart(_Part):
    """Nothing can be executed; a reader sees the error from the text alone."""

    reason: Words


class ProofPart(_Part):
    """Why a document cannot mean what it prints; exactly one key is set."""

    false_on_example: FalseOnExamplePart | None = Field(None, alias="false-on-example")
    impossible_type: ImpossibleTypePart | None = Field(None, alias="impossible-type")
    call_refused: CallRefusedPart | None = Field(None, alias="call-refused")
    false_when_run: FalseWhenRunPart | None = Field(None, alias="false-when-run")
    observation: ObservationPart | None = None


class ErratumPart(_Part):
    """A passage where a document cannot mean what it prints."""

    place: Words
    printed: Words
    adopted: Words
    proof: ProofPart
    elsewhere: Words | None = None
    """Why the same sentence is no erratum in the documentation of other APIs."""


class DocumentPart(_Part):
    """A captured page and its claims by locator."""

    title: Words
    official: bool
    framework: Identifier
    describes: list[str] = Field(min_length=1)
    versions: str = ""
    url: str | None = None
    claims: dict[str, Words | ClaimPart] = Field(default_factory=dict)
    errata: dict[Slug, ErratumPart] = Field(default_factory=dict)
    untestable: dict[Slug, Words] = Field(default_factory=dict)
    """Groups of sentences that make no claim, or none that a case could test, each with the reason."""


class DocumentsFile(_Part):
    """The documents that specs cite."""

    documents: dict[str, DocumentPart] = Field(min_length=1)
