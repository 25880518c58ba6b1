"""What a spec file and documents.yaml may hold; the JSON Schemas for editors come from here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
"""A stable name: lower-case words with hyphens."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Words = Annotated[str, StringConstraints(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ArgumentPart(_Part):
    """What an argument may be."""

    tensor: Literal["integer", "any"] | None = None
    vector: Literal["integer"] | None = None
    scalar: Literal["integer", "number"] | None = None
    choice: list[str] = Field(default_factory=list)
    optional: bool = False


class ResultPart(_Part):
    """Expressions for the result: its shape, its dtype, and whether it is computed or only moved."""

    shape: str
    dtype: str
    sums: str = "False"
    """Whether elements are added or multiplied on the way, rather than only moved."""


class RaisesPart(_Part):
    """An error of a named type."""

    raises: str | Literal[True]


class CallPart(_Part):
    """A call, and what comes of it."""

    call: dict[Identifier, Any]
    returns: Any = None
    digits: Annotated[int, Field(ge=0, le=17)] | None = None
    raises: str | Literal[True] | None = None
    observed: Words | None = None
    mend: dict[Identifier, Any] | None = None
    note: Words | None = None


class ExamplePart(CallPart):
    """A worked example of a document."""

    states: Words
    cite: list[str] = Field(min_length=1)


class RulePart(_Part):
    """A condition that calls keep or results fulfil, tried by calls that keep it and calls that break it."""

    states: Words
    cite: list[str] = Field(min_length=1)
    require: str | None = None
    ensure: str | None = None
    otherwise: Literal["raises", "observed"] | RaisesPart = "raises"
    entails: list[Slug] = Field(default_factory=list)
    keep: dict[Slug, CallPart] = Field(min_length=1)
    break_: dict[Slug, CallPart] = Field(default_factory=dict, alias="break")


class BehaviourPart(_Part):
    """What happens in a situation that the rules leave open."""

    states: Words
    cite: list[str] = Field(min_length=1)
    cases: dict[Slug, CallPart] = Field(min_length=1)


class SpecFile(_Part):
    """One operation."""

    operation: Identifier
    summary: Words
    arguments: dict[Identifier, ArgumentPart] = Field(min_length=1)
    result: ResultPart
    examples: dict[Slug, ExamplePart] = Field(default_factory=dict)
    rules: dict[Slug, RulePart] = Field(default_factory=dict)
    behaviours: dict[Slug, BehaviourPart] = Field(default_factory=dict)


class ClaimPart(_Part):
    """A claim that holds for some releases only."""

    says: Words
    versions: str


class DocumentPart(_Part):
    """A captured page, and what it claims by locator."""

    title: Words
    official: bool
    framework: Identifier
    describes: list[str] = Field(min_length=1)
    versions: str = ""
    url: str | None = None
    claims: dict[str, Words | ClaimPart] = Field(min_length=1)


class DocumentsFile(_Part):
    """All documents that specs cite."""

    documents: dict[str, DocumentPart] = Field(min_length=1)
