"""Whether the documentation of an API claims the dtypes that a case tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.cases.model import Case
from conformance.judging.standing import DescribedApi, binds, citations
from conformance.judging.vocabulary import BINDING, Standing
from conformance.specification.dtypes import NAMES, kind_of
from conformance.specification.literals import Tensor
from conformance.specification.model import Citation, Operation

ADAPTER = "the adapter"


@dataclass(frozen=True)
class DtypeClaim:
    """A statement of what dtypes an API takes, about one that is tested."""

    by: str
    """``document#locator``, or the adapter."""
    extent: Literal["yes", "family", "others"]
    """It names the dtype, or only its family, which promises no single dtype, or lists other dtypes only."""

    @property
    def promises(self) -> bool:
        """Whether the API takes the dtype according to it."""
        return self.extent == "yes"

    @property
    def documented(self) -> bool:
        """Whether a document of the API names the dtype, rather than the adapter."""
        return self.promises and self.by != ADAPTER


def dtype_claim(case: Case, api: DescribedApi, *, composed: bool, promised: Collection[str]) -> DtypeClaim | None:
    """The most specific claim about the dtypes that a case tests; None if there is no such claim.

    promised: the dtypes that the API takes according to the adapter.
    """
    dtypes = case.dtypes_tested
    if dtypes and set(dtypes.values()) <= set(promised):
        return DtypeClaim(ADAPTER, "yes")
    found: dict[str, DtypeClaim] = {}
    for citation in () if composed else _dtype_citations(case.operation):
        extent = _extent(citation.claim.dtypes, dtypes) if binds(citation, api) else None
        if extent is not None:
            found.setdefault(extent, DtypeClaim(str(citation), extent))
    return found.get("yes") or found.get("others") or found.get("family")


def unlisted(case: Case, api: DescribedApi) -> Citation | None:
    """The claim of the API's documentation that lists dtypes, but not the one that is all that the call and its control differ in."""
    wrong = {name: value.dtype for name in case.retyped if isinstance(value := case.call.arguments[name], Tensor)}
    for citation in _dtype_citations(case.operation) if wrong else ():
        if binds(citation, api) and _extent(citation.claim.dtypes, wrong) == "others":
            return citation
    return None


def _extent(
    claimed: Mapping[str, Collection[str]], dtypes: Mapping[str, str]
) -> Literal["yes", "family", "others"] | None:
    """What a claim says of these dtypes; None if it is about other arguments, or lists a family without them."""
    if all(dtype in claimed.get(name, ()) for name, dtype in dtypes.items()):
        return "yes"
    if all(kind_of(dtype) in claimed.get(name, ()) for name, dtype in dtypes.items()):
        return "family"
    return "others" if any(_lists_others(claimed.get(name, ()), dtype) for name, dtype in dtypes.items()) else None


def _lists_others(claimed: Collection[str], dtype: str) -> bool:
    """Whether a claim lists dtypes by name, and this is not one of them."""
    return bool(claimed) and set(NAMES).issuperset(claimed) and dtype not in claimed


def dtypes_named(operation: Operation, api: DescribedApi, arguments: Collection[str]) -> set[str]:
    """The dtypes that the documentation of an API names for some of its arguments."""
    return {
        dtype
        for citation in _dtype_citations(operation)
        if binds(citation, api)
        for name in arguments
        for dtype in citation.claim.dtypes.get(name, ())
        if dtype in NAMES
    }


def index_dtypes(case: Case, api: DescribedApi, accepted: Sequence[str], standing: Standing) -> Sequence[str]:
    """The dtypes to which the indices of a case are cast; none if they are what the case or the document is about.

    accepted: the dtypes of indices that the API takes according to the adapter.
    """
    names = _indices(case)
    if set(names) & {*case.dtypes_tested, *case.retyped}:
        return []
    if standing not in BINDING:
        return accepted
    named = dtypes_named(case.operation, api, names)
    given = {value.dtype for name in names if isinstance(value := case.call.arguments.get(name), Tensor)}
    return accepted if not given <= named else []


def control_index_dtypes(case: Case, api: DescribedApi, accepted: Sequence[str], standing: Standing) -> Sequence[str]:
    """The dtypes to which the indices of a control are cast: any that the API takes, if their dtype was the violation."""
    retyped = set(_indices(case)) & set(case.retyped)
    return accepted if retyped else index_dtypes(case, api, accepted, standing)


def _indices(case: Case) -> list[str]:
    return [name for name, argument in case.operation.arguments.items() if argument.index]


def converts_a_number(case: Case) -> bool:
    """Whether the call has a number, which a framework converts to the dtype of the data that the case tests."""
    arguments = case.operation.arguments
    numbers = [name for name, value in case.call.arguments.items() if isinstance(value, int | float)]
    about_data = any(not arguments[name].index for name in case.dtypes_tested)
    return about_data and any(arguments[name].number for name in numbers)


def _dtype_citations(operation: Operation) -> Iterator[Citation]:
    return (citation for citation in citations(operation) if citation.claim.dtypes)
