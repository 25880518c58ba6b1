"""documents.yaml: the captured pages and their claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from conformance.specification.dtypes import FAMILIES, NAMES
from conformance.specification.errata import build_errata
from conformance.specification.file_format import ClaimPart, DocumentPart, DocumentsFile
from conformance.specification.model import Citation, Claim, Document
from conformance.specification.parse import parse
from conformance.specification.problems import Lines, Problem, SpecError, nearest


def load_documents(path: Path) -> dict[str, Document]:
    """Every document by its id; SpecError with all problems of the file."""
    content, lines = parse(path, DocumentsFile)
    problems: list[Problem] = []
    documents = {name: _document(name, part, lines, problems) for name, part in content.documents.items()}
    if problems:
        raise SpecError(problems)
    return documents


def _document(name: str, part: DocumentPart, lines: Lines, problems: list[Problem]) -> Document:
    def versions(text: str, *path: str) -> SpecifierSet:
        try:
            return SpecifierSet(text)
        except InvalidSpecifier:
            place = lines.place(("documents", name, *path))
            problems.append(Problem(place, f"not a version range: {text!r}; write one as '>=2.9,<3'"))
            return SpecifierSet()

    def claim(locator: str, said: str | ClaimPart) -> Claim:
        place = lines.place(("documents", name, "claims", locator))
        if isinstance(said, str):
            return Claim(locator, said, None, None, place)
        since = versions(said.versions, "claims", locator, "versions") if said.versions is not None else None
        _check_dtypes(said, lines, ("documents", name, "claims", locator, "dtypes"), problems)
        dtypes = {argument: tuple(names) for argument, names in said.dtypes.items()}
        return Claim(locator, said.says, since, said.untestable, place, dtypes)

    return Document(
        id=name,
        title=part.title,
        official=part.official,
        framework=part.framework,
        describes=tuple(part.describes),
        versions=versions(part.versions, "versions"),
        url=part.url,
        editions=part.editions,
        claims={locator: claim(locator, said) for locator, said in part.claims.items()},
        errata=build_errata(name, part, lines, problems),
        place=lines.place(("documents", name)),
    )


def _check_dtypes(said: ClaimPart, lines: Lines, path: tuple[str, ...], problems: list[Problem]) -> None:
    allowed = [*NAMES, *FAMILIES]
    for argument, names in said.dtypes.items():
        for name in names:
            if name not in allowed:
                place = lines.place((*path, argument))
                problems.append(Problem(place, f"undefined dtype or family {name!r}{nearest(name, allowed)}"))


class CitationError(Exception):
    """A citation that leads nowhere; the message names the nearest."""


def find_citation(text: str, documents: Mapping[str, Document]) -> Citation:
    """The claim that ``document#locator`` means."""
    name, mark, locator = text.partition("#")
    if not mark:
        raise CitationError(f"a citation is document#locator; found {text!r}")
    if name not in documents:
        raise CitationError(f"undefined document {name!r}{nearest(name, documents)}")
    claims = documents[name].claims
    if locator not in claims:
        raise CitationError(f"{name} has no claim {locator!r}{nearest(locator, claims)}")
    return Citation(documents[name], claims[locator])
