"""What each API of each target does in each situation, in which mode, since when: a behaviour for each verb.

Calls that an API has no form for, that were blocked, or whose result cannot tell one behaviour from another are left out;
``extent.gaps`` says what became of the calls of an API of which none tells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.findings.compare import differing
from conformance.findings.own_claims import OwnClaims, Said
from conformance.findings.sentences import release, version_of
from conformance.findings.situations import ARGUMENTS, INDEX_DTYPE, LAST, ORDER, Place, Situation
from conformance.findings.verbs import VERBS, Key, Verb, Verbs, observed_verbs, sort_about
from conformance.results.records import CitationRecord, ResultRecord, TargetRecord
from conformance.results.table import Sort, Table, sort_of

REFERENCE = "reference"
WORST: tuple[Sort, ...] = (
    *("died", "hung", "own", "printed", "portability", "blocked", "conforms", "observed", "unsupported"),
)
"""The order in which one sort stands for several: the worst that was judged, then what was not."""


@dataclass(frozen=True)
class Column:
    """A framework in one mode on one device, with its versions."""

    framework: str
    mode: str
    device: str
    versions: tuple[TargetRecord, ...]
    """Those that started, the oldest first; never empty."""

    @property
    def target(self) -> TargetRecord:
        """The newest version."""
        return self.versions[-1]


@dataclass(frozen=True)
class Since:
    """From when on calls do what they do, as calls show that both versions made."""

    first: TargetRecord
    """The first version in which any of them does, without interruption until that of the behaviour."""
    not_in: TargetRecord
    """The last version before that; in it all of them do something else. Releases between the two were not tested."""
    before: tuple[Verb, ...]
    """What they do in it, never empty."""

    @property
    def text(self) -> str:
        """``2.13.0 or earlier, after 2.6.0``."""
        return f"{release(self.first)} or earlier, after {release(self.not_in)}"


@dataclass(frozen=True)
class Behaviour:
    """What an API of a target does in a situation. If not all its calls do the same, there is one for each verb.

    Everything is about this API alone, and about what the verb says: a changed argument is a behaviour of the situation
    ``arguments``, and leaves no mark on what the same call did with its indices.
    """

    api: str
    operation: str
    target: str
    """Its id; of any version, not only the newest."""
    situation: Situation
    verb: Verb
    results: tuple[ResultRecord, ...]
    """Those of the calls that show it, in the order of the file; never empty."""
    of: int
    """The number of all calls of the API in this situation that tell what it does."""
    verdicts: Mapping[Sort, int]
    """The number of ``results`` with each verdict on what the verb is about; a divergence by its standing."""
    worst: ResultRecord
    """The first of ``results`` with the worst of these verdicts."""
    since: Since | None
    """None if no call that both versions made shows that an older one did something else."""
    said: Said
    """What the documentation of the API says of these calls in this version."""
    known: tuple[str, ...]
    """The ids of the entries of the ledger that record what the verb is about."""
    links: tuple[str, ...]
    """The upstream threads of these entries. If empty, no report is linked."""

    @property
    def claims(self) -> tuple[CitationRecord, ...]:
        """What the documentation says of what is unusual about these calls. If empty, it does not say."""
        return self.said.claims

    @property
    def cases(self) -> tuple[str, ...]:
        """The ids of the calls that show it."""
        return tuple(result.case for result in self.results)

    @property
    def sort(self) -> Sort:
        """The worst verdict of its calls; say with it how many of ``of`` have it."""
        return min(self.verdicts, key=WORST.index)


def columns(table: Table) -> list[Column]:
    """The configurations of the frameworks, in the order of their first targets; without the reference, if there are others."""
    started = [target for target in table.targets.values() if target.blocked is None]
    if any(target.framework != REFERENCE for target in started):
        started = [target for target in started if target.framework != REFERENCE]
    configurations: dict[tuple[str, str, str], list[TargetRecord]] = {}
    for target in started:
        configurations.setdefault((target.framework, target.mode, target.device), []).append(target)
    return [
        Column(*key, tuple(sorted(targets, key=lambda target: version_of(target.version))))
        for key, targets in configurations.items()
    ]


def behaviours(
    table: Table, places: Mapping[str, Place], of_columns: Sequence[Column], own_claims: OwnClaims
) -> list[Behaviour]:
    """All behaviours: operation by operation, situation by situation, and of these by target and API.

    Of an API the most dangerous verb comes first.
    """
    observed = observed_verbs(table.results, places)
    operations = list(dict.fromkeys(clause.operation for clause in table.results.clauses.values()))
    targets = list(table.targets)

    def place(key: Key) -> tuple[int, tuple[int, list[tuple[str, int]]], int]:
        operation, situation, target = key
        return operations.index(operation), rank(situation), targets.index(target)

    found = [
        each for key in sorted(observed, key=place) for each in _of_target(table, own_claims, of_columns, observed, key)
    ]
    return list(_said_of_any_operation(found))


def _said_of_any_operation(found: Sequence[Behaviour]) -> Iterator[Behaviour]:
    """The behaviours, each with what the documentation says of the same behaviour in other operations if it says nothing of its own.

    An API that stands in for several operations has one documentation, and calls of one operation may be held to it alone.
    """
    said: dict[tuple[str, str, Situation, Verb], dict[CitationRecord, None]] = {}
    for each in found:
        said.setdefault((each.api, each.target, each.situation, each.verb), {}).update(dict.fromkeys(each.claims))
    for each in found:
        claims = said[each.api, each.target, each.situation, each.verb]
        is_silent = claims and not each.claims and each.situation not in LAST
        yield replace(each, said=Said(tuple(claims))) if is_silent else each


def rank(situation: Situation) -> tuple[int, list[tuple[str, int]]]:
    """Sorts situations."""
    names = [*(known.name for known in ORDER), INDEX_DTYPE, *(known.name for known in LAST)]
    return names.index(situation.of), [
        (text, int(digits or 0)) for text, digits in re.findall(r"(\D+)(\d*)", situation.name)
    ]


def _of_target(
    table: Table,
    own_claims: OwnClaims,
    of_columns: Sequence[Column],
    observed: Mapping[Key, Mapping[str, Verbs]],
    key: Key,
) -> Iterator[Behaviour]:
    operation, situation, target = key
    versions = next((versions for column in of_columns if (versions := _until(column, target))), ())
    histories = [observed.get((operation, situation, version.id), {}) for version in versions]
    for api, verbs in observed[key].items():
        of_api = [history.get(api, {}) for history in histories]
        of = sum(map(len, verbs.values()))
        for verb, results in sorted(verbs.items(), key=lambda of_verb: VERBS.index(of_verb[0])):
            sorts = [sort_about(verb, result, table.results.cases.get(result.case)) for result in results]
            known = dict.fromkeys(
                result.known
                for result, sort in zip(results, sorts, strict=True)
                if result.known is not None and sort not in ("conforms", "observed")
            )
            yield Behaviour(
                api,
                operation,
                target,
                situation,
                verb,
                tuple(results),
                of,
                dict(Counter(sorts)),
                _worst(results, sorts),
                _since(versions, _span(of_api, verb, situation)) if versions else None,
                own_claims.of_calls(results, situation),
                tuple(known),
                _links(table, target, known),
            )


def _worst(results: Sequence[ResultRecord], sorts: Sequence[Sort]) -> ResultRecord:
    """The first with the worst sort, preferably one without a mark from something that its verb is not about."""
    of_results = zip(results, sorts, strict=True)
    return min(of_results, key=lambda each: (WORST.index(each[1]), sort_of(each[0]) != each[1]))[0]


def _until(column: Column, target: str) -> Sequence[TargetRecord]:
    """The versions of a column until that of a target; empty if it is none of them."""
    ids = [version.id for version in column.versions]
    return column.versions[: ids.index(target) + 1] if target in ids else ()


def _links(table: Table, target: str, known: Iterable[str]) -> tuple[str, ...]:
    """The upstream threads of entries of a ledger."""
    framework = table.targets[target].framework
    entries = (table.results.known.get((framework, name)) for name in known)
    links = (entry.link for entry in entries if entry is not None)
    return tuple(dict.fromkeys(link for link in links if link.startswith(("https://", "http://"))))


_Span = tuple[int, int, tuple[Verb, ...]]
"""The numbers of the versions of a ``Since``, and what calls did in the second."""


def _since(versions: Sequence[TargetRecord], span: _Span | None) -> Since | None:
    return None if span is None else Since(versions[span[0]], versions[span[1]], span[2])


def _span(versions: Sequence[Verbs], verb: Verb, situation: Situation) -> _Span | None:
    """From when on the calls that have a verb in the last version have it; see ``Since``."""
    newest = {result.case: result for result in versions[-1][verb]}
    first = len(versions) - 1
    for number in reversed(range(first)):
        did = [
            (other, result, newest[result.case])
            for other, results in versions[number].items()
            for result in results
            if result.case in newest and not isinstance(differing(result, newest[result.case], "behaviour"), str)
        ]
        # Another verb may be due to another judgement of the same behaviour, but not for arguments, which are not compared.
        if any(
            other == verb or not (situation == ARGUMENTS or differing(was, now, "behaviour")) for other, was, now in did
        ):
            first = number
        elif did:
            return first, number, tuple(other for other in VERBS if other in {other for other, _, _ in did})
    return None
