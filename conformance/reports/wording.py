"""The words of reports for results, findings and causes. Each stands here once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.findings.extent import MissingForm
from conformance.findings.findings import Cause, Count, Danger, Finding, count
from conformance.judging.vocabulary import BINDING, Behaviour, Divergence
from conformance.reports.text import counted, one_line
from conformance.results.alike import FindingSort
from conformance.results.records import ResultRecord
from conformance.results.variations import ORIGINS

COUNT_WORDS = {"own": "diverges (own)", "printed": "diverges (printed)", "portability": "diverges (portability)"}
TITLES: Mapping[FindingSort, str] = {
    "own": "Breaks its own documentation",
    "printed": "Does not give the result of a worked example about it",
    "died": "Died",
    "hung": "Hung",
    "portability": "Differs from another API's documentation",
}
LEVELS: Mapping[str, tuple[FindingSort, ...]] = {
    TITLES["own"]: ("own",),
    TITLES["printed"]: ("printed",),
    "Died or hung": ("died", "hung"),
    TITLES["portability"]: ("portability",),
}
"""What findings are counted under."""
DANGERS: Mapping[Danger, str] = {
    "varies": "Not the same each time",
    "ends": "Ends the process, or hangs",
    "outside": "Reads or writes outside",
    "internal": "Raises an error that is its own fault",
    "wrong": "Wrong without an error",
    "differs": "Differs from another API's documentation without an error",
    "accepts": "Accepts what it should refuse",
    "refuses": "Refuses what it should take",
    "error": "Raises another error",
}
UNREPORTED = "no report is linked"
ELSEWHERE = "recorded for other versions, modes or devices"
UNKNOWN = "in no ledger"
MOST_NAMES = 4

_OUT_OF_BOUNDS: Mapping[Behaviour, str] = {
    "ignores": "skips an index out of bounds",
    "stops": "skips an index out of bounds and all after it",
    "clamps": "clamps an index out of bounds",
    "wraps-negative": "counts a negative index from the end",
    "wraps-modulo": "wraps an index out of bounds around",
    "fills": "reads a fill value for an index out of bounds",
}
NOT_GUARDED = "not guarded"
_MEANINGS: Mapping[Divergence, str] = {
    "wrote-outside": "writes outside its arguments",
    "read-outside": "returns memory outside its arguments",
    "contaminated": "depends on earlier calls",
    "together": "depends on the calls that are compiled with it",
    "unstable": "does not give the same result each time",
    "internal": "raises an error that is its own fault",
    "rejected": "rejects calls that others take",
    "accepted": "takes calls that others reject",
    "missing": "lacks what its target claims",
    "value": "returns other values",
    "inconsistent": "returns the derivative of another result",
    "shape": "returns another shape",
    "dtype": "returns another dtype",
    "error-type": "raises another type of error",
    "input-changed": "changes an argument",
    "aliased": "returns memory of an argument",
    "mode-dependent": "does something else than without compiling",
}
"""Kinds of divergence, the first of which names a result."""
_OWN_MEANINGS: Mapping[Divergence, str] = {
    **_MEANINGS,
    "rejected": "refuses what it documents",
    "accepted": "takes what it documents as an error",
    "value": "returns wrong values",
    "shape": "returns a wrong shape",
    "dtype": "returns a wrong dtype",
    "error-type": "raises another type of error than it documents",
}
"""The same where a document about the API itself says otherwise."""


def origins_text(origins: Mapping[str, int]) -> str:
    """`` (664 written, 1197 in other dtypes)``; empty if all are written."""
    if not origins.keys() - {"written"}:
        return ""
    return f" ({', '.join(f'{origins[name]} {text}' for name, text in ORIGINS.items() if origins.get(name))})"


def word_of(result: ResultRecord) -> str:
    """What happened in a few words: ``value``, ``accepted``, ``raises``, ``conforms``."""
    if result.unconfirmed:
        return f"{_kinds_text(result)} (not confirmed)"
    if result.verdict == "diverges":
        return _kinds_text(result)
    if result.verdict == "observed":
        return f"{result.behaviour} ({NOT_GUARDED})" if result.not_guarded else result.behaviour or "observed"
    return result.verdict


def _kinds_text(result: ResultRecord) -> str:
    return ", ".join(result.divergence) or result.verdict


def meaning_of(result: ResultRecord) -> str:
    """What a divergence means for somebody who ports a model."""
    return _first(_MEANINGS, result)


def _first(meanings: Mapping[Divergence, str], result: ResultRecord) -> str:
    policy = _OUT_OF_BOUNDS.get(result.behaviour) if result.behaviour is not None else None
    if "accepted" in result.divergence and policy is not None:
        return f"{policy} ({NOT_GUARDED})" if result.not_guarded else policy
    return next((text for kind, text in meanings.items() if kind in result.divergence), word_of(result))


def happens_text(result: ResultRecord) -> str:
    """What is wrong with a result, for a title: against its own documentation it is wrong, else it differs from others."""
    if result.verdict in ("died", "hung"):
        return "ends the process" if result.verdict == "died" else "does not return"
    return _first(_OWN_MEANINGS if result.standing in BINDING else _MEANINGS, result)


def apis_text(apis: Sequence[str]) -> str:
    """``torch.gather and 2 other APIs``."""
    more = len(apis) - 1
    return apis[0] if more == 0 else f"{apis[0]} and {counted(more, 'other API')}"


def missing_form_text(form: MissingForm) -> str:
    """``torch.take: only a vector (497 calls)``."""
    return f"{one_line(form.api)}: {one_line(form.reason, 200)} ({counted(len(form.results), 'call')})"


def extent(finding: Finding) -> str:
    """``12 of 20 cases``; ``(2 confirmed alone)`` if the others were confirmed after these."""
    after_others = any(result.confirmed == "after-others" for result in finding.results)
    alone = f" ({finding.alone} confirmed alone)" if finding.alone and after_others else ""
    return f"{len(finding.results)} of {counted(finding.of, 'case')}{alone}"


def levels(number: Count) -> str:
    """``34 causes, 132 findings``."""
    return f"{counted(number.causes, 'cause')}, {counted(number.findings, 'finding')}"


def level_texts(causes: Sequence[Cause]) -> Iterator[str]:
    """``Breaks its own documentation: 34 causes, 132 findings`` and so on, without zeros."""
    for title, sorts in LEVELS.items():
        number = count(causes, *sorts)
        if number.findings:
            yield f"{title}: {levels(number)}"


def shortened_list(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The first names, and the number of the others."""
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def place_text(causes: Sequence[Cause]) -> str:
    """``torch==2.13.0@cpu, torch==2.13.0[compile]@cpu; 3 findings in 2 clauses``, of causes on the same targets."""
    clauses = {clause for cause in causes for clause in cause.clauses}
    places = f" in {len(clauses)} clauses" if len(clauses) > 1 else ""
    number = sum(len(cause.findings) for cause in causes)
    return f"{shortened_list(causes[0].targets)}; {counted(number, 'finding')}{places}"


