"""A listing of all cases: what is asked of every case, without the cases themselves, which take long to build.

The suite's specs have theirs beside them (``specs/listing.json``). Each operation has a digest of its specs and of the code that
derives cases from them (``digests.py``): what is listed with another digest is not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cases.facts import CaseFacts
from conformance.cases.store.digests import Digests
from conformance.cases.store.sealed import read_sealed, write_sealed
from conformance.data_folders import specs_folder
from conformance.files import read_regular, replace_text

if TYPE_CHECKING:
    from conformance.cases.model import Case
    from conformance.specification.model import Catalogue

FILE_NAME = "listing.json"
STORED = "listing.sealed"
"""The name of a listing in the folder of stored cases: of a damaged one, nothing is used."""


@dataclass(frozen=True)
class ListedClause:
    """A clause, and what it states."""

    id: str
    states: str


@dataclass(frozen=True)
class ListedOperation:
    """An operation, its clauses, and its cases in the order in which they are built."""

    name: str
    summary: str
    clauses: Sequence[ListedClause]
    cases: Sequence[CaseFacts]


Listing = Mapping[str, ListedOperation]
"""By name, in the order of the specs."""


def listing_of(catalogue: Catalogue, cases: Iterable[Case]) -> Listing:
    """The listing of the cases of specs."""
    of_operation: dict[str, list[CaseFacts]] = {name: [] for name in catalogue.operations}
    for case in cases:
        of_operation[case.operation_name].append(case.facts)
    return {
        name: ListedOperation(
            name,
            operation.summary,
            [ListedClause(clause.id, clause.states) for clause in operation.clauses],
            of_operation[name],
        )
        for name, operation in catalogue.operations.items()
    }


def read_listing(file: Path, digest_of: Callable[[str], str]) -> dict[str, ListedOperation]:
    """The operations of a file that are listed with the digest of today; none if it is missing or damaged."""
    try:
        return _listed(read_regular(file), digest_of)
    except OSError:
        return {}


def read_stored(folder: Path, digest_of: Callable[[str], str]) -> dict[str, ListedOperation]:
    """The operations that are listed in a folder of stored cases with the digest of today; none if the listing is missing or damaged."""
    content = read_sealed(folder / STORED, b"")
    return _listed(content, digest_of) if content is not None else {}


def _listed(text: bytes, digest_of: Callable[[str], str]) -> dict[str, ListedOperation]:
    try:
        content = json.loads(text)
        facts = [*map(_facts, content["facts"])]
        listed = content["operations"].items()
        return {name: _operation(name, one, facts) for name, one in listed if one["digest"] == digest_of(name)}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def suite_listing(folder: Path, digests: Digests) -> Listing:
    """The operations of the suite that are listed beside its specs or in the folder of its cases, in the order of the specs."""
    beside = read_listing(specs_folder() / FILE_NAME, digests.of_listing)
    stored = read_stored(folder, digests.of_listing)
    return {name: (stored | beside)[name] for name in sorted(stored.keys() | beside.keys())}


def write_listing(file: Path, listing: Listing, digest_of: Callable[[str], str]) -> None:
    """Replace a file; OSError if that fails. Each case has a line of its own, so that a difference can be read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_text(file, _text(listing, digest_of))


def write_stored(folder: Path, listing: Listing, digest_of: Callable[[str], str]) -> None:
    """Replace the listing of a folder of stored cases; OSError if that fails."""
    write_sealed(folder / STORED, b"", _text(listing, digest_of).encode())


def _text(listing: Listing, digest_of: Callable[[str], str]) -> str:
    return "".join(f"{line}\n" for line in _lines(listing, digest_of))


_SHARED = ("dtypes", "generated", "device", "needs", "constants", "transformation")
"""The facts that many cases have in common, which are written once."""


def _lines(listing: Listing, digest_of: Callable[[str], str]) -> Iterator[str]:
    numbers: dict[str, int] = {}
    for operation in listing.values():
        for case in operation.cases:
            numbers.setdefault(_shared(case), len(numbers))
    yield '{"facts": ['
    yield ",\n".join(numbers)
    yield '], "operations": {'
    yield ",\n".join(_operation_text(one, digest_of(one.name), numbers) for one in listing.values())
    yield "}}"


def _operation_text(operation: ListedOperation, digest: str, numbers: Mapping[str, int]) -> str:
    clauses = {clause.id: number for number, clause in enumerate(operation.clauses)}
    head = {
        "digest": digest,
        "summary": operation.summary,
        "clauses": [[clause.id, clause.states] for clause in operation.clauses],
    }
    cases = ",\n".join(_case_text(case, clauses[case.clause_id], numbers) for case in operation.cases)
    text = json.dumps(head, ensure_ascii=False, indent=0)[:-2]
    return f'{json.dumps(operation.name)}: {text},\n"cases": [\n{cases}]}}'


def _case_text(case: CaseFacts, clause: int, numbers: Mapping[str, int]) -> str:
    fields = [clause, case.id.removeprefix(case.clause_id), numbers[_shared(case)]]
    more = [case.original, *case.earlier] if case.earlier or case.original is not None else []
    return json.dumps([*fields, *more])


def _shared(case: CaseFacts) -> str:
    values = (getattr(case, name) for name in _SHARED)
    return json.dumps([sorted(value) if isinstance(value, frozenset) else value for value in values])


def _facts(values: list[Any]) -> dict[str, Any]:
    named = zip(_SHARED, values, strict=True)
    return {name: frozenset(value) if isinstance(value, list) else value for name, value in named}


def _operation(name: str, content: Mapping[str, Any], facts: Sequence[Mapping[str, Any]]) -> ListedOperation:
    clauses = [ListedClause(*clause) for clause in content["clauses"]]
    ids = [clause.id for clause in clauses]
    cases = [
        CaseFacts(
            id=ids[clause] + rest,
            clause_id=ids[clause],
            operation_name=name,
            original=more[0] if more else None,
            earlier=tuple(more[1:]),
            **facts[number],
        )
        for clause, rest, number, *more in content["cases"]
    ]
    return ListedOperation(name, content["summary"], clauses, cases)
