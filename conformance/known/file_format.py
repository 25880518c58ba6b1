"""The format of a divergences.yaml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Annotated, Any, Self, get_args

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from conformance.judging.vocabulary import Behaviour, Divergence
from conformance.specification.dtypes import NAMES
from conformance.specification.problems import did_you_mean
from conformance.specification.vocabulary import Transformation

KINDS = (*get_args(Divergence), "died", "hung")
BEHAVIOURS = get_args(Behaviour)
UNREPORTED = "unreported"

_URL = re.compile(r"https?://[^\s/]+\S*")


def _word(meaning: str, allowed: Iterable[str]) -> Callable[[str], str]:
    words = tuple(allowed)

    def check(value: str) -> str:
        if value not in words:
            raise ValueError(f"not a {meaning}, one of {', '.join(words)}{did_you_mean(value, words)}")
        return value

    return check


def check_link(value: str) -> str:
    """The link of an entry; ValueError unless it is a URL or ``unreported``."""
    if value != UNREPORTED and not _URL.fullmatch(value):
        near = did_you_mean(value, [UNREPORTED])
        raise ValueError(f"not a link; expected the URL of the thread, or the word {UNREPORTED}{near}")
    return value


def check_reason(value: str) -> str:
    """The reason of an entry; ValueError if it is blank."""
    if not value.strip():
        raise ValueError("the reason is empty; describe what happens, and how that was verified")
    return value


def _range(value: str) -> str:
    try:
        SpecifierSet(value)
    except InvalidSpecifier:
        raise ValueError('not a version range; expected a range such as ">=2.9,<3" or "==2.13.*"') from None
    return value


def _date(value: Any) -> Any:
    try:
        written = date.fromisoformat(value)
    except (TypeError, ValueError):
        written = None
    if written is None or written.isoformat() != value:
        raise ValueError("not a date; expected year, month and day, as in 2026-11-22")
    return written


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, StringConstraints(min_length=1)]
EntryId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
KindWord = Annotated[
    str, AfterValidator(_word("kind of divergence", KINDS)), Field(json_schema_extra={"enum": list(KINDS)})
]
BehaviourWord = Annotated[
    str, AfterValidator(_word("behaviour", BEHAVIOURS)), Field(json_schema_extra={"enum": list(BEHAVIOURS)})
]
DtypeName = Annotated[str, AfterValidator(_word("dtype", NAMES)), Field(json_schema_extra={"enum": list(NAMES)})]


_Texts = Text | list[Text]
_Kinds = KindWord | list[KindWord]
_Transformations = Transformation | list[Transformation]
_TEXTS = BeforeValidator(_as_list, json_schema_input_type=_Texts)
_KINDS = BeforeValidator(_as_list, json_schema_input_type=_Kinds)
_TRANSFORMATIONS = BeforeValidator(_as_list, json_schema_input_type=_Transformations)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class WhenPart(_Part):
    """The conditions under which an entry applies; those that are omitted always hold."""

    version: Annotated[str, AfterValidator(_range)] | None = None
    """Versions of the framework, as a PEP 440 range."""
    device: Annotated[list[Text], _TEXTS, Field(min_length=1)] | None = None
    """``cuda`` also matches ``cuda:1``."""
    mode: Annotated[list[Text], _TEXTS, Field(min_length=1)] | None = None
    dtype: DtypeName | None = None
    """Only calls with a tensor of this dtype."""
    os: Text | None = None
    """As in a target's record: ``Linux``, ``Darwin`` or ``Windows``."""
    arch: Text | None = None
    """As in a target's record, such as ``x86_64`` or ``arm64``."""
    gpu: Text | None = None
    """A pattern of the GPU's model, such as ``*H100*``."""
    python: Annotated[str, AfterValidator(_range)] | None = None
    """Versions of Python, as a PEP 440 range."""
    numpy: Annotated[str, AfterValidator(_range)] | None = None
    """Versions of NumPy in the target's environment, as a PEP 440 range."""
    transform: Annotated[list[Transformation], _TRANSFORMATIONS, Field(min_length=1)] | None = None
    """Only calls through these transforms; an entry without it is about no call through one."""


class EntryPart(_Part):
    """One known divergence: one cause."""

    cases: Annotated[list[Text], _TEXTS] = []
    """Patterns of case ids: ``*`` matches anything, ``?`` matches one character."""
    programs: Annotated[list[Text], _TEXTS] = []
    """Patterns of the forms to which drawn programs are shrunk, on whatever API: ``*`` matches anything."""
    api: Annotated[list[Text], _TEXTS, Field(min_length=1)]
    """Names of APIs, or patterns of names."""
    when: WhenPart = Field(default_factory=WhenPart)
    kind: Annotated[list[KindWord], _KINDS, Field(min_length=1)]
    """The kinds of divergence: exactly those of the result."""
    behaviour: BehaviourWord | None = None
    sometimes: bool = False
    """It does not happen every time, so a result that conforms is not an unexpected pass."""
    since: Annotated[date, BeforeValidator(_date)] | None = None
    """The date on which the entry was written."""
    expires: Annotated[date, BeforeValidator(_date)] | None = None
    """The last day on which the entry applies."""
    run: bool = True
    """False: the calls are not made, because they end the machine or take too long."""
    triaged: bool = True
    """False: nobody has looked for the cause yet."""
    reason: Annotated[str, AfterValidator(check_reason)]
    link: Annotated[str, AfterValidator(check_link)]
    searched: Annotated[list[Text], _TEXTS] = []
    """If it is unreported: where a report was looked for and by which words, without finding one."""

    @model_validator(mode="after")
    def _is_about_something(self) -> Self:
        if not self.cases and not self.programs:
            raise ValueError("the entry is about nothing; give patterns of cases, of programs, or both")
        if self.searched and self.link != UNREPORTED:
            raise ValueError(f"searched says that no report was found, so the link is {UNREPORTED}; remove one of them")
        if self.programs and (self.behaviour is not None or not self.run or self.when.transform is not None):
            raise ValueError(
                "an entry with programs has no behaviour, no transform and no 'run: false'; give the cases with these an entry of their own"
            )
        return self


class KnownFile(_Part):
    """A divergences.yaml beside an adapter."""

    divergences: dict[EntryId, EntryPart]
