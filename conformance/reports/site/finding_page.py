"""The page of a cause: everything that is wrong for one reason, a script, and a text for an upstream issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from conformance.findings.findings import Cause, Finding
from conformance.reports.commands import has_script, repeat_command
from conformance.reports.details import reason
from conformance.reports.glossary import sentence
from conformance.reports.literals import call_text, expectation_text, result_text
from conformance.reports.site.drawing import drawn_call
from conformance.reports.site.facts import Facts
from conformance.reports.site.places import ClaimPlace, ClaimPlaces
from conformance.reports.text import shortened, visible, web_address
from conformance.reports.wording import apis_text, happens_text, upstream_link, word_of
from conformance.results.records import CaseRecord, ClauseRecord, ResultRecord, TargetRecord
from conformance.results.variations import is_meant_to_break

MOST_OF_AN_ADDRESS = 6000
"""Characters of a text in an address."""
MOST_OF_A_TITLE = 120


@dataclass(frozen=True)
class Broken:
    """A clause that an API fails in the same way on some targets."""

    api: str
    clause: ClauseRecord | None
    name: str
    word: str
    should: str
    reason: str
    findings: Sequence[tuple[TargetRecord, Finding]]


class FindingPages:
    """The data of the pages of all causes."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._claims = ClaimPlaces(facts.conclusions.results)

    def context(self, cause: Cause) -> dict[str, Any]:
        """What the template shows."""
        shown = self._shown(cause)
        target = self._facts.targets[shown.target]
        claims = self._claims.of(cause)
        title, text = self._issue(shown, target, claims)
        issues = web_address(target.issues)
        what = cause.entry.reason if cause.entry else sentence(reason(shown))
        return {
            "cause": cause,
            "title": what,
            "heading": f"{apis_text(cause.apis)}: {happens_text(cause.worst.first)}",
            "broken": list(self._broken(cause)),
            "claims": claims,
            "shown": shown,
            "target": target,
            "case": self._case(shown),
            "drawing": self._drawing(shown),
            "call": self._call(shown),
            "source": self._source(shown),
            "versions": self._versions(cause),
            "prints_script": has_script(self._facts.conclusions.results, shown),
            "command": repeat_command(self._facts.conclusions.results, shown, exact=True),
            "issue_title": title,
            "issue": text,
            "tracker": issues,
            "new_issue": _new_issue(issues, title, text),
            "upstream": upstream_link(cause),
        }

    def _shown(self, cause: Cause) -> ResultRecord:
        """The result that stands for the others: one with a script, if there is one, and else the smallest call."""
        scripted = (result for result in cause.worst.results if result.script)
        return (
            next(scripted, None)
            or next((result for result in cause.results if result.script), None)
            or self._smallest(cause)
        )

    def _smallest(self, cause: Cause) -> ResultRecord:
        """The result with the fewest characters in its call, of the worst finding; of drawn programs the smallest that was found."""
        if cause.shown.case == cause.shown.smallest:
            return cause.shown
        return min(cause.worst.results, key=self._length)

    def _length(self, result: ResultRecord) -> int:
        case = self._case(result)
        return len(call_text(case.arguments)) + len(case.program or "") if case else 0

    def _case(self, shown: ResultRecord) -> CaseRecord | None:
        return self._facts.conclusions.results.cases.get(shown.case)

    def _drawing(self, shown: ResultRecord) -> Markup | None:
        case = self._case(shown)
        return drawn_call(case, shown) if case else None

    def _call(self, shown: ResultRecord) -> str | None:
        case = self._case(shown)
        return call_text(case.arguments) if case else None

    def _source(self, shown: ResultRecord) -> str | None:
        """How the API is called."""
        case = self._case(shown)
        mapping = self._facts.mappings.get((shown.target, shown.api, case.operation)) if case else None
        return mapping.source if mapping else None

    def _broken(self, cause: Cause) -> Iterator[Broken]:
        alike: dict[tuple[str, str, str], list[Finding]] = {}
        for finding in cause.findings:
            alike.setdefault((finding.api, finding.clause, word_of(finding.first)), []).append(finding)
        clauses = self._facts.conclusions.results.clauses
        for (api, clause, word), findings in alike.items():
            targets = [(self._facts.targets[finding.target], finding) for finding in findings]
            first = findings[0].first
            yield Broken(api, clauses.get(clause), clause, word, self._should(first), reason(first), targets)

    def _should(self, result: ResultRecord) -> str:
        """What the clause states; of a call that breaks it on purpose, that this is an error."""
        case, clause = self._case(result), self._facts.conclusions.results.clauses.get(result.clause)
        if clause is None:
            return result.clause
        if clause.family == "rule" and case and ("raises" in case.expectation or is_meant_to_break(case.variation)):
            return f"An error, since this does not hold: {clause.states}"
        return clause.states

    def _versions(self, cause: Cause) -> list[tuple[str, list[TargetRecord]]]:
        """The framework's modes, each with the versions that have it."""
        modes: dict[str, list[TargetRecord]] = {}
        for name in cause.targets:
            target = self._facts.targets[name]
            modes.setdefault(f"{target.device}, {target.mode}", []).append(target)
        return list(modes.items())

    def _issue(self, shown: ResultRecord, target: TargetRecord, claims: Sequence[ClaimPlace]) -> tuple[str, str]:
        """Title and text of an issue. Only the API's own documentation is quoted: that of another is no argument there."""
        case = self._case(shown)
        happens = " ".join(reason(shown).split())
        packages = ", ".join(f"{name} {version}" for name, version in _packages(target))
        parts = [
            f"{target.title or target.framework} {target.version or ''} ({target.device}, {target.mode}), "
            f"Python {target.python or '?'}, NumPy {target.numpy or '?'}{f'; {packages}' if packages else ''}",
            happens,
        ]
        if claims:
            said = (f"- {place.says} ({_linked(place)})" for place in claims)
            parts.append("\n".join(["The documentation says, in other words:", *said]))
        if shown.script:
            parts.append(_block("Script", shown.script, "python"))
        elif case:
            parts += [_block("Program", case.program, "python")] if case.program is not None else []
            parts.append(_block("Call", call_text(case.arguments)))
        if case:
            parts.append(_block("Expected", expectation_text(case.expectation)))
        parts.append(_block("Actual", result_text(shown)))
        return visible(shortened(f"{shown.api}: {happens}", MOST_OF_A_TITLE)), visible("\n\n".join(parts))


