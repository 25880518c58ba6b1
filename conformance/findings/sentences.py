"""How much of the documentation of each API is read: by claims, declared untestable, or by nobody; and the order of versions.

The texts themselves are not in a results file, only the hashes of their sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.version import InvalidVersion, Version

from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord, MappingRecord, TargetRecord

Rests = Mapping[str, Sequence[str]]
"""By the dotted name of an object, hashes of the sentences of its documentation."""
_Sentences = set[tuple[str, str]]
"""Object and hash."""


@dataclass(frozen=True)
class Coverage:
    """The sentences of an API's own documentation in one version."""

    target: str
    api: str
    sentences: int
    claimed: int
    """Those that testable claims or errata rest on, and examples that are run."""
    untestable: int
    unread: int

    @property
    def is_documented(self) -> bool:
        """Whether a documentation of its own ships with the version."""
        return self.sentences > 0


@dataclass
class _Read:
    """The sentences that somebody has read."""

    claimed: _Sentences = field(default_factory=set)
    untestable: _Sentences = field(default_factory=set)


def coverage(results: Results) -> list[Coverage]:
    """The coverage of each API of each target whose documentation was asked for, in the order of the file."""
    read = _read(results)
    targets = {target.id: target for target in results.targets if target.sentences}
    apis: dict[tuple[str, str], MappingRecord] = {}
    for mapping in results.mappings:
        if mapping.target in targets:
            apis.setdefault((mapping.target, mapping.api), mapping)
    return [_coverage(targets[target], mapping, read) for (target, _), mapping in apis.items()]


def _coverage(target: TargetRecord, mapping: MappingRecord, read: _Read) -> Coverage:
    own = _pairs({name: target.sentences.get(name, []) for name in objects_of(mapping)})
    claimed = own & read.claimed
    untestable = (own & read.untestable) - claimed
    return Coverage(
        target.id, mapping.api, len(own), len(claimed), len(untestable), len(own) - len(claimed) - len(untestable)
    )


def objects_of(mapping: MappingRecord) -> Sequence[str]:
    """The objects whose documentation is the API's own; an older file does not name them."""
    return mapping.documentation or [mapping.follows or mapping.api]


def _read(results: Results) -> _Read:
    read = _Read()
    for claim in results.claims:
        (read.claimed if claim.untestable is None else read.untestable).update(_pairs(claim.rests))
    for erratum in results.errata:
        read.claimed.update(_pairs(erratum.rests))
    for example in results.examples:
        place = (example.object, example.sentence)
        (read.untestable if example.verdict == "untestable" else read.claimed).add(place)
    for document in results.documents:
        for group in document.untestable:
            read.untestable.update(_pairs(group.rests))
    return read


def _pairs(rests: Rests) -> _Sentences:
    return {(name, sentence) for name, sentences in rests.items() for sentence in sentences}


@dataclass(frozen=True)
class Standing:
    """Where the tested versions of a framework make a claim."""

    since: TargetRecord
    """The oldest tested version, without interruption until the newest, whose documentation makes it."""
    is_oldest: bool
    """No older version was tested."""


class ClaimHistory:
    """Since which tested version the documentation that ships with a framework makes each claim."""

    def __init__(self, results: Results) -> None:
        self._claims = {(claim.document, claim.locator): claim for claim in results.claims}
        self._targets = {target.id: target for target in results.targets}

    def sentences(self, citation: CitationRecord) -> int:
        """The number of sentences that a claim rests on; 0 for the claim of a captured page."""
        claim = self._claims.get((citation.document, citation.locator))
        return max(map(len, claim.rests.values()), default=0) if claim else 0

    def standing(self, citation: CitationRecord, target: str) -> Standing | None:
        """Since when a claim is made, up to the version of a target; None if that version does not make it."""
        claim = self._claims.get((citation.document, citation.locator))
        newest = self._targets.get(target)
        if claim is None or newest is None or not _makes(newest, claim):
            return None
        versions = self._versions_until(newest)
        since = next((at + 1 for at in range(len(versions) - 1, -1, -1) if not _makes(versions[at], claim)), 0)
        return Standing(versions[since], since == 0)

    def _versions_until(self, newest: TargetRecord) -> list[TargetRecord]:
        """The versions of a target's configuration up to its own, the oldest first."""
        same = (
            target
            for target in self._targets.values()
            if (target.framework, target.mode, target.device) == (newest.framework, newest.mode, newest.device)
            and target.sentences
            and version_of(target.version) <= version_of(newest.version)
        )
        return sorted(same, key=lambda target: version_of(target.version))


def _makes(target: TargetRecord, claim: ClaimRecord) -> bool:
    return any(_holds(target.sentences.get(name, ()), hashes) for name, hashes in claim.rests.items())


def _holds(sentences: Iterable[str], hashes: Sequence[str]) -> bool:
    return {*sentences}.issuperset(hashes)


def newest(targets: Sequence[TargetRecord]) -> dict[str, TargetRecord]:
    """Framework to the first target of its newest version that started."""
    newest_targets: dict[str, TargetRecord] = {}
    for target in targets:
        current = newest_targets.get(target.framework)
        if current is None or _rank(target) > _rank(current):
            newest_targets[target.framework] = target
    return newest_targets


def version_of(text: str | None) -> Version:
    """Parse a version for comparison. An invalid version, such as a build from a branch, counts as the oldest."""
    try:
        return Version(text or "0")
    except InvalidVersion:
        return Version("0")


def release(target: TargetRecord) -> str:
    """The version without the local part that names a build."""
    return (target.version or "").partition("+")[0]


def _rank(target: TargetRecord) -> tuple[bool, Version]:
    return target.blocked is None, version_of(target.version)
