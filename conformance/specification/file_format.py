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

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
IDENTIFIER = r"^[a-z][a-z0-9_]*$"
_ERROR_NAME = r"^[A-Z][A-Za-z]*$"
_CASE_ID = r"^[a-z][a-z0-9_]*\.[a-z]+\.[a-z0-9-]+/found\.[a-z0-9]+(-[a-z0-9]+)*$"
PATTERNS = {
    SLUG: "lower-case words and numbers with hyphens between them",
    IDENTIFIER: "lower-case letters, digits and underscores, of which the first is a letter",
    _ERROR_NAME: "the name of a type of error, such as IndexError",
    _CASE_ID: "an id such as scatter_nd.rule.updates-shape/found.two-rows",
    OBJECT_NAME: "a dotted name, such as torch.Tensor.scatter_",
}
"""By pattern, what matches it, for messages."""

Slug = Annotated[str, StringConstraints(pattern=SLUG)]
"""A stable name: lower-case words with hyphens."""
Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER)]
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


class ArgumentPart(_Part, title="Argument"):
    """What a call passes for an argument, and what its elements mean if they are indices.

    An argument has one of ``tensor``, ``vector``, ``scalar``, ``choice`` and ``key``, as in ``{tensor: any}`` and
    ``{choice: [add, multiply], optional: true}``; ``{tensor: any, scalar: number}`` is one or the other. Which of the keys from ``into`` to ``order`` an index needs is said in [forms of indices](indices.md).
    """

    tensor: Literal["integer", "bool", "any"] | None = None
    """A tensor. Elements of ``integer`` are indices, which may be cast for an API that takes other index dtypes; those of ``bool``
    are a [mask](indices.md#masks) with ``into``; ``any`` are data."""
    vector: Literal["integer"] | None = None
    """A shape."""
    scalar: Literal["integer", "number"] | None = None
    """A number: a whole one, or any."""
    choice: list[str] = Field(default_factory=list)
    """A word: one of these."""
    key: list[str] = Field(default_factory=list)
    """What stands in brackets behind a tensor, such as ``i, :, j``: the keys that draws and rare forms have. A call may have another.
    See [indices in a key](indices.md#indices-in-a-key)."""
    optional: bool = False
    """Whether a call may leave it out."""
    into: ArgumentName | None = None
    """The argument that the indices point into: a tensor, or a shape or a length if the API creates the result. ``result`` if the
    length follows from the largest of them."""
    along: ArgumentName | None = None
    """The argument that says along which axis the indices point: a number, or a key. Without it, indices are vectors, column k of
    which points along axis k."""
    selects: Selects | None = None
    """What an index selects: ``elements``, one element, at the position of the index on the other axes (the default);
    ``slices``, a slice; ``flat``, one of all elements, counted in row-major order, which needs no ``along``."""
    labels: ArgumentName | None = None
    """The data whose slices the indices label. ``into`` is then a number, the length of the first axis of the result, or ``result``."""
    # One operation needs it. A rule that requires sorted labels judges calls, but makes none.
    order: Order | None = None
    """The order of the labels of a valid call, if it matters."""
    batched: ArgumentName | None = None
    """The argument that says how many first axes the index and what it points into share, so that each part of the batch is indexed
    by its own."""
    repeats: ArgumentName | None = None
    """Another argument that says what this one says too, such as a length, so that both can
    [contradict each other](derived-cases.md#contradictions)."""


class ResultPart(_Part, title="Result"):
    """The result, by [expressions](specs.md#expressions) over the arguments."""

    shape: ExpressionText
    """Its shape, for every call, also one that is only observed: with a ``dim`` of -1 ``input.shape[dim + 1:]`` is the whole
    shape, and ``input.shape[dim % input.rank + 1:]`` is what follows ``dim``."""
    dtype: ExpressionText
    """Its dtype; or ``undocumented``, if [no document says it](dtypes.md#when-no-document-says-the-dtype-of-a-result)."""
    accumulates: ExpressionText = "False"
    """Whether elements are added, multiplied or compared, also as an expression over the arguments. Otherwise they are only moved,
    and compared bit by bit. In sums -0.0 equals 0.0."""
    shares: list[Identifier] = Field(default_factory=list)
    """Arguments of which the result may be a view: that it shares memory with one is no divergence."""


