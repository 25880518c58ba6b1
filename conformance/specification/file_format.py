"""What a spec file and documents.yaml may hold; the JSON Schemas for editors come from here."""

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
)

from conformance.specification.indexing import Selects
from conformance.specification.vocabulary import Device, Policy

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
"""A stable name: lower-case words with hyphens."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Words = Annotated[str, StringConstraints(min_length=1)]


def _expression(written: object) -> str:
    """An expression's text; YAML's own true and false are those of expressions too."""
    if not isinstance(written, str | bool):
        raise ValueError('an expression is a text in quotes, as "index.rank == input.rank"')  # noqa: TRY004 - for pydantic
    return str(written)


ExpressionText = Annotated[str, BeforeValidator(_expression), WithJsonSchema({"type": ["string", "boolean"]})]


def _not_empty(calls: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    # Context: entries that cannot be read were left out, and are reported.
    if not calls and not info.context:
        raise ValueError("at least one call is needed")
    return calls


NotEmpty = AfterValidator(_not_empty)
_AT_LEAST_ONE = Field(json_schema_extra={"minProperties": 1})


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ArgumentPart(_Part):
    """What an argument may be."""

    tensor: Literal["integer", "any"] | None = None
    vector: Literal["integer"] | None = None
    scalar: Literal["integer", "number"] | None = None
    choice: list[str] = Field(default_factory=list)
    optional: bool = False
    into: Identifier | None = None
    """The argument that indices point into: column k of index vectors along its axis k."""
    along: Identifier | None = None
    """The argument that says the one axis along which they all point instead."""
    selects: Selects | None = None
    """Whether each index along that axis selects one element, at its own position on the other axes, or a slice."""


class ResultPart(_Part):
    """Expressions for the result: its shape, its dtype, and whether it is computed or only moved."""

    shape: ExpressionText
    dtype: ExpressionText
    accumulates: ExpressionText = "False"
    """Whether elements are added or multiplied on the way, rather than only moved."""


class RaisesPart(_Part):
    """An error of a named type."""

    raises: str | Literal[True]


class OutcomePart(_Part):
    """What comes of a call."""

    returns: Any = None
    digits: Annotated[int, Field(ge=0, le=17)] | None = None
    within: Annotated[float, Field(gt=0)] | None = None
    """The greatest difference from what ``returns`` says that rounding may make."""
    remains: Literal["any"] | None = None
    """Of several updates to one place one remains, whichever it is."""
    raises: str | Literal[True] | None = None
    observed: Words | None = None
    behaviour: Policy | None = None
    """What becomes of an index that points outside."""


class CallPart(OutcomePart):
    """A call, and what comes of it: everywhere, or on each kind of device that documents tell apart."""

    extends: Slug | None = None
    """Another call of the same clause, from which this one has whatever it does not say itself."""
    call: dict[Identifier, Any]
    on: dict[Device, OutcomePart] = Field(default_factory=dict)
    fix: dict[Identifier, Any] | None = None
    about_dtype: list[Identifier] = Field(default_factory=list, alias="about-dtype")
    """Arguments whose dtype the call is about; it is judged only where an API's documentation claims it."""
    note: Words | None = None


class ExamplePart(CallPart):
    """A worked example of a document."""

    states: Words
    cite: list[str] = Field(min_length=1)


class RulePart(_Part):
    """A condition that calls keep or results fulfil, tried by calls that keep it and calls that break it."""

    states: Words
    cite: list[str] = Field(min_length=1)
    require: ExpressionText | None = None
    ensure: ExpressionText | None = None
    otherwise: Literal["raises", "observed"] | RaisesPart = "raises"
    implies: list[Slug] = Field(default_factory=list)
    keep: Annotated[dict[Slug, CallPart], NotEmpty, _AT_LEAST_ONE]
    break_: dict[Slug, CallPart] = Field(default_factory=dict, alias="break")


