"""The page of an API: what it does by situation and version, its dtypes, what is wrong, and how it is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, TypeVar

from conformance.findings.behaviours import Behaviour
from conformance.findings.dtype_support import Support, Tally, TransformSupport, place_of
from conformance.findings.sentences import Coverage, coverage
from conformance.findings.situations import BELOW_ZERO, FAR_OUTSIDE, OUTSIDE, PAST_THE_END, TWICE, USUAL, Situation
from conformance.findings.verbs import Verb
from conformance.outcomes.model import Died, Raised
from conformance.reports.behaviours import WORDS
from conformance.reports.site.addresses import anchor
from conformance.reports.site.facts import Api, Facts, Ran, Repeated
from conformance.reports.site.port_page import Alike, Ports
from conformance.reports.text import counted
from conformance.reports.wording import NOT_GUARDED
from conformance.results.records import MappingRecord, TargetRecord
from conformance.results.table import sort_of

T = TypeVar("T")

COMMONEST = (BELOW_ZERO, PAST_THE_END, FAR_OUTSIDE, TWICE, USUAL)
"""What is asked most often of an API, the most frequent first."""
MOST_SENTENCES = 2
"""Claims that a cell names."""
MOST_ERRORS = 2
"""Types of exceptions that a cell names."""
WITH_THE_INDEX: Mapping[Verb, str] = {
    "clamps": "clamps it",
    "wraps-modulo": "wraps it around",
    "fills": "reads a fill value",
    "stops": "skips it and all that follow",
    "ignores": "skips it",
}
"""What happens to an index out of bounds, in a sentence about it."""
NO_OTHER_CALL = "No call of this run tells what it does with an index outside, or with positions written twice."


@dataclass(frozen=True)
class Cell:
    """What an API does in a situation in one version and mode."""

    behaviours: Sequence[Behaviour]
    empty: str
    """Why there are none."""
    says: str
    """What its documentation says, if it is something else than on the newest target."""


@dataclass(frozen=True)
class Column:
    """A target, with what was run on it."""

    target: TargetRecord
    ran: Ran


@dataclass(frozen=True)
class Span(Generic[T]):
    """Neighbouring columns in which a row shows the same: one cell, whose links lead to the calls of the first."""

    columns: Sequence[Column]
    """Never empty."""
    cell: T
    calls: Sequence[str]
    """Of each thing that the cell tells, the number of calls: ``5 calls``, or ``5 to 13 calls`` if the columns differ in it."""


@dataclass(frozen=True)
class Row:
    """A situation."""

    id: str
    situation: Situation
    says: Sequence[Any]
    """The claims that the newest target is held to, if its documentation says anything of these calls."""
    silence: str
    """What stands in their place if there is none; empty if no call of the newest target tells what it does."""
    cells: Sequence[Span[Cell]]


@dataclass(frozen=True)
class Section:
    """An operation that the API implements."""

    operation: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    dtypes: Sequence[tuple[str, str, Sequence[Span[Support | None]]]]
    """Arguments, dtype and the support on the targets."""
    determinism: Sequence[Span[Repeated | None]]
    """Whether calls with duplicate indices that were repeated gave the same bits each time."""
    transforms: Sequence[tuple[str, Sequence[str], Sequence[Span[Sequence[TransformSupport]]]]]
    """Transform, its arguments, and what was seen on the targets, of a batch for each position of its axis."""
    elsewhere: Sequence[Alike]
    code: MappingRecord | None
    script: str | None


class ApiPages:
    """The data of the pages of all APIs."""

    def __init__(self, facts: Facts, ports: Ports) -> None:
        self._facts, self._ports = facts, ports
        self._coverage: Mapping[tuple[str, str], Coverage] = {
            (each.target, each.api): each for each in coverage(facts.conclusions.results)
        }
        self._documents: dict[str, list[str]] = {}
        for document in facts.conclusions.results.documents:
            for api in document.describes:
                if facts.addresses.has_document(document.document):
                    self._documents.setdefault(api, []).append(document.document)
        self._official = {claim.document for claim in facts.conclusions.results.claims if claim.official}
        self._dtypes: dict[tuple[str, str], list[Support]] = {}
        for support in facts.conclusions.dtypes:
            self._dtypes.setdefault((support.api, support.operation), []).append(support)
        self._transforms: dict[tuple[str, str], list[TransformSupport]] = {}
        for of_transform in facts.conclusions.transforms:
            self._transforms.setdefault((of_transform.api, of_transform.operation), []).append(of_transform)

    def context(self, api: Api) -> dict[str, Any]:
        """What the template shows."""
        return {
            "api": api,
            "headline": self.headline(api),
            "sections": [self._section(api, operation) for operation in api.operations],
            "causes": self._facts.causes_of.get(api.name, ()),
            "documents": self.documents(api),
            "official": self._official,
            "coverage": _coverage_text(self._coverage.get((api.newest.id, api.name))),
        }

    def documents(self, api: Api) -> list[str]:
        """The documents about an API, or about the one that it follows; those that are not official come last."""
        mappings = (self._facts.mappings.get((api.newest.id, api.name, operation)) for operation in api.operations)
        names = [api.name, *(mapping.follows for mapping in mappings if mapping and mapping.follows)]
        found = dict.fromkeys(document for name in names for document in self._documents.get(name, ()))
        return sorted(found, key=lambda document: document not in self._official)

    def headline(self, api: Api) -> str:
        """The answer to the commonest question: ``Negative index: RuntimeError. Its documentation does not say.``."""
        for situation in COMMONEST:
            for operation in api.operations:
                behaviours = self._facts.does.get((api.name, operation, api.newest.id), {}).get(situation)
                if behaviours:
                    return self._answer(api, situation, behaviours)
        mappings = [mapping for key, mapping in self._facts.mappings.items() if key[:2] == (api.newest.id, api.name)]
        if mappings and all(mapping.lacks_kernel for mapping in mappings):
            return f"{api.title} has no kernel for it on {api.newest.device.upper()}, so no call tells what it does."
        return "No call of this run tells what it does."

    def _answer(self, api: Api, situation: Situation, behaviours: Sequence[Behaviour]) -> str:
        if situation == USUAL:
            return f"A usual call {_does(situation, behaviours)}. {NO_OTHER_CALL}"
        claims = [claim for each in behaviours for claim in each.claims if claim.official]
        of_document = dict.fromkeys(claim.says for claim in claims if claim.document == claims[0].document)
        if of_document:  # another one may say the same in other words
            says = f"Its documentation: {' '.join(map(_sentence, list(of_document)[:2]))}"
        else:
            says = self._silence(api, api.newest, behaviours)
        return f"{situation.title[0].upper()}{situation.title[1:]}: {_does(situation, behaviours)}. {says}"

    def _silence(self, api: Api, target: TargetRecord, behaviours: Iterable[Behaviour]) -> str:
        """What stands in the place of claims if there is none."""
        read = self._coverage.get((target.id, api.name))
        if not self.documents(api):
            return _unread_text(read)
        if any(each.said.of_all_calls for each in behaviours):
            return "Its documentation says only what holds for all calls."
        is_read = not (target.unread.get(api.name) or (read and read.unread))
        return (
            "Its documentation does not say." if is_read else "The part of its documentation that is read does not say."
        )

    def _says(self, api: Api, target: TargetRecord, behaviours: Sequence[Behaviour], claims: Mapping[Any, Any]) -> str:
        """What stands in a cell if the documentation says something else than that of the newest target."""
        if not claims:
            silence = self._silence(api, target, behaviours)
            return silence[0].lower() + silence[1:-1]
        sentences = [_sentence(claim.says) for claim in _once(claims.values())]
        more = (
            f" And {counted(len(sentences) - MOST_SENTENCES, 'other claim')}."
            if len(sentences) > MOST_SENTENCES
            else ""
        )
        return f"its documentation: {' '.join(sentences[:MOST_SENTENCES])}{more}"

    def _section(self, api: Api, operation: str) -> Section:
        targets = [target for target in api.targets if self._facts.has(api.name, operation, target.id)]
        targets = targets or list(api.targets)
        prefix = f"{anchor(operation)}-" if len(api.operations) > 1 else ""
        newest = targets[0]
        columns = [Column(target, self._facts.ran(api.name, operation, target.id)) for target in targets]
        does = [self._facts.does.get((api.name, operation, target.id), {}) for target in targets]
        rows = [
            self._row(api, operation, f"{prefix}{anchor(situation.title)}", situation, columns, does)
            for situation in self._facts.situations(operation)
            if any(situation in of_target for of_target in does)
        ]
        script = self._facts.scripts.get((newest.id, api.name, operation))
        return Section(
            operation,
            columns,
            rows,
            list(self._dtype_rows(api, operation, columns)),
            _spans(
                columns,
                [self._facts.repeated(api.name, operation, target.id) for target in targets],
                _of_repeated,
            ),
            list(self._transform_rows(api, operation, columns)),
            self._ports.elsewhere(api, operation),
            self._facts.mappings.get((newest.id, api.name, operation)),
            script.script if script else None,
        )

    def _row(
        self,
        api: Api,
        operation: str,
        identifier: str,
        situation: Situation,
        columns: Sequence[Column],
        does: Sequence[Mapping[Situation, Sequence[Behaviour]]],
    ) -> Row:
        newest = _claims(does[0].get(situation, ()))
        cells = []
        for column, of_target in zip(columns, does, strict=True):
            behaviours = of_target.get(situation, ())
            empty = "" if behaviours else self._facts.nothing(api.name, operation, column.target.id, situation)
            claims = _claims(behaviours)
            differs = behaviours and claims.keys() != newest.keys()
            cells.append(Cell(behaviours, empty, self._says(api, column.target, behaviours, claims) if differs else ""))
        of_newest = does[0].get(situation, ())
        silence = self._silence(api, columns[0].target, of_newest) if of_newest else ""
        return Row(
            identifier, situation, _once(newest.values()), silence, _spans(columns, cells, _of_cell, _calls_of_cell)
        )

    def _dtype_rows(
        self, api: Api, operation: str, columns: Sequence[Column]
    ) -> Iterator[tuple[str, str, Sequence[Span[Support | None]]]]:
        rows: dict[tuple[str, str], dict[str, Support]] = {}
        for support in self._dtypes.get((api.name, operation), ()):
            rows.setdefault((support.arguments, support.dtype), {})[support.target] = support
        arguments_in_order = list(dict.fromkeys(arguments for arguments, _ in rows))
        in_order = sorted(rows.items(), key=lambda row: (arguments_in_order.index(row[0][0]), place_of(row[0][1])))
        for (arguments, dtype), of_row in in_order:
            cells = [of_row.get(column.target.id) for column in columns]
            if any(cell is not None and cell.word != "silent" for cell in cells):
                yield arguments, dtype, _spans(columns, cells, _of_dtype, _calls_of_dtype)

    def _transform_rows(
        self, api: Api, operation: str, columns: Sequence[Column]
    ) -> Iterator[tuple[str, Sequence[str], Sequence[Span[Sequence[TransformSupport]]]]]:
        rows: dict[tuple[str, Sequence[str]], dict[str, list[TransformSupport]]] = {}
        for support in self._transforms.get((api.name, operation), ()):
            if support.word != "silent":
                of_row = rows.setdefault((support.transform, support.arguments), {})
                of_row.setdefault(support.target, []).append(support)
        for (transform, arguments), of_row in rows.items():
            cells = [sorted(of_row.get(column.target.id, ()), key=lambda one: one.axis or "") for column in columns]
            if any(cells):
                yield transform, arguments, _spans(columns, cells, _of_transforms, _calls_of_transforms)


def _spans(
    columns: Sequence[Column],
    cells: Sequence[T],
    shown: Callable[[Column, T], Hashable],
    calls: Callable[[T], Sequence[int]] = lambda _: (),
) -> Sequence[Span[T]]:
    """The cells of a row, only one for neighbours that show the same.

    shown: all that a cell tells, without ``calls``: the number of calls of each thing that it tells, in which neighbours may differ.
    """
    both = list(zip(columns, cells, strict=True))
    groups = (list(group) for _, group in groupby(both, key=lambda each: shown(*each)))
    return [
        Span(
            [column for column, _ in group],
            group[0][1],
            list(map(_calls_text, zip(*(calls(cell) for _, cell in group), strict=True))),
        )
        for group in groups
    ]


def _calls_text(numbers: Sequence[int]) -> str:
    fewest, most = min(numbers), max(numbers)
    return counted(most, "call") if fewest == most else f"{fewest} to {counted(most, 'call')}"


def _of_cell(_: Column, cell: Cell) -> Hashable:
    return tuple(map(_of_behaviour, cell.behaviours)), cell.empty, cell.says


def _of_behaviour(each: Behaviour) -> Hashable:
    since = each.since and (each.since.text, each.since.before)
    number, of_sort = len(each.results), each.verdicts[each.sort]
    counts = number > 1 if number == of_sort == each.of else (number, of_sort, each.of)
    return each.verb, verb_text(each), each.sort, counts, since, each.links


def _calls_of_cell(cell: Cell) -> Sequence[int]:
    return [each.of for each in cell.behaviours]


def _of_repeated(column: Column, repeated: Repeated | None) -> Hashable:
    if repeated is None:
        return column.target.not_repeated
    return repeated.same, len(repeated.varying), tuple(map(sort_of, repeated.varying[:1])), repeated.text


def _of_dtype(column: Column, support: Support | None) -> Hashable:
    if support is None:
        return bool(column.ran.calls)
    return _of_tally(support), support.claimed, sort_of(support.worst)


def _calls_of_dtype(support: Support | None) -> Sequence[int]:
    return [_told(support)] if support else []


def _of_transforms(_: Column, supports: Sequence[TransformSupport]) -> Hashable:
    return tuple((_of_tally(each), each.axis) for each in supports)


def _calls_of_transforms(supports: Sequence[TransformSupport]) -> Sequence[int]:
    return list(map(_told, supports))


def _of_tally(tally: Tally) -> Hashable:
    return tally.word if tally.word in ("works", "silent") else (tally.word, tally.counts["works"], _told(tally))


def _told(tally: Tally) -> int:
    return tally.counts.total() - tally.counts["silent"]


def _claims(behaviours: Sequence[Behaviour]) -> dict[tuple[str, str], Any]:
    return {(claim.document, claim.locator): claim for each in behaviours for claim in each.claims}


def _once(claims: Iterable[Any]) -> list[Any]:
    """Of claims with the same words, such as those of a class and of its function, the first."""
    by_words: dict[str, Any] = {}
    for claim in claims:
        by_words.setdefault(claim.says, claim)
    return list(by_words.values())


def _unread_text(read: Coverage | None) -> str:
    """What is said of an API that no document is about, though the documentation of its function may be read for another form."""
    if read is not None and read.claimed:
        return "Its documentation is read for another form of the call only."
    if read is not None and read.is_documented and not read.unread:
        return "Its documentation has nothing that a call can test."
    return "No document about it is read."


def _coverage_text(read: Coverage | None) -> str:
    """``; of its 13 sentences 10 are read by claims, 2 cannot be tested, 1 is unread``; empty if none ships with it."""
    if read is None or not read.is_documented:
        return ""
    unread = f"{read.unread} {'is' if read.unread == 1 else 'are'} unread"
    claimed = f"{read.claimed} {'is' if read.claimed == 1 else 'are'} read by claims"
    return f"; of its {counted(read.sentences, 'sentence')} {claimed}, {read.untestable} cannot be tested, {unread}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _does(situation: Situation, behaviours: Sequence[Behaviour]) -> str:
    """``clamps it``, or ``varies in 1 of 8 calls, clamps it in 7``."""
    texts = [_answer_text(situation, each) for each in behaviours]
    if len(behaviours) == 1:
        return texts[0]
    counts = [f"{len(each.results)} of {each.of} calls" for each in behaviours[:1]]
    counts += [str(len(each.results)) for each in behaviours[1:]]
    return ", ".join(f"{text} in {count}" for text, count in zip(texts, counts, strict=True))


def _answer_text(situation: Situation, behaviour: Behaviour) -> str:
    if situation in OUTSIDE and behaviour.verb in WITH_THE_INDEX:
        return WITH_THE_INDEX[behaviour.verb] + _unseen(behaviour)
    if situation == USUAL and behaviour.verb in ("returns", "raises"):
        return "returns what it should" if behaviour.verb == "returns" else f"raises {verb_text(behaviour)}"
    return verb_text(behaviour)


def verb_text(behaviour: Behaviour) -> str:
    """What it does in a word or two: ``clamps``, the types of its errors, or how its process ends."""
    if behaviour.verb == "raises":
        errors = (result.outcome.error.type for result in behaviour.results if isinstance(result.outcome, Raised))
        return _names(Counter(errors)) or "raises"
    if behaviour.verb == "dies":
        endings = (result.outcome.ending for result in behaviour.results if isinstance(result.outcome, Died))
        return f"ends the process ({_names(Counter(endings))})"
    return WORDS[behaviour.verb][1] + _unseen(behaviour)


def _unseen(behaviour: Behaviour) -> str:
    """What to add where an update that is in no result may have been written elsewhere."""
    return f" ({NOT_GUARDED})" if any(result.not_guarded for result in behaviour.results) else ""


def _names(counts: Counter[str]) -> str:
    names = [name for name, _ in counts.most_common()]
    return " or ".join(names) if len(names) <= MOST_ERRORS else f"{names[0]} and {len(names) - 1} other errors"