class OutcomePart(_Part, title="Outcome"):
    """What is expected of a call.

    It has at most one of ``returns``, ``raises``, ``observed`` and ``behaviour``. With none of them, the reference's result is
    expected. Give ``returns`` whenever you can work it out by hand, since that checks the reference too.
    """

    returns: Any = None
    """The elements of the result, as nested lists or a [constructor](specs.md#literals). Their dtype is that of ``result``."""
    digits: Annotated[int, Field(ge=0, le=17)] | None = None
    """How many decimal places the document prints. Without it every bit counts."""
    within: Annotated[float, Field(gt=0)] | Literal["rounding"] | None = None
    """The tolerance for rounding: a number smaller than any update, so that a lost update is noticed; or ``rounding``,
    [the bound that holds in any order of addition](dtypes.md#how-exact-a-sum-must-be)."""
    remains: Literal["any"] | None = None
    """Of several updates to one position one remains, whichever it is."""
    raises: str | Literal[True] | None = None
    """An error is expected: the name of its type, or ``true`` for any. Such a call needs ``fix``."""
    observed: Words | None = None
    """No document says what happens, and why not. The result is recorded and never judged."""
    behaviour: Policy | None = None
    """The result is what this [behaviour](clauses.md#an-index-out-of-bounds) towards an index out of bounds would give."""


class CallPart(OutcomePart, title="Call"):
    """A call, and what is expected of it."""

    extends: Slug | None = None
    """Another call of the same clause: ``call`` has only the arguments that differ, and every other key is inherited."""
    call: dict[Identifier, Any]
    """The arguments, by name."""
    on: dict[Device, OutcomePart] = Field(default_factory=dict)
    """Instead of the keys of an outcome, one in full for each kind of device. The call becomes a case for each,
    such as ``/at-the-size.gpu``, which runs only on targets of that kind."""
    fix: dict[Identifier, Any] | None = None
    """The arguments to change so that the call becomes valid: its [control](clauses.md#the-control-of-a-call-that-should-raise)."""
    about_dtype: list[Identifier] = Field(default_factory=list, alias="about-dtype")
    """Tensors whose dtype the call is about, though its document does not name it. A refusal is then
    [judged](dtypes.md#when-a-refusal-is-judged) only if a document or the adapter promises the dtype."""
    note: Words | None = None
    """What a reader should know."""


class ExamplePart(CallPart, title="Example"):
    """A worked example of a document, with its numbers."""

    states: Words
    """What is tested, in one sentence."""
    cite: Cited
    """The claims that it tests: by document, a list of their locators, as in ``{torch.gather: [example.2, summary.range]}``."""
    printed: bool = True
    """Whether the document prints the result. Otherwise it implies it, and the case is called ``inferred`` instead of ``as-printed``."""


class RulePart(_Part, title="Rule"):
    """What is true of every valid call, or of every result, with calls that keep it and calls that break it.

    A rule has either ``require`` or ``ensure``.
    """

    states: Words
    """What is tested, in one sentence."""
    cite: Cited
    """The claims that it tests, by document."""
    require: ExpressionText | None = None
    """A condition on the arguments of a valid call."""
    ensure: ExpressionText | None = None
    """A condition on the arguments and ``result``."""
    otherwise: Literal["raises", "observed"] | ErrorName = "raises"
    """What happens to a call that breaks it, as the document says: ``raises`` if it says "must", asserts or shows the error;
    the name of the type, as in ``TypeError``, if it names that too; ``observed`` if it states a fact and no consequence."""
    implies: list[Slug] = Field(default_factory=list)
    """Other rules that a call which breaks this one may break too. Each must be needed by a call."""
    only_documented: bool = Field(default=False, alias="only-documented")
    """Whether it binds only the APIs whose own documentation makes one of its claims. Calls that break it are made on all others.
    See [what only some APIs promise](own.md#what-only-some-apis-promise)."""
    keep: Annotated[dict[Slug, CallPart], NotEmpty, _AT_LEAST_ONE]
    """Calls that keep it, at least one."""
    break_: dict[Slug, CallPart] = Field(default_factory=dict, alias="break")
    """Calls that break it, each with ``fix``. A rule with ``require`` needs at least one."""