def standing_text(cause: Cause) -> str:
    """Whether a document of its own is broken, or one of another API; by a path, that of what was exported."""
    if cause.own and cause.on_path:
        return "exported, breaks the documentation of the API"
    sort = "own" if cause.own else cause.worst.sort
    return "whatever a document says" if sort in ("died", "hung") else lower(TITLES[sort])


def by_danger(causes: Sequence[Cause]) -> list[tuple[Danger, list[Cause]]]:
    """The causes under each danger that has any, the worst danger first."""
    groups: list[tuple[Danger, list[Cause]]] = [
        (danger, [cause for cause in causes if cause.danger == danger]) for danger in DANGERS
    ]
    return [(danger, members) for danger, members in groups if members]


def others_text(causes: Sequence[Cause]) -> str:
    """``accepts what it should refuse 40, refuses what it should take 12``."""
    return ", ".join(f"{lower(DANGERS[danger])} {len(members)}" for danger, members in by_danger(causes))


def upstream_link(cause: Cause) -> str | None:
    """The web address of the upstream thread."""
    link = cause.entry.link if cause.entry else ""
    return link if link.startswith(("https://", "http://")) else None


def upstream_text(cause: Cause) -> str:
    """``reported upstream``; else whether the ledger has it, or has it for other versions."""
    if upstream_link(cause):
        return "reported upstream"
    if cause.known is None:
        return UNKNOWN if cause.is_new else ELSEWHERE
    return UNREPORTED


def lower(title: str) -> str:
    """A title within a sentence."""
    return title[0].lower() + title[1:]