class BehaviourPart(_Part):
    """What happens in a situation that the rules leave open."""

    states: Words
    cite: list[str] = Field(min_length=1)
    cases: Annotated[dict[Slug, CallPart], NotEmpty, _AT_LEAST_ONE]


class RelationCasePart(_Part):
    """Arguments for both sides of a relation."""

    call: dict[Identifier, Any]
    note: Words | None = None


class RelationPart(_Part):
    """Two expressions over calls of operations that give the same, with arguments to try them on."""

    states: Words
    cite: list[str] = Field(min_length=1)
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
    """Index arguments that are drawn without duplicates: always, or where an expression is true."""
    drawn: Slug | None = None
    """The clause that drawn valid calls are cases of."""
    examples: dict[Slug, ExamplePart] = Field(default_factory=dict)
    rules: dict[Slug, RulePart] = Field(default_factory=dict)
    behaviours: dict[Slug, BehaviourPart] = Field(default_factory=dict)
    relations: dict[Slug, RelationPart] = Field(default_factory=dict)


CaseId = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*\.[a-z]+\.[a-z0-9-]+/found\.[a-z0-9]+(-[a-z0-9]+)*$")
]
"""The id of a case that stands in a file of its own: ``scatter_nd.rule.updates-shape/found.two-rows``."""


class CaseFilePart(CallPart):
    """One case, found on a target, of a clause that stands in the specs."""

    case: CaseId


class RegressionsPart(_Part):
    """Cases that were found on targets and kept."""

    cases: dict[CaseId, CallPart] = Field(min_length=1)


class ClaimPart(_Part):
    """A claim that holds for some releases only, or that no case can test."""

    says: Words
    versions: str | None = None
    untestable: Words | None = None
    """Why no case can test it."""
    dtypes: dict[Identifier, list[str]] = Field(default_factory=dict)
    """Dtypes, or families of dtypes, that it says arguments may have."""


class FalseOnExamplePart(_Part):
    """The rule as printed is false on an example of the same document, and the one adopted is true."""

    example: str
    printed: str
    adopted: str


class EditionsDifferPart(_Part):
    """Two editions print two rules; of these the one adopted is true on an example, the other false."""

    readings: dict[Slug, str] = Field(min_length=2, max_length=2)
    adopted: Slug
    example: str


class SentencesConflictPart(_Part):
    """The place contradicts another claim of the same document, which cases test."""

    with_: str = Field(alias="with")


class ImpossibleTypePart(_Part):
    """A value of an example has not the type that the document gives it."""

    example: str
    value: str
    printed: Literal["number", "shape", "tensor", "word"]
    adopted: Literal["number", "shape", "tensor", "word"]


class CallRefusedPart(_Part):
    """The framework refuses the call as printed, and takes another one."""

    call: str
    error: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z]*$")]
    instead: str


class ProofPart(_Part):
    """Why a document cannot mean what it prints: one of these."""

    false_on_example: FalseOnExamplePart | None = Field(None, alias="false-on-example")
    editions_differ: EditionsDifferPart | None = Field(None, alias="editions-differ")
    sentences_conflict: SentencesConflictPart | None = Field(None, alias="sentences-conflict")
    impossible_type: ImpossibleTypePart | None = Field(None, alias="impossible-type")
    call_refused: CallRefusedPart | None = Field(None, alias="call-refused")


class ErratumPart(_Part):
    """A place where a document cannot mean what it prints."""

    place: Words
    printed: Words
    adopted: Words
    proof: ProofPart


class DocumentPart(_Part):
    """A captured page, and what it claims by locator."""

    title: Words
    official: bool
    framework: Identifier
    describes: list[str] = Field(min_length=1)
    versions: str = ""
    url: str | None = None
    editions: dict[Slug, Words] = Field(default_factory=dict)
    claims: dict[str, Words | ClaimPart] = Field(min_length=1)
    errata: dict[Slug, ErratumPart] = Field(default_factory=dict)


class DocumentsFile(_Part):
    """All documents that specs cite."""

    documents: dict[str, DocumentPart] = Field(min_length=1)