class BehaviourPart(_Part, title="Behaviour"):
    """What happens in a situation that the rules leave open."""

    states: Words
    """What is tested, in one sentence."""
    cite: Cited
    """The claims that it tests, by document."""
    only_documented: bool = Field(default=False, alias="only-documented")
    """Whether its cases run only on APIs whose own documentation makes one of its claims; other documents promise something else."""
    require: ExpressionText | None = None
    """If it is an error: the condition that its calls violate. Calls of other clauses that violate it break the documentation
    of the APIs that make one of its claims. See [an error that one document promises](own.md#an-error-that-one-document-promises)."""
    decided_by: Slug | None = Field(default=None, alias="decided-by")
    """The behaviour that judges what this one only observes, on APIs whose own documentation makes a claim of that one."""
    cases: Annotated[dict[Slug, CallPart], NotEmpty, _AT_LEAST_ONE]
    """Its calls, at least one. They may break rules, as the mistakes of users do."""


class RelationCasePart(_Part, title="Case of a relation"):
    """Arguments for both sides of a relation."""

    call: dict[Identifier, Any]
    """The arguments of both sides, by any names."""
    note: Words | None = None
    """What a reader should know."""


class RelationPart(_Part, title="Relation"):
    """Two [expressions](clauses.md#relations) over calls of operations that give equal results."""

    states: Words
    """What is tested, in one sentence."""
    cite: Cited
    """The claims that it tests, by document; those that imply it if no document states it."""
    left: ExpressionText
    """The side that is tested."""
    right: ExpressionText
    """The side that it is compared with."""
    cases: Annotated[dict[Slug, RelationCasePart], NotEmpty, _AT_LEAST_ONE]
    """Arguments to try it with, at least once."""


class SpecFile(_Part, title="Spec"):
    """One operation, in a file of its own.

    Examples, rules, behaviours and relations are its clauses. Their names, and those of their calls, are part of the ids that
    reports, filters and lists of known divergences use.
    """

    operation: Identifier
    """Its name, to which adapters refer."""
    summary: Words
    """What it does, in one sentence."""
    arguments: dict[Identifier, ArgumentPart] = Field(min_length=1)
    """Its arguments, in the order in which relations and programs pass them."""
    result: ResultPart
    """Its result."""
    axes: dict[Identifier, int | str] = Field(default_factory=dict)
    """For [draws](draws.md) and rare forms, groups of neighbouring axes, and how many axes each has, at most 8: a number, a range
    such as ``1..3``, or ``at most GROUP`` or ``at least GROUP`` for as many as another group has, none longer or none shorter."""
    layout: dict[Identifier, str] = Field(default_factory=dict)
    """For draws and rare forms, by argument the [parts that it is made of](draws.md#axes-and-layout): ``GROUP...`` stands for the axes of a group,
    ``rank(GROUP)`` for one axis that is as long as the group has axes, or for that number."""
    distinct: dict[Identifier, bool | str] = Field(default_factory=dict)
    """Index arguments that are drawn without duplicates, because values are overwritten and no document says which one remains, or
    because a reduction of several may round: ``true``, or a condition over numbers and words, such as ``"reduce != 'add'"``."""
    drawn: Slug | None = None
    """The behaviour, or the rule with ``ensure``, that drawn valid calls belong to."""
    examples: dict[Slug, ExamplePart] = Field(default_factory=dict)
    """Worked examples of documents."""
    rules: dict[Slug, RulePart] = Field(default_factory=dict, max_length=MOST_RULES)
    """What is true of every valid call, or of every result."""
    behaviours: dict[Slug, BehaviourPart] = Field(default_factory=dict)
    """What happens in situations that the rules leave open."""
    relations: dict[Slug, RelationPart] = Field(default_factory=dict)
    """Two ways to compute the same."""
    renamed: dict[str, str] = Field(default_factory=dict)
    """By the id that a clause or a written case had in the last release, the one that it has now. See
    [renamed clauses and cases](case-files.md#renamed-clauses-and-cases)."""


