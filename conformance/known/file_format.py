"""What a divergences.yaml may hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, get_args

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from conformance.judging.vocabulary import Behaviour, Divergence
from conformance.specification.dtypes import NAMES
from conformance.specification.problems import did_you_mean, nearest

KINDS = (*get_args(Divergence), "died", "hung")
BEHAVIOURS = get_args(Behaviour)
UNREPORTED = "unreported"

_URL = re.compile(r"https?://[^\s/]+\S*")


def _word(what: str, allowed: Iterable[str]) -> Callable[[str], str]:
    words = tuple(allowed)

    def check(value: str) -> str:
        if value not in words:
            raise ValueError(f"no {what}{nearest(value, words)}")
        return value

    return check


def check_link(value: str) -> str:
    """The link of an entry; ValueError where it is neither a URL nor ``unreported``."""
    if value != UNREPORTED and not _URL.fullmatch(value):
        near = did_you_mean(value, [UNREPORTED])
        raise ValueError(f"no link; write the URL of the thread, or the word {UNREPORTED}{near}")
    return value


def check_reason(value: str) -> str:
    """The reason of an entry; ValueError where nothing is said."""
    if not value.strip():
        raise ValueError("no reason; say what happens, and how that was verified")
    return value


def _range(value: str) -> str:
    try:
        SpecifierSet(value)
    except InvalidSpecifier:
        raise ValueError('no version range such as ">=2.9,<3" or "==2.13.*"') from None
    return value


def _listed(value: Any) -> Any:
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


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class WhenPart(_Part):
    """Where an entry applies; what is left out is not asked about."""

    version: Annotated[str, AfterValidator(_range)] | None = None
    """Versions of the framework, as PEP 440 writes ranges."""
    device: Text | None = None
    """``cuda`` stands for ``cuda:1`` too."""
    mode: Text | None = None
    dtype: DtypeName | None = None
    """Only calls with a tensor of this dtype."""


class EntryPart(_Part):
    """One known divergence: one cause."""

    cases: Annotated[list[Text], BeforeValidator(_listed), Field(min_length=1)]
    """Patterns of case ids: ``*`` stands for anything, ``?`` for one character."""
    api: Annotated[list[Text], BeforeValidator(_listed), Field(min_length=1)]
    """Names of APIs, or patterns of names."""
    when: WhenPart = Field(default_factory=WhenPart)
    kind: Annotated[list[KindWord], BeforeValidator(_listed), Field(min_length=1)]
    """What differs: all the kinds that a result has, no more and no less."""
    behaviour: BehaviourWord | None = None
    sometimes: bool = False
    """It does not happen every time, so that it is not stale when it does not."""
    reason: Annotated[str, AfterValidator(check_reason)]
    link: Annotated[str, AfterValidator(check_link)]


class KnownFile(_Part):
    """A divergences.yaml beside an adapter."""

    divergences: dict[EntryId, EntryPart]