def extent_texts(broken: Broken) -> list[str]:
    """``2 of 3 calls on 2.13.0``: where versions have the same numbers, together."""
    numbers: dict[tuple[int, int], list[str]] = {}
    for target, finding in broken.findings:
        label = f"{target.version or target.id}{'' if target.default_mode else f' {target.mode}'}"
        numbers.setdefault((len(finding.results), finding.of), []).append(label)
    return [f"{count} of {of} on {', '.join(dict.fromkeys(names))}" for (count, of), names in numbers.items()]


def _linked(place: ClaimPlace) -> str:
    url = web_address(place.url)
    return f"[{place.document}]({url})" if url else place.document


def _block(title: str, text: str, language: str = "text") -> str:
    """A fenced block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{title}:\n\n{fence}{language}\n{text.rstrip()}\n{fence}"


def _packages(target: TargetRecord) -> list[tuple[str, str]]:
    """The packages of the framework beside itself, such as ``jaxlib``: what else is installed there is no news to its developers."""
    name = target.framework.casefold()
    return [(each, version) for each, version in sorted(target.packages.items()) if name in each and each != name]


def _new_issue(tracker: str | None, title: str, text: str) -> str | None:
    """A new issue with the facts filled in, where the tracker takes them in its address."""
    if tracker is None or not tracker.startswith("https://github.com/"):
        return None
    return f"{tracker}/new?{urlencode({'title': title, 'body': text[:MOST_OF_AN_ADDRESS]})}"