CaseId = Annotated[str, StringConstraints(pattern=_CASE_ID)]
"""The id of a case in its own file, such as ``scatter_nd.rule.updates-shape/found.two-rows``."""


class FoundPart(CallPart, title="Found case"):
    """A call on which a target was wrong, or a program around one.

    What is expected follows from its clause if it has no outcome: with ``fix`` the call breaks the rule, and without it the
    reference's result is expected. A case of a relation has only ``call`` and ``note``, and a program also ``program`` and ``apis``.
    """

    program: str | None = None
    """The text of a [program](derived-cases.md#programs-around-calls). ``call`` then has its arguments."""
    apis: Apis = "returning"
    """The APIs that a program is about: those that return a new tensor, those that change an argument, or all."""


class CaseFilePart(FoundPart, title="Case file"):
    """A case of an existing clause, in a [file of its own](case-files.md)."""

    case: CaseId
    """Its id: that of the clause, ``/found.`` and a name. It stays the same when the case is moved into the specs."""


class RegressionsPart(_Part, title="Regressions"):
    """``regressions/OPERATION.yaml`` beside the specs: cases found on targets, which every later run makes."""

    cases: dict[CaseId, FoundPart] = Field(min_length=1)
    """The cases, by id, as ``conformance promote`` writes them."""


ObjectName = Annotated[str, StringConstraints(pattern=OBJECT_NAME)]
"""The dotted name of the object whose ``__doc__`` is meant, such as ``torch.Tensor.scatter_``."""


class ClaimPart(_Part, title="Claim"):
    """One thing that a document states.

    A claim of which nothing more is to be said is only its text. Every claim is tested by a clause that cites it or by a program, or
    says under ``untestable`` why nothing can test it.
    """

    says: Words
    """What the document states, in your own words."""
    versions: str | None = None
    """The releases that make the claim, as a PEP 440 specifier; by default those of the document."""
    # One document needs it. A range of versions would say which releases it binds, and there is none that can be installed.
    history: bool = False
    """Whether only releases make it that no environment can install. It then binds none, and is not counted."""
    device: Device | None = None
    """The kind of device that it is about. Only results on such a device test it."""
    untestable: Words | None = None
    """Why nothing can test it, such as a lost picture or a use of memory that no result shows. A claim that could be tested, but is not yet, is missing, not untestable."""
    program: Words | None = None
    """Python with at least one ``assert``, which [tests it in the framework](documents.md#claims-that-only-a-program-can-test)."""
    broken: ErrorName | None = None
    """The framework breaks the claim: the type of the error that its program raises there."""
    situations: list[ClaimedSituation] = Field(default_factory=list)
    """What it speaks of, if a program tests it or nothing can: an index out of bounds, or positions written twice. Reports show it
    beside such calls."""
    dtypes: dict[Identifier, list[str]] = Field(default_factory=dict)
    """By argument, the dtypes that the claim [promises](dtypes.md#when-a-refusal-is-judged), by name; or a family (``bool``, ``integer``, ``float``, ``complex``),
    which is shown beside results and promises no single dtype."""
    keeps: list[Identifier] = Field(default_factory=list)
    """Arguments that it says a call leaves as they were, and shares no memory with. Only with such a claim does a call that
    [changes one](own.md#arguments-that-change) break the documentation of its API."""
    derivative: Words | None = None
    """The condition on the arguments under which the API has a right derivative in reverse mode; where it does not hold, no derivative
    is expected. In this expression ``distinct`` says that no position occurs more than once, and ``accumulates`` that values are added
    to what is there or reduced with it."""
    # One claim needs it. The other API has no documentation of its own in which the claim could stand.
    also: list[ObjectName] = Field(default_factory=list)
    """With ``derivative``: other APIs of which the sentences say that they do the same, so that it goes for them too."""
    transform: Hook | None = None
    """The claim says what this [transform](derivatives.md) computes, and every derivative, or batch, that the object computes is
    held to it."""
    refers: ObjectName | None = None
    """The object to whose documentation its sentences refer, as "see Tensor.scatter_" does. An API with these sentences is held to that
    documentation too."""

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


class FalseOnExamplePart(_Part, title="False on an example"):
    """Holds if on an example of the same document the printed rule is false and the adopted one is true."""

    example: str
    """The id of the example."""
    printed: str
    """The rule that the document prints, as an expression."""
    adopted: str
    """The rule that is followed."""


class ImpossibleTypePart(_Part, title="Impossible type"):
    """Holds if on the example the value has the adopted type and not the printed one."""

    example: str
    """The id of the example."""
    value: str
    """The name of the argument, or ``result``."""
    printed: Literal["number", "shape", "tensor", "word"]
    """The type that the document states."""
    adopted: Literal["number", "shape", "tensor", "word"]
    """The type that it has."""


class CallRefusedPart(_Part, title="Call refused"):
    """Holds if the framework rejects the printed call with this error and accepts the other one."""

    call: str
    """The printed call, in Python."""
    error: ErrorName
    """The type of the error. A ``SyntaxError`` needs no framework."""
    instead: str
    """The call that is accepted."""


class FalseWhenRunPart(_Part, title="False when run"):
    """Holds if in the framework the printed expression is False and the adopted one is True."""

    printed: str
    """In Python."""
    adopted: str
    """In Python."""


class ObservationPart(_Part, title="Observation"):
    """Nothing is executed: a reader sees the error from the text alone."""

    reason: Words
    """What a reader sees."""


class ProofPart(_Part, title="Proof"):
    """Why a document cannot mean what it prints, by exactly one of these keys."""

    false_on_example: FalseOnExamplePart | None = Field(None, alias="false-on-example")
    """On an example of the document, the printed rule is false and the adopted one is true."""
    impossible_type: ImpossibleTypePart | None = Field(None, alias="impossible-type")
    """On an example, a value has another type than the document states."""
    call_refused: CallRefusedPart | None = Field(None, alias="call-refused")
    """The framework rejects the printed call and accepts another one."""
    false_when_run: FalseWhenRunPart | None = Field(None, alias="false-when-run")
    """In the framework, what is printed is false."""
    observation: ObservationPart | None = None
    """A reader agrees; nothing is executed."""


class ErratumPart(_Part, title="Erratum"):
    """A place where a document cannot mean what it prints. See [errata](documents.md#errata)."""

    place: Words
    """Where on the page."""
    printed: Words
    """What it prints, as a formula or in your own words."""
    adopted: Words
    """The reading that is followed."""
    proof: ProofPart
    """Why."""
    elsewhere: Words | None = None
    """Why the same sentence is no erratum in the documentation of other APIs that make a claim in it."""


class DocumentPart(_Part, title="Document"):
    """A page, or the docstring of an object, and the claims that it makes. See [documents](documents.md)."""

    title: Words
    """Its name in reports."""
    official: bool
    """Whether the framework's own developers publish it."""
    framework: Identifier
    """The framework that it is about."""
    describes: list[str] = Field(min_length=1)
    """The public APIs that it describes, by the names that users type."""
    versions: str = ""
    """The releases that it applies to, as a PEP 440 specifier; by default all."""
    url: str | None = None
    """Its address, if it has one."""
    claims: dict[str, Words | ClaimPart] = Field(default_factory=dict)
    """What it states, by locator: where it says so, such as a section, an argument or a numbered example."""
    errata: dict[Slug, ErratumPart] = Field(default_factory=dict)
    """Places where it cannot mean what it prints."""
    untestable: dict[Slug, Words] = Field(default_factory=dict)
    """Of docstrings: groups of sentences that state nothing that a case could test, such as a title, each with the reason."""


class DocumentsFile(_Part, title="Documents"):
    """``documents.yaml``, and the files in ``documents/`` beside it."""

    documents: dict[str, DocumentPart] = Field(min_length=1)
    """The documents that specs cite, by id."""
